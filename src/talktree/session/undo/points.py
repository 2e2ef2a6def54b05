"""Where undo goes, and which moves can be taken back."""

from __future__ import annotations

from collections.abc import Iterator

from talktree.errors import NotFound, NotUndoable
from talktree.session.handle import Opened
from talktree.session.index.index import Node
from talktree.session.undo.history import FileLine, changed_paths
from talktree.session.undo.move_records import Moved

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
