"""What agents write: messages, their context, todos, thinking, compaction."""
