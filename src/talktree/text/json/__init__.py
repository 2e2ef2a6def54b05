"""JSON texts as bytes: reading, writing, changing and repairing them."""
