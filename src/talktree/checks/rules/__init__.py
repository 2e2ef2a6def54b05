"""The rules that all formats share, one module for each family of codes."""
