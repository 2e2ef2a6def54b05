"""The target of a move, computed from the logs: from where to where, and which paths.

It also finds where undo goes, and which moves can be taken back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from talktree.errors import NotFound, NotUndoable
from talktree.session.capture.snapshots import SnapshotLine
from talktree.session.handle import SessionHandle
from talktree.session.index.index import IndexedMessage
from talktree.session.undo.backups import ForeignSupply
from talktree.session.undo.history import (
    FileLine,
    WantedPath,
    find_changed_paths,
    find_changes_between,
    find_position,
)
from talktree.session.undo.move_records import ALL, LoggedMove, Scope, ScopeLeaves

PROMPT = "user"


def find_undo_point(
    opened: SessionHandle, line: FileLine, start: str | None, *, turn: bool
) -> IndexedMessage:
    """Return the last message that one undo reverts: a prompt, or the owner of a step."""
    for node in _walk_up(opened, start):
        if node.note or node.sidechain:
            continue
        if node.type == PROMPT or (not turn and find_changed_paths(line, node.id)):
            # Include the move that it follows, if there is one: files may have moved in between.
            return line.timeline.node(node.id) or node
    raise nothing_to_undo_error()


def find_step_point(line: FileLine, start: str | None, only: frozenset[bytes] | None) -> str:
    """Return the last message whose steps changed files (these files) that are not undone yet."""
    ids = line.list_ancestors(start)
    while ids:
        id = ids.pop()
        changed = find_changed_paths(line, id)
        if only is not None:
            changed = {path: effect for path, effect in changed.items() if path in only}
        if not changed:
            continue
        move = line.of_point.get(id)
        if move is None:
            return id
        # The message to which some files were taken back; their line continues from there.
        if move.verb == "undo" and move.takes_back is None:
            ids = line.list_ancestors(move.goal.files)
    raise nothing_to_undo_error()


def _walk_up(opened: SessionHandle, start: str | None) -> Iterator[IndexedMessage]:
    if start is not None:
        yield from reversed(opened.index.chain(start))


def nothing_to_undo_error() -> NotUndoable:
    """Return the error if there is nothing to undo."""
    return NotUndoable(
        "there is nothing to undo: the session stands at its beginning",
        hint="redo goes forward again; restore goes to any message",
    )


# moves


def find_redoable_move(opened: SessionHandle, line: FileLine) -> LoggedMove:
    """Return the undo that a redo takes back."""
    by_id = {move.id: move for move in line.moves}
    stack: list[LoggedMove] = []
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
    if not stack or _has_work_since_move(opened, line):
        raise NotUndoable(
            "there is nothing to redo",
            hint="redo takes back an undo as long as nothing was said or done since; restore "
            "goes to any message, also to one that was undone",
        )
    return stack[-1]


def _has_work_since_move(opened: SessionHandle, line: FileLine) -> bool:
    """Whether there is a message or step since the last move."""
    done = [move for move in line.moves if move.state == "moved"]
    number = line.timeline.find_number(done[-1]) if done else None
    if number is None or opened.index.has_work_since(number):
        return True
    return any(taken.step is not None for taken in opened.index.snapshots([done[-1].point]))


def is_still_at(opened: SessionHandle, line: FileLine, move: LoggedMove) -> bool:
    """Whether the session is at the position of this move, or is there again."""
    if _has_work_since_move(opened, line):
        return False
    end, point, timeline = line.timeline.find_end(), move.point, line.timeline
    same_talk = timeline.skip_notes(end) == timeline.skip_notes(point)
    return same_talk and line.find_files_at(end) == line.find_files_at(point)


def find_last_move(opened: SessionHandle, line: FileLine, id: str | None) -> LoggedMove:
    """Return the move with this id, or the last one that was not taken back."""
    done = [move for move in line.moves if move.state == "moved"]
    if id is None:
        gone = {move.takes_back for move in done}
        for move in reversed(done):
            if move.id not in gone and (move.takes_back is None or move.verb == "redo"):
                return move
        raise nothing_to_undo_error()
    found = [move for move in done if move.id.startswith(id)]
    if len({move.id for move in found}) != 1 or not id:
        raise NotFound(
            f"there is no single operation {id!r} that moved this session",
            hint="`talktree session log` lists the operations",
        )
    return found[0]


class UndoTarget(Struct, frozen=True, kw_only=True):
    """The target of a move, before files are read."""

    verb: str
    scopes: tuple[Scope, ...]
    origin: ScopeLeaves
    goal: ScopeLeaves
    parent: str | None
    """The message or point that the move's own point follows."""
    leaf: str | None
    """The last message or point before the move."""
    wanted: list[WantedPath]
    foreign: ForeignSupply
    uncovered: tuple[tuple[str, str], ...] = ()
    takes_back: str | None = None
    partial: tuple[bytes, ...] = ()
    """The requested paths, if not all; then the files are at the move's own point."""
    about: str | None = None
    """The message whose effect is taken back."""


def target_message(
    opened: SessionHandle,
    line: FileLine,
    verb: str,
    goal: str | None,
    scopes: tuple[Scope, ...],
    only: frozenset[bytes] | None = None,
) -> UndoTarget:
    """Return the target for a message, with these scopes; None is before the first one."""
    here, leaf = find_position(opened, line), line.timeline.find_end()
    if only is not None:
        scopes = ("files",)
    there = ScopeLeaves(
        line.find_files_at(goal) if "files" in scopes else here.files,
        line.timeline.skip_notes(goal) if "conversation" in scopes else here.conversation,
        line.timeline.find_todos_message(goal) if "todos" in scopes else here.todos,
    )
    foreign = ForeignSupply(opened)
    wanted = []
    if "files" in scopes:
        wanted = find_changes_between(opened, leaf, goal, line, only, foreign)
    return UndoTarget(
        verb=verb,
        scopes=scopes,
        origin=here,
        goal=there,
        parent=goal if "conversation" in scopes else leaf,
        leaf=leaf,
        wanted=wanted,
        foreign=foreign,
        uncovered=_find_uncovered(line, leaf, goal) if "files" in scopes else (),
        partial=_sort_names(only),
    )


def target_undo(
    opened: SessionHandle, line: FileLine, scopes: tuple[Scope, ...], *, turn: bool
) -> UndoTarget:
    """Return the target before the last prompt or step."""
    here = find_position(opened, line)
    if scopes == ("files",) and not turn:
        point = line.timeline.node(find_step_point(line, line.timeline.find_end(), None))
        assert point is not None
    else:
        talk = "conversation" in scopes
        start = here.conversation if talk else here.files if "files" in scopes else here.todos
        point = find_undo_point(opened, line, line.timeline.skip_notes(start), turn=turn)
    return target_message(opened, line, "undo", point.parent, scopes)


def target_undo_of_paths(
    opened: SessionHandle, line: FileLine, only: frozenset[bytes]
) -> UndoTarget:
    """Return the target for some files, before the last step that touched them."""
    goal = line.find_place(find_step_point(line, line.timeline.find_end(), only), before=True)
    return target_message(opened, line, "undo", goal, ("files",), only)


def target_undo_of_move(
    opened: SessionHandle, line: FileLine, verb: str, move: LoggedMove
) -> UndoTarget:
    """Return the target before a move; for a move of an earlier version, only its files."""
    here, leaf = find_position(opened, line), line.timeline.find_end()
    last = is_still_at(opened, line, move)
    if not last and "files" not in move.scopes:
        raise NotUndoable(
            "the session has gone on since that operation, and it did nothing to files",
            hint=f"restore goes to where the session stood before: {move.leaf}",
        )
    wanted = [
        WantedPath(each.path, each.after, each.before)
        for each in move.paths
        if move.fates.get(each.path, "done") == "done"
    ]
    scopes = tuple(scope for scope in ALL if scope in move.scopes)
    talks = last and "conversation" in scopes
    return UndoTarget(
        verb=verb,
        scopes=scopes if last else ("files",),
        origin=here,
        goal=move.origin if last else here,
        parent=move.leaf if talks else leaf,
        leaf=leaf,
        wanted=wanted,
        foreign=ForeignSupply(opened),
        takes_back=move.id,
        partial=() if last else tuple(each.path for each in wanted),
    )


def target_revert(
    opened: SessionHandle, line: FileLine, about: str, only: frozenset[bytes] | None
) -> UndoTarget:
    """Return the target for the files of one message, where nothing else has changed them since."""
    here, leaf, foreign = (
        find_position(opened, line),
        line.timeline.find_end(),
        ForeignSupply(opened),
    )
    changed = find_changed_paths(line, about, foreign)
    wanted = [
        WantedPath(path, effect.after, effect.before)
        for path, effect in sorted(changed.items())
        if only is None or path in only
    ]
    return UndoTarget(
        verb="revert",
        scopes=("files",),
        origin=here,
        goal=here,
        parent=leaf,
        leaf=leaf,
        wanted=wanted,
        foreign=foreign,
        uncovered=collect_uncovered(line.snapshots(line.find_with_sidechains([about]))),
        partial=tuple(each.path for each in wanted) or _sort_names(only),
        about=about,
    )


def _sort_names(only: frozenset[bytes] | None) -> tuple[bytes, ...]:
    return () if only is None else tuple(sorted(only))


def _find_uncovered(
    line: FileLine, start: str | None, goal: str | None
) -> tuple[tuple[str, str], ...]:
    way = line.find_path(start, goal)
    return collect_uncovered(line.snapshots(line.find_with_sidechains([*way.back, *way.forward])))


def collect_uncovered(snapshots: Iterable[SnapshotLine]) -> tuple[tuple[str, str], ...]:
    """Return what steps did not cover, each item once; an unfinished step covered nothing."""
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
