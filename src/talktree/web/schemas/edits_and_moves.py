"""What people do: edits, saving, conversion, and moving a session's files."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from talktree.web.schemas.transcript import ConversationDetails


class DoReply(Struct, frozen=True, kw_only=True, tag="reply", tag_field="do"):
    """A new message below another one."""

    parent: str | None
    text: str
    role: str = "user"


class DoRevise(Struct, frozen=True, kw_only=True, tag="revise", tag_field="do"):
    """Other words, as a new branch beside the old message."""

    about: str
    text: str


class DoReplace(Struct, frozen=True, kw_only=True, tag="replace", tag_field="do"):
    """Other words in the message itself."""

    about: str
    text: str


class DoClone(Struct, frozen=True, kw_only=True, tag="clone", tag_field="do"):
    """A copy beside it, alone or with all below."""

    about: str
    below: bool = False


class DoMove(Struct, frozen=True, kw_only=True, tag="move", tag_field="do"):
    """Hung on another message with all below it; None makes it a beginning."""

    about: str
    to: str | None


class DoSwap(Struct, frozen=True, kw_only=True, tag="swap", tag_field="do"):
    """Two messages change places."""

    about: str
    other: str


class DoPopUp(Struct, frozen=True, kw_only=True, tag="pop_up", tag_field="do"):
    """Hung on its grandparent, beside its parent."""

    about: str


class DoRetype(Struct, frozen=True, kw_only=True, tag="retype", tag_field="do"):
    """Another role."""

    about: str
    role: str


class DoDelete(Struct, frozen=True, kw_only=True, tag="delete", tag_field="do"):
    """Marked as deleted."""

    about: str


class DoUndelete(Struct, frozen=True, kw_only=True, tag="undelete", tag_field="do"):
    """Not marked any more."""

    about: str


class DoRemove(Struct, frozen=True, kw_only=True, tag="remove", tag_field="do"):
    """Taken out; what hung on it hangs on its parent."""

    about: str


class DoAttach(Struct, frozen=True, kw_only=True, tag="attach", tag_field="do"):
    """A file that was uploaded before goes with a message."""

    about: str
    upload: str
    accept: bool = False
    """Whether it may go although it is suspicious: macros, scripts, a wrong media type."""
    type: str = ""
    """The media type it is said to have, if any."""


EditAction: TypeAlias = (
    DoReply
    | DoRevise
    | DoReplace
    | DoClone
    | DoMove
    | DoSwap
    | DoPopUp
    | DoRetype
    | DoDelete
    | DoUndelete
    | DoRemove
    | DoAttach
)


class StateReference(Struct, frozen=True):
    """The stamp that something is done on."""

    stamp: str


class UndoRequest(Struct, frozen=True, kw_only=True):
    """An undo or a redo, and what it is made on."""

    stamp: str
    edit: int | None = None
    """The edit that is meant; nothing happens if another one is next. None means the next one."""


class EditRequest(Struct, frozen=True, kw_only=True):
    """An edit, and what it is made on."""

    stamp: str
    deed: EditAction


class EditLine(Struct, frozen=True, kw_only=True):
    """A line of the list of edits."""

    id: int
    time: int
    what: str
    state: Literal["done", "undone", "settled", "dropped"]
    """Settled: in the file for good. Dropped: undone, and then something else was done."""
    about: str | None


class HistoryState(Struct, frozen=True, kw_only=True):
    """All edits, the oldest first."""

    stamp: str
    edits: tuple[EditLine, ...]
    can_undo: bool
    can_redo: bool
    saved: bool


class EditResult(Struct, frozen=True, kw_only=True):
    """What an edit, an undo or a redo came to, and the state it led to."""

    stamp: str
    edit: int
    """The edit it is about."""
    leaf: str | None
    """The branch to show now."""
    id: str | None
    """The message that is new or was changed."""
    number: int | None
    """Its row on that branch."""
    what: str
    conversation: ConversationDetails
    history: HistoryState


class SaveResult(Struct, frozen=True, kw_only=True):
    """The files that were written, and the state that led to."""

    stamp: str
    written: tuple[str, ...]
    conversation: ConversationDetails
    history: HistoryState


class FixRequest(Struct, frozen=True, kw_only=True):
    """What is to be repaired: these codes, or all that has a safe fix."""

    stamp: str
    codes: tuple[str, ...] = ()
    apply: bool = False


class FixStep(Struct, frozen=True, kw_only=True):
    """One change of a repair."""

    code: str
    entry: str | None
    before: str
    after: str
    safety: Literal["safe", "unsafe"]


class Fixes(Struct, frozen=True, kw_only=True):
    """The plan of a repair, or what was done."""

    stamp: str
    applied: bool
    steps: tuple[FixStep, ...]
    total: int
    kept_bytes: int
    quarantined_bytes: int
    reachable_before: int
    reachable_after: int
    backup: str | None = None
    conversation: ConversationDetails | None = None
    """The state that a repair led to, with its edits; None for a plan."""
    history: HistoryState | None = None


class LossLine(Struct, frozen=True, kw_only=True):
    """Losses of one kind and fate."""

    kind: str
    kept: Literal["carried", "rendered", "lost", "beside"] | str
    count: int
    examples: tuple[str, ...]


class LossSummary(Struct, frozen=True, kw_only=True):
    """What a conversion would lose, carry and render."""

    to: str
    losses: tuple[LossLine, ...]
    lost: int
    carried: int
    carried_bytes: int


class SaveAs(Struct, frozen=True, kw_only=True):
    """Write it in another format, to be downloaded."""

    to: str
    branch: str | None = None
    """active, all or a leaf."""
    clean: bool = False


class NameBranch(Struct, frozen=True, kw_only=True):
    """What a branch is called; empty takes the name away."""

    leaf: str
    name: str


class SessionOperation(Struct, frozen=True, kw_only=True):
    """A line of a session's history."""

    id: str
    kind: str
    time: int | None
    text: str
    message: str | None = None


class SessionState(Struct, frozen=True, kw_only=True):
    """Where a session and its files stand."""

    kind: Literal["own", "claude-code"]
    """Whether it is recorded by us, or its files come from Claude Code's own history."""
    workspace: str
    """The folder its files are restored in; empty if one must be named."""
    files_at: str | None
    leaf: str | None
    can_undo: bool
    can_redo: bool
    operations: tuple[SessionOperation, ...]
    notices: tuple[str, ...]


class NavigationRequest(Struct, frozen=True, kw_only=True):
    """Where to go."""

    verb: Literal["undo", "redo", "restore"]
    to: str | None = None
    """The message; without one, before the last step or prompt. A restore needs it."""
    what: Literal["files", "chat", "both"] = "both"
    choices: dict[str, Literal["keep", "theirs", "both", "merge"]] = {}
    """By path what to do about a conflict: leave it, the session's content, both side by side, or
    both texts joined."""
    into: str | None = None
    """A folder that the files go into, for a restore; the session stays where it is then. Sessions
    of Claude Code go there always, into one of ours if none is named."""


class PlanStep(Struct, frozen=True, kw_only=True):
    """What happens to one file."""

    action: str
    path: str
    reason: str
    conflict: bool = False
    choices: tuple[str, ...] = ()
    choice: str | None = None
    html: str = ""
    """How the file changes."""


class PlanPreview(Struct, frozen=True, kw_only=True):
    """What would happen; nothing has."""

    digest: str
    steps: tuple[PlanStep, ...]
    conflicts: int
    uncovered: tuple[str, ...]
    chat: str
    """What happens to the talk, in words."""
    moves_chat: bool


class ApplyPlan(Struct, frozen=True, kw_only=True):
    """Do what the plan with this digest says."""

    travel: NavigationRequest
    digest: str


class ApplyResult(Struct, frozen=True, kw_only=True):
    """What was done, and the state that led to."""

    stamp: str
    done: int
    notices: tuple[str, ...]
    leaf: str | None
    conversation: ConversationDetails
    history: HistoryState


class ForgetPreview(Struct, frozen=True, kw_only=True):
    """What would be forgotten with a conversation."""

    path: str
    on_disk: bool
    """Whether its file is there; if not, the library has the only copy."""
    dropped: bool
    """Whether its file is the copy that was dropped into the studio, which goes as well."""
    conversations: int
    """How many conversations its file holds; all of them go."""
    versions: int
    files: tuple[str, ...]
    """Sub-agents, other files and copies that go with it."""


class ForgetSummary(Struct, frozen=True, kw_only=True):
    """What was erased."""

    freed: int
    """Bytes on the disk."""
    left: tuple[str, ...]
    """What could not be erased yet; the next import or check does it."""
