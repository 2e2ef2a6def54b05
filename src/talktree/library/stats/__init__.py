"""Counting what the library holds: tokens, costs, tools, measures."""
