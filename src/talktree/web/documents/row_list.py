"""The rows of a branch: which messages have a row of their own.

A message that only holds results belongs to the row above it, where the calls are, and so does a
record without content. The skeleton alone decides this, so the number of rows is known without
reading any.

Also the content of rows: messages with their results, one range at a time. Results are paired with
calls between two *seams*: places at which no earlier call is still unanswered. Seams depend only on
the messages around them, so a row shows the same wherever reading begins.

Rows can be filtered by role, kinds of parts, flags, tools and tags. Times are sent as milliseconds
since 1970, or null.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from talktree.formats import get_format
from talktree.model.compaction import COMPACTIONS
from talktree.model.conversation import Conversation
from talktree.model.derived import TODO_TOOLS, normalize_tool_name
from talktree.model.message import ERROR, META, Message
from talktree.model.outline import Trait
from talktree.model.parts import (
    Artifact,
    Attachment,
    Event,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    UnknownPart,
)  # fmt: skip
from talktree.model.skeleton import NO_TIME
from talktree.views.transcript import FoldedMessage, fold_results

MOST_RECORDS = 1000
"""Maximum number of records listed for a row."""


class RowList:
    """The rows of a branch and their positions."""

    def __init__(self, conversation: Conversation, leaf: str, path: Sequence[int]) -> None:
        self.leaf = leaf
        self._conversation = conversation
        self.path = array("q", path)
        """All positions of the branch, including those without a row."""
        skeleton = conversation.skeleton
        traits, roles, silent = (
            skeleton.traits,
            skeleton.roles,
            get_format(conversation.format).silent,
        )
        self.heads = array(
            "q",
            (
                place
                for place, position in enumerate(self.path)
                if not place or (traits[position] != Trait.RESULT and roles[position] not in silent)
            ),
        )
        """For each row, the place of its message in the path."""
        self.positions = array("q", (self.path[place] for place in self.heads))
        """For each row, the position of its message."""

    def __len__(self) -> int:
        return len(self.heads)

    def span(self, number: int) -> range:
        """Return the range of the path that makes up a row."""
        last = number + 1 == len(self)
        return range(self.heads[number], len(self.path) if last else self.heads[number + 1])

    def ids(self, number: int) -> tuple[str, ...]:
        """Return the ids of the records that make up a row."""
        ids = self._conversation.skeleton.ids
        return tuple(ids[self.path[place]] for place in self.span(number)[:MOST_RECORDS])

    def find_number(self, id: str) -> int | None:
        """Return the row that shows a message, by its id, or None."""
        position = self._conversation.skeleton.by_id.get(id)
        return None if position is None else self.number_at(position)

    def number_at(self, position: int) -> int | None:
        """Return the row that shows a position, or None."""
        place = self._places.get(position)
        return None if place is None else self.row_at(place)

    def row_at(self, place: int) -> int:
        """Return the row to which a place of the path belongs."""
        return bisect_right(self.heads, place) - 1

    @cached_property
    def _places(self) -> dict[int, int]:
        return {position: place for place, position in enumerate(self.path)}


FURTHEST = 512
"""How many messages before and after the range are searched for a seam."""
LOOK_BACK = 64
"""How far back the previous reply is searched for."""


class ShownRow(NamedTuple):
    """A row: its message, and the messages that only hold results for it."""

    number: int
    head: FoldedMessage
    rest: tuple[FoldedMessage, ...]

    @property
    def steps(self) -> tuple[FoldedMessage, ...]:
        """Its message and the messages with results."""
        return (self.head, *self.rest)


def build_rows(conversation: Conversation, rows: RowList, first: int, stop: int) -> list[ShownRow]:
    """Yield the rows of a range; little more than that is read."""
    stop = min(stop, len(rows))
    if first >= stop:
        return []
    seams = _Seams(conversation, rows)
    start, end = rows.heads[first], rows.span(stop - 1).stop
    start, end = seams.find_before(start), seams.find_behind(end)
    found = _group_rows(conversation, rows, range(start, end))
    return [each for each in found if first <= each.number < stop]


def build_all_rows(conversation: Conversation, rows: RowList) -> Iterator[ShownRow]:
    """Yield all rows of a branch, streaming."""
    return _group_rows(conversation, rows, range(len(rows.path)))


def _group_rows(conversation: Conversation, rows: RowList, places: range) -> Iterator[ShownRow]:
    seams = _Seams(conversation, rows)
    positions = rows.path[places.start : places.stop]
    entries = conversation.entries_at(positions)
    places_and_entries = zip(places, entries, strict=True)
    number, steps = rows.row_at(places.start) if places else -1, list[FoldedMessage]()
    for place, step in _fold_steps(seams, places_and_entries):
        mine = rows.row_at(place)
        if mine != number:
            if steps:
                yield ShownRow(number, steps[0], tuple(steps[1:]))
            number, steps = mine, []
        steps.append(step)
    if steps:
        yield ShownRow(number, steps[0], tuple(steps[1:]))


def _fold_steps(
    seams: _Seams, entries: Iterable[tuple[int, object]]
) -> Iterator[tuple[int, FoldedMessage]]:
    """Return each message with its place, and results folded into the calls they answer."""
    held: list[tuple[int, Message]] = []
    for place, entry in entries:
        if not isinstance(entry, Message):
            continue
        if held and (seams.is_seam(place, entry) or len(held) >= FURTHEST):
            yield from _pair_steps(seams, held)
            held = []
        held.append((place, entry))
    yield from _pair_steps(seams, held)


def _pair_steps(
    seams: _Seams, held: list[tuple[int, Message]]
) -> Iterator[tuple[int, FoldedMessage]]:
    path = seams.rows.path
    steps = fold_results((path[place], message) for place, message in held)
    return zip((place for place, _ in held), steps, strict=True)


class _Seams:
    """The places at which a branch can be split."""

    def __init__(self, conversation: Conversation, rows: RowList) -> None:
        self._conversation = conversation
        self._skeleton = conversation.skeleton
        self.rows = rows

    def find_before(self, place: int) -> int:
        """Return the last seam at or before a place."""
        for here in range(place, max(-1, place - FURTHEST), -1):
            if self.is_seam(here):
                return here
        return max(0, place - FURTHEST)

    def find_behind(self, place: int) -> int:
        """Return the first seam at or after a place."""
        end = min(len(self.rows.path), place + FURTHEST)
        for here in range(place, end):
            if self.is_seam(here):
                return here
        return end

    def is_seam(self, place: int, message: object = None) -> bool:
        """Whether no earlier call is answered from here on."""
        if not place:
            return True
        position = self.rows.path[place]
        match self._skeleton.traits[position]:
            case Trait.SAID if self._skeleton.roles[position] == "user":
                entry = self._conversation.entry(position) if message is None else message
                return isinstance(entry, Message) and _is_spoken(entry)
            case Trait.REPLY:
                return self._is_round_start(place)
            case _:
                return False

    def _is_round_start(self, place: int) -> bool:
        """Whether results come before it and it is not a piece of the reply before those."""
        traits, groups, path = self._skeleton.traits, self._skeleton.group_numbers, self.rows.path
        if traits[path[place - 1]] != Trait.RESULT:
            return False
        group = groups[path[place]]
        if not group:
            return True
        for here in range(place - 1, max(-1, place - LOOK_BACK), -1):
            if traits[path[here]] == Trait.REPLY:
                return groups[path[here]] != group
        return True


def _is_spoken(message: Message) -> bool:
    return META not in message.flags and not any(
        isinstance(part, ToolResult) for part in message.parts
    )


Traits = frozenset[str]


class TraitList:
    """For each row, what it can be filtered by; equal rows share one set."""

    def __init__(self) -> None:
        self.rows: list[Traits] = []
        self._known: dict[Traits, Traits] = {}

    def add_row(self, shown: ShownRow) -> None:
        """Add the next row."""
        mine = frozenset(each.casefold() for each in _find_traits(shown))
        self.rows.append(self._known.setdefault(mine, mine))


def _find_traits(shown: ShownRow) -> Iterator[str]:
    message = shown.head.message
    yield f"role:{message.role}"
    yield from (f"flag:{flag}" for flag in message.flags)
    yield from (f"tag:{tag}" for tag in message.tags)
    if message.todos:
        yield "kind:todos"
    if ERROR in message.flags or any(_has_failed(step) for step in shown.steps):
        yield "flag:failed"
    for step in shown.steps:
        for number, part in enumerate(step.message.parts):
            if number not in step.elsewhere:
                yield from _find_part_traits(part, step.answers.get(number))


def _has_failed(step: FoldedMessage) -> bool:
    alone = (part for part in step.message.parts if isinstance(part, ToolResult))
    return any(each.error for each in (*step.answers.values(), *alone))


def _find_part_traits(part: Part, answer: ToolResult | None) -> Iterator[str]:
    match part:
        case Text():
            yield "kind:text"
        case Thinking():
            yield "kind:thinking"
        case ToolCall():
            yield "kind:call"
            yield f"tool:{part.name}"
            if normalize_tool_name(part.name) in TODO_TOOLS:
                yield "kind:todos"
            for each in answer.output if answer is not None else ():
                if isinstance(each, Attachment):
                    yield from _find_part_traits(each, None)
        case ToolResult():
            yield "kind:result"
        case Attachment():
            yield "kind:image" if (part.media_type or "").startswith("image/") else "kind:file"
        case Artifact():
            yield "kind:artifact"
        case Event():
            yield "kind:divider" if part.kind in COMPACTIONS else "kind:chip"
        case UnknownPart():
            yield "kind:unknown"


MILLISECOND = 1_000_000


def to_milliseconds(time: int | None) -> int | None:
    """Convert nanoseconds to milliseconds for the page."""
    return None if time is None or time == NO_TIME else time // MILLISECOND
