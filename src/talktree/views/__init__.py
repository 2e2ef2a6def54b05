"""Output of conversations: transcripts, outlines, plots, and the JSON of scripts."""
