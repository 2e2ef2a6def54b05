"""A conversation as one page of HTML that needs nothing else, and no script."""
