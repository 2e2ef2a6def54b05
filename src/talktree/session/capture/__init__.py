"""What is at paths: states, their contents, and the steps that record both."""
