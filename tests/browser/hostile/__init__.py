"""What somebody else wrote, in every place where the studio shows it: nothing of it ever acts."""
