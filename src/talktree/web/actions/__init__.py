"""What people do in the studio: edits, saving, conversion, uploads, moves of a session."""
