"""Claude Code's own file history: what it allows to restore."""
