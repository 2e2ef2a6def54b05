"""What is given to others: how much of a conversation, without its secrets, as a page or a file."""
