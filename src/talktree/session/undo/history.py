"""File states along the tree: the state of a path at a message, and the paths a move affects.

Files have their own line of ancestors. A move says where the files are after it, so the line of
files continues from there and skips what was undone, whichever scopes moved. A move of only some
paths is a step of its own. A move is a point in the timeline; in stores of earlier versions it is a
message, a note.

A move goes back over some steps and forward over others. Going back, a path gets the state that the
first of these steps found; going forward, the state that the last of them left. If a step found a
different state than the session had left, the path was changed by others in between, and a move
over that step reports it (`WantedPath.foreign`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from talktree.session.capture.file_state import State, UnknownState, is_same, is_same_content
from talktree.session.capture.snapshots import FileChange, SnapshotLine
from talktree.session.handle import SessionHandle
from talktree.session.undo.backups import ForeignSupply
from talktree.session.undo.move_records import LoggedMove, ScopeLeaves
from talktree.session.undo.timeline import Timeline

UNFINISHED = UnknownState("the step that changed it did not end")
NEVER_SEEN = UnknownState("the session has never seen it")
Touches: TypeAlias = dict[bytes, list[tuple[str, FileChange]]]
"""The recorded changes of each path, with the messages, in file order."""


class WantedPath(NamedTuple):
    """A path that a move affects."""

    path: bytes
    expected: State
    """The state that the session expects."""
    target: State
    """The state to be reached."""
    foreign: str | None = None
    """Why the work of others may be affected, even if the state is as expected."""


class Effect(NamedTuple):
    """What one message did to one path."""

    before: State
    after: State
    foreign: bool = False
    """Whether others changed it between two steps for the message."""

    @property
    def is_nothing(self) -> bool:
        """Whether the path was left as it was."""
        return is_same(self.before, self.after)


class MessagePath(NamedTuple):
    """The messages between two points of the line of files."""

    back: list[str]
    """Those to be undone, newest first."""
    forward: list[str]
    """Those to be redone, oldest first, including notes."""


class FileLine:
    """The line of ancestors of files."""

    def __init__(self, opened: SessionHandle) -> None:
        self._index = opened.index
        self.timeline = Timeline(opened.index)
        self.moves = self.timeline.moves
        self.of_point: Mapping[str, LoggedMove] = {move.point: move for move in self.moves}
        self._snapshots: dict[frozenset[str], list[SnapshotLine]] = {}

    def find_place(self, message: str, *, before: bool = False) -> str | None:
        """Return the place after a message, or before it (None before the first one)."""
        if not before:
            return message
        node = self.timeline.node(message)
        return None if node is None else node.parent

    def find_files_at(self, id: str | None) -> str | None:
        """Return the message whose files are present when the session is at this one."""
        seen = set()
        while id is not None and id not in seen:
            seen.add(id)
            node = self.timeline.node(id)
            if node is None:
                return None
            if not node.note:
                return id
            move = self.of_point.get(id)
            goal = node.parent if move is None else move.at.files
            if goal == id:
                return id
            id = goal
        return None

    def list_ancestors(self, id: str | None) -> list[str]:
        """Return the messages whose changes made the files at this one, oldest first."""
        found: list[str] = []
        seen: set[str] = set()
        here = self.find_files_at(id)
        while here is not None and here not in seen:
            chain = self.timeline.chain(here)
            here = None
            for node in reversed(chain):
                if node.note and not self.is_step(node.id):
                    move = self.of_point.get(node.id)
                    if move is not None and move.at.files != node.parent:
                        here = self.find_files_at(move.at.files)
                        break
                    continue
                if node.id in seen:
                    break
                seen.add(node.id)
                found.append(node.id)
        return found[::-1]

    def find_notes_above(self, id: str | None) -> list[str]:
        """Return a message and the notes above it, up to the nearest message that is not a note."""
        found: list[str] = []
        while id is not None and id not in found:
            node = self.timeline.node(id)
            if node is None or not node.note or self.is_step(id):
                break
            found.append(id)
            id = node.parent
        return found[::-1]

    def find_with_sidechains(self, ids: Iterable[str]) -> dict[str, str]:
        """Return messages and those of their sidechains, with the message each belongs to.

        What a sub-agent did on a sidechain was done for the message that the sidechain belongs to.
        """
        owners: dict[str, str] = {}
        for owner in ids:
            waiting = [owner]
            while waiting:
                id = waiting.pop()
                if id in owners:
                    continue
                owners[id] = owner
                waiting += [node.id for node in self.timeline.children(id) if node.sidechain]
        return owners

    def snapshots(self, ids: Iterable[str]) -> list[SnapshotLine]:
        """Return the snapshots of messages, in file order; they are cached."""
        key = frozenset(ids)
        if key not in self._snapshots:
            self._snapshots[key] = self._index.snapshots(key)
        return self._snapshots[key]

    def is_step(self, note: str) -> bool:
        """Whether a move changed only some paths, so that the files are at its own point."""
        move = self.of_point.get(note)
        return move is not None and move.at.files == note

    def find_path(self, start: str | None, goal: str | None) -> MessagePath:
        """Return the way of the files from one message to another."""
        ours, theirs = self.list_ancestors(start), self.list_ancestors(goal)
        shared = 0
        while shared < min(len(ours), len(theirs)) and ours[shared] == theirs[shared]:
            shared += 1
        passed = set(self._add_notes(ours[shared:], start))
        forward = [id for id in self._add_notes(theirs[shared:], goal) if id not in passed]
        return MessagePath(ours[shared:][::-1], forward)

    def _add_notes(self, ids: Sequence[str], last: str | None) -> Iterator[str]:
        for id in ids:
            node = self.timeline.node(id)
            yield from self.find_notes_above(node.parent if node else None)
            yield id
        yield from self.find_notes_above(last)


# effects


def find_effects(
    snapshots: Iterable[SnapshotLine], owners: Mapping[str, str]
) -> dict[str, dict[bytes, Effect]]:
    """Return what each owner of snapshots did to each path: first state before, last after."""
    before: dict[tuple[str, bytes], State] = {}
    after: dict[tuple[str, bytes], State] = {}
    running: dict[tuple[str, bytes], set[str | None]] = {}
    foreign: set[tuple[str, bytes]] = set()
    for one in snapshots:
        owner = owners[one.message]
        for path, state in one.seen:
            left = after.get((owner, path))
            if left is not None and not is_same_content(left, state):
                foreign.add((owner, path))
        for change in one.changes:
            key = owner, change.path
            before.setdefault(key, change.before or NEVER_SEEN)
            if change.after is None:
                running.setdefault(key, set()).add(one.step)
            else:
                running.get(key, set()).discard(one.step)
                after[key] = change.after
    found: dict[str, dict[bytes, Effect]] = {}
    for (message, path), first in before.items():
        key = message, path
        last = UNFINISHED if running.get(key) else after.get(key, UNFINISHED)
        found.setdefault(message, {})[path] = Effect(first, last, key in foreign)
    return found


def find_effects_of(
    line: FileLine, ids: Iterable[str], foreign: ForeignSupply | None = None
) -> dict[str, dict[bytes, Effect]]:
    """Return what each of some messages did to files, including its sidechains."""
    owners = line.find_with_sidechains(ids)
    snapshots = line.snapshots(owners)
    return find_effects(foreign.resolve_backups(snapshots) if foreign else snapshots, owners)


def find_changed_paths(
    line: FileLine, message: str, foreign: ForeignSupply | None = None
) -> dict[bytes, Effect]:
    """Return what the steps of one message changed."""
    done = find_effects_of(line, [message], foreign).get(message, {})
    return {path: effect for path, effect in done.items() if not effect.is_nothing}


def find_expected_states(opened: SessionHandle, paths: Iterable[bytes]) -> dict[bytes, State]:
    """Return the expected state of each path: that of the last line about it."""
    return {
        path: NEVER_SEEN if change is None else _state_after(change)
        for path, change in opened.index.find_last_touches(paths).items()
    }


def _state_after(change: FileChange) -> State:
    return UNFINISHED if change.after is None else change.after


def find_state_at(opened: SessionHandle, path: bytes, message: str | None) -> State:
    """Return the state of a path when the session was at a message."""
    return find_states_at(opened, [path], message)[path]


def find_states_at(
    opened: SessionHandle, paths: Iterable[bytes], message: str | None
) -> dict[bytes, State]:
    """Return the state of each path when the session was at a message."""
    return _find_states(opened, opened.index.find_touches_of(paths), message)


def find_all_states_at(
    opened: SessionHandle, message: str | None, foreign: ForeignSupply
) -> tuple[dict[bytes, State], list[SnapshotLine]]:
    """Return the state of every known path at a message, and all snapshots."""
    snapshots = foreign.resolve_backups(each for _, each in opened.index.all_snapshots())
    touches: Touches = {}
    for each in snapshots:
        for change in each.changes:
            touches.setdefault(change.path, []).append((each.message, change))
    return _find_states(opened, touches, message), snapshots


def _find_states(
    opened: SessionHandle, touches: Touches, message: str | None
) -> dict[bytes, State]:
    timeline = Timeline(opened.index)
    chain = timeline.chain(message) if message is not None else []
    place = {node.id: number for number, node in enumerate(chain)}
    found: dict[bytes, State] = {}
    for path, changes in touches.items():
        places = ((_find_place(timeline, id, place), change) for id, change in changes)
        on_way = [(number, change) for number, change in places if number is not None]
        if on_way:
            last = max(number for number, _ in on_way)
            found[path] = _state_after([change for number, change in on_way if number == last][-1])
        elif changes:
            found[path] = changes[0][1].before or NEVER_SEEN
        else:
            found[path] = NEVER_SEEN
    return found


def _find_place(timeline: Timeline, id: str | None, place: dict[str, int]) -> int | None:
    """Return where on the way a snapshot counts: at its message, or at its sidechain's parent."""
    passed = []
    number = None
    while id is not None and id not in passed:
        if id in place:
            number = place[id]
            break
        node = timeline.node(id)
        if node is None or not node.sidechain:
            break
        passed.append(id)
        id = node.parent
    return number


def find_paths_to(opened: SessionHandle, message: str | None) -> list[bytes]:
    """Return all paths in snapshots on the way from the root to a message."""
    chain = Timeline(opened.index).chain(message) if message is not None else []
    found = opened.index.snapshots(node.id for node in chain)
    return sorted({change.path for each in found for change in each.changes})


# moves


def find_changes_between(
    opened: SessionHandle,
    start: str | None,
    goal: str | None,
    line: FileLine | None = None,
    only: frozenset[bytes] | None = None,
    foreign: ForeignSupply | None = None,
) -> list[WantedPath]:
    """Return the paths that a move between two messages affects, with their target states."""
    line = line or FileLine(opened)
    way = line.find_path(start, goal)
    done = find_effects_of(line, [*way.back, *way.forward], foreign)
    concerned = sorted({path for id in done for path in done[id] if only is None or path in only})
    expected = find_expected_states(opened, concerned)
    ways = {path: _Walk(expected[path]) for path in concerned}
    for id in way.back:
        for path, effect in done.get(id, {}).items():
            if path in ways:
                ways[path].undo_effect(id, effect)
    for id in way.forward:
        note = id in line.of_point and not line.is_step(id)
        for path, effect in done.get(id, {}).items():
            if path in ways:
                ways[path].redo_effect(id, effect, note=note)
    return [
        WantedPath(path, expected[path], walk.state, walk.foreign)
        for path, walk in ways.items()
        if walk.moved
    ]


class _Walk:
    """One path on the way of a move."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.foreign: str | None = None
        self.moved = False

    def undo_effect(self, id: str, effect: Effect) -> None:
        """Undo what a message did."""
        if effect.is_nothing and not self.moved:
            # The step named the path and left it alone.
            return
        self._check_expected(id, effect.after, foreign=effect.foreign)
        self.state, self.moved = effect.before, True

    def redo_effect(self, id: str, effect: Effect, *, note: bool) -> None:
        """Redo what a message did; the state in a note always counts."""
        if not note:
            if effect.is_nothing and not self.moved:
                return
            self._check_expected(id, effect.before)
        self.state, self.moved = effect.after, True

    def _check_expected(self, id: str, seen: State, *, foreign: bool = False) -> None:
        """Note foreign changes.

        Only content counts: a changed mode alone is not the work of others.
        """
        known = not isinstance(seen, UnknownState) and not isinstance(self.state, UnknownState)
        broken = foreign or (known and not is_same_content(seen, self.state))
        if broken and self.foreign is None:
            self.foreign = f"somebody else changed it around message {id[:8]}"


def find_position(opened: SessionHandle, line: FileLine | None = None) -> ScopeLeaves:
    """Return the current position of each scope of a session."""
    line = line or FileLine(opened)
    timeline = line.timeline
    end = timeline.find_end()
    return ScopeLeaves(
        line.find_files_at(end), timeline.skip_notes(end), timeline.find_todos_message(end)
    )
