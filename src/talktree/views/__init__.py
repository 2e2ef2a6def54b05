"""Conversations for people: transcripts, outlines, plots, and the shapes scripts get."""
