"""Random messages for each format: `messages` in the module with its name."""
