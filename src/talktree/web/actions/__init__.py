"""Actions of the studio: edits, saving, conversion, uploads and moves of a session."""
