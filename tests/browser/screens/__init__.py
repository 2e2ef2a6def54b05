"""What a user does in one part of the studio."""
