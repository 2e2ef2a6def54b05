"""All surfaces report the same about the same data."""
