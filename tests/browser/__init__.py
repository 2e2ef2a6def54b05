"""The studio in a real Chromium, as people use it."""
