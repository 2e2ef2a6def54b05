"""The branch that a program's own reader returns, for formats whose program has one.

The reader walks back from a leaf by the written links, and adds the calls and results of parallel
turns beside the path. Claude's Agent SDK is such a reader
(`claude_agent_sdk.get_session_messages`). The skeleton alone shows where the conversation
continues; only results beside the path are read, to find the calls that they answer.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from talktree.model.entries import Entry
from talktree.model.message import Message
from talktree.model.outline import Listing, Trait
from talktree.model.parts import ToolCall, ToolResult
from talktree.model.skeleton import ROOT, Skeleton

PASSED, LISTED, HIDDEN, ABSENT, CURRENT = map(int, list(Listing)[:5])
MOST_STEPS = 1000
"""How far above a result its call is searched for first."""
Reader = Callable[[Sequence[int]], Iterator[Entry]]


class WrittenLinks(NamedTuple):
    """The records of a conversation with the links in its file."""

    parents: Sequence[int]
    listings: bytes | bytearray
    """What the reader makes of each record; records that are not nodes are absent as well."""
    traits: bytes | bytearray = b""
    replies: Sequence[int] = ()
    """The API reply of each record; 0 for none."""
    times: Sequence[int] = ()
    dangling: Container[int] = ()
    """Records whose parent is missing."""


def find_resume_point(skeleton: Skeleton) -> int:
    """Return the message that the conversation continues from; -1 if only the tree shows it."""
    stated = skeleton.listings.rfind(CURRENT)
    if stated != ROOT or not skeleton.habits.walk:
        return stated
    return find_last_listed(make_written_links(skeleton))


def find_last_listed(links: WrittenLinks) -> int:
    """Return the last message of the branch that the reader returns; -1 if it returns none."""
    return next((here for here in _iterate_way_up(links) if links.listings[here] == LISTED), ROOT)


def make_written_links(skeleton: Skeleton) -> WrittenLinks:
    """Return the links in the file, without inferred ones."""
    skeleton = skeleton.unrepaired or skeleton
    parents, listings = array("q", skeleton.parents), bytearray(skeleton.listings)
    for position in skeleton.linked:
        parents[position] = skeleton.named.get(position, ROOT)
    for position, above in skeleton.cut.items():
        parents[position] = above
    for position, name in skeleton.written.items():
        parents[position] = skeleton.by_id.get(name, ROOT)
    for position, trait in enumerate(skeleton.traits) if not all(skeleton.traits) else ():
        if not trait:
            listings[position] = ABSENT
    return WrittenLinks(
        parents,
        listings,
        skeleton.traits,
        skeleton.reply_numbers,
        skeleton.times,
        skeleton.dangling,
    )


def walk_back(links: WrittenLinks, read: Reader | None = None) -> list[int]:
    """Return the messages that the reader returns, in its order.

    Without `read`, results that are not below the turn whose calls they answer are missing.
    """
    chain = list(_iterate_way_up(links))[::-1]
    beside = _Turns(links, chain, read).find_pieces_after()
    whole = (each for here in chain for each in (here, *beside.get(here, ())))
    return [here for here in whole if links.listings[here] == LISTED]


def merge_walk(own: list[int], walk: Sequence[int]) -> list[int]:
    """Merge the messages of a branch and of a walk, in the order of the walk.

    Messages that only the branch has stay after the message of the walk that they follow.
    """
    walked = set(walk)
    if [here for here in own if here in walked] == walk:
        return own
    out: list[int] = []
    behind: dict[int, list[int]] = {}
    current = out
    for here in own:
        if here in walked:
            current = behind.setdefault(here, [])
        else:
            current.append(here)
    for here in walk:
        out.append(here)
        out += behind.get(here, ())
    return out


def _iterate_way_up(links: WrittenLinks) -> Iterator[int]:
    """Yield the records from the leaf up to where the links end."""
    parents, listings = links.parents, links.listings
    here, seen = _find_leaf(links), set[int]()
    while here != ROOT and listings[here] != ABSENT and here not in seen:
        seen.add(here)
        yield here
        here = parents[here]


def _find_leaf(links: WrittenLinks) -> int:
    """Return the latest message at which a line ends; a hidden one only if all are hidden."""
    parents, listings = links.parents, links.listings
    has_child = bytearray(len(listings))
    for here, above in enumerate(parents):
        if above != ROOT and listings[here] != ABSENT:
            has_child[above] = 1
    seen = bytearray(len(listings))
    best = {LISTED: ROOT, HIDDEN: ROOT}
    for end, inner in enumerate(has_child):
        here = end
        if inner or listings[end] == ABSENT:
            continue
        while here != ROOT and listings[here] == PASSED and not seen[here]:
            seen[here] = 1
            here = parents[here]
        if here != ROOT and listings[here] in best:
            best[listings[here]] = max(best[listings[here]], here)
    return best[HIDDEN] if best[LISTED] == ROOT else best[LISTED]


class _Turns:
    """The turns on a path, with those of their calls and results that are beside it."""

    def __init__(self, links: WrittenLinks, chain: Sequence[int], read: Reader | None) -> None:
        self._links = links
        self._chain = chain
        self._read = read
        self._seen = set(chain)
        replies = links.replies
        self._ends = {replies[here]: here for here in chain if replies[here]}
        """The replies on the path in order, each with its last piece there."""
        self._pieces: dict[int, list[int]] = {number: [] for number in self._ends}
        for here, number in enumerate(replies):
            if number in self._pieces and links.listings[here] != ABSENT:
                self._pieces[number].append(here)

    def find_pieces_after(self) -> dict[int, list[int]]:
        """Return what comes after the last pieces of replies."""
        results = self._find_results() if self._ends else []
        asked = self._find_calling_pieces(results) if results else {}
        by_piece = self._group_by_piece(results, asked) if results else {}
        found: dict[int, list[int]] = {}
        for number, end in self._ends.items():
            calls = [here for here in self._pieces[number] if here not in self._seen]
            answers = self._select_answers(self._pieces[number], by_piece, asked)
            times = self._links.times.__getitem__
            found[end] = sorted(calls, key=times) + sorted(answers, key=times)
            self._seen.update(found[end])
        return found

    def _find_results(self) -> list[int]:
        """Return the results beside the path."""
        links, seen = self._links, self._seen
        return [
            here
            for here, trait in enumerate(links.traits)
            if trait == Trait.RESULT
            and here not in seen
            and links.listings[here] == LISTED
            and (links.parents[here] != ROOT or here in links.dangling)
        ]

    # which result answers which call

    def _find_calling_pieces(self, results: Sequence[int]) -> dict[str, int]:
        """Return the piece that made each call that these results, or some of them, answer."""
        self._answered: dict[int, list[str]] = {here: [] for here in results}
        if self._read is None:
            return {}
        for here, entry in self._read_entries(results):
            self._answered[here] += _iterate_answered_calls(entry)
        near = {self._find_reply_above(here) for here in results} - {ROOT}
        asked = self._index_calls(near)
        named = {call for calls in self._answered.values() for call in calls}
        if named - asked.keys():
            others = {here for pieces in self._pieces.values() for here in pieces} - near
            asked |= self._index_calls(others)
        return asked

    def _index_calls(self, pieces: Iterable[int]) -> dict[str, int]:
        return {
            call: here
            for here, entry in self._read_entries(sorted(pieces))
            for call in _find_call_ids(entry)
        }

    def _read_entries(self, positions: Sequence[int]) -> Iterator[tuple[int, Entry]]:
        assert self._read is not None
        return zip(positions, self._read(positions), strict=True)

    def _find_reply_above(self, result: int) -> int:
        """Return the reply above a result, skipping notes and other results."""
        parents, here, steps = self._links.parents, result, 0
        while here != ROOT and self._links.traits[here] != Trait.REPLY and steps < MOST_STEPS:
            here, steps = parents[here], steps + 1
        return here if steps < MOST_STEPS else ROOT

    def _group_by_piece(
        self, results: Sequence[int], asked: dict[str, int]
    ) -> dict[int, list[int]]:
        """Return the results below each piece, and those that answer a call of it."""
        found: dict[int, list[int]] = {}
        for here in results:
            owners = [asked[call] for call in self._answered[here] if call in asked]
            for piece in dict.fromkeys((self._links.parents[here], *owners)):
                found.setdefault(piece, []).append(here)
        return found

    def _select_answers(
        self, pieces: Sequence[int], by_piece: dict[int, list[int]], asked: dict[str, int]
    ) -> list[int]:
        """Return the results of a turn: all below it, and others that answer an open call of it."""
        own, found = set(pieces), dict[int, None]()
        for piece in pieces:
            found |= dict.fromkeys(by_piece.get(piece, ()))
        new = [here for here in found if here not in self._seen]
        hanging = [here for here in new if self._links.parents[here] in own]
        others = sorted(here for here in new if self._links.parents[here] not in own)
        if not others:
            return hanging
        answered = self._calls_answered_on_way.union(*(self._answered[here] for here in hanging))
        for here in others:
            calls = self._answered[here]
            if any(call not in answered and asked.get(call) in own for call in calls):
                answered.update(calls)
                hanging.append(here)
        return hanging

    @cached_property
    def _calls_answered_on_way(self) -> set[str]:
        on_way = [here for here in self._chain if self._links.traits[here] == Trait.RESULT]
        return {
            call
            for _, entry in self._read_entries(on_way)
            for call in _iterate_answered_calls(entry)
        }


def _find_call_ids(entry: Entry) -> Iterator[str]:
    for part in entry.parts if isinstance(entry, Message) else ():
        if isinstance(part, ToolCall) and part.id:
            yield part.id


def _iterate_answered_calls(entry: Entry) -> Iterator[str]:
    for part in entry.parts if isinstance(entry, Message) else ():
        if isinstance(part, ToolResult) and part.call:
            yield part.call
