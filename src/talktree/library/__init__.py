"""The library: every conversation of a person kept, found and counted."""
