"""All intended differences between surfaces; `docs/definitions.md` explains each to users."""

from __future__ import annotations

NO_CONVERSATION = {"run"}
"""Ids of rows that only say why a file could not be read: a different kind of recording."""
NO_BYTES = ("claude-code-bad-strangers", "empty")
"""The id of an empty file in a folder of one format: `read` has it, the library does not."""
WITH_AGENTS = ("agents", "claude-code-good-project")
"""Folders of a session and its sub-agents: a card counts both, the opened file only itself."""
