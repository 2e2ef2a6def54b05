"""A conversation and its messages, as they are shown."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from talktree.views.html.block import Chip, MessageBlock


class BranchInfo(Struct, frozen=True, kw_only=True):
    """A branch by its last message."""

    leaf: str
    fork: str | None
    kind: Literal["active", "fork", "sidechain", "root"]
    messages: int
    name: str | None = None
    """What somebody called it."""
    label: str = ""
    """How it begins where it goes its own way, in a line."""
    last: int | None = None


class AllowedActions(Struct, frozen=True, kw_only=True):
    """What may be done with this conversation here."""

    edit: bool
    attach: bool
    delete: bool
    """Marked as deleted, and restored."""
    roles: tuple[str, ...]
    """The types a message can be changed to."""
    save: bool
    session: bool
    """Whether its files can be undone, redone and restored."""
    why_not: str | None = None


class Severities(Struct, frozen=True, kw_only=True):
    """How many findings of which weight."""

    errors: int = 0
    warnings: int = 0
    notes: int = 0


class TokenUsage(Struct, frozen=True, kw_only=True):
    """Tokens that were spent."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0


class ConversationDetails(Struct, frozen=True, kw_only=True):
    """All of it but its messages."""

    cid: str
    id: str
    title: str
    format: str
    path: str
    size: int
    stamp: str
    leaf: str | None
    """The current branch."""
    rows: int
    """How many rows that has."""
    messages: int
    branches: tuple[BranchInfo, ...]
    """The current one first; at most 500."""
    branches_total: int
    """Without sidechains."""
    sidechains_total: int
    first: int | None
    last: int | None
    tokens: TokenUsage
    findings: Severities | None
    """What is wrong with it, by all rules; None for a large source that was not checked yet."""
    repaired: int
    """Links that were inferred to show it; the file has them not."""
    live: bool
    edited: bool
    log: int = 0
    """The number of the last entry in the log of edits, undos, redos and saves; it only grows."""
    can: AllowedActions
    siblings_in_source: tuple[str, ...] = ()
    """The cids of all conversations of the same source, if it has several."""


class SiblingMessages(Struct, frozen=True, kw_only=True):
    """The messages that stand at the same place."""

    number: int
    """Which of them this is, from 0."""
    leaves: tuple[str, ...]
    """For each the leaf to which its branch leads; at most 100."""
    total: int


class SidechainLink(Struct, frozen=True, kw_only=True):
    """A sub-agent's conversation that starts here."""

    leaf: str
    messages: int
    label: str


class TodoCounts(Struct, frozen=True):
    """How many tasks are done."""

    done: int
    total: int


class Row(Struct, frozen=True, kw_only=True):
    """A message in the list."""

    number: int
    id: str
    parent: str | None
    role: str
    speaker: str
    time: int | None
    kind: Literal["message", "divider", "note"] = "message"
    flags: tuple[str, ...] = ()
    chips: tuple[Chip, ...] = ()
    blocks: tuple[MessageBlock, ...] = ()
    siblings: SiblingMessages | None = None
    sides: tuple[SidechainLink, ...] = ()
    tokens: TokenUsage | None = None
    seconds: float | None = None
    """How long a reply took: recorded, or since the request before it if that is below an hour."""
    todos: TodoCounts | None = None
    files: int = 0
    """How many files changed with it."""
    findings: tuple[str, ...] = ()
    """Codes of what is wrong with it."""
    inferred: bool = False
    """Whether its place was inferred."""
    edited: Literal["", "new", "changed"] = ""
    text: str = ""
    """Its words as they are, if it can be edited; cut as the blocks are."""


class RowRange(Struct, frozen=True, kw_only=True):
    """A stretch of a branch."""

    stamp: str
    leaf: str
    total: int
    start: int
    rows: tuple[Row, ...]


class BranchTail(Struct, frozen=True, kw_only=True):
    """The end of the current branch. Numbers of rows count from the end: -1 is the last."""

    title: str
    format: str
    rows: tuple[Row, ...]
    stamp: str | None = None


class MessagePlace(Struct, frozen=True, kw_only=True):
    """Where a message is."""

    leaf: str
    number: int
    id: str
    """Of the row: a result is shown with its call."""


class FoundRows(Struct, frozen=True, kw_only=True):
    """Rows with a text in them."""

    total: int
    numbers: tuple[int, ...]
    """At most 1,000."""
    complete: bool
    next: int = 0
    """The row from which to go on if it is not complete."""


class Raw(Struct, frozen=True, kw_only=True):
    """A message as it stands in its source."""

    path: str
    line: int | None
    size: int
    html: str
    """Highlighted; cut if it is large."""
    text: str
    cut: int = 0
    beside: tuple[str, ...] = ()
    """The ids of all records that are shown in the same row, its own included."""


class ConversationChanged(Struct, frozen=True, kw_only=True):
    """That a conversation is in another state."""

    stamp: str
    cause: Literal["file", "edit", "save", "forgotten"]
    """Its file grew or became another, or it was edited, saved or forgotten, in any window."""
    edited: bool
    """Whether there are edits that are not saved."""
    log: int = 0
    """As in `ConversationDetails`: an event with a smaller number than is shown comes too late."""
    leaf: str | None
    forked: bool = False
    """Whether another branch is the current one now, while the one before is still there."""
    rows: int
    messages: int
    size: int
    last: int | None


class FindingShape(Struct, frozen=True, kw_only=True):
    """Something that is wrong."""

    code: str
    name: str
    severity: Literal["error", "warning", "note"]
    message: str
    entry: str | None
    path: str
    line: int | None
    fix: Literal["safe", "unsafe"] | None
    url: str = ""


class Findings(Struct, frozen=True, kw_only=True):
    """A stretch of what is wrong."""

    stamp: str
    counts: Severities
    total: int
    findings: tuple[FindingShape, ...]
    reachable: int
    messages: int
    fixable: int
    """How many have a safe fix."""
