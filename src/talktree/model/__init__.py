"""The conversation model: values only, without files or formats."""
