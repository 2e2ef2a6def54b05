"""Artifacts in the sandbox: an isolated page for each of them."""
