"""The contents of a Muse file: conversations, their messages, context entries; and detection.

The key that holds the messages distinguishes the analytics copy (`message_history`) from the
application's (`history`); the schema version does not.
"""

from __future__ import annotations

from typing import Literal

from talktree.files import Content
from talktree.formats.evidence import make_refusal
from talktree.formats.format import Detection, Format
from talktree.formats.json_file import JsonSheet
from talktree.formats.nested_file import FilePiece
from talktree.text.json.value import Json, Token

ANALYTICS = "message_history"
APPLICATION = "history"
HEAD_SIGNS = (
    "schema_version",
    "last_updated_timestamp",
    "is_favorite",
    "owners",
    "function_catalog",
)
"""Keys of a conversation that no other format has."""
MESSAGE_SIGNS = ("role", "content", "author", "request_id", "timestamp")
ONLY_HERE = (
    "front_desk_classification_results",
    "selected_context_metadata",
    "is_internal_unity",
    "opt_status",
    "is_beta_request",
    "seconds_until_streaming",
    "seconds_until_finished",
    "is_reverted_timestamp",
    "is_valid_query",
)
"""Keys of a message that only this format has."""

Kind = Literal["head", "message", "context"]


def detect_kind(value: Json) -> Kind | None:
    """Return the kind of a record, judged by its keys, or None."""
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("role"), str):
        return "message"
    if ANALYTICS in value or APPLICATION in value:
        return "head"
    if "conversation_id" in value and ("fragment_id" in value or "data" in value):
        return "context"
    if any(key in value for key in HEAD_SIGNS):
        return "head"
    if any(key in value for key in MESSAGE_SIGNS):
        return "message"
    return None


def find_history_key(value: Json) -> str:
    """Return the member of a conversation that holds its messages, or would hold them."""
    if not isinstance(value, dict) or APPLICATION not in value:
        return ANALYTICS
    holds = isinstance(value[APPLICATION], list) and not isinstance(value.get(ANALYTICS), list)
    return APPLICATION if holds or ANALYTICS not in value else ANALYTICS


def _children_key(value: Json, depth: int) -> str | None:
    return find_history_key(value) if depth == 0 and detect_kind(value) == "head" else None


class MuseSheet(JsonSheet):
    """One conversation, a list of them, or one on each line."""

    def __init__(self, path: str, content: Content, format: Format, *, group: str) -> None:
        super().__init__(
            path,
            content,
            format,
            group=group,
            hole=_children_key,
            links="chain",
            many=True,
            names=(ANALYTICS, APPLICATION),
        )

    def _group_names(self) -> list[str]:
        """Return a group for each record: a head starts one, and so does a run of loose records."""
        names: list[str] = []
        number, headed = 0, True
        for piece in self.pieces:
            if piece.depth == 0 and (headed or _is_head(piece)):
                number += 1
                headed = _is_head(piece)
            names.append(f"{self.group}#{number}" if number > 1 else self.group)
        return names


def _is_head(piece: FilePiece) -> bool:
    return piece.hole is not None or detect_kind(piece.value) == "head"


def detect_record(value: dict[str, Json]) -> Detection | None:
    """Return how sure an object is a record of this format, and the reason."""
    match detect_kind(value):
        case "head":
            return _detect_head(value)
        case "message":
            sign = next((key for key in ONLY_HERE if key in value), None)
            return Detection(0.7, f"a message with {sign}") if sign and "role" in value else None
        case "context" if "fragment_id" in value and "data" in value:
            return Detection(0.8, "context entries with conversation_id and fragment_id")
        case _:
            return None


def _detect_head(value: dict[str, Json]) -> Detection | None:
    name = find_history_key(value)
    signs = [key for key in ("_id", "conversation_id", *HEAD_SIGNS) if key in value]
    listed = value.get(name)
    if foreign := _describe_foreign_bodies(listed):
        return make_refusal(f"{name}: {foreign}") if signs or name == ANALYTICS else None
    if name == ANALYTICS and isinstance(listed, (list, Token, type(None))) and name in value:
        return Detection(0.95 if signs else 0.8, f"message_history{_describe_signs(signs)}")
    if not isinstance(listed, list):
        return None
    if not all(isinstance(each, (dict, Token)) for each in listed[:20]):
        return None
    spoken = [each for each in listed[:20] if detect_kind(each) == "message"]
    if any(key in each for each in spoken if isinstance(each, dict) for key in ONLY_HERE):
        return Detection(0.9, "history of messages with keys of this format")
    signs = [key for key in HEAD_SIGNS if key in value]
    if signs:
        return Detection(0.85, f"history{_describe_signs(signs)}")
    if spoken and "id" in value and "title" in value:
        return Detection(0.5, "history of messages beside id and title")
    return None


def _describe_foreign_bodies(listed: Json) -> str | None:
    """Return what is wrong with most messages of a list; None if most have this format's shape."""
    bodies = (
        [each for each in listed if isinstance(each, dict) and each]
        if isinstance(listed, list)
        else []
    )
    foreign = [
        each
        for each in bodies
        if detect_kind(each) != "message" or isinstance(each.get("content"), (list, dict))
    ]
    if len(foreign) * 2 <= len(bodies):
        return None
    return f"{len(foreign)} of {len(bodies)} messages do not fit: no content that is text"


def _describe_signs(signs: list[str]) -> str:
    return f" beside {', '.join(signs[:3])}" if signs else ""
