"""What a move means, worked out from the logs: from where to where, and which paths it concerns."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from talktree.errors import NotUndoable
from talktree.session.capture.snapshots import Taken
from talktree.session.handle import Opened
from talktree.session.undo.backups import Foreign
from talktree.session.undo.history import (
    FileLine,
    Wanted,
    changed_paths,
    changes_between,
    position,
)
from talktree.session.undo.move_records import ALL, Moved, Scope, Standing
from talktree.session.undo.points import stands_behind, step_point, undo_point


class Intent(Struct, frozen=True, kw_only=True):
    """A move before anybody has looked at the files."""

    verb: str
    scopes: tuple[Scope, ...]
    origin: Standing
    goal: Standing
    parent: str | None
    """The message or point that the move's own point follows."""
    leaf: str | None
    """The last message or point before the move."""
    wanted: list[Wanted]
    foreign: Foreign
    uncovered: tuple[tuple[str, str], ...] = ()
    takes_back: str | None = None
    partial: tuple[bytes, ...] = ()
    """The paths it was asked for, if not for all; then the files are at the move's own point."""
    about: str | None = None
    """The message whose effect is taken back."""


def to_message(
    opened: Opened,
    line: FileLine,
    verb: str,
    goal: str | None,
    scopes: tuple[Scope, ...],
    only: frozenset[bytes] | None = None,
) -> Intent:
    """To a message, with these scopes; None is before the first one."""
    here, leaf = position(opened, line), line.timeline.end()
    if only is not None:
        scopes = ("files",)
    there = Standing(
        line.stands(goal) if "files" in scopes else here.files,
        line.timeline.without_notes(goal) if "conversation" in scopes else here.conversation,
        line.timeline.todos(goal) if "todos" in scopes else here.todos,
    )
    foreign = Foreign(opened)
    wanted = []
    if "files" in scopes:
        wanted = changes_between(opened, leaf, goal, line, only, foreign)
    return Intent(
        verb=verb,
        scopes=scopes,
        origin=here,
        goal=there,
        parent=goal if "conversation" in scopes else leaf,
        leaf=leaf,
        wanted=wanted,
        foreign=foreign,
        uncovered=_uncovered(line, leaf, goal) if "files" in scopes else (),
        partial=_names(only),
    )


def undone(opened: Opened, line: FileLine, scopes: tuple[Scope, ...], *, turn: bool) -> Intent:
    """To before the last prompt or step."""
    here = position(opened, line)
    if scopes == ("files",) and not turn:
        point = line.timeline.node(step_point(line, line.timeline.end(), None))
        assert point is not None
    else:
        talk = "conversation" in scopes
        start = here.conversation if talk else here.files if "files" in scopes else here.todos
        point = undo_point(opened, line, line.timeline.without_notes(start), turn=turn)
    return to_message(opened, line, "undo", point.parent, scopes)


def undone_paths(opened: Opened, line: FileLine, only: frozenset[bytes]) -> Intent:
    """Some files to before the last step that touched them."""
    goal = line.place(step_point(line, line.timeline.end(), only), before=True)
    return to_message(opened, line, "undo", goal, ("files",), only)


def taken_back(opened: Opened, line: FileLine, verb: str, move: Moved) -> Intent:
    """Everything as it was before a move; of an older move, what it did to files."""
    here, leaf = position(opened, line), line.timeline.end()
    last = stands_behind(opened, line, move)
    if not last and "files" not in move.scopes:
        raise NotUndoable(
            "the session has gone on since that operation, and it did nothing to files",
            hint=f"restore goes to where the session stood before: {move.leaf}",
        )
    wanted = [
        Wanted(each.path, each.after, each.before)
        for each in move.paths
        if move.fates.get(each.path, "done") == "done"
    ]
    scopes = tuple(scope for scope in ALL if scope in move.scopes)
    talks = last and "conversation" in scopes
    return Intent(
        verb=verb,
        scopes=scopes if last else ("files",),
        origin=here,
        goal=move.origin if last else here,
        parent=move.leaf if talks else leaf,
        leaf=leaf,
        wanted=wanted,
        foreign=Foreign(opened),
        takes_back=move.id,
        partial=() if last else tuple(each.path for each in wanted),
    )


def reverted(opened: Opened, line: FileLine, about: str, only: frozenset[bytes] | None) -> Intent:
    """What one message did to files, taken back where nothing else has changed it since."""
    here, leaf, foreign = position(opened, line), line.timeline.end(), Foreign(opened)
    changed = changed_paths(line, about, foreign)
    wanted = [
        Wanted(path, effect.after, effect.before)
        for path, effect in sorted(changed.items())
        if only is None or path in only
    ]
    return Intent(
        verb="revert",
        scopes=("files",),
        origin=here,
        goal=here,
        parent=leaf,
        leaf=leaf,
        wanted=wanted,
        foreign=foreign,
        uncovered=told_uncovered(line.snapshots(line.with_asides([about]))),
        partial=tuple(each.path for each in wanted) or _names(only),
        about=about,
    )


def _names(only: frozenset[bytes] | None) -> tuple[bytes, ...]:
    return () if only is None else tuple(sorted(only))


def _uncovered(line: FileLine, start: str | None, goal: str | None) -> tuple[tuple[str, str], ...]:
    way = line.way(start, goal)
    return told_uncovered(line.snapshots(line.with_asides([*way.back, *way.forward])))


def told_uncovered(snapshots: Iterable[Taken]) -> tuple[tuple[str, str], ...]:
    """What steps did not see, each thing once; a step that did not end has seen nothing."""
    found: dict[tuple[str, str], None] = {}
    ended, begun = set(), {}
    for taken in snapshots:
        found.update(dict.fromkeys(taken.uncovered))
        if taken.ended:
            ended.add(taken.step)
        elif taken.watched:
            begun[taken.step] = taken.watched
    for step, watched in begun.items():
        if step not in ended:
            for path in watched:
                name = path.decode("utf-8", "backslashreplace")
                found[name, "the step that watched it did not end"] = None
    return tuple(found)
