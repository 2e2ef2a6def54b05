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
        raise NotFound(f"{document.shown}: no conversation in it")
    if id is None:
        return [*document.conversations]
    names = {each: (each.native_id, each.id) for each in document.conversations}
    near = [each for each, known in names.items() if id in known] or [
        each for each, known in names.items() if any(name.startswith(id) for name in known)
    ]
    if len(near) == 1:
        return near
    what = f"{len(near)} conversations start with {id}" if near else f"no conversation {id}"
    some = ", ".join(each.native_id[:40] for each in document.conversations[:8])
    raise NotFound(f"{document.shown}: {what}", hint=f"there are {some}")


def conversation_list(document: Document) -> Iterator[Line]:
    """One line for each conversation in a source."""
    for each in document.conversations:
        title = one_line(each.title, 60) if each.title else ""
        yield line(
            (clipped(each.native_id, 60), "mark"),
            f"  {_extent(each)}",
            (f"  {title}" if title else "", "title"),
        )


def heading(conversation: Conversation) -> Line:
    """The name of a conversation."""
    title = one_line(conversation.title, 80) if conversation.title else ""
    return line(
        (title or clipped(conversation.native_id, 80), "title"),
        (f"  {conversation.format}, {_extent(conversation)}", "faint"),
    )


def _extent(conversation: Conversation) -> str:
    counts = conversation.counts
    parts = [
        counted(counts.messages, "message"),
        counted(counts.branches, "branch", "branches"),
        *([counted(counts.sidechains, "sidechain")] if counts.sidechains else []),
    ]
    return ", ".join(parts)
