"""Find by trying which edit can be made at which message of a demo."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from talktree.model import operations
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.message import Message
from talktree.model.operations import Operation
from talktree.testing.edits import KINDS, compute_outcome
from tests.browser.screens.editing import Editing

PAIRS: dict[str, Callable[[Conversation, str, str], Operation]] = {
    "move": operations.move,
    "swap": operations.swap,
}
"""Edits that need a second message."""


class Doable(NamedTuple):
    """An edit that the format supports, at messages that are shown on one branch."""

    about: str
    other: str = ""


def doable(editing: Editing, document: Document, number: int, kind: str) -> Doable | None:
    """Return the first place where an edit of a kind works; None if the format cannot hold it."""
    talk = document.conversations[number]
    for leaf in _leaves(editing):
        shown = [each["id"] for each in editing.rows(leaf) if each["kind"] == "message"]
        for pair in _pairs(talk, shown, kind):
            if _works(document, talk, kind, pair):
                return pair
    return None


def _leaves(editing: Editing) -> list[str]:
    reported = editing.screen.studio.get(f"/c/{editing.cid}")
    return [each["leaf"] for each in reported["branches"]]


def _pairs(talk: Conversation, shown: list[str], kind: str) -> Iterator[Doable]:
    for about in reversed(shown):
        if kind not in PAIRS:
            yield Doable(about)
            continue
        parent, here = _message(talk, about).parent, shown.index(about)
        near = sorted(shown, key=lambda other: abs(shown.index(other) - here))
        yield from (Doable(about, other) for other in near if other not in (about, parent))


def _works(document: Document, talk: Conversation, kind: str, pair: Doable) -> bool:
    make = KINDS[kind]
    if kind in PAIRS:
        with_other = PAIRS[kind]
        found = compute_outcome(
            document,
            talk,
            _message(talk, pair.about),
            lambda talk, each: with_other(talk, each.id, pair.other),
        )
    else:
        found = compute_outcome(document, talk, _message(talk, pair.about), make)
    return found.edited is not None


def _message(talk: Conversation, id: str) -> Message:
    found = talk.entry(talk.find_position(id))
    assert isinstance(found, Message)
    return found
