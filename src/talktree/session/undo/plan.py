"""Plans: every action a move would take, why, and what it was judged by.

First each path is judged alone by the three-way rule and the choices of the user. Then the paths
are judged together: a folder goes only if everything in it goes, and something can only be written
where its folder is, or is made. Whatever cannot be is told, and the rest of the plan holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from talktree.session.capture.file_state import (
    Absent,
    File,
    Folder,
    Link,
    State,
    name_to_json,
    to_json,
)
from talktree.session.undo.move_records import Moving, Scope, Standing
from talktree.session.undo.plan_digest import digest_of, states_value

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
