"""The bytes of all imported sources, unchanged and deduplicated."""
