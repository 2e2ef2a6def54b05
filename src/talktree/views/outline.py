"""The outline of a conversation: its lines and forks, a row for each message worth a row.

Prompts, ends and compactions have rows; the work between them is one row that says how much
and with which tools. `all` gives every message its own row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple, TypeAlias

from talktree.model.compaction import COMPACTIONS
from talktree.model.conversation import Conversation
from talktree.model.entries import Entry
from talktree.model.message import Message
from talktree.model.outline import Trait
from talktree.model.parts import (
    Event,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)
from talktree.model.skeleton import INFERRED
from talktree.views.compactions import compaction_text
from talktree.views.graph import Fork, Lane, NewStart, Piece, Run, Skipped, pieces
from talktree.views.ids import ShortIds
from talktree.views.lines import EMPTY, Line, line
from talktree.views.parts import part_line, thought
from talktree.views.speakers import speaker_in
from talktree.views.tools import call_title
from talktree.views.width import clipped, counted, one_line

SHORT_RUN = 3
MOST_PROMPTS = 12
MOST_SIDES = 40
MOST_READ = 400
"""Hidden messages that are read to say what they did; of more only the number is told."""
PIECES_AT_ONCE = 128
SNIPPET = 72


class Node(NamedTuple):
    """A row for one message."""

    lane: Lane
    position: int


class Gap(NamedTuple):
    """A row for many messages."""

    lane: Lane
    positions: list[int]


Row: TypeAlias = Node | Gap | Fork | Skipped | NewStart


def outline_lines(
    conversation: Conversation, *, all: bool = False, width: int | None = None
) -> Iterator[Line]:
    """The outline, line by line."""
    drawing = pieces(conversation.tree, most_sides=None if all else MOST_SIDES)
    short = ShortIds(conversation)
    active = conversation.tree.active_leaf()
    teller = _Teller(conversation, short, active, width)
    while batch := list(islice(drawing, PIECES_AT_ONCE)):
        rows = [row for piece in batch for row in _rows(conversation, piece, all=all)]
        yield from teller.lines(rows)


# which messages get a row


def _rows(conversation: Conversation, piece: Piece, *, all: bool) -> Iterator[Row]:
    if not isinstance(piece, Run):
        yield piece
        return
    everything = conversation.tree.along(piece.nodes)
    if all:
        yield from (Node(piece.lane, position) for position in everything)
        return
    shown = _shown(conversation, piece.nodes)
    hidden: list[int] = []
    for position in everything:
        if position not in shown:
            hidden.append(position)
            continue
        yield from _hidden_row(piece.lane, hidden)
        hidden = []
        yield Node(piece.lane, position)
    yield from _hidden_row(piece.lane, hidden)


def _hidden_row(lane: Lane, hidden: list[int]) -> Iterator[Row]:
    if len(hidden) == 1:
        yield Node(lane, hidden[0])
    elif hidden:
        yield Gap(lane, hidden)


def _shown(conversation: Conversation, nodes: Sequence[int]) -> set[int]:
    if len(nodes) <= SHORT_RUN:
        return set(nodes)
    bones = conversation.skeleton
    prompts = [each for each in nodes if bones.traits[each] == Trait.SAID]
    if len(prompts) > MOST_PROMPTS:
        half = MOST_PROMPTS // 2
        prompts = [*prompts[:half], *prompts[-half:]]
    boundaries = {each for each in nodes if bones.linked.get(each) in ("logical", INFERRED)}
    active = conversation.tree.active_leaf()
    own = {each for each in nodes if each == active}
    return {nodes[0], nodes[-1], *prompts} | boundaries | own


# what a row says


class _Teller:
    def __init__(
        self,
        conversation: Conversation,
        short: ShortIds,
        active: int | None,
        width: int | None,
    ) -> None:
        self._conversation = conversation
        self._short = short
        self._active = active
        self._width = width

    def lines(self, rows: Sequence[Row]) -> Iterator[Line]:
        """The rows as lines; what they need is read together."""
        wanted: list[int] = []
        for row in rows:
            match row:
                case Node():
                    wanted.append(row.position)
                case Gap() if len(row.positions) <= MOST_READ:
                    wanted += row.positions
        found = self._conversation.entries_at(wanted)
        for row in rows:
            match row:
                case Node():
                    yield self._node(row, next(found))
                case Gap() if len(row.positions) <= MOST_READ:
                    yield from self._gap(row, list(islice(found, len(row.positions))))
                case Gap():
                    yield self._many(row.lane, len(row.positions), "")
                case Fork():
                    yield line((f"{row.lane.prefix}{'|' if row.goes_on else ' '}\\", "graph"))
                case NewStart():
                    yield EMPTY
                case Skipped():
                    what = counted(row.sides, "more branch", "more branches")
                    yield line((f"{row.lane.prefix}| ", "graph"), (f"… {what}", "faint"))

    def _node(self, row: Node, entry: Entry) -> Line:
        id = self._conversation.skeleton.ids[row.position]
        if not isinstance(entry, Message):
            return line((f"{row.lane.prefix}* ", "graph"), (self._short(id), "mark"))
        inferred = self._conversation.skeleton.linked.get(row.position) == INFERRED
        mark = "=" if _compacts(entry) else "~" if inferred else "*"
        name = speaker_in(self._conversation.format, entry)
        styles = {"user": "user", "assistant": "agent"}
        marks = [f"[{flag}]" for flag in sorted(entry.flags)]
        marks += ["[link inferred]"] if inferred else []
        here = " (active)" if row.position == self._active else ""
        head = line(
            (f"{row.lane.prefix}{mark} ", "graph"),
            (self._short(id), "mark"),
            (" ", ""),
            (one_line(name, 40), styles.get(entry.role, "other")),
            (f" {' '.join(marks)}" if marks else "", "faint"),
            (here, "active"),
        )
        return (*head, *self._fitting(head, snippet(entry)))

    def _fitting(self, head: Line, text: str) -> Line:
        taken = sum(len(each) for each, _ in head)
        room = SNIPPET if self._width is None else max(10, self._width - taken - 2)
        return line((f": {clipped(text, room)}", "")) if text else ()

    def _gap(self, row: Gap, entries: list[Entry]) -> Iterator[Line]:
        """One line, or several around the compactions in between."""
        held: list[tuple[int, Entry]] = []
        for position, entry in zip(row.positions, entries, strict=True):
            if isinstance(entry, Message) and _compacts(entry):
                yield from self._folded(row.lane, held)
                held = []
                yield self._node(Node(row.lane, position), entry)
            else:
                held.append((position, entry))
        yield from self._folded(row.lane, held)

    def _folded(self, lane: Lane, held: list[tuple[int, Entry]]) -> Iterator[Line]:
        if len(held) == 1:
            yield self._node(Node(lane, held[0][0]), held[0][1])
        elif held:
            spoken = (entry for _, entry in held if isinstance(entry, Message))
            doings = Counter(each for message in spoken for each in _doings(message))
            yield self._many(lane, len(held), _told(doings))

    def _many(self, lane: Lane, count: int, told: str) -> Line:
        head = line((f"{lane.prefix}: ", "graph"), (counted(count, "message"), "faint"))
        return (*head, *self._fitting(head, told))


def _compacts(message: Message) -> bool:
    return any(isinstance(part, Event) and part.kind in COMPACTIONS for part in message.parts)


def _doings(message: Message) -> Iterator[str]:
    for part in message.parts:
        match part:
            case ToolCall():
                yield part.name
            case ToolResult(error=True):
                yield "failed"
            case Thinking():
                yield "thinking"
            case Event():
                yield part.kind.replace("_", " ")


def _told(doings: Counter[str]) -> str:
    return ", ".join(
        one_line(name, 30) + (f" ×{count}" if count > 1 else "") for name, count in doings.items()
    )


def snippet(message: Message) -> str:
    """A message in a few words."""
    spoken = next((part for part in message.parts if isinstance(part, Text) and part.text), None)
    first = spoken or next(iter(message.parts), None)
    match first:
        case None:
            return ""
        case Text():
            return one_line(first.text, 4 * SNIPPET)
        case Thinking():
            return f"thinking: {thought(first, 2 * SNIPPET)}"
        case ToolCall():
            more = sum(isinstance(part, ToolCall) for part in message.parts) - 1
            return call_title(first) + (f" and {more} more" if more else "")
        case ToolResult():
            words = [part.text for part in first.output if isinstance(part, Text)]
            told = one_line(words[0], 2 * SNIPPET) if words else ""
            return f"{'failed' if first.error else 'result'}: {told}"
        case Event() if first.kind in COMPACTIONS:
            return compaction_text(first)
        case _:
            return "".join(text for text, _ in part_line(first))
