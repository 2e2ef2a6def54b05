"""Walking through an export: sections, their messages, and sub-agents where they begin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple, TypeAlias

from talktree.export.choice import ExportOptions
from talktree.export.detail import select_detail
from talktree.export.hidden import find_hidden
from talktree.export.scope import (
    ExportSection,
    find_side_positions,
    select_positions,
    select_sections,
    select_visible,
)
from talktree.model.conversation import Conversation
from talktree.model.entries import Entry
from talktree.model.message import Message
from talktree.views.transcript import FoldedMessage, fold_results, get_message_reader

Tell = Callable[[int], None]
"""Called with how many messages are done; an exception stops the export."""
OFTEN = 64
"""Number of messages between two calls."""


class SectionBegin(NamedTuple):
    """A section begins."""

    number: int
    section: ExportSection


class SideBegin(NamedTuple):
    """The messages of a sub-agent begin."""

    start: int
    messages: int


class SideEnd(NamedTuple):
    """The messages of a sub-agent end."""


Stop: TypeAlias = SectionBegin | SideBegin | SideEnd | FoldedMessage


def _ignore_progress(done: int) -> None:
    """Ignore the progress."""


class ExportWalk:
    """Walks through a conversation once."""

    def __init__(
        self,
        conversation: Conversation,
        choice: ExportOptions,
        tell: Tell = _ignore_progress,
        *,
        remembers: bool = False,
    ) -> None:
        self.conversation = conversation
        self.choice = choice
        self._known: dict[int, Entry] = {}
        """Entries that were read to find the structure, and are not written yet."""
        if remembers and not conversation.skeleton.joined:
            conversation.store.link(conversation.skeleton, self._read_and_note)
            conversation.skeleton.joined = True
        self.hidden = None if choice.include_deleted else find_hidden(conversation)
        self._gone = self.hidden.flags if self.hidden else {}
        self.sections = select_sections(conversation, choice.scope, self._gone)
        self._tell = tell
        self._done = 0

    def _read_and_note(self, positions: Sequence[int]) -> Iterator[Entry]:
        entries = self.conversation.entries_at(positions)
        for position, entry in zip(positions, entries, strict=True):
            self._known[position] = entry
            yield entry

    def _iter_entries(self, positions: Sequence[int]) -> Iterator[Entry]:
        """Yield the entries at some positions; cached ones are not read again."""
        known = self._known
        if not known:
            yield from self.conversation.entries_at(positions)
            return
        fresh = self.conversation.entries_at([each for each in positions if each not in known])
        for position in positions:
            yield known.pop(position) if position in known else next(fresh)

    @cached_property
    def shown(self) -> list[int]:
        """Every message that is exported, sub-agents included."""
        return select_positions(self.conversation, self.choice.scope, self._gone)

    @cached_property
    def left_out(self) -> Counter[str]:
        """How many hidden items are left out, by kind."""
        if self.hidden is None:
            return Counter()
        return self.hidden.count_kinds(select_positions(self.conversation, self.choice.scope))

    @cached_property
    def sides(self) -> dict[int, list[int]]:
        """The sub-agents that begin at a message."""
        tree, skeleton = self.conversation.tree, self.conversation.skeleton
        found: dict[int, list[int]] = {}
        silent = self.choice.scope.ids or self.choice.detail in ("minimal", "user-only")
        if silent or not any(skeleton.sidechain):
            return found
        for position, side in enumerate(skeleton.sidechain):
            if side and tree.is_sidechain_start(position) and skeleton.parents[position] >= 0:
                found.setdefault(skeleton.parents[position], []).append(position)
        return found

    @cached_property
    def ways(self) -> dict[int, list[tuple[int, int]]]:
        """For each message, the other sections that continue from it: number and first message."""
        found: dict[int, list[tuple[int, int]]] = {}
        for number, section in enumerate(self.sections):
            fork = None if section.branch is None else section.branch.fork
            if fork is not None and section.positions:
                above = self.conversation.find_position(fork)
                found.setdefault(above, []).append((number, section.positions[0]))
        return found

    def iter_stops(self) -> Iterator[Stop]:
        """Yield everything in order."""
        for number, section in enumerate(self.sections):
            yield SectionBegin(number, section)
            yield from self._iter_section_stops(section.positions)

    def _iter_section_stops(self, positions: Sequence[int]) -> Iterator[Stop]:
        waiting: list[Iterator[FoldedMessage] | int] = [self._iter_steps(positions)]
        while waiting:
            here = waiting[-1]
            if isinstance(here, int):
                line = select_visible(find_side_positions(self.conversation, here), self._gone)
                waiting[-1] = self._iter_steps(line)
                yield SideBegin(here, len(line))
                continue
            step = next(here, None)
            if step is None:
                waiting.pop()
                if waiting:
                    yield SideEnd()
                continue
            yield step
            if self.sides:
                waiting += reversed(self.sides.get(step.position, ()))

    def _iter_steps(self, positions: Sequence[int]) -> Iterator[FoldedMessage]:
        return fold_results(self._iter_messages(positions))

    def _iter_messages(self, positions: Sequence[int]) -> Iterator[tuple[int, Message]]:
        choice = self.choice
        plain = choice.detail == "full" and choice.images == "keep"
        plain = plain and not (self.hidden and self.hidden.artifacts)
        read = get_message_reader(self.conversation.format)
        for position, entry in zip(positions, self._iter_entries(positions), strict=True):
            self._done += 1
            if not self._done % OFTEN:
                self._tell(self._done)
            if isinstance(entry, Message):
                message = entry if plain else select_detail(entry, choice)
                if message is not None:
                    yield position, read(message)
