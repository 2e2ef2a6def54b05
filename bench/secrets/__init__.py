"""Planted secrets and their lookalikes: how many of either an export replaces."""
