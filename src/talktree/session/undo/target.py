"""What a move means, worked out from the logs: from where to where, and which paths it concerns.

Where undo goes, and which moves can be taken back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from talktree.errors import NotFound, NotUndoable
from talktree.session.capture.snapshots import Taken
from talktree.session.handle import Opened
from talktree.session.index.index import Node
from talktree.session.undo.backups import Foreign
from talktree.session.undo.history import (
    FileLine,
    Wanted,
    changed_paths,
    changes_between,
    position,
)
from talktree.session.undo.move_records import ALL, Moved, Scope, Standing

PROMPT = "user"


def undo_point(opened: Opened, line: FileLine, start: str | None, *, turn: bool) -> Node:
    """The last message that is undone by one undo: a prompt, or the owner of a step."""
    for node in _upward(opened, start):
        if node.note or node.sidechain:
            continue
        if node.type == PROMPT or (not turn and changed_paths(line, node.id)):
            # With the move that it follows, if there is one: files may have moved in between.
            return line.timeline.node(node.id) or node
    raise nothing()


def step_point(line: FileLine, start: str | None, only: frozenset[bytes] | None) -> str:
    """The last message whose steps changed files (these files) that are not undone yet."""
    ids = line.up(start)
    while ids:
        id = ids.pop()
        changed = changed_paths(line, id)
        if only is not None:
            changed = {path: effect for path, effect in changed.items() if path in only}
        if not changed:
            continue
        move = line.of_point.get(id)
        if move is None:
            return id
        # What some files were taken back to; their way goes on from there.
        if move.verb == "undo" and move.takes_back is None:
            ids = line.up(move.goal.files)
    raise nothing()


def _upward(opened: Opened, start: str | None) -> Iterator[Node]:
    if start is not None:
        yield from reversed(opened.index.chain(start))


def nothing() -> NotUndoable:
    """What to say if there is nothing to undo."""
    return NotUndoable(
        "there is nothing to undo: the session stands at its beginning",
        hint="redo goes forward again; restore goes to any message",
    )


# moves


def redoable(opened: Opened, line: FileLine) -> Moved:
    """The undo that a redo takes back."""
    by_id = {move.id: move for move in line.moves}
    stack: list[Moved] = []
    for move in line.moves:
        if move.state != "moved":
            continue
        if move.takes_back is not None and stack and stack[-1].id == move.takes_back:
            gone = stack.pop()
            if move.verb == "redo" and gone.takes_back is not None:
                # An undo that had been taken back counts again.
                stack += [each for each in [by_id[gone.takes_back]] if each.verb == "undo"]
        elif move.verb != "undo":
            stack.clear()
            continue
        if move.verb == "undo":
            stack.append(move)
    if not stack or _was_worked(opened, line):
        raise NotUndoable(
            "there is nothing to redo",
            hint="redo takes back an undo as long as nothing was said or done since; restore "
            "goes to any message, also to one that was undone",
        )
    return stack[-1]


def _was_worked(opened: Opened, line: FileLine) -> bool:
    """Whether anything was said or done since the last move."""
    done = [move for move in line.moves if move.state == "moved"]
    number = line.timeline.number(done[-1]) if done else None
    if number is None or opened.index.work_since(number):
        return True
    return any(taken.step is not None for taken in opened.index.snapshots([done[-1].point]))


def stands_behind(opened: Opened, line: FileLine, move: Moved) -> bool:
    """Whether the session still stands where this move brought it, or stands there again."""
    if _was_worked(opened, line):
        return False
    end, point, timeline = line.timeline.end(), move.point, line.timeline
    same_talk = timeline.without_notes(end) == timeline.without_notes(point)
    return same_talk and line.stands(end) == line.stands(point)


def last_move(opened: Opened, line: FileLine, id: str | None) -> Moved:
    """The move with this id, or the last one that was not taken back."""
    done = [move for move in line.moves if move.state == "moved"]
    if id is None:
        gone = {move.takes_back for move in done}
        for move in reversed(done):
            if move.id not in gone and (move.takes_back is None or move.verb == "redo"):
                return move
        raise nothing()
    found = [move for move in done if move.id.startswith(id)]
    if len({move.id for move in found}) != 1 or not id:
        raise NotFound(
            f"there is no single operation {id!r} that moved this session",
            hint="`talktree session log` lists the operations",
        )
    return found[0]


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
