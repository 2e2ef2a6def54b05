"""Finding conversations on the disk: their places, their files, and what has changed."""
