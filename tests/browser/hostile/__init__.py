"""Text by other people, in every place where the studio shows it, never acts."""
