"""Shared helpers for tests of work in the studio: the demos in a separate folder, and edits."""

from __future__ import annotations

import base64
import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

from talktree import api
from talktree.model.document import Document
from talktree.model.operations import ChangeRole, MoveMessage, Operation, ReplyTo, SwapMessages
from talktree.testing.edits import PIXEL, TEXT
from tests.web.running import Running

DEMO = Path(__file__).parents[2] / "demo"
DEMOS = {
    "claude-code": "claude-code.jsonl",
    "claude-messages": "claude-messages.jsonl",
    "muse": "muse.json",
    "native": "native.jsonl",
    "studio": "studio.json",
    "studio-text": "studio-text.txt",
    "studio-xml": "studio-xml.xml",
    "chatbuilder": "chatbuilder/messages/repair-cafe",
    "sage": "sage",
}
"""A source of each format."""
GIF = base64.b64decode(PIXEL.partition(",")[2])


def copied(slug: str, folder: Path) -> Path:
    """Return a demo in a folder of the test."""
    source = DEMO / DEMOS[slug]
    target = folder / source.name
    folder.mkdir(parents=True, exist_ok=True)
    (shutil.copytree if source.is_dir() else shutil.copy)(source, target)
    return target


def bytes_of(path: Path) -> dict[str, bytes]:
    """Return every file at a path."""
    if path.is_file():
        return {path.name: path.read_bytes()}
    return {
        str(each.relative_to(path)): each.read_bytes()
        for each in sorted(path.rglob("*"))
        if each.is_file()
    }


def fingerprint(path: Path) -> str:
    """Return a digest of everything below a path."""
    return sha256(repr(bytes_of(path)).encode()).hexdigest()


def cid_of(studio: Running, path: Path) -> str:
    """Return the studio's id of the first conversation of a source."""
    return str(studio.studio.cache.get_library().conversation(str(path)).source)


def stamp_of(studio: Running, cid: str) -> str:
    return str(studio.get(f"/c/{cid}/edits")["stamp"])


def document_of(studio: Running, cid: str) -> Document:
    return studio.studio.cache.open(cid).document


def shown_bytes(studio: Running, cid: str) -> dict[str, bytes]:
    """Return the bytes that saving would write."""
    return api.to_bytes(document_of(studio, cid))


def uploaded(studio: Running, data: bytes, name: str = "dot.gif") -> dict[str, Any]:
    answer = studio.client.post("/api/v1/uploads", params={"name": name}, content=data)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def done(studio: Running, cid: str, edit: dict[str, Any]) -> Any:
    """Run an edit on the current state."""
    return studio.post(f"/c/{cid}/edits", {"stamp": stamp_of(studio, cid), "deed": edit})


def refused(studio: Running, path: str, body: Any, status: int) -> dict[str, Any]:
    """Return the error of a refused request."""
    answer = studio.client.post(f"/api/v1{path}", json=body)
    assert answer.status_code == status, answer.text
    error: dict[str, Any] = answer.json()["error"]
    assert error["message"]
    return error


def turned(studio: Running, cid: str, verb: str) -> Any:
    """Undo, redo or save the current state."""
    return studio.post(f"/c/{cid}/{verb}", {"stamp": stamp_of(studio, cid)})


Make = Callable[[Operation], dict[str, Any]]


def make_edit(kind: str, operation: Operation, upload: str) -> dict[str, Any]:
    """Return the page's request for an operation."""
    about = getattr(operation, "about", None)
    match kind:
        case "reply" | "new beginning":
            assert isinstance(operation, ReplyTo)
            return {"do": "reply", "parent": operation.parent, "text": TEXT}
        case "edit as a branch":
            return {"do": "revise", "about": about, "text": TEXT}
        case "edit in place":
            return {"do": "replace", "about": about, "text": TEXT}
        case "clone" | "clone with replies":
            return {"do": "clone", "about": about, "below": kind != "clone"}
        case "move":
            assert isinstance(operation, MoveMessage)
            return {"do": "move", "about": about, "to": operation.to}
        case "pop up":
            return {"do": "pop_up", "about": about}
        case "swap":
            assert isinstance(operation, SwapMessages)
            return {"do": "swap", "about": about, "other": operation.other}
        case "change role":
            assert isinstance(operation, ChangeRole)
            return {"do": "retype", "about": about, "role": operation.role}
        case "delete" | "remove":
            return {"do": kind, "about": about}
        case "restore":
            return {"do": "undelete", "about": about}
        case _:
            return {"do": "attach", "about": about, "upload": upload}
