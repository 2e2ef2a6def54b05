"""Plans: every action of a move, its reason, and the states it is based on.

First each path is decided alone by the three-way rule and the choices of the user. Then the paths
are considered together: a folder is removed only if everything in it is, and something can only be
written if its folder exists or is created. Impossible actions are reported, and the rest of the
plan is valid.

Files with several names: a move that affects one name leaves the others as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any, Literal, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from talktree.session.capture.blobs import Contents
from talktree.session.capture.file_state import (
    ABSENT,
    AbsentState,
    FileContentState,
    Folder,
    LinkState,
    State,
    UnknownState,
    name_to_json,
    to_json,
)
from talktree.session.capture.path_probe import Stamp, get_file_identity
from talktree.session.undo.diff import LARGEST, merge_texts, read_bytes
from talktree.session.undo.history import WantedPath
from talktree.session.undo.move_records import PathMove, Scope, ScopeLeaves
from talktree.session.undo.plan_digest import compute_digest, to_state_values
from talktree.session.undo.target_folder import SHORT, MoveFolder, Supply, get_parent
from talktree.session.undo.three_way import judge_path

Kind: TypeAlias = Literal[
    "write", "delete", "chmod", "mkdir", "rmdir", "link", "skip", "conflict", "cannot"
]
Choice: TypeAlias = Literal["keep", "theirs", "both", "merge"]
DOING: tuple[Kind, ...] = ("mkdir", "write", "link", "chmod", "delete", "rmdir")


class UndoAction(Struct, frozen=True, kw_only=True):
    """The action for one path."""

    action: Kind
    path: bytes
    reason: str
    before: State
    """The current state."""
    expected: State
    """The state that the session expects."""
    after: State
    """The future state; the same as `before` if nothing is done."""
    target: State
    """The state to be reached."""
    choices: tuple[Choice, ...] = ()
    """The user's options in a conflict."""
    beside: bytes | None = None
    """Where the current content goes, if both are kept."""

    @property
    def has_effect(self) -> bool:
        """Whether the path changes."""
        return self.action in DOING


class UndoPlan(Struct, frozen=True, kw_only=True):
    """What a move would do."""

    verb: str
    from_: ScopeLeaves
    to: ScopeLeaves
    scopes: tuple[Scope, ...]
    actions: tuple[UndoAction, ...] = ()
    already: tuple[bytes, ...] = ()
    """The paths that are already in the target state."""
    uncovered: tuple[tuple[str, str], ...] = ()
    """The paths that the session did not cover, and why."""
    warnings: tuple[str, ...] = ()
    digest: str = ""
    merged: Mapping[str, bytes] = field(default_factory=dict)
    """Contents that the plan creates, by hash."""

    @property
    def movings(self) -> tuple[PathMove, ...]:
        """The paths that change."""
        return tuple(
            PathMove(each.path, each.before, each.after) for each in self.actions if each.has_effect
        )

    @property
    def conflicts(self) -> tuple[UndoAction, ...]:
        """The paths that the user has to decide about."""
        return tuple(each for each in self.actions if each.action == "conflict")

    @property
    def left(self) -> tuple[UndoAction, ...]:
        """The paths that stay as they are although they should change."""
        return tuple(each for each in self.actions if not each.has_effect)

    @property
    def exit_code(self) -> int:
        """0 if everything reaches its target, 1 if something is left."""
        return 1 if self.left else 0

    def to_json(self) -> dict[str, Any]:
        """Return the plan as JSON; `plan_text` shows differences."""
        return {
            "verb": self.verb,
            "from": self.from_._asdict(),
            "to": self.to._asdict(),
            "scopes": list(self.scopes),
            "plan": [_to_action_value(each) for each in self.actions],
            "already": [name_to_json(path) for path in self.already],
            "conflicts": [name_to_json(each.path) for each in self.conflicts],
            "uncovered": [{"path": path, "why": why} for path, why in self.uncovered],
            "warnings": list(self.warnings),
            "digest": self.digest,
        }


def _to_action_value(action: UndoAction) -> dict[str, Any]:
    value: dict[str, Any] = {
        "action": action.action,
        "path": name_to_json(action.path),
        "reason": action.reason,
        "before": to_json(action.before),
        "expected": to_json(action.expected),
        "after": to_json(action.after),
    }
    if action.choices:
        value["choices"] = list(action.choices)
    if action.beside is not None:
        value["beside"] = name_to_json(action.beside)
    return value


def find_kind(before: State, after: State) -> Kind:
    """Return the action that changes one state to the other."""
    match before, after:
        case (FileContentState(), FileContentState()) if before.hash == after.hash:
            return "chmod"
        case (Folder(), Folder()):
            return "chmod"
        case (Folder(), AbsentState()):
            return "rmdir"
        case (_, AbsentState()):
            return "delete"
        case (_, Folder()):
            return "mkdir"
        case (_, LinkState()):
            return "link"
        case _:
            return "write"


_ORDER = {kind: number for number, kind in enumerate((*DOING, "skip", "conflict", "cannot"))}


def sort_actions(actions: Iterable[UndoAction]) -> tuple[UndoAction, ...]:
    """Return the actions in order: parent folders first, deletions last and in reverse."""

    def _place(action: UndoAction) -> tuple[int, int, bytes]:
        deep = action.path.count(b"/")
        return _ORDER[action.action], -deep if action.action == "rmdir" else deep, action.path

    return tuple(sorted(actions, key=_place))


def with_digest(plan: UndoPlan, *more: object) -> UndoPlan:
    """Return the plan with its digest."""
    details = [
        [
            each.action,
            name_to_json(each.path),
            each.reason,
            name_to_json(each.beside or b""),
            to_state_values((each.before, each.expected, each.after, each.target)),
        ]
        for each in plan.actions
    ]
    already = [name_to_json(path) for path in plan.already]
    about = [plan.verb, plan.from_, plan.to, plan.scopes, already, plan.uncovered]
    return replace(plan, digest=compute_digest(about, details, more))


def split_hard_links(
    actions: Iterable[UndoAction], stamps: Mapping[bytes, Stamp | None]
) -> dict[bytes, UndoAction]:
    """Split paths off a file if not all of its names get the new mode.

    A mode is that of all names of a file. If the plan does not change all of them, or not to the
    same mode, the path gets a file of its own, so that nothing outside of the plan changes.
    """
    found: dict[bytes, UndoAction] = {}
    for names in _group_by_file(actions, stamps):
        modes = [each for each in names if each.action == "chmod"]
        wanted = {each.after.mode for each in modes if isinstance(each.after, FileContentState)}
        if len(wanted) > 1 or len(names) < _count_links(names[0]):
            found |= {each.path: replace(each, action="write") for each in modes}
    return found


def make_link_warnings(actions: Iterable[UndoAction]) -> Iterable[str]:
    """Yield warnings about other names of files."""
    for action in sorted(actions, key=lambda each: each.path):
        if action.action == "write" and _count_links(action) > 1:
            name = action.path.decode("utf-8", "backslashreplace")
            yield (
                f"{name} has {_count_links(action)} names (hard links); "
                "the others stay as they are "
                "and are no longer the same file"
            )


def _group_by_file(
    actions: Iterable[UndoAction], stamps: Mapping[bytes, Stamp | None]
) -> Iterable[list[UndoAction]]:
    """Group the changing paths whose files have several names by file."""
    found: dict[tuple[int, int], list[UndoAction]] = {}
    for action in actions:
        stamp = stamps.get(action.path)
        if action.has_effect and _count_links(action) > 1 and stamp is not None:
            found.setdefault(get_file_identity(stamp), []).append(action)
    return found.values()


def _count_links(action: UndoAction) -> int:
    return action.before.links if isinstance(action.before, FileContentState) else 1


NEW_FOLDER = Folder(mode=0o755)


class PlanBuilder:
    """Builds a plan."""

    def __init__(
        self,
        ground: MoveFolder,
        supply: Supply,
        resolutions: Mapping[bytes, Choice],
        *,
        force: bool = False,
        keep_in: Contents | None = None,
    ) -> None:
        self._ground = ground
        self._supply = supply
        self._resolutions = resolutions
        self._force = force
        self._keep_in = keep_in
        self.actions: dict[bytes, UndoAction] = {}
        self.already: list[bytes] = []
        self.warnings: list[str] = []
        self.merged: dict[str, bytes] = {}
        self.stamps: dict[bytes, Stamp | None] = {}
        """The stamps of the paths that were read, to detect later changes."""
        self._troubles: dict[str, str | None] = {}
        self._current: dict[bytes, State] = {}
        self._inside: dict[bytes, list[bytes]] = {}
        self._kept_in: set[bytes] = set()
        self._needed: set[bytes] = set()
        """Folders that are only needed for their members."""

    def make_actions(self, wanted: Iterable[WantedPath]) -> tuple[UndoAction, ...]:
        """Return all actions, in their order."""
        ordered = sorted(wanted)
        for each in ordered:
            self._look_at_path(each)
        for each in ordered:
            self._judge_path(each)
        while self._demote_actions():
            pass
        self._drop_idle_folders()
        self.actions |= split_hard_links(self.actions.values(), self.stamps)
        self.warnings += make_link_warnings(self.actions.values())
        return sort_actions(self.actions.values())

    # single paths

    def _look_at_path(self, wanted: WantedPath) -> None:
        path = wanted.path
        if self._ground.find_refusal(path) is not None:
            return
        folder = get_parent(path)
        while folder:
            if not isinstance(self._current.get(folder, NEW_FOLDER), Folder):
                # According to the plan its folder is not a folder now, so nothing can be there.
                self._current[path] = ABSENT
                return
            folder = get_parent(folder)
        self._current[path], self.stamps[path] = self._ground.look(path, self._keep_in)

    def _judge_path(self, wanted: WantedPath) -> None:
        refusal = self._ground.find_refusal(wanted.path)
        current = UnknownState(refusal) if refusal else self._current[wanted.path]
        if refusal is not None:
            self._add_action("cannot", wanted, current, current, refusal)
            return
        found = judge_path(wanted.expected, wanted.target, current, wanted.foreign)
        if found.judgement == "already":
            self.already.append(wanted.path)
            return
        if found.judgement == "cannot":
            self._add_action("cannot", wanted, current, current, found.reason)
            return
        trouble = self._find_problem(current, found.after)
        if trouble is not None:
            self._add_action("cannot", wanted, current, current, trouble)
        elif found.judgement == "go":
            self._add_effect(wanted, current, found.after, found.reason)
        else:
            self._resolve_conflict(wanted, current, found.after, found.reason)

    def _add_effect(
        self,
        wanted: WantedPath,
        current: State,
        after: State,
        reason: str,
        beside: bytes | None = None,
    ) -> None:
        self._add_action(find_kind(current, after), wanted, current, after, reason, beside=beside)

    def _add_action(
        self,
        kind: Kind,
        wanted: WantedPath,
        current: State,
        after: State,
        reason: str,
        *,
        beside: bytes | None = None,
        choices: tuple[Choice, ...] = (),
    ) -> None:
        self.actions[wanted.path] = UndoAction(
            action=kind,
            path=wanted.path,
            reason=reason,
            before=current,
            expected=wanted.expected,
            after=after,
            target=wanted.target,
            beside=beside,
            choices=choices,
        )

    def _find_problem(self, current: State, after: State) -> str | None:
        """Return why the content for a path is not available."""
        if not isinstance(after, FileContentState):
            return None
        if isinstance(current, FileContentState) and current.hash == after.hash:
            return None
        if after.hash not in self._troubles:
            self._troubles[after.hash] = self._supply.find_problem(after)
        return self._troubles[after.hash]

    # conflicts

    def _resolve_conflict(
        self, wanted: WantedPath, current: State, after: State, reason: str
    ) -> None:
        choices = self._find_choices(wanted, current, after)
        choice = self._resolutions.get(wanted.path, "theirs" if self._force else None)
        if choice is not None and choice not in choices:
            reason, choice = f"{reason}; {choice} is not possible", None
        match choice:
            case "keep":
                self._add_action("skip", wanted, current, current, f"{reason}; it is kept")
                return
            case "theirs":
                self._add_effect(wanted, current, after, f"{reason}; replaced on request")
                return
            case "both":
                self._keep_both(wanted, current, after, reason)
                return
            case "merge":
                one = self._merge_texts(wanted, current, after)
                if one is not None:
                    self._add_effect(wanted, current, one, f"{reason}; both changes are merged")
                    return
                reason += "; both changed the same lines"
        self._add_action("conflict", wanted, current, current, reason, choices=choices)

    def _find_choices(self, wanted: WantedPath, current: State, after: State) -> tuple[Choice, ...]:
        choices: list[Choice] = ["keep", "theirs"]
        if isinstance(current, FileContentState | LinkState):
            choices.append("both")
        files = (wanted.expected, current, after)
        if wanted.foreign is None and all(
            isinstance(each, FileContentState) and each.size <= LARGEST for each in files
        ):
            choices.append("merge")
        return tuple(choices)

    def _keep_both(self, wanted: WantedPath, current: State, after: State, reason: str) -> None:
        mark = current.hash[:SHORT] if isinstance(current, FileContentState) else "link"
        taken = set(self.actions) | set(self._current)
        beside = self._ground.find_free_name(wanted.path, f"kept-{mark}", taken)
        self._add_effect(wanted, current, after, f"{reason}; both are kept", beside)
        if isinstance(current, FileContentState):
            current = replace(current, links=1)
        copy = WantedPath(beside, ABSENT, current)
        self._add_effect(copy, ABSENT, current, "what was there before")

    def _merge_texts(self, wanted: WantedPath, current: State, after: State) -> State | None:
        base, target = (read_bytes(self._supply, each) for each in (wanted.expected, after))
        ours = self._ground.read(wanted.path, current)
        if (
            base is None
            or target is None
            or ours is None
            or not isinstance(after, FileContentState)
        ):
            return None
        both = merge_texts(base, ours, target)
        if both is None:
            return None
        hash = sha256(both).hexdigest()
        self.merged[hash] = both
        return FileContentState(hash=hash, size=len(both), mode=after.mode)

    # all paths

    def _demote_actions(self) -> bool:
        """Drop actions that conflict with others, and return whether there were any."""
        changed = False
        # Each target folder once, so that many of them cost no more than that.
        self._kept_in = {
            get_parent(path)
            for path, action in self.actions.items()
            if not isinstance(action.after, AbsentState)
        }
        for action in list(self.actions.values()):
            if action.has_effect and self.actions.get(action.path) is action:
                why = self._explain_staying(action) or self._explain_no_folder(action)
                if why is not None:
                    self._give_up_action(action, why)
                    changed = True
        return changed

    def _drop_idle_folders(self) -> None:
        """Drop the creation of folders that nothing is written to."""
        filled: set[bytes] = set()
        for action in self.actions.values():
            folder = get_parent(action.path)
            while action.has_effect and action.path not in self._needed and folder:
                filled.add(folder)
                folder = get_parent(folder)
        for folder in self._needed - filled:
            del self.actions[folder]

    def _give_up_action(self, action: UndoAction, why: str) -> None:
        if action.path in self._needed:
            self._needed.remove(action.path)
            del self.actions[action.path]
            return
        harmless = action.action == "rmdir"
        self.actions[action.path] = replace(
            action, action="skip" if harmless else "cannot", reason=why, after=action.before
        )
        if action.beside is not None:
            self.actions.pop(action.beside, None)

    def _find_final_state(self, path: bytes) -> State:
        action = self.actions.get(path)
        if action is not None:
            return action.after
        return self._current[path] if path in self._current else self._ground.kind(path)

    def _explain_staying(self, action: UndoAction) -> str | None:
        """Return why a folder cannot be removed: a member stays."""
        if not isinstance(action.before, Folder) or isinstance(action.after, Folder):
            return None
        if action.path not in self._inside:
            self._inside[action.path] = self._ground.list_names(action.path)
        for path in self._inside[action.path]:
            if not isinstance(self._find_final_state(path), AbsentState):
                name = path.rpartition(b"/")[2].decode("utf-8", "backslashreplace")
                return f"the folder is not empty: it holds {name}"
        return "the folder is needed" if action.path in self._kept_in else None

    def _explain_no_folder(self, action: UndoAction) -> str | None:
        """Return why nothing can be written at a path, if its parent is not a folder.

        Missing folders are created.
        """
        folder = get_parent(action.path)
        if isinstance(action.after, AbsentState) or not folder:
            return None
        there = self._find_final_state(folder)
        if isinstance(there, Folder):
            return None
        if not isinstance(there, AbsentState):
            return "the folder it was in is no folder now"
        if folder in self.actions and self.actions[folder].has_effect:
            return "the folder it was in goes"
        self._add_effect(WantedPath(folder, ABSENT, NEW_FOLDER), ABSENT, NEW_FOLDER, "it is needed")
        self._current[folder] = ABSENT
        self._needed.add(folder)
        return self._explain_no_folder(self.actions[folder])
