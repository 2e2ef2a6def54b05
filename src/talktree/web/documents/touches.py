"""Which files a branch worked on, when, and how much: from its calls and from snapshots."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from difflib import SequenceMatcher
from typing import Literal, NamedTuple, TypeAlias

from talktree.model.conversation import Conversation
from talktree.model.entries import FileState, Snapshot
from talktree.model.message import Message
from talktree.views.transcript import Step
from talktree.web.documents.file_work import FileWork, Swap, Whole, works_of
from talktree.web.documents.row_list import RowList
from talktree.web.documents.steps import Shown

Kind: TypeAlias = Literal["created", "modified", "deleted", "read", "unknown"]
MOST_TOUCHES = 100_000
MOST_LINES = 2_000
"""Texts with more lines are not compared line by line."""
STATES: dict[str, Kind] = {
    "created": "created",
    "modified": "modified",
    "deleted": "deleted",
    "added": "created",
    "changed": "modified",
    "removed": "deleted",
}


class Touch(NamedTuple):
    """One change of a file, or a look into it."""

    row: int
    message: str
    kind: Kind
    time: int | None
    added: int | None = None
    removed: int | None = None
    told: bool = False
    """Whether the call tells what the content became."""


class Touches:
    """Grows row by row."""

    def __init__(self) -> None:
        self.files: dict[str, list[Touch]] = {}
        self.folder: str | None = None
        """Where the session began; paths below it are told from there."""
        self.count = 0

    def take(self, shown: Shown) -> None:
        """Note the next row."""
        for step in shown.steps:
            self._begin(step.message)
            for number, work in works_of(step):
                self._add(work.path, _touch(shown.number, step, number, work, self._is_known(work)))

    def _begin(self, message: Message) -> None:
        if self.folder is None and message.context is not None and message.context.cwd:
            self.folder = message.context.cwd

    def _is_known(self, work: FileWork) -> bool:
        return inside(work.path, self.folder) in self.files

    def _add(self, path: str, touch: Touch) -> None:
        if self.count < MOST_TOUCHES:
            self.count += 1
            self.files.setdefault(inside(path, self.folder), []).append(touch)

    def take_snapshots(self, conversation: Conversation, rows: RowList) -> None:
        """Add what snapshots tell that no call has told."""
        seen: dict[str, FileState] = {}
        for snapshot in snapshots_of(conversation):
            row = None if snapshot.message is None else rows.number_of(snapshot.message)
            for name, state in snapshot.files.items():
                path = inside(name, self.folder)
                before, seen[path] = seen.get(path), state
                if row is not None and _is_news(before, state):
                    self._merge(path, _noted(row, snapshot, state))
        for touches in self.files.values():
            touches.sort(key=lambda each: each.row)

    def _merge(self, path: str, noted: Touch) -> None:
        """A snapshot says for sure what a call only lets expect."""
        mine = self.files.get(path, [])
        for number, each in enumerate(mine):
            if each.row == noted.row and each.kind != "read":
                if noted.kind != "unknown":
                    mine[number] = each._replace(kind=noted.kind)
                return
        self._add(path, noted)


def snapshots_of(conversation: Conversation) -> Iterable[Snapshot]:
    """All snapshots of a conversation, in source order."""
    others = [place for place, trait in enumerate(conversation.skeleton.traits) if not trait]
    return (each for each in conversation.entries_at(others) if isinstance(each, Snapshot))


def _is_news(before: FileState | None, now: FileState) -> bool:
    if now.state is not None:
        return now.state != "unchanged"
    return before is None or (before.version, before.backup) != (now.version, now.backup)


def _noted(row: int, snapshot: Snapshot, state: FileState) -> Touch:
    kind = STATES.get(state.state or "", "unknown")
    return Touch(row, snapshot.message or "", kind, state.time_ns or snapshot.time_ns)


def _touch(row: int, step: Step, number: int, work: FileWork, known: bool) -> Touch:  # noqa: FBT001
    message = step.message
    if work.kind == "read":
        return Touch(row, message.id, "read", message.time_ns)
    added, removed = _amounts(work)
    kind: Kind = "deleted" if work.kind == "delete" else "modified"
    answer = step.answers.get(number)
    detail = answer.detail if answer is not None else None
    made = isinstance(detail, dict) and detail.get("type") == "create"
    if work.kind == "write" and (made or (not known and not isinstance(detail, dict))):
        kind, removed = "created", 0
    told = all(isinstance(each, Whole | Swap) for each in work.deeds)
    return Touch(row, message.id, kind, message.time_ns, added, removed, told)


def _amounts(work: FileWork) -> tuple[int | None, int | None]:
    """How many lines came and went, as far as the call tells."""
    added = removed = 0
    for deed in work.deeds:
        match deed:
            case Whole(text=text):
                return lines_in(text), None
            case Swap():
                plus, minus = line_changes(deed.old, deed.new)
                added, removed = added + plus, removed + minus
            case _:
                return None, None
    return added, removed


def line_changes(old: str, new: str) -> tuple[int, int]:
    """How many lines come and go between two texts."""
    before, after = old.splitlines(), new.splitlines()
    if max(len(before), len(after)) > MOST_LINES:
        return len(after), len(before)
    same = SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    kept = sum(block.size for block in same)
    return len(after) - kept, len(before) - kept


def lines_in(text: str) -> int:
    """How many lines a text has."""
    return len(text.splitlines())


def inside(path: str, folder: str | None) -> str:
    """A path as it is told: from the folder of the session, if it is below that."""
    plain = path.removeprefix("./")
    if folder and folder.startswith("/") and plain.startswith("/"):
        start = posixpath.normpath(folder).rstrip("/") + "/"
        whole = posixpath.normpath(plain)
        return whole.removeprefix(start) if whole.startswith(start) else whole
    return plain
