"""Write the questions without a model: typed facts, their wordings, what people graded well."""
