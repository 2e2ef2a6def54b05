"""Files that share a history, for the tests of merging, and helpers to compare the results."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from talktree.files import Source
from talktree.formats import get_format
from talktree.formats.engine import DocumentOrigin, read_document
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.findings import Finding
from tests.conversion.trips import SLUGS, golden

GOLDEN = [(slug, name) for slug in SLUGS for name, _ in golden(slug)]
Row = dict[str, Any]


def uuid(number: int) -> str:
    return str(UUID(int=number, version=4))


def line(number: int, parent: int | None, text: str, session: str = "one", **more: Any) -> Row:
    """Return a line as Claude Code writes it."""
    role = more.pop("role", "user" if number % 2 else "assistant")
    content: Any = text if role == "user" else [{"type": "text", "text": text}]
    return {
        "parentUuid": None if parent is None else uuid(parent),
        "isSidechain": False,
        "userType": "external",
        "cwd": "/home/mira",
        "sessionId": session,
        "version": "2.1.29",
        "type": role,
        "message": {"role": role, "content": content},
        "uuid": uuid(number),
        "timestamp": f"2026-02-02T05:25:{number:02}.201Z",
        **more,
    }


def session(name: str, rows: Sequence[Row]) -> Document:
    data = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    return read_document(Source.of_bytes(data, name=f"{name}.jsonl"), get_format("claude-code"))


def texts(conversation: Conversation) -> list[str]:
    return [message.text for message in conversation.messages()]


def branch_texts(conversation: Conversation) -> set[tuple[str, ...]]:
    return {
        tuple(message.text for message in conversation.path(branch.leaf))
        for branch in conversation.branches()
    }


def data_of(document: Document) -> bytes:
    origin = document.origin
    assert isinstance(origin, DocumentOrigin)
    (content,) = origin.source.files.values()
    return content.read()


def details(document: Document) -> list[Finding]:
    return [each for each in document.findings if each.code in ("IDS103", "IDS104")]


def shape(document: Document) -> list[list[str]]:
    """Return every message with the texts of all its ancestors, without ids."""
    found = []
    for conversation in document.conversations:
        skeleton = conversation.tree.skeleton
        ways: dict[int, tuple[Any, ...]] = {-1: ()}
        for position in conversation.tree.order:
            entry = conversation.entry(position)
            own = (skeleton.roles[position], getattr(entry, "text", ""), skeleton.times[position])
            ways[position] = (*ways[skeleton.parents[position]], own)
        del ways[-1]
        if ways:
            found.append(sorted(map(repr, ways.values())))
    return sorted(found)


def studio_tree() -> Source:
    found = dict(golden("studio", "good"))
    return found["two-branch-points.json"]
