"""Work in several processes: many jobs, or one long job in shares."""
