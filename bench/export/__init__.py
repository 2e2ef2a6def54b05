"""Pages of a whole history, against other programs that write pages."""
