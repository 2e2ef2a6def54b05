"""A conversation and its messages, as shown."""

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
    """The name a user gave it."""
    label: str = ""
    """The first words that belong only to this branch, in one line."""
    last: int | None = None


class AllowedActions(Struct, frozen=True, kw_only=True):
    """What may be done with this conversation."""

    edit: bool
    attach: bool
    delete: bool
    """Whether messages can be marked as deleted, and restored."""
    roles: tuple[str, ...]
    """The roles a message can be changed to."""
    save: bool
    session: bool
    """Whether its files can be undone, redone and restored."""
    why_not: str | None = None


class Severities(Struct, frozen=True, kw_only=True):
    """Number of findings by severity."""

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
    """A conversation without its messages."""

    cid: str
    id: str
    title: str
    format: str
    path: str
    size: int
    stamp: str
    leaf: str | None
    """The current branch, by its last message."""
    rows: int
    """Number of rows of the current branch."""
    messages: int
    branches: tuple[BranchInfo, ...]
    """The current branch first; at most 500."""
    branches_total: int
    """Without sidechains."""
    sidechains_total: int
    first: int | None
    last: int | None
    tokens: TokenUsage
    findings: Severities | None
    """Findings of all rules; None for a large source that was not checked yet."""
    repaired: int
    """Number of links that were inferred to show it; they are not in the file."""
    live: bool
    edited: bool
    log: int = 0
    """The number of the last entry in the log of edits, undos, redos and saves; it only
    increases."""
    can: AllowedActions
    siblings_in_source: tuple[str, ...] = ()
    """The cids of all conversations of the same source, if there are several."""


class SiblingMessages(Struct, frozen=True, kw_only=True):
    """Siblings: messages with the same parent."""

    number: int
    """The index of this one, from 0."""
    leaves: tuple[str, ...]
    """For each, the last message of its branch; at most 100."""
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
    """Duration of a reply: recorded, or since the request before it if that is below an hour."""
    todos: TodoCounts | None = None
    files: int = 0
    """Number of files that changed with it."""
    findings: tuple[str, ...] = ()
    """Codes of its findings."""
    inferred: bool = False
    """Whether its parent was inferred."""
    edited: Literal["", "new", "changed"] = ""
    text: str = ""
    """Its text verbatim, if it can be edited; cut like the blocks."""


class RowRange(Struct, frozen=True, kw_only=True):
    """A range of a branch."""

    stamp: str
    leaf: str
    total: int
    start: int
    rows: tuple[Row, ...]


class BranchTail(Struct, frozen=True, kw_only=True):
    """The end of the current branch. Row numbers count from the end: -1 is the last."""

    title: str
    format: str
    rows: tuple[Row, ...]
    stamp: str | None = None


class MessagePlace(Struct, frozen=True, kw_only=True):
    """The place of a message."""

    leaf: str
    number: int
    id: str
    """The id of the row: a result is shown with its call."""


class FoundRows(Struct, frozen=True, kw_only=True):
    """Rows that contain a text."""

    total: int
    numbers: tuple[int, ...]
    """At most 1,000."""
    complete: bool
    next: int = 0
    """The row from which to continue if it is not complete."""


class Raw(Struct, frozen=True, kw_only=True):
    """A message as it is in its source."""

    path: str
    line: int | None
    size: int
    html: str
    """Highlighted; cut if it is large."""
    text: str
    cut: int = 0
    beside: tuple[str, ...] = ()
    """The ids of all records that are shown in the same row, including its own."""


class ConversationChanged(Struct, frozen=True, kw_only=True):
    """A conversation is in another state."""

    stamp: str
    cause: Literal["file", "edit", "save", "forgotten"]
    """Its file grew or was replaced, or it was edited, saved or forgotten, in any window."""
    edited: bool
    """Whether there are edits that are not saved."""
    log: int = 0
    """As in `ConversationDetails`: ignore an event with a smaller number than the one shown."""
    leaf: str | None
    forked: bool = False
    """Whether another branch is the current one now and the previous one still exists."""
    rows: int
    messages: int
    size: int
    last: int | None


class FindingShape(Struct, frozen=True, kw_only=True):
    """A finding."""

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
    """A range of the findings."""

    stamp: str
    counts: Severities
    total: int
    findings: tuple[FindingShape, ...]
    reachable: int
    messages: int
    fixable: int
    """How many have a safe fix."""
