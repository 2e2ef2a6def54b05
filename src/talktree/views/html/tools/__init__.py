"""Tool calls in the form people expect, and what came of them."""
