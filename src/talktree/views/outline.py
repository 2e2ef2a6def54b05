"""The outline of a conversation: its lines and forks, with rows for the important messages.

Prompts, ends and compactions have rows; the work between them is one row with its size and its
tools. With `all`, every message has its own row.
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
from talktree.views.compactions import format_compaction
from talktree.views.graph import (
    Fork,
    GraphRun,
    LineColumn,
    NewStart,
    Piece,
    SkippedSides,
    draw_tree,
)
from talktree.views.ids import ShortIds
from talktree.views.lines import EMPTY, Line, line
from talktree.views.parts import format_part, format_thought
from talktree.views.speakers import find_format_speaker
from talktree.views.tools import format_call_title
from talktree.views.width import clip_text, format_count, to_one_line

SHORT_RUN = 3
MOST_PROMPTS = 12
MOST_SIDES = 40
MOST_READ = 400
"""Maximum number of hidden messages read to summarize them; of more, only the number is shown."""
PIECES_AT_ONCE = 128
SNIPPET = 72


class OutlineRow(NamedTuple):
    """A row for one message."""

    column: LineColumn
    position: int


class Gap(NamedTuple):
    """A row for several messages."""

    column: LineColumn
    positions: list[int]


Row: TypeAlias = OutlineRow | Gap | Fork | SkippedSides | NewStart


def format_outline_lines(
    conversation: Conversation, *, all: bool = False, width: int | None = None
) -> Iterator[Line]:
    """Yield the outline, line by line."""
    drawing = draw_tree(conversation.tree, most_sides=None if all else MOST_SIDES)
    short = ShortIds(conversation)
    active = conversation.tree.active_leaf()
    teller = _OutlineWriter(conversation, short, active, width)
    while batch := list(islice(drawing, PIECES_AT_ONCE)):
        rows = [row for piece in batch for row in _collect_rows(conversation, piece, all=all)]
        yield from teller.format_lines(rows)


# which messages have a row


def _collect_rows(conversation: Conversation, piece: Piece, *, all: bool) -> Iterator[Row]:
    if not isinstance(piece, GraphRun):
        yield piece
        return
    everything = conversation.tree.order_with_asides(piece.nodes)
    if all:
        yield from (OutlineRow(piece.column, position) for position in everything)
        return
    shown = _select_shown(conversation, piece.nodes)
    hidden: list[int] = []
    for position in everything:
        if position not in shown:
            hidden.append(position)
            continue
        yield from _collapse_hidden(piece.column, hidden)
        hidden = []
        yield OutlineRow(piece.column, position)
    yield from _collapse_hidden(piece.column, hidden)


def _collapse_hidden(column: LineColumn, hidden: list[int]) -> Iterator[Row]:
    if len(hidden) == 1:
        yield OutlineRow(column, hidden[0])
    elif hidden:
        yield Gap(column, hidden)


def _select_shown(conversation: Conversation, nodes: Sequence[int]) -> set[int]:
    if len(nodes) <= SHORT_RUN:
        return set(nodes)
    skeleton = conversation.skeleton
    prompts = [each for each in nodes if skeleton.traits[each] == Trait.SAID]
    if len(prompts) > MOST_PROMPTS:
        half = MOST_PROMPTS // 2
        prompts = [*prompts[:half], *prompts[-half:]]
    boundaries = {each for each in nodes if skeleton.linked.get(each) in ("logical", INFERRED)}
    active = conversation.tree.active_leaf()
    own = {each for each in nodes if each == active}
    return {nodes[0], nodes[-1], *prompts} | boundaries | own


# the text of a row


class _OutlineWriter:
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

    def format_lines(self, rows: Sequence[Row]) -> Iterator[Line]:
        """Yield the rows as lines; the messages they need are read together."""
        wanted: list[int] = []
        for row in rows:
            match row:
                case OutlineRow():
                    wanted.append(row.position)
                case Gap() if len(row.positions) <= MOST_READ:
                    wanted += row.positions
        found = self._conversation.entries_at(wanted)
        for row in rows:
            match row:
                case OutlineRow():
                    yield self._format_node(row, next(found))
                case Gap() if len(row.positions) <= MOST_READ:
                    yield from self._format_gap(row, list(islice(found, len(row.positions))))
                case Gap():
                    yield self._format_many(row.column, len(row.positions), "")
                case Fork():
                    yield line((f"{row.column.prefix}{'|' if row.goes_on else ' '}\\", "graph"))
                case NewStart():
                    yield EMPTY
                case SkippedSides():
                    what = format_count(row.sides, "more branch", "more branches")
                    yield line((f"{row.column.prefix}| ", "graph"), (f"… {what}", "faint"))

    def _format_node(self, row: OutlineRow, entry: Entry) -> Line:
        id = self._conversation.skeleton.ids[row.position]
        if not isinstance(entry, Message):
            return line((f"{row.column.prefix}* ", "graph"), (self._short(id), "mark"))
        inferred = self._conversation.skeleton.linked.get(row.position) == INFERRED
        mark = "=" if _is_compaction(entry) else "~" if inferred else "*"
        name = find_format_speaker(self._conversation.format, entry)
        styles = {"user": "user", "assistant": "agent"}
        marks = [f"[{flag}]" for flag in sorted(entry.flags)]
        marks += ["[link inferred]"] if inferred else []
        here = " (active)" if row.position == self._active else ""
        head = line(
            (f"{row.column.prefix}{mark} ", "graph"),
            (self._short(id), "mark"),
            (" ", ""),
            (to_one_line(name, 40), styles.get(entry.role, "other")),
            (f" {' '.join(marks)}" if marks else "", "faint"),
            (here, "active"),
        )
        return (*head, *self._fit_text(head, make_snippet(entry)))

    def _fit_text(self, head: Line, text: str) -> Line:
        taken = sum(len(each) for each, _ in head)
        room = SNIPPET if self._width is None else max(10, self._width - taken - 2)
        return line((f": {clip_text(text, room)}", "")) if text else ()

    def _format_gap(self, row: Gap, entries: list[Entry]) -> Iterator[Line]:
        """Yield one line, or several around compactions in between."""
        held: list[tuple[int, Entry]] = []
        for position, entry in zip(row.positions, entries, strict=True):
            if isinstance(entry, Message) and _is_compaction(entry):
                yield from self._format_folded(row.column, held)
                held = []
                yield self._format_node(OutlineRow(row.column, position), entry)
            else:
                held.append((position, entry))
        yield from self._format_folded(row.column, held)

    def _format_folded(self, column: LineColumn, held: list[tuple[int, Entry]]) -> Iterator[Line]:
        if len(held) == 1:
            yield self._format_node(OutlineRow(column, held[0][0]), held[0][1])
        elif held:
            spoken = (entry for _, entry in held if isinstance(entry, Message))
            doings = Counter(each for message in spoken for each in _list_actions(message))
            yield self._format_many(column, len(held), _describe_actions(doings))

    def _format_many(self, column: LineColumn, count: int, words: str) -> Line:
        head = line((f"{column.prefix}: ", "graph"), (format_count(count, "message"), "faint"))
        return (*head, *self._fit_text(head, words))


def _is_compaction(message: Message) -> bool:
    return any(isinstance(part, Event) and part.kind in COMPACTIONS for part in message.parts)


def _list_actions(message: Message) -> Iterator[str]:
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


def _describe_actions(doings: Counter[str]) -> str:
    return ", ".join(
        to_one_line(name, 30) + (f" ×{count}" if count > 1 else "")
        for name, count in doings.items()
    )


def make_snippet(message: Message) -> str:
    """Return a message in a few words."""
    spoken = next((part for part in message.parts if isinstance(part, Text) and part.text), None)
    first = spoken or next(iter(message.parts), None)
    match first:
        case None:
            return ""
        case Text():
            return to_one_line(first.text, 4 * SNIPPET)
        case Thinking():
            return f"thinking: {format_thought(first, 2 * SNIPPET)}"
        case ToolCall():
            more = sum(isinstance(part, ToolCall) for part in message.parts) - 1
            return format_call_title(first) + (f" and {more} more" if more else "")
        case ToolResult():
            words = [part.text for part in first.output if isinstance(part, Text)]
            texts = to_one_line(words[0], 2 * SNIPPET) if words else ""
            return f"{'failed' if first.error else 'result'}: {texts}"
        case Event() if first.kind in COMPACTIONS:
            return format_compaction(first)
        case _:
            return "".join(text for text, _ in format_part(first))
