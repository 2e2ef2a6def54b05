"""The differences between two conversations, or between two branches of one.

Messages with the same id are the same message. Other messages are paired if they have the same
content in the same order, whatever their ids are. The rest was removed or added. Only ids, parents
and checksums are held in memory; contents that differ are read again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Literal, NamedTuple

from msgspec import Struct

from talktree.conversion.merge_conversations import digest_entry, iter_words
from talktree.model.conversation import Conversation
from talktree.model.entries import Entry
from talktree.model.message import Message
from talktree.model.skeleton import ROOT
from talktree.text.json.value import is_same

Kind = Literal["added", "removed", "changed", "moved"]
FIELDS = (
    "role",
    "parts",
    "time_ns",
    "authors",
    "flags",
    "model",
    "usage",
    "agent",
    "context",
    "todos",
    "thinking",
    "tags",
    "extra",
)
"""The compared fields of two messages; ids, links and the session name differ between copies."""


class ConversationChange(Struct, frozen=True, kw_only=True):
    """One difference."""

    kind: Kind
    a: str | None
    b: str | None
    what: tuple[str, ...] = ()
    """The fields of a changed message that differ."""


class _Brief(NamedTuple):
    """A message in short."""

    id: str
    parent: str | None
    whole: bytes
    words: bytes


class DiffSide:
    """A conversation, or one branch of it."""

    def __init__(self, conversation: Conversation, leaf: str | None = None) -> None:
        self.conversation = conversation
        self._positions: Sequence[int] = range(conversation.record_count)
        if leaf is not None:
            self._positions = conversation.tree.path(conversation.find_position(leaf))
        self.briefs = list(self._read_briefs())

    def _read_briefs(self) -> Iterator[_Brief]:
        skeleton = self.conversation.skeleton
        entries = self.conversation.entries_at(self._positions)
        for position, entry in zip(self._positions, entries, strict=True):
            if isinstance(entry, Message):
                above = skeleton.parents[position]
                yield _Brief(
                    skeleton.ids[position],
                    None if above == ROOT else skeleton.ids[above],
                    digest_entry(entry).whole,
                    _encode_words(entry),
                )

    def message(self, id: str) -> Message:
        """Return a message by its id."""
        return self.conversation[id]


def _encode_words(message: Message) -> bytes:
    found = blake2b(digest_size=16)
    for kind, words in iter_words(message.parts):
        found.update(f"\0{kind}\0{words}".encode("utf-8", "surrogatepass"))
    return found.digest()


def find_differences(one: DiffSide, two: DiffSide) -> Iterator[ConversationChange]:
    """Yield removed, changed, moved and added messages, in the order of the second side."""
    pairs = _pair_messages(one.briefs, two.briefs)
    back = {b: a for a, b in pairs.items()}
    first = {brief.id: brief for brief in one.briefs}
    gone = deque(brief.id for brief in one.briefs if brief.id not in pairs)
    order = {brief.id: number for number, brief in enumerate(one.briefs)}
    for brief in two.briefs:
        known = back.get(brief.id)
        if known is None:
            yield ConversationChange(kind="added", a=None, b=brief.id)
            continue
        while gone and order[gone[0]] < order[known]:
            yield ConversationChange(kind="removed", a=gone.popleft(), b=None)
        yield from _compare_pair(one, two, first[known], brief, pairs)
    for id in gone:
        yield ConversationChange(kind="removed", a=id, b=None)


def _pair_messages(one: Sequence[_Brief], two: Sequence[_Brief]) -> dict[str, str]:
    """Return the messages of the first side that are on the second, by their ids there."""
    there = {brief.id for brief in two}
    pairs = {brief.id: brief.id for brief in one if brief.id in there}
    taken = set(pairs.values())
    waiting: dict[bytes, deque[str]] = {}
    for brief in two:
        if brief.id not in taken:
            waiting.setdefault(brief.words, deque()).append(brief.id)
    for brief in one:
        if brief.id not in pairs and waiting.get(brief.words):
            pairs[brief.id] = waiting[brief.words].popleft()
    return pairs


def _compare_pair(
    one: DiffSide, two: DiffSide, a: _Brief, b: _Brief, pairs: dict[str, str]
) -> Iterator[ConversationChange]:
    if a.whole != b.whole:
        what = find_differing_fields(one.message(a.id), two.message(b.id))
        if what:
            yield ConversationChange(kind="changed", a=a.id, b=b.id, what=what)
    above = None if a.parent is None else pairs.get(a.parent, a.parent)
    if above != b.parent:
        yield ConversationChange(kind="moved", a=a.id, b=b.id)


def find_differing_fields(one: Entry, two: Entry) -> tuple[str, ...]:
    """Return the fields in which two messages differ."""
    return tuple(
        name.removesuffix("_ns")
        for name in FIELDS
        if not _is_same_value(getattr(one, name, None), getattr(two, name, None))
    )


def _is_same_value(one: object, two: object) -> bool:
    return one == two if type(one) is not dict else is_same(one, two)  # type: ignore[arg-type]
