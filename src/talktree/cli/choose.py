"""Which of the conversations in a source is meant."""

from __future__ import annotations

from collections.abc import Iterator

from talktree.errors import NotFound
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.views.lines import Line, line
from talktree.views.measure import clipped, counted, one_line


def chosen(document: Document, id: str | None) -> list[Conversation]:
    """The conversation with an id, or with a unique beginning of it; all if none is named."""
    if not document.conversations:
        raise NotFound(f"{document.name}: no conversation in it")
    if id is None:
        return [*document.conversations]
    exact = [each for each in document.conversations if each.id == id]
    near = exact or [each for each in document.conversations if each.id.startswith(id)]
    if len(near) == 1:
        return near
    what = f"{len(near)} conversations start with {id}" if near else f"no conversation {id}"
    names = ", ".join(each.id[:40] for each in document.conversations[:8])
    raise NotFound(f"{document.name}: {what}", hint=f"there are {names}")


def conversation_list(document: Document) -> Iterator[Line]:
    """One line for each conversation in a source."""
    for each in document.conversations:
        title = one_line(each.title, 60) if each.title else ""
        yield line(
            (clipped(each.id, 60), "mark"),
            f"  {_extent(each)}",
            (f"  {title}" if title else "", "title"),
        )


def heading(conversation: Conversation) -> Line:
    """The name of a conversation."""
    title = one_line(conversation.title, 80) if conversation.title else ""
    return line(
        (title or clipped(conversation.id, 80), "title"),
        (f"  {conversation.format}, {_extent(conversation)}", "faint"),
    )


def _extent(conversation: Conversation) -> str:
    kinds = [branch.kind for branch in conversation.branches()]
    sides = kinds.count("sidechain")
    told = [
        counted(len(conversation.tree), "message"),
        counted(len(kinds) - sides, "branch", "branches"),
        *([counted(sides, "sidechain")] if sides else []),
    ]
    return ", ".join(told)
