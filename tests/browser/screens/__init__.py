"""What a person does in one part of the studio, in words."""
