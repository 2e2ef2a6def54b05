"""Undo and redo: states at points of the tree, plans, and their execution."""
