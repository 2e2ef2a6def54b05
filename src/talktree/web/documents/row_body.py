"""A row as it is sent: the rendered message, and what is known about it."""

from __future__ import annotations

from functools import partial
from typing import Literal
from urllib.parse import quote

from talktree.model.compaction import COMPACTIONS
from talktree.model.derived import DONE, find_todos
from talktree.model.measures import get_recorded_seconds, get_recorded_usage
from talktree.model.message import Message, Usage
from talktree.model.outline import Trait
from talktree.model.parts import Event, ToolCall
from talktree.model.statistics import compute_answer_seconds
from talktree.views.html.block import MessageBlock
from talktree.views.html.rendering import RenderOptions, build_chips, render_blocks
from talktree.views.speakers import find_format_speaker
from talktree.views.transcript import FoldedMessage, get_message_reader
from talktree.web.documents.branch_files import find_changed_paths
from talktree.web.documents.open_conversation import OpenConversation
from talktree.web.documents.row_list import RowList, ShownRow, build_rows, to_milliseconds
from talktree.web.schemas.transcript import Row, SiblingMessages, TodoCounts, TokenUsage

CUT = 20_000
"""Characters of a block that are sent with a page of rows."""
MOST_ROWS = 200
"""Maximum number of rows in one response."""


class RowMaker:
    """Builds the rows of one branch."""

    def __init__(self, opened: OpenConversation, rows: RowList) -> None:
        self._opened = opened
        self._conversation = opened.conversation
        self._skeleton = opened.conversation.skeleton
        self._rows = rows
        self._around = opened.neighbours

    def make_page(self, first: int, count: int) -> tuple[Row, ...]:
        """Return the rows from a number on."""
        found = build_rows(self._conversation, self._rows, first, first + min(count, MOST_ROWS))
        return tuple(self.make_row(each) for each in found)

    def make_rows(self, numbers: list[int]) -> tuple[Row, ...]:
        """Return rows by number, in order; neighbouring rows are read together."""
        out: list[Row] = []
        for first, stop in _group_neighbours(numbers):
            out += (
                self.make_row(each)
                for each in build_rows(self._conversation, self._rows, first, stop)
            )
        return tuple(out)

    def make_row(self, shown: ShownRow, limit: int | None = CUT) -> Row:
        """Return one row; `limit` is the maximum number of characters of a block."""
        step = shown.head
        message, position = step.message, step.position
        words = message.text
        return Row(
            number=shown.number,
            id=message.id,
            parent=self._around.find_parent_id(position),
            role=message.role,
            speaker=find_format_speaker(self._conversation.format, message),
            time=to_milliseconds(message.time_ns),
            kind=self._find_kind(position, message),
            flags=tuple(sorted(message.flags)),
            chips=build_chips(message, self._conversation.format),
            blocks=tuple(
                block for each in shown.steps for block in self._render_blocks(each, limit)
            ),
            siblings=self._find_siblings(shown),
            sides=tuple(
                s for each in shown.steps for s in self._around.find_sidechains(each.position)
            ),
            tokens=self._find_tokens(shown.number, message),
            seconds=self._measure_seconds(shown.number, position, message),
            todos=_count_progress(message),
            files=len({path for each in shown.steps for path in find_changed_paths(each)}),
            findings=self._opened.notices.get(message.id, ()),
            inferred=position in self._opened.inferred_links,
            edited=self._opened.find_change(position),
            text=words if limit is None else words[:limit],
        )

    def _find_siblings(self, shown: ShownRow) -> SiblingMessages | None:
        """Return the siblings of its message, or of one of the results shown with it."""
        found = (self._around.find_siblings(each.position, self._rows.leaf) for each in shown.steps)
        return next((each for each in found if each is not None), None)

    def _render_blocks(self, step: FoldedMessage, limit: int | None) -> tuple[MessageBlock, ...]:
        look = RenderOptions(
            limit=limit,
            address=partial(_build_image_url, self._opened.cid, step.message.id),
            leaf=partial(self._find_leaf, step.message),
        )
        read = get_message_reader(self._conversation.format)
        return render_blocks(step._replace(message=read(step.message)), look)

    def _find_leaf(self, message: Message, number: int) -> str:
        part = message.parts[number] if 0 <= number < len(message.parts) else None
        return self._around.find_leaf_of_call(part) if isinstance(part, ToolCall) else ""

    def _find_kind(self, position: int, message: Message) -> Literal["message", "divider", "note"]:
        parts = message.parts
        if parts and all(isinstance(each, Event) and each.kind in COMPACTIONS for each in parts):
            return "divider"
        return "note" if self._skeleton.traits[position] == Trait.NOTE else "message"

    def _find_tokens(self, number: int, message: Message) -> TokenUsage | None:
        """Return its tokens; pieces of one reply repeat them, so the last piece shows them."""
        usage = message.usage or self._find_recorded_usage(message)
        if usage is None or self._is_continued(number):
            return None
        return TokenUsage(
            input=usage.input,
            output=usage.output,
            cache_read=usage.cache_read,
            cache_write=usage.cache_write,
        )

    def _find_recorded_usage(self, message: Message) -> Usage | None:
        """Return the tokens that a format records in its own way."""
        return get_recorded_usage(self._conversation.store.measures(message))

    def _is_continued(self, number: int) -> bool:
        """Whether the next row is a piece of the same reply."""
        groups, positions = self._skeleton.group_numbers, self._rows.positions
        if number + 1 >= len(positions):
            return False
        group = groups[positions[number]]
        return bool(group) and groups[positions[number + 1]] == group

    def _measure_seconds(self, number: int, position: int, message: Message) -> float | None:
        """Return how long a reply took since the prompt or result before it."""
        if self._skeleton.traits[position] != Trait.REPLY and message.role != "assistant":
            return None
        recorded = get_recorded_seconds(self._conversation.store.measures(message))
        if recorded is not None:
            return recorded
        for place in range(self._rows.heads[number] - 1, -1, -1):
            before = self._rows.path[place]
            if self._skeleton.traits[before] != Trait.NOTE:
                return compute_answer_seconds(
                    self._skeleton.times[before], self._skeleton.times[position]
                )
        return None


def _count_progress(message: Message) -> TodoCounts | None:
    todos = find_todos(message)
    if not todos:
        return None
    return TodoCounts(sum(each.status in DONE for each in todos), len(todos))


def _build_image_url(cid: str, id: str, number: int) -> str:
    """Return the address of an image of a message."""
    return f"/img/{cid}/{quote(id.encode('utf-8', 'replace'), safe='')}/{number}"


def _group_neighbours(numbers: list[int]) -> list[tuple[int, int]]:
    """Group adjacent numbers into ranges, as starts and ends."""
    out: list[tuple[int, int]] = []
    for each in numbers:
        if out and out[-1][1] == each:
            out[-1] = (out[-1][0], each + 1)
        else:
            out.append((each, each + 1))
    return out
