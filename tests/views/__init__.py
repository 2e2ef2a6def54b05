"""Tests of talktree.views."""
