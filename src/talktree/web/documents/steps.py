"""What the rows of a branch show: messages with their results, a stretch at a time.

Results are paired with calls between two *seams*: places at which nothing before is awaited any
more. Seams are told by what stands at them, so a row shows the same from wherever one begins to
read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from talktree.model.conversation import Conversation
from talktree.model.message import META, Message
from talktree.model.outline import Trait
from talktree.model.parts import ToolResult
from talktree.views.transcript import Step, fold
from talktree.web.documents.row_list import RowList

FURTHEST = 512
"""How many messages before and behind what is wanted are looked at for a seam."""
LOOK_BACK = 64
"""How far the reply before is looked for."""


class Shown(NamedTuple):
    """A row: its message, and those that only bring results."""

    number: int
    head: Step
    rest: tuple[Step, ...]

    @property
    def steps(self) -> tuple[Step, ...]:
        """All of them."""
        return (self.head, *self.rest)


def shown(conversation: Conversation, rows: RowList, first: int, stop: int) -> list[Shown]:
    """The rows of a stretch; little more than that is read."""
    stop = min(stop, len(rows))
    if first >= stop:
        return []
    seams = _Seams(conversation, rows)
    start, end = rows.heads[first], rows.span(stop - 1).stop
    start, end = seams.before(start), seams.behind(end)
    found = _rows(conversation, rows, range(start, end))
    return [each for each in found if first <= each.number < stop]


def all_shown(conversation: Conversation, rows: RowList) -> Iterator[Shown]:
    """All rows of a branch, streaming."""
    return _rows(conversation, rows, range(len(rows.path)))


def _rows(conversation: Conversation, rows: RowList, places: range) -> Iterator[Shown]:
    seams = _Seams(conversation, rows)
    positions = rows.path[places.start : places.stop]
    entries = conversation.entries_at(positions)
    places_and_entries = zip(places, entries, strict=True)
    number, steps = rows.row_at(places.start) if places else -1, list[Step]()
    for place, step in _folded(seams, places_and_entries):
        mine = rows.row_at(place)
        if mine != number:
            if steps:
                yield Shown(number, steps[0], tuple(steps[1:]))
            number, steps = mine, []
        steps.append(step)
    if steps:
        yield Shown(number, steps[0], tuple(steps[1:]))


def _folded(seams: _Seams, entries: Iterable[tuple[int, object]]) -> Iterator[tuple[int, Step]]:
    """Each message with its place; results in the calls they answer."""
    held: list[tuple[int, Message]] = []
    for place, entry in entries:
        if not isinstance(entry, Message):
            continue
        if held and (seams.is_seam(place, entry) or len(held) >= FURTHEST):
            yield from _paired(seams, held)
            held = []
        held.append((place, entry))
    yield from _paired(seams, held)


def _paired(seams: _Seams, held: list[tuple[int, Message]]) -> Iterator[tuple[int, Step]]:
    path = seams.rows.path
    steps = fold((path[place], message) for place, message in held)
    return zip((place for place, _ in held), steps, strict=True)


class _Seams:
    """Where a branch can be taken apart."""

    def __init__(self, conversation: Conversation, rows: RowList) -> None:
        self._conversation = conversation
        self._bones = conversation.skeleton
        self.rows = rows

    def before(self, place: int) -> int:
        """The last seam at or before a place."""
        for here in range(place, max(-1, place - FURTHEST), -1):
            if self.is_seam(here):
                return here
        return max(0, place - FURTHEST)

    def behind(self, place: int) -> int:
        """The first seam at or behind a place."""
        end = min(len(self.rows.path), place + FURTHEST)
        for here in range(place, end):
            if self.is_seam(here):
                return here
        return end

    def is_seam(self, place: int, message: object = None) -> bool:
        """Whether nothing that stands before is answered from here on."""
        if not place:
            return True
        position = self.rows.path[place]
        match self._bones.traits[position]:
            case Trait.SAID if self._bones.roles[position] == "user":
                entry = self._conversation.entry(position) if message is None else message
                return isinstance(entry, Message) and _speaks_up(entry)
            case Trait.REPLY:
                return self._begins_round(place)
            case _:
                return False

    def _begins_round(self, place: int) -> bool:
        """Whether results stand before it, and it is no piece of the reply before those."""
        traits, groups, path = self._bones.traits, self._bones.group_numbers, self.rows.path
        if traits[path[place - 1]] != Trait.RESULT:
            return False
        group = groups[path[place]]
        if not group:
            return True
        for here in range(place - 1, max(-1, place - LOOK_BACK), -1):
            if traits[path[here]] == Trait.REPLY:
                return groups[path[here]] != group
        return True


def _speaks_up(message: Message) -> bool:
    return META not in message.flags and not any(
        isinstance(part, ToolResult) for part in message.parts
    )
