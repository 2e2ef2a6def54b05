"""All surfaces say the same of the same data."""
