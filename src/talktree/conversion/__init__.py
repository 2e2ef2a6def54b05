"""Any format to any format: what the target cannot hold is told, and travels along."""
