"""The values that travel between the studio's server and its page."""
