"""Plans: every action a move would take, why, and what it was judged by.

First each path is judged alone by the three-way rule and the choices of the user. Then the paths
are judged together: a folder goes only if everything in it goes, and something can only be written
where its folder is, or is made. Whatever cannot be is told, and the rest of the plan holds.

Files with several names: a move that concerns one name leaves the others as they are.

Making a plan: each path by the three-way rule and the user's choice, then all together.
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
    Absent,
    File,
    Folder,
    Link,
    State,
    Unknown,
    name_to_json,
    to_json,
)
from talktree.session.capture.path_probe import Stamp, same_thing
from talktree.session.undo.diff import LARGEST, bytes_of, merged
from talktree.session.undo.history import Wanted
from talktree.session.undo.move_records import Moving, Scope, Standing
from talktree.session.undo.plan_digest import digest_of, states_value
from talktree.session.undo.target_folder import SHORT, Ground, Supply, above
from talktree.session.undo.three_way import judged

Kind: TypeAlias = Literal[
    "write", "delete", "chmod", "mkdir", "rmdir", "link", "skip", "conflict", "cannot"
]
Choice: TypeAlias = Literal["keep", "theirs", "both", "merge"]
DOING: tuple[Kind, ...] = ("mkdir", "write", "link", "chmod", "delete", "rmdir")


class Action(Struct, frozen=True, kw_only=True):
    """What is done about one path."""

    action: Kind
    path: bytes
    reason: str
    before: State
    """What is there."""
    expected: State
    """What the session believes is there."""
    after: State
    """What will be there; the same as before if nothing is done."""
    target: State
    """What was to be there."""
    choices: tuple[Choice, ...] = ()
    """What the user can say about a conflict."""
    beside: bytes | None = None
    """Where the present content goes, if both are kept."""

    @property
    def does(self) -> bool:
        """Whether something happens to the path."""
        return self.action in DOING


class Plan(Struct, frozen=True, kw_only=True):
    """What a move would do."""

    verb: str
    from_: Standing
    to: Standing
    scopes: tuple[Scope, ...]
    actions: tuple[Action, ...] = ()
    already: tuple[bytes, ...] = ()
    """The paths that are as they shall be."""
    uncovered: tuple[tuple[str, str], ...] = ()
    """What the session did not see, and why."""
    warnings: tuple[str, ...] = ()
    digest: str = ""
    merged: Mapping[str, bytes] = field(default_factory=dict)
    """Contents that the plan makes, by their hashes."""

    @property
    def movings(self) -> tuple[Moving, ...]:
        """The paths that something happens to."""
        return tuple(
            Moving(each.path, each.before, each.after) for each in self.actions if each.does
        )

    @property
    def conflicts(self) -> tuple[Action, ...]:
        """The paths that the user has to decide about."""
        return tuple(each for each in self.actions if each.action == "conflict")

    @property
    def left(self) -> tuple[Action, ...]:
        """The paths that are left as they are though they should be otherwise."""
        return tuple(each for each in self.actions if not each.does)

    @property
    def exit_code(self) -> int:
        """0 if everything will be as it shall be, 1 if something is left."""
        return 1 if self.left else 0

    def to_json(self) -> dict[str, Any]:
        """The plan for programs; differences are told by `plan_text`."""
        return {
            "verb": self.verb,
            "from": self.from_._asdict(),
            "to": self.to._asdict(),
            "scopes": list(self.scopes),
            "plan": [_action_value(each) for each in self.actions],
            "already": [name_to_json(path) for path in self.already],
            "conflicts": [name_to_json(each.path) for each in self.conflicts],
            "uncovered": [{"path": path, "why": why} for path, why in self.uncovered],
            "warnings": list(self.warnings),
            "digest": self.digest,
        }


def _action_value(action: Action) -> dict[str, Any]:
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


def kind_of(before: State, after: State) -> Kind:
    """The action that makes one state of the other."""
    match before, after:
        case (File(), File()) if before.hash == after.hash:
            return "chmod"
        case (Folder(), Folder()):
            return "chmod"
        case (Folder(), Absent()):
            return "rmdir"
        case (_, Absent()):
            return "delete"
        case (_, Folder()):
            return "mkdir"
        case (_, Link()):
            return "link"
        case _:
            return "write"


_ORDER = {kind: number for number, kind in enumerate((*DOING, "skip", "conflict", "cannot"))}


def in_order(actions: Iterable[Action]) -> tuple[Action, ...]:
    """The actions as they happen: folders from above, deletions last and from below."""

    def _place(action: Action) -> tuple[int, int, bytes]:
        deep = action.path.count(b"/")
        return _ORDER[action.action], -deep if action.action == "rmdir" else deep, action.path

    return tuple(sorted(actions, key=_place))


def sealed(plan: Plan, *more: object) -> Plan:
    """The plan with its digest."""
    told = [
        [
            each.action,
            name_to_json(each.path),
            each.reason,
            name_to_json(each.beside or b""),
            states_value((each.before, each.expected, each.after, each.target)),
        ]
        for each in plan.actions
    ]
    already = [name_to_json(path) for path in plan.already]
    about = [plan.verb, plan.from_, plan.to, plan.scopes, already, plan.uncovered]
    return replace(plan, digest=digest_of(about, told, more))


def files_of_their_own(
    actions: Iterable[Action], stamps: Mapping[bytes, Stamp | None]
) -> dict[bytes, Action]:
    """Other actions for paths whose file has more names than are to get its new mode.

    A mode is that of all names of a file. Where the plan does not change all of them, or not to
    the same mode, the path gets a file of its own, so that nothing outside of the plan changes.
    """
    found: dict[bytes, Action] = {}
    for names in _by_file(actions, stamps):
        modes = [each for each in names if each.action == "chmod"]
        wanted = {each.after.mode for each in modes if isinstance(each.after, File)}
        if len(wanted) > 1 or len(names) < _links(names[0]):
            found |= {each.path: replace(each, action="write") for each in modes}
    return found


def link_warnings(actions: Iterable[Action]) -> Iterable[str]:
    """What becomes of other names of files."""
    for action in sorted(actions, key=lambda each: each.path):
        if action.action == "write" and _links(action) > 1:
            name = action.path.decode("utf-8", "backslashreplace")
            yield (
                f"{name} has {_links(action)} names (hard links); the others stay as they are "
                "and are no longer the same file"
            )


def _by_file(
    actions: Iterable[Action], stamps: Mapping[bytes, Stamp | None]
) -> Iterable[list[Action]]:
    """The paths that something happens to and whose files have several names, by file."""
    found: dict[tuple[int, int], list[Action]] = {}
    for action in actions:
        stamp = stamps.get(action.path)
        if action.does and _links(action) > 1 and stamp is not None:
            found.setdefault(same_thing(stamp), []).append(action)
    return found.values()


def _links(action: Action) -> int:
    return action.before.links if isinstance(action.before, File) else 1


NEW_FOLDER = Folder(mode=0o755)


class Draft:
    """A plan in the making."""

    def __init__(
        self,
        ground: Ground,
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
        self.actions: dict[bytes, Action] = {}
        self.already: list[bytes] = []
        self.warnings: list[str] = []
        self.merged: dict[str, bytes] = {}
        self.stamps: dict[bytes, Stamp | None] = {}
        """Of the paths that were looked at: what tells that they did not change since."""
        self._troubles: dict[str, str | None] = {}
        self._current: dict[bytes, State] = {}
        self._inside: dict[bytes, list[bytes]] = {}
        self._kept_in: set[bytes] = set()
        self._needed: set[bytes] = set()
        """Folders nobody asked for, but for what is in them."""

    def made(self, wanted: Iterable[Wanted]) -> tuple[Action, ...]:
        """All actions, in their order."""
        ordered = sorted(wanted)
        for each in ordered:
            self._look(each)
        for each in ordered:
            self._judge(each)
        while self._demoted():
            pass
        self._without_idle_folders()
        self.actions |= files_of_their_own(self.actions.values(), self.stamps)
        self.warnings += link_warnings(self.actions.values())
        return in_order(self.actions.values())

    # each path alone

    def _look(self, wanted: Wanted) -> None:
        path = wanted.path
        if self._ground.refusal(path) is not None:
            return
        folder = above(path)
        while folder:
            if not isinstance(self._current.get(folder, NEW_FOLDER), Folder):
                # The plan itself says that its folder is no folder now, so nothing can be there.
                self._current[path] = ABSENT
                return
            folder = above(folder)
        self._current[path], self.stamps[path] = self._ground.look(path, self._keep_in)

    def _judge(self, wanted: Wanted) -> None:
        refusal = self._ground.refusal(wanted.path)
        current = Unknown(refusal) if refusal else self._current[wanted.path]
        if refusal is not None:
            self._act("cannot", wanted, current, current, refusal)
            return
        found = judged(wanted.expected, wanted.target, current, wanted.foreign)
        if found.judgement == "already":
            self.already.append(wanted.path)
            return
        if found.judgement == "cannot":
            self._act("cannot", wanted, current, current, found.reason)
            return
        trouble = self._trouble(current, found.after)
        if trouble is not None:
            self._act("cannot", wanted, current, current, trouble)
        elif found.judgement == "go":
            self._do(wanted, current, found.after, found.reason)
        else:
            self._resolve(wanted, current, found.after, found.reason)

    def _do(
        self,
        wanted: Wanted,
        current: State,
        after: State,
        reason: str,
        beside: bytes | None = None,
    ) -> None:
        self._act(kind_of(current, after), wanted, current, after, reason, beside=beside)

    def _act(
        self,
        kind: Kind,
        wanted: Wanted,
        current: State,
        after: State,
        reason: str,
        *,
        beside: bytes | None = None,
        choices: tuple[Choice, ...] = (),
    ) -> None:
        self.actions[wanted.path] = Action(
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

    def _trouble(self, current: State, after: State) -> str | None:
        """Why the content for a path cannot be had."""
        if not isinstance(after, File):
            return None
        if isinstance(current, File) and current.hash == after.hash:
            return None
        if after.hash not in self._troubles:
            self._troubles[after.hash] = self._supply.trouble(after)
        return self._troubles[after.hash]

    # conflicts

    def _resolve(self, wanted: Wanted, current: State, after: State, reason: str) -> None:
        choices = self._choices(wanted, current, after)
        choice = self._resolutions.get(wanted.path, "theirs" if self._force else None)
        if choice is not None and choice not in choices:
            reason, choice = f"{reason}; {choice} is not possible", None
        match choice:
            case "keep":
                self._act("skip", wanted, current, current, f"{reason}; it is kept")
                return
            case "theirs":
                self._do(wanted, current, after, f"{reason}; replaced on request")
                return
            case "both":
                self._keep_both(wanted, current, after, reason)
                return
            case "merge":
                one = self._merge(wanted, current, after)
                if one is not None:
                    self._do(wanted, current, one, f"{reason}; both changes are merged")
                    return
                reason += "; both changed the same lines"
        self._act("conflict", wanted, current, current, reason, choices=choices)

    def _choices(self, wanted: Wanted, current: State, after: State) -> tuple[Choice, ...]:
        choices: list[Choice] = ["keep", "theirs"]
        if isinstance(current, File | Link):
            choices.append("both")
        files = (wanted.expected, current, after)
        if wanted.foreign is None and all(
            isinstance(each, File) and each.size <= LARGEST for each in files
        ):
            choices.append("merge")
        return tuple(choices)

    def _keep_both(self, wanted: Wanted, current: State, after: State, reason: str) -> None:
        mark = current.hash[:SHORT] if isinstance(current, File) else "link"
        taken = set(self.actions) | set(self._current)
        beside = self._ground.free_name(wanted.path, f"kept-{mark}", taken)
        self._do(wanted, current, after, f"{reason}; both are kept", beside)
        if isinstance(current, File):
            current = replace(current, links=1)
        copy = Wanted(beside, ABSENT, current)
        self._do(copy, ABSENT, current, "what was there before")

    def _merge(self, wanted: Wanted, current: State, after: State) -> State | None:
        base, target = (bytes_of(self._supply, each) for each in (wanted.expected, after))
        ours = self._ground.read(wanted.path, current)
        if base is None or target is None or ours is None or not isinstance(after, File):
            return None
        both = merged(base, ours, target)
        if both is None:
            return None
        hash = sha256(both).hexdigest()
        self.merged[hash] = both
        return File(hash=hash, size=len(both), mode=after.mode)

    # all together

    def _demoted(self) -> bool:
        """Whether some action was given up because others stand against it."""
        changed = False
        # Each folder that something is put into, once, so that many folders cost no more than that.
        self._kept_in = {
            above(path)
            for path, action in self.actions.items()
            if not isinstance(action.after, Absent)
        }
        for action in list(self.actions.values()):
            if action.does and self.actions.get(action.path) is action:
                why = self._stays(action) or self._has_no_folder(action)
                if why is not None:
                    self._give_up(action, why)
                    changed = True
        return changed

    def _without_idle_folders(self) -> None:
        """Folders that were only to be made for something that does not come are not made."""
        filled: set[bytes] = set()
        for action in self.actions.values():
            folder = above(action.path)
            while action.does and action.path not in self._needed and folder:
                filled.add(folder)
                folder = above(folder)
        for folder in self._needed - filled:
            del self.actions[folder]

    def _give_up(self, action: Action, why: str) -> None:
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

    def _final(self, path: bytes) -> State:
        action = self.actions.get(path)
        if action is not None:
            return action.after
        return self._current[path] if path in self._current else self._ground.kind(path)

    def _stays(self, action: Action) -> str | None:
        """Why a folder cannot go: something in it stays."""
        if not isinstance(action.before, Folder) or isinstance(action.after, Folder):
            return None
        if action.path not in self._inside:
            self._inside[action.path] = self._ground.names_in(action.path)
        for path in self._inside[action.path]:
            if not isinstance(self._final(path), Absent):
                name = path.rpartition(b"/")[2].decode("utf-8", "backslashreplace")
                return f"the folder is not empty: it holds {name}"
        return "the folder is needed" if action.path in self._kept_in else None

    def _has_no_folder(self, action: Action) -> str | None:
        """Why nothing can be put at a path: its folder is none. Folders that lack are made."""
        folder = above(action.path)
        if isinstance(action.after, Absent) or not folder:
            return None
        there = self._final(folder)
        if isinstance(there, Folder):
            return None
        if not isinstance(there, Absent):
            return "the folder it was in is no folder now"
        if folder in self.actions and self.actions[folder].does:
            return "the folder it was in goes"
        self._do(Wanted(folder, ABSENT, NEW_FOLDER), ABSENT, NEW_FOLDER, "it is needed")
        self._current[folder] = ABSENT
        self._needed.add(folder)
        return self._has_no_folder(self.actions[folder])
