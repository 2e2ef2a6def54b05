"""What a line says, for when nothing of it could be read."""

from __future__ import annotations

from talktree.formats.claude_code.lens import KNOWN
from talktree.text.json.value import Json

AROUND = frozenset(
    {
        "role",
        "id",
        "type",
        "model",
        "usage",
        "content",
        "stop_reason",
        "stop_sequence",
        "stop_details",
        "container",
        "context_management",
        "diagnostics",
    }
)
"""Members of an API message beside what it says."""


def said(value: Json) -> Json:
    """What a line says, as it stands there; members that nobody knows may be what it says."""
    if not isinstance(value, dict):
        return None
    if value.get("message") is None:
        return {key: item for key, item in value.items() if key not in KNOWN}
    message = value["message"]
    if not isinstance(message, dict):
        return message
    return message.get("content") or {
        key: item for key, item in message.items() if key not in AROUND
    }
