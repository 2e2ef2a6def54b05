"""The workspace of a session: the folder whose files its steps and moves affect.

It is recorded when the session begins, by path and identity and with this machine's mark. Opening
uses that folder, wherever the process was started. If it is a different folder now, or the mark is
not ours, the session has no workspace until the user maps it; the mapping is one more `begin`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from talktree.errors import TalktreeError
from talktree.files.sandbox import Anchor
from talktree.session.capture.file_state import name_from_json, name_to_json
from talktree.session.ownership import WorkspaceIdentity, is_own, make_mark
from talktree.session.undo.move_records import format_operation_line
from talktree.text.json.value import Json


class Parent(NamedTuple):
    """The session and the message that a child session was made from."""

    session: str
    message: str | None


def identify_folder(workspace: Anchor) -> WorkspaceIdentity:
    """Return the identity of a folder."""
    device, inode = workspace.identity
    return WorkspaceIdentity(os.fsencode(workspace.path), device, inode)


def format_begin_line(
    id: str,
    workspace: Anchor,
    folder: Anchor,
    *,
    title: str | None = None,
    parent: Parent | None = None,
    continues: str | None = None,
) -> bytes:
    """Return the operation with which a session begins, or is mapped to another folder."""
    place = identify_folder(workspace)
    path = name_to_json(place.path)
    members: dict[str, Any] = {
        "workspace": {"path": path, "device": place.device, "inode": place.inode}
    }
    made = make_mark(id, place, folder.identity)
    if made is not None:
        members["mark"] = made
    if title is not None:
        members["title"] = title
    if parent is not None:
        members["parent"] = parent._asdict()
    if continues is not None:
        members["continues"] = continues
    return format_operation_line(id, "begin", members)


def initial_metadata(operations: Iterable[Mapping[str, Any]]) -> dict[str, Json]:
    """Return the initial members of metadata.json: title and parent."""
    details: dict[str, Json] = {}
    for value in operations:
        if value.get("kind") != "begin":
            continue
        title, parent = value.get("title"), value.get("parent")
        if isinstance(title, str):
            details["customTitle"] = title
        if isinstance(parent, Mapping) and isinstance(parent.get("session"), str):
            details |= {"parentSessionId": parent["session"], "isSidechain": True}
    return details


def find_recorded_place(
    id: str, folder: Anchor, operations: Iterable[Mapping[str, Any]]
) -> WorkspaceIdentity | None:
    """Return the workspace that this machine recorded last; None if it never did."""
    found = None
    for value in operations:
        place = _parse_place(value.get("workspace")) if value.get("kind") == "begin" else None
        if place is not None and is_own(id, place, folder.identity, value.get("mark")):
            found = place
    return found


def _parse_place(value: object) -> WorkspaceIdentity | None:
    if not isinstance(value, Mapping):
        return None
    path, device, inode = value.get("path"), value.get("device"), value.get("inode")
    if not isinstance(path, str) or type(device) is not int or type(inode) is not int:
        return None
    return WorkspaceIdentity(name_from_json(path), device, inode)


def open_recorded_folder(place: WorkspaceIdentity) -> Anchor | None:
    """Return the folder, if it is still the one that was recorded."""
    try:
        workspace = Anchor(Path(os.fsdecode(place.path)))
    except (TalktreeError, OSError, ValueError):
        return None
    if identify_folder(workspace) == place:
        return workspace
    workspace.close()
    return None


def describe_unmapped(place: WorkspaceIdentity | None) -> str:
    """Return why a session has no workspace, in words."""
    if place is None:
        return "this session was not begun here: its files are restored into a chosen folder only"
    path = os.fsdecode(place.path)
    return f"the workspace {path} is not the folder it was; map the session to one explicitly"
