"""What several rules need to know of a conversation."""
