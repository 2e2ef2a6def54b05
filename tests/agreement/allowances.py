"""All differences between surfaces that are meant; `docs/definitions.md` explains each to users."""

from __future__ import annotations

NO_CONVERSATION = {"run"}
"""Ids of rows that only say why a file could not be read: a recording of another kind."""
NO_BYTES = ("claude-code-bad-strangers", "empty")
"""The id of a file without a byte in a folder of one format: `read` has it, the library has not."""
WITH_AGENTS = ("agents", "claude-code-good-project")
"""Folders of a session and its sub-agents: a card counts both, the opened file only itself."""
