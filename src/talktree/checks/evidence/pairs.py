"""Which tool results answer which calls, each line of talk for itself.

Nearly every call has one result, and hashes of their ids are enough to see it. Only what is odd is
looked at more closely: an id that several calls have may be a fork's copy, which is as it should
be, or stand twice on one line, which no program accepts.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from talktree.checks.evidence.lines import Lines, lines_of
from talktree.formats.facts import Site, Sites
from talktree.formats.talk import Talk
from talktree.model.outline import Trait
from talktree.model.skeleton import ROOT, Skeleton

NOTE = "pairs"
FURTHEST_UP = 256
"""How far up from a result its call is looked for, to see what stands between them."""


class Doubled(NamedTuple):
    """A call whose id stands on its line already, and the results that are its own."""

    call: Site
    results: tuple[Site, ...]


class Pairs:
    """What is odd about the calls and results of a conversation."""

    def __init__(self) -> None:
        self.answered = 0
        """How many calls have a result."""
        self.unanswered: list[Site] = []
        self.orphans: list[Site] = []
        """Results that name a call nobody made."""
        self.doubled: list[Doubled] = []
        self.rivals: list[list[Site]] = []
        """Results of one call on one line, where there should be one."""
        self.early: list[Site] = []
        """Results that stand before their call."""
        self.late: list[Site] = []
        """Results with something else said between them and their call."""


def pairs_of(talk: Talk) -> Pairs:
    """The pairs of a conversation, found once."""
    found: Pairs | None = talk.notes.get(NOTE)
    if found is None:
        found = talk.notes[NOTE] = _pairs(talk)
    return found


def _pairs(talk: Talk) -> Pairs:
    calls, results = talk.facts.calls, talk.facts.results
    found = Pairs()
    first = _numbered(calls.keys)
    answer = _numbered(results.keys)
    odd = answer.keys() - first.keys()
    odd |= _twice(calls.keys, first) | _twice(results.keys, answer)
    parents = talk.bones.parents
    for key, index in first.items():
        if key in odd:
            continue
        if key not in answer:
            found.unanswered.append(calls[index])
            continue
        found.answered += 1
        asked, told = calls.positions[index], results.positions[answer[key]]
        # Nearly always the result hangs on its call.
        if parents[told] != asked or told < asked:
            _judge_order(talk.bones, calls[index], results[answer[key]], found)
    if odd:
        lines = lines_of(talk)
        for some_calls, some_results in _by_key(calls, results, odd):
            _Odd(talk.bones, lines, some_calls, some_results).judge(found)
    found.unanswered.sort()
    found.orphans.sort()
    return found


def _numbered(keys: array[int]) -> dict[int, int]:
    """Each key with where it stands first."""
    return dict(zip(reversed(keys), range(len(keys) - 1, -1, -1), strict=True))


def _twice(keys: array[int], numbered: dict[int, int]) -> set[int]:
    """The keys that stand more than once."""
    if len(numbered) == len(keys):
        return set()
    return {key for index, key in enumerate(keys) if numbered[key] != index}


def _by_key(
    calls: Sites, results: Sites, odd: Iterable[int]
) -> Iterator[tuple[list[Site], list[Site]]]:
    grouped: dict[int, tuple[list[Site], list[Site]]] = {key: ([], []) for key in odd}
    for kind, sites in enumerate((calls, results)):
        for index, key in enumerate(sites.keys):
            if key in grouped:
                grouped[key][kind].append(sites[index])
    yield from sorted(grouped.values(), key=lambda both: min(both[0] + both[1]))


def _judge_order(bones: Skeleton, call: Site, result: Site, found: Pairs) -> None:
    """Note a result that does not stand where it should."""
    here, end = bones.parents[result.position], call.position
    if result.position < end:
        found.early.append(result)
        return
    if here == end or result.position == end:
        return
    between, reply = False, bones.group_numbers[end]
    for _ in range(FURTHEST_UP):
        if here in (ROOT, end) or bones.starts_anew(here):
            break
        trait, group = bones.traits[here], bones.group_numbers[here]
        between = between or trait == Trait.SAID
        between = between or bool(trait == Trait.REPLY and reply and group and group != reply)
        here = bones.parents[here]
    if between and here == end:
        found.late.append(result)


class _Odd:
    """Calls and results that share one id."""

    def __init__(
        self, bones: Skeleton, lines: Lines, calls: Sequence[Site], results: Sequence[Site]
    ) -> None:
        self._bones = bones
        self._lines = lines
        self._calls = calls
        self._results = results
        self._own: dict[Site, list[Site]] = {call: [] for call in calls}
        self._twice: list[Site] = []
        self._at: dict[int, list[Site]] = {}
        for call in calls:
            self._at.setdefault(call.position, []).append(call)
        self._given: dict[int, int] = {}
        """How many results the calls of a message were given."""

    def judge(self, found: Pairs) -> None:
        """Note what is wrong with them."""
        if not self._calls:
            found.orphans += self._results
            return
        self._match()
        for call in self._twice:
            found.doubled.append(Doubled(call, tuple(self._own[call])))
        answered = {self._named(call) for call, own in self._own.items() if own}
        found.answered += len(answered)
        found.unanswered += [call for call in self._calls if self._named(call) not in answered]
        for own in self._own.values():
            if len(own) > 1:
                found.rivals += self._rivals(own)

    def _named(self, site: Site) -> tuple[str | None, int]:
        """What a record is called in the file: copies of it have one name."""
        at = site.position
        return self._bones.native.get(at, self._bones.ids[at]) or f"@{at}", site.part

    def _match(self) -> None:
        """Give each result to the nearest call above it."""
        order = self._lines.order
        rows = [(order(call.position), 0, call) for call in self._calls]
        rows += [(order(result.position), 1, result) for result in self._results]
        above: list[Site] = []
        loose: list[Site] = []
        for _, is_result, site in sorted(rows):
            while above and not self._lines.is_above(above[-1].position, site.position):
                above.pop()
            if not is_result:
                if above and self._named(above[-1]) != self._named(site):
                    self._twice.append(site)
                above.append(site)
            elif above:
                self._own[self._waiting(above[-1].position)].append(site)
            else:
                loose.append(site)
        self._place(sorted(loose))

    def _waiting(self, position: int) -> Site:
        """Of the calls with this id in one message the next without a result, else the last."""
        here = self._at[position]
        number = self._given.get(position, 0)
        self._given[position] = number + 1
        return here[min(number, len(here) - 1)]

    def _place(self, loose: Sequence[Site]) -> None:
        """Give results that hang on no call to calls without one, else to the one before them."""
        waiting = iter([call for call in self._calls if not self._own[call]])
        for result in loose:
            call = next(waiting, None)
            if call is None:
                at = bisect_left(self._calls, result)
                call = self._calls[max(0, at - 1)]
            self._own[call].append(result)

    def _rivals(self, results: Sequence[Site]) -> Iterator[list[Site]]:
        """Results of one call that meet on one line; those of real branches do not."""
        lines = self._lines
        ordered = sorted(results, key=lambda site: (lines.order(site.position), site))
        sets: list[list[Site]] = []
        names = set()
        for site in ordered:
            name = self._named(site)
            if name in names:
                # A copy of the whole record, which is another matter.
                continue
            names.add(name)
            with_last = sets and lines.is_above(sets[-1][0].position, site.position)
            if with_last:
                sets[-1].append(site)
            elif sets and (lines.is_aside(site.position) or lines.is_aside(sets[0][0].position)):
                sets[0].append(site)
            else:
                sets.append([site])
        yield from (sorted(each) for each in sets if len(each) > 1)
