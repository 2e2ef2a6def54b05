"""Data that some formats record about a message and the model has no name for.

For records read through the model, only this module knows native names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from talktree.model.message import Message
from talktree.text.json.value import Json

CLAUDE_CODE = "claude-code"


def parent_session(format: str, message: Message) -> str | None:
    """Return the session that a message was copied from."""
    if format != CLAUDE_CODE or not message.extra:
        return None
    return _get_text(_get_object(message.extra, "forkedFrom").get("sessionId"))


def _get_object(value: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    """Return the object under some names; empty if there is none."""
    here: Any = value
    for name in names:
        here = here.get(name)
        if not isinstance(here, Mapping):
            return {}
    found: Mapping[str, Any] = here
    return found


def _get_text(value: Json) -> str | None:
    return value if isinstance(value, str) else None
