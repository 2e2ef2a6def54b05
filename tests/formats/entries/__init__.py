"""For each format, random messages within what it can hold: `messages` in the module named so."""
