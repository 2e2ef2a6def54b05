"""A row as it travels: what the renderer makes of a message, and what is known around it."""

from __future__ import annotations

from functools import partial
from typing import Literal
from urllib.parse import quote

from talktree.model.compaction import COMPACTIONS
from talktree.model.derived import DONE, todos_of
from talktree.model.measures import recorded_seconds, recorded_usage
from talktree.model.message import Message, Usage
from talktree.model.outline import Trait
from talktree.model.parts import Event, ToolCall
from talktree.model.statistics import answer_seconds
from talktree.views.html.block import Block
from talktree.views.html.rendering import Look, blocks, chips
from talktree.views.speakers import speaker_in
from talktree.views.transcript import Step, as_read
from talktree.web.documents.branch_files import changed_paths
from talktree.web.documents.open_conversation import Opened
from talktree.web.documents.row_list import RowList, Shown, milliseconds, shown
from talktree.web.schemas.transcript import Progress, Row, Siblings, Tokens

CUT = 20_000
"""Characters of a block that are sent with a page of rows."""
MOST_ROWS = 200
"""How many rows are sent at once."""


class RowMaker:
    """Makes the rows of one branch."""

    def __init__(self, opened: Opened, rows: RowList) -> None:
        self._opened = opened
        self._conversation = opened.conversation
        self._bones = opened.conversation.skeleton
        self._rows = rows
        self._around = opened.around

    def page(self, first: int, count: int) -> tuple[Row, ...]:
        """The rows from a number on."""
        found = shown(self._conversation, self._rows, first, first + min(count, MOST_ROWS))
        return tuple(self.row(each) for each in found)

    def some(self, numbers: list[int]) -> tuple[Row, ...]:
        """Rows by their numbers, in order; neighbours are read together."""
        out: list[Row] = []
        for first, stop in _stretches(numbers):
            out += (self.row(each) for each in shown(self._conversation, self._rows, first, stop))
        return tuple(out)

    def row(self, shown: Shown, limit: int | None = CUT) -> Row:
        """One row; `limit` is how many characters a block may have."""
        step = shown.head
        message, position = step.message, step.position
        words = message.text
        return Row(
            number=shown.number,
            id=message.id,
            parent=self._around.parent(position),
            role=message.role,
            speaker=speaker_in(self._conversation.format, message),
            time=milliseconds(message.time_ns),
            kind=self._kind(position, message),
            flags=tuple(sorted(message.flags)),
            chips=chips(message, self._conversation.format),
            blocks=tuple(block for each in shown.steps for block in self._blocks(each, limit)),
            siblings=self._siblings(shown),
            sides=tuple(s for each in shown.steps for s in self._around.sides(each.position)),
            tokens=self._tokens(shown.number, message),
            seconds=self._seconds(shown.number, position, message),
            todos=_progress(message),
            files=len({path for each in shown.steps for path in changed_paths(each)}),
            findings=self._opened.noticed.get(message.id, ()),
            inferred=position in self._opened.inferred,
            edited=self._opened.change_of(position),
            text=words if limit is None else words[:limit],
        )

    def _siblings(self, shown: Shown) -> Siblings | None:
        """What stands beside its message, or beside one of the results shown with it."""
        found = (self._around.siblings(each.position, self._rows.leaf) for each in shown.steps)
        return next((each for each in found if each is not None), None)

    def _blocks(self, step: Step, limit: int | None) -> tuple[Block, ...]:
        look = Look(
            limit=limit,
            address=partial(_address, self._opened.cid, step.message.id),
            leaf=partial(self._leaf_of, step.message),
        )
        read = as_read(self._conversation.format)
        return blocks(step._replace(message=read(step.message)), look)

    def _leaf_of(self, message: Message, number: int) -> str:
        part = message.parts[number] if 0 <= number < len(message.parts) else None
        return self._around.leaf_of_call(part) if isinstance(part, ToolCall) else ""

    def _kind(self, position: int, message: Message) -> Literal["message", "divider", "note"]:
        parts = message.parts
        if parts and all(isinstance(each, Event) and each.kind in COMPACTIONS for each in parts):
            return "divider"
        return "note" if self._bones.traits[position] == Trait.NOTE else "message"

    def _tokens(self, number: int, message: Message) -> Tokens | None:
        """What it cost; pieces of one reply repeat it, so the last of them tells."""
        usage = message.usage or self._recorded_usage(message)
        if usage is None or self._goes_on(number):
            return None
        return Tokens(
            input=usage.input,
            output=usage.output,
            cache_read=usage.cache_read,
            cache_write=usage.cache_write,
        )

    def _recorded_usage(self, message: Message) -> Usage | None:
        """The tokens that a format records in its own way."""
        return recorded_usage(self._conversation.store.measures(message))

    def _goes_on(self, number: int) -> bool:
        """Whether the row behind is a piece of the same reply."""
        groups, positions = self._bones.group_numbers, self._rows.positions
        if number + 1 >= len(positions):
            return False
        group = groups[positions[number]]
        return bool(group) and groups[positions[number + 1]] == group

    def _seconds(self, number: int, position: int, message: Message) -> float | None:
        """How long a reply took since the prompt or result before it."""
        if self._bones.traits[position] != Trait.REPLY and message.role != "assistant":
            return None
        recorded = recorded_seconds(self._conversation.store.measures(message))
        if recorded is not None:
            return recorded
        for place in range(self._rows.heads[number] - 1, -1, -1):
            before = self._rows.path[place]
            if self._bones.traits[before] != Trait.NOTE:
                return answer_seconds(self._bones.times[before], self._bones.times[position])
        return None


def _progress(message: Message) -> Progress | None:
    todos = todos_of(message)
    if not todos:
        return None
    return Progress(sum(each.status in DONE for each in todos), len(todos))


def _address(cid: str, id: str, number: int) -> str:
    """Where an image of a message can be had."""
    return f"/img/{cid}/{quote(id.encode('utf-8', 'replace'), safe='')}/{number}"


def _stretches(numbers: list[int]) -> list[tuple[int, int]]:
    """Neighbours together, as beginnings and ends."""
    out: list[tuple[int, int]] = []
    for each in numbers:
        if out and out[-1][1] == each:
            out[-1] = (out[-1][0], each + 1)
        else:
            out.append((each, each + 1))
    return out
