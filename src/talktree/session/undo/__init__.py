"""Going back and forth: states at points of the tree, plans, and applying them."""
