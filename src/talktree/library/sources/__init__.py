"""Where conversations lie, which files they are made of, and what of them has changed."""
