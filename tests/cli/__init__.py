"""The command line as users and scripts call it."""
