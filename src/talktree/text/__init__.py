"""Generic text handling: bytes, JSON and times; exact, tolerant, never recursive."""
