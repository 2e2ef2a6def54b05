"""The findings of reading that concern some of the conversations of a document."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from talktree.formats.engine.origin import DocumentOrigin
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.findings import Finding


def select_findings(document: Document, conversations: Sequence[Conversation]) -> list[Finding]:
    """Return the findings of reading that concern some conversations and no others.

    Findings about the source as a whole belong to all of them.
    """
    chosen = {each.id for each in conversations}
    others = [each for each in document.conversations if each.id not in chosen]
    if not others:
        return document.quick_findings
    foreign = _Foreign(document, chosen)
    elsewhere = {id(each) for other in others for each in other.skeleton.findings}
    return [
        each
        for each in document.quick_findings
        if id(each) not in elsewhere and not foreign.is_foreign(each)
    ]


class _Foreign:
    """The files and records of conversations that were not selected."""

    def __init__(self, document: Document, chosen: set[str]) -> None:
        assert isinstance(document.origin, DocumentOrigin)
        self._origin = document.origin
        self._chosen = chosen
        self._owners: dict[str, set[str]] = {}
        self._ids: dict[str, set[str]] = {}
        self._lines: dict[str, tuple[list[int], list[str]]] = {}
        for each in document.conversations:
            for path in _list_paths(each, self._origin):
                self._owners.setdefault(path, set()).add(each.id)
            self._ids[each.id] = set(each.skeleton.ids)

    def is_foreign(self, found: Finding) -> bool:
        """Whether a finding concerns none of the selected conversations."""
        owners = self._owners.get(found.path or "")
        if not owners:
            return False
        if not owners & self._chosen:
            return True
        if owners <= self._chosen:
            return False
        if found.entry is not None:
            return not any(found.entry in self._ids[each] for each in owners & self._chosen)
        owner = self._find_owner_at(found.path or "", found.line)
        return owner is not None and owner not in self._chosen

    def _find_owner_at(self, path: str, line: int | None) -> str | None:
        """Return the conversation of the last record that begins on or before a line."""
        if line is None:
            return None
        if path not in self._lines:
            begun = sorted(self._iterate_record_starts(path))
            self._lines[path] = [at for at, _ in begun], [owner for _, owner in begun]
        lines, owners = self._lines[path]
        index = bisect_right(lines, line) - 1
        return owners[index] if index >= 0 else None

    def _iterate_record_starts(self, path: str) -> Iterator[tuple[int, str]]:
        """Yield the lines on which the records of a file begin, and their conversations."""
        for each in self._origin.conversations:
            for number in each.members:
                if self._origin.path_of(number) == path:
                    which, index = self._origin.sheet_of(number)
                    yield self._origin.sheets[which].record(index).line, each.id


def _list_paths(conversation: Conversation, origin: DocumentOrigin) -> Iterator[str]:
    """Yield the files that hold records of a conversation."""
    yield conversation.main_file
    seen = -1
    for number in conversation.members:
        if number >= 0 and (which := origin.sheet_of(number)[0]) != seen:
            seen = which
            yield origin.sheets[which].path
