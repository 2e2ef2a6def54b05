"""What the library holds as Arrow tables."""
