"""Data of a whole session, in both directions: metadata.json, and the head of older files.

Sage titles a session by its custom title, else its summary, else its first prompt, else its name. A
changed title becomes the custom title; the others stay.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from talktree.formats.lens import Object, take_text, with_rest
from talktree.formats.sage.lens_members import take_time
from talktree.model.entries import Head
from talktree.text.times import to_iso

OTHER_TITLES = ("summary", "firstPrompt", "name")


def get_metadata(left: Object, id: str) -> Head:
    """Return the head of a metadata.json."""
    own = take_text(left, "id")
    custom = take_text(left, "customTitle")
    return Head(
        id=own or id,
        title=custom or _find_other_title(left),
        time_ns=take_time(left, "createdAt"),
        updated_ns=take_time(left, "updatedAt"),
        extra=left,
    )


def _find_other_title(left: Mapping[str, Any]) -> str | None:
    found = (left.get(key) for key in OTHER_TITLES)
    return next((title for title in found if isinstance(title, str) and title), None)


def metadata_value(head: Head) -> Object:
    """Return the metadata.json of a head."""
    value: Object = {"id": head.id}
    if head.title is not None and head.title != _find_other_title(head.extra):
        value["customTitle"] = head.title
    if head.time_ns is not None:
        value["createdAt"] = to_iso(head.time_ns)
    if head.updated_ns is not None:
        value["updatedAt"] = to_iso(head.updated_ns)
    return with_rest(value, head.extra)


def get_session(left: Object, id: str) -> Head:
    """Return the head of an older session file; its messages are records of their own."""
    if left.get("messages") == []:
        del left["messages"]
    own = take_text(left, "id")
    return Head(
        id=own or id,
        title=take_text(left, "name"),
        time_ns=take_time(left, "created_at"),
        updated_ns=take_time(left, "updated_at"),
        extra=left,
    )


def session_value(head: Head) -> Object:
    """Return the value of an older session file's head, without its messages."""
    value: Object = {"id": head.id}
    if head.title is not None:
        value["name"] = head.title
    if head.time_ns is not None:
        value["created_at"] = to_iso(head.time_ns)
    if head.updated_ns is not None:
        value["updated_at"] = to_iso(head.updated_ns)
    return with_rest({**value, "messages": []}, head.extra)
