"""What rules and their fixes need to know beyond one record."""
