"""Planted secrets and their lookalikes: how many of each an export replaces."""
