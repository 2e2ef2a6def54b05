"""What agents record: messages, their context, todos, thinking, compaction."""
