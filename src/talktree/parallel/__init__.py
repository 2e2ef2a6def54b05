"""Work in several processes: many jobs, or one long one in shares."""
