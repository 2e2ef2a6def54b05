"""Views of tool calls and their results."""
