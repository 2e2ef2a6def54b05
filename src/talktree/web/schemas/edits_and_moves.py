"""User actions: edits, saving, conversion, and moving a session's files."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from talktree.web.schemas.transcript import ConversationDetails


class DoReply(Struct, frozen=True, kw_only=True, tag="reply", tag_field="do"):
    """Add a new message below another one."""

    parent: str | None
    text: str
    role: str = "user"


class DoRevise(Struct, frozen=True, kw_only=True, tag="revise", tag_field="do"):
    """Rewrite a message as a new branch beside the old one."""

    about: str
    text: str


class DoReplace(Struct, frozen=True, kw_only=True, tag="replace", tag_field="do"):
    """Rewrite the message itself."""

    about: str
    text: str


class DoClone(Struct, frozen=True, kw_only=True, tag="clone", tag_field="do"):
    """Copy a message beside it, alone or with everything below it."""

    about: str
    below: bool = False


class DoMove(Struct, frozen=True, kw_only=True, tag="move", tag_field="do"):
    """Move a message with everything below it under another one; None makes it a root."""

    about: str
    to: str | None


class DoSwap(Struct, frozen=True, kw_only=True, tag="swap", tag_field="do"):
    """Swap two messages."""

    about: str
    other: str


class DoPopUp(Struct, frozen=True, kw_only=True, tag="pop_up", tag_field="do"):
    """Move a message under its grandparent, beside its parent."""

    about: str


class DoRetype(Struct, frozen=True, kw_only=True, tag="retype", tag_field="do"):
    """Change the role of a message."""

    about: str
    role: str


class DoDelete(Struct, frozen=True, kw_only=True, tag="delete", tag_field="do"):
    """Mark a message as deleted."""

    about: str


class DoUndelete(Struct, frozen=True, kw_only=True, tag="undelete", tag_field="do"):
    """Remove the deleted mark."""

    about: str


class DoRemove(Struct, frozen=True, kw_only=True, tag="remove", tag_field="do"):
    """Remove a message; its children become children of its parent."""

    about: str


class DoAttach(Struct, frozen=True, kw_only=True, tag="attach", tag_field="do"):
    """Attach an uploaded file to a message."""

    about: str
    upload: str
    accept: bool = False
    """Whether to attach it although it is suspicious: macros, scripts, a wrong media type."""
    type: str = ""
    """The declared media type, if any."""


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
    """The stamp that an action is based on."""

    stamp: str


class UndoRequest(Struct, frozen=True, kw_only=True):
    """An undo or redo, and the state it is based on."""

    stamp: str
    edit: int | None = None
    """The edit to undo or redo; nothing happens if another one is next. None means the next one."""


class EditRequest(Struct, frozen=True, kw_only=True):
    """An edit, and the state it is based on."""

    stamp: str
    deed: EditAction


class EditLine(Struct, frozen=True, kw_only=True):
    """An entry of the edit history."""

    id: int
    time: int
    what: str
    state: Literal["done", "undone", "settled", "dropped"]
    """Settled: in the file for good. Dropped: undone, then replaced by another edit."""
    about: str | None


class HistoryState(Struct, frozen=True, kw_only=True):
    """All edits, oldest first."""

    stamp: str
    edits: tuple[EditLine, ...]
    can_undo: bool
    can_redo: bool
    saved: bool


class EditResult(Struct, frozen=True, kw_only=True):
    """The outcome of an edit, undo or redo, and the new state."""

    stamp: str
    edit: int
    """The edit that was made, undone or redone."""
    leaf: str | None
    """The branch to show now, by its last message."""
    id: str | None
    """The message that is new or was changed."""
    number: int | None
    """Its row on that branch."""
    what: str
    conversation: ConversationDetails
    history: HistoryState


class SaveResult(Struct, frozen=True, kw_only=True):
    """The files that were written, and the new state."""

    stamp: str
    written: tuple[str, ...]
    conversation: ConversationDetails
    history: HistoryState


class FixRequest(Struct, frozen=True, kw_only=True):
    """What to repair: these codes, or everything that has a safe fix."""

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
    """The state after a repair, with its edits; None for a plan."""
    history: HistoryState | None = None


class LossLine(Struct, frozen=True, kw_only=True):
    """Losses of the same kind and fate."""

    kind: str
    kept: Literal["carried", "rendered", "lost", "beside"] | str
    count: int
    examples: tuple[str, ...]


class LossSummary(Struct, frozen=True, kw_only=True):
    """What a conversion would lose, embed and render."""

    to: str
    losses: tuple[LossLine, ...]
    lost: int
    carried: int
    carried_bytes: int


class SaveAs(Struct, frozen=True, kw_only=True):
    """Write the conversation in another format, as a download."""

    to: str
    branch: str | None = None
    """`active`, `all`, or the last message of a branch."""
    clean: bool = False


class NameBranch(Struct, frozen=True, kw_only=True):
    """Name a branch; an empty name removes it."""

    leaf: str
    name: str


class SessionOperation(Struct, frozen=True, kw_only=True):
    """An entry of a session's history."""

    id: str
    kind: str
    time: int | None
    text: str
    message: str | None = None


class SessionState(Struct, frozen=True, kw_only=True):
    """The state of a session and its files."""

    kind: Literal["own", "claude-code"]
    """Whether Talktree recorded it, or its files come from Claude Code's own history."""
    workspace: str
    """The folder its files are restored into; empty if the request must name one."""
    files_at: str | None
    leaf: str | None
    can_undo: bool
    can_redo: bool
    operations: tuple[SessionOperation, ...]
    notices: tuple[str, ...]


class NavigationRequest(Struct, frozen=True, kw_only=True):
    """Where to move."""

    verb: Literal["undo", "redo", "restore"]
    to: str | None = None
    """The target message; by default, before the last step or prompt. A restore needs one."""
    what: Literal["files", "chat", "both"] = "both"
    choices: dict[str, Literal["keep", "theirs", "both", "merge"]] = {}
    """How to resolve conflicts, by path: leave the file, use the session's content, keep both side
    by side, or merge both texts."""
    into: str | None = None
    """A folder to restore the files into; the session itself does not move then. Sessions of Claude
    Code are always restored into a folder, by default one of Talktree's own."""


class PlanStep(Struct, frozen=True, kw_only=True):
    """The change of one file."""

    action: str
    path: str
    reason: str
    conflict: bool = False
    choices: tuple[str, ...] = ()
    choice: str | None = None
    html: str = ""
    """How the file changes."""


class PlanPreview(Struct, frozen=True, kw_only=True):
    """What would happen; nothing was changed."""

    digest: str
    steps: tuple[PlanStep, ...]
    conflicts: int
    uncovered: tuple[str, ...]
    chat: str
    """What happens to the conversation, in words."""
    moves_chat: bool


class ApplyPlan(Struct, frozen=True, kw_only=True):
    """Apply the plan with this digest."""

    travel: NavigationRequest
    digest: str


class ApplyResult(Struct, frozen=True, kw_only=True):
    """What was done, and the new state."""

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
    """Whether its file exists; if not, the library has the only copy."""
    dropped: bool
    """Whether its file is an uploaded copy, which is erased as well."""
    conversations: int
    """How many conversations its file holds; all of them are erased."""
    versions: int
    files: tuple[str, ...]
    """Sub-agents, other files and copies that are erased with it."""


class ForgetSummary(Struct, frozen=True, kw_only=True):
    """What was erased."""

    freed: int
    """Bytes freed on disk."""
    left: tuple[str, ...]
    """What could not be erased yet; the next import or check erases it."""
