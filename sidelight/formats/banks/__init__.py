"""Files of rubrics, nuggets and exam questions, by which submissions are graded."""
