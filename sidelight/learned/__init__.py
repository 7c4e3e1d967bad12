"""Models learned from people's labels: answers, support, grades, relevance, question quality."""
