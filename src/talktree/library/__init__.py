"""The library: stores, searches and counts all imported conversations."""
