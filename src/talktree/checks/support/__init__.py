"""Facts about a conversation that several rules need."""
