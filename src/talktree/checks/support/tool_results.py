"""Which tool results answer which calls, on each branch, and fixes for both.

Nearly every call has one result, and hashes of their ids suffice to see it. Only unusual ids are
examined more closely: an id that several calls have may be a fork's copy, which is correct, or be
twice on one branch, which no program accepts.

Placeholders are results that say that the real one is missing: those of other programs, and our
own.

Fixes insert a marked answer, rename calls, or remove results.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple
from uuid import UUID, uuid5

from msgspec.structs import replace

from talktree.checks.support.tree_links import (
    ConversationLines,
    find_final_id,
    is_linked,
    lines_of,
    link_to_parent,
    remove_record,
)
from talktree.formats.fixes import Change, InsertRecord, ReplaceValue
from talktree.formats.format import ConversationInfo
from talktree.formats.rule import Diagnostic
from talktree.formats.rule_batch import Place, RecordBatch
from talktree.formats.rule_context import CheckedConversation, RuleRecord, Site, Sites
from talktree.model.message import SIDECHAIN, Message
from talktree.model.outline import Trait
from talktree.model.parts import Part, Text, ToolCall, ToolResult
from talktree.model.skeleton import ROOT, Skeleton
from talktree.text.json.value import Json

NOTE = "pairs"
FURTHEST_UP = 256
"""How many ancestors of a result are searched for its call, to see what is between them."""


class RepeatedCall(NamedTuple):
    """A call whose id is already on its branch, and the results that belong to it."""

    call: Site
    results: tuple[Site, ...]


class Pairs:
    """The problems with calls and results of a conversation."""

    def __init__(self) -> None:
        self.answered = 0
        """Number of calls with a result."""
        self.unanswered: list[Site] = []
        self.orphans: list[Site] = []
        """Results of unknown calls."""
        self.doubled: list[RepeatedCall] = []
        self.rivals: list[list[Site]] = []
        """Results of one call on one branch, where there should be one."""
        self.early: list[Site] = []
        """Results before their call."""
        self.late: list[Site] = []
        """Results with another message between them and their call."""


def pairs_of(talk: CheckedConversation) -> Pairs:
    """Return the pairs of a conversation; computed once."""
    found: Pairs | None = talk.notes.get(NOTE)
    if found is None:
        found = talk.notes[NOTE] = _find_pairs(talk)
    return found


def _find_pairs(talk: CheckedConversation) -> Pairs:
    calls, results = talk.facts.calls, talk.facts.results
    found = Pairs()
    first = _number_keys(calls.keys)
    answer = _number_keys(results.keys)
    odd = answer.keys() - first.keys()
    odd |= _find_repeated(calls.keys, first) | _find_repeated(results.keys, answer)
    parents = talk.skeleton.parents
    for key, index in first.items():
        if key in odd:
            continue
        if key not in answer:
            found.unanswered.append(calls[index])
            continue
        found.answered += 1
        asked, diagnostic = calls.positions[index], results.positions[answer[key]]
        # Nearly always the result's parent is its call.
        if parents[diagnostic] != asked or diagnostic < asked:
            _check_order(talk.skeleton, calls[index], results[answer[key]], found)
    if odd:
        lines = lines_of(talk)
        for some_calls, some_results in _group_by_key(calls, results, odd):
            _Odd(talk.skeleton, lines, some_calls, some_results).report(found)
    found.unanswered.sort()
    found.orphans.sort()
    return found


def _number_keys(keys: array[int]) -> dict[int, int]:
    """Return the first position of each key."""
    return dict(zip(reversed(keys), range(len(keys) - 1, -1, -1), strict=True))


def _find_repeated(keys: array[int], numbered: dict[int, int]) -> set[int]:
    """Return the keys that occur more than once."""
    if len(numbered) == len(keys):
        return set()
    return {key for index, key in enumerate(keys) if numbered[key] != index}


def _group_by_key(
    calls: Sites, results: Sites, odd: Iterable[int]
) -> Iterator[tuple[list[Site], list[Site]]]:
    grouped: dict[int, tuple[list[Site], list[Site]]] = {key: ([], []) for key in odd}
    for kind, sites in enumerate((calls, results)):
        for index, key in enumerate(sites.keys):
            if key in grouped:
                grouped[key][kind].append(sites[index])
    yield from sorted(grouped.values(), key=lambda both: min(both[0] + both[1]))


def _check_order(skeleton: Skeleton, call: Site, result: Site, found: Pairs) -> None:
    """Note a result that is in the wrong place."""
    here, end = skeleton.parents[result.position], call.position
    if result.position < end:
        found.early.append(result)
        return
    if here == end or result.position == end:
        return
    between, reply = False, skeleton.group_numbers[end]
    for _ in range(FURTHEST_UP):
        if here in (ROOT, end) or skeleton.is_restart(here):
            break
        trait, group = skeleton.traits[here], skeleton.group_numbers[here]
        between = between or trait == Trait.SAID
        between = between or bool(trait == Trait.REPLY and reply and group and group != reply)
        here = skeleton.parents[here]
    if between and here == end:
        found.late.append(result)


class _Odd:
    """Calls and results that share one id."""

    def __init__(
        self,
        skeleton: Skeleton,
        lines: ConversationLines,
        calls: Sequence[Site],
        results: Sequence[Site],
    ) -> None:
        self._skeleton = skeleton
        self._lines = lines
        self._calls = calls
        self._results = results
        self._own: dict[Site, list[Site]] = {call: [] for call in calls}
        self._twice: list[Site] = []
        self._at: dict[int, list[Site]] = {}
        for call in calls:
            self._at.setdefault(call.position, []).append(call)
        self._given: dict[int, int] = {}
        """Number of results assigned to the calls of a message."""

    def report(self, found: Pairs) -> None:
        """Add what is wrong with them."""
        if not self._calls:
            found.orphans += self._results
            return
        self._match_results()
        for call in self._twice:
            found.doubled.append(RepeatedCall(call, tuple(self._own[call])))
        answered = {self._record_key(call) for call, own in self._own.items() if own}
        found.answered += len(answered)
        found.unanswered += [call for call in self._calls if self._record_key(call) not in answered]
        for own in self._own.values():
            if len(own) > 1:
                found.rivals += self._find_rivals(own)

    def _record_key(self, site: Site) -> tuple[str | None, int]:
        """Return the name of a record in the file, which its copies share."""
        at = site.position
        return self._skeleton.native.get(at, self._skeleton.ids[at]) or f"@{at}", site.part

    def _match_results(self) -> None:
        """Assign each result to the nearest call above it."""
        order = self._lines.find_order
        rows = [(order(call.position), 0, call) for call in self._calls]
        rows += [(order(result.position), 1, result) for result in self._results]
        above: list[Site] = []
        loose: list[Site] = []
        for _, is_result, site in sorted(rows):
            while above and not self._lines.is_above(above[-1].position, site.position):
                above.pop()
            if not is_result:
                if above and self._record_key(above[-1]) != self._record_key(site):
                    self._twice.append(site)
                above.append(site)
            elif above:
                self._own[self._find_waiting_call(above[-1].position)].append(site)
            else:
                loose.append(site)
        self._assign_loose_results(sorted(loose))

    def _find_waiting_call(self, position: int) -> Site:
        """Return the next call of a message with this id that has no result, else the last call."""
        here = self._at[position]
        number = self._given.get(position, 0)
        self._given[position] = number + 1
        return here[min(number, len(here) - 1)]

    def _assign_loose_results(self, loose: Sequence[Site]) -> None:
        """Assign results without a call above them to open calls, else to the call before them."""
        waiting = iter([call for call in self._calls if not self._own[call]])
        for result in loose:
            call = next(waiting, None)
            if call is None:
                at = bisect_left(self._calls, result)
                call = self._calls[max(0, at - 1)]
            self._own[call].append(result)

    def _find_rivals(self, results: Sequence[Site]) -> Iterator[list[Site]]:
        """Yield results of one call that are on the same branch, which is an error."""
        lines = self._lines
        ordered = sorted(results, key=lambda site: (lines.find_order(site.position), site))
        sets: list[list[Site]] = []
        names = set()
        for site in ordered:
            name = self._record_key(site)
            if name in names:
                # A copy of the whole record, which another rule reports.
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


LOST = (
    "[talktree: the result of this call is not in the file; the call was interrupted or its "
    "result was lost]"
)
"""The text of a result that was inserted for a missing one."""
KNOWN = (
    LOST[:40],
    "[Tool result missing",
    "[Tool result lost",
    "[Old tool result content cleared",
    "[openclaw] missing tool result",
    "[result was lost]",
    "No result provided",
)
"""How programs begin such a text; an answer to the tool's own question never does."""
REASONS = ('"tool_result_missing"', '"tool_result_unusable"')
LONGEST = 400
"""A longer text is not a placeholder."""


def find_short_results(batch: RecordBatch) -> Sequence[Place]:
    """Return the results that are one short text; only these can be placeholders."""
    results = [(place, place[0].output) for place in batch.parts.get(ToolResult, ())]  # type: ignore[union-attr]
    return [
        place
        for place, output in results
        if len(output) == 1 and type(output[0]) is Text and len(output[0].text) <= LONGEST
    ]


def is_placeholder(part: Part) -> bool:
    """Whether a result says that the real one is lost."""
    if type(part) is not ToolResult:
        return False
    output: Sequence[Part] = part.output
    if len(output) != 1 or type(output[0]) is not Text:
        return False
    text = output[0].text
    if len(text) > LONGEST:
        return False
    text = text.lstrip()
    return text.startswith(KNOWN) or (text[:1] == "{" and any(each in text for each in REASONS))


NAMES = UUID("7c9e4f6a-2d31-5b8e-9a47-61d0c3f2e815")
"""The namespace of the ids of inserted answers."""
TAKEN, LAST, NEW_NAMES = "call-ids", "asked-last", "new-call-ids"


class UnansweredCalls(NamedTuple):
    """Calls of one message without a result, and which of them is meant."""

    parts: tuple[int, ...]
    number: int


# missing answers


def make_answer(seen: RuleRecord, part: int, *, parent: str | None) -> Message | None:
    """Return a message that says that a call's result is lost, or None if the format has none."""
    asking = seen.entry
    if not isinstance(asking, Message) or not isinstance(call := asking.parts[part], ToolCall):
        return None
    made = Message(
        id=_make_answer_id(asking, part),
        parent=parent,
        role="user",
        parts=(ToolResult((Text(LOST),), call.id, call.name, error=True),),
        time_ns=asking.time_ns,
        session=asking.session,
        flags=asking.flags & {SIDECHAIN},
        agent=asking.agent,
        context=asking.context,
    )
    about = ConversationInfo(id=seen.talk.id, session=asking.session or seen.talk.id)
    adopted = seen.talk.format.adopt(made, about, moment=asking.time_ns or 0)
    named = (each.call for each in adopted.parts if isinstance(each, ToolResult))
    return adopted if call.id in named else None


def _make_answer_id(asking: Message, part: int) -> str:
    # An id may hold an unpaired surrogate, which cannot be encoded.
    name = f"{asking.id}\0{part}".encode("utf-8", "backslashreplace")
    return str(uuid5(NAMES, name.decode()))


def is_answerable(seen: RuleRecord, part: int) -> bool:
    """Whether an answer can be inserted after a call."""
    if is_linked(seen.talk) and find_final_id(seen.talk, seen.position) is None:
        return False
    return make_answer(seen, part, parent=None) is not None


def insert_answer(talk: CheckedConversation, diagnostic: Diagnostic) -> Iterator[Change]:
    """Insert an answer directly after the call; its children become children of the answer."""
    assert isinstance(diagnostic.about, UnansweredCalls)
    parts, number = diagnostic.about
    seen = reread_record(talk, diagnostic.position)
    asking = seen.entry
    assert isinstance(asking, Message)
    linked = is_linked(talk)
    before = (
        find_final_id(talk, diagnostic.position)
        if not number
        else _make_answer_id(asking, parts[number - 1])
    )
    made = make_answer(seen, parts[number], parent=before if linked else None)
    assert made is not None
    yield InsertRecord(talk, diagnostic.position, talk.format.put(made, None))
    if linked and number + 1 == len(parts):
        for child in lines_of(talk).children(diagnostic.position):
            if _is_continuation(talk, diagnostic.position, child):
                yield ReplaceValue(talk, child, lambda each: link_to_parent(each, made.id))


def _is_continuation(talk: CheckedConversation, position: int, child: int) -> bool:
    """Whether a child continues a message, rather than starting a branch beside it."""
    skeleton = talk.skeleton
    return (
        child not in skeleton.linked and skeleton.sidechain[child] == skeleton.sidechain[position]
    )


# results to remove


class RemovedResults(NamedTuple):
    """Results of one record to remove, and the position of the one that is kept instead."""

    parts: frozenset[int]
    of: int
    """Number of parts of the record for which the part numbers are valid."""
    kept: int = ROOT


def drop_result(talk: CheckedConversation, diagnostic: Diagnostic) -> Iterator[Change]:
    """Remove results, and their record if it holds nothing else."""
    going = diagnostic.about
    assert isinstance(going, RemovedResults)
    position = diagnostic.position
    if len(going.parts) < going.of:
        yield ReplaceValue(talk, position, lambda seen: _drop_results(seen, going))
        return
    above = talk.skeleton.parents[position]
    beside = going.kept not in (ROOT, position) and talk.skeleton.parents[going.kept] == above
    yield from remove_record(talk, position, going.kept if beside else above)


def _drop_results(seen: RuleRecord, going: RemovedResults) -> Json:
    entry = seen.entry
    if not isinstance(entry, Message) or len(entry.parts) != going.of:
        # Another fix changed it; the next round sees the new state.
        return seen.value
    left = tuple(part for number, part in enumerate(entry.parts) if number not in going.parts)
    return seen.replace_entry(replace(entry, parts=left))


# duplicate ids


def rename_call(talk: CheckedConversation, diagnostic: Diagnostic) -> Iterator[Change]:
    """Give a call and its results a new id, together for all calls of one record."""
    assert isinstance(diagnostic.about, RepeatedCall)
    old = read_call(talk, diagnostic.about.call).id or ""
    new = _find_free_id(talk, old)
    names: dict[int, dict[int, tuple[str, str]]] = talk.notes.setdefault(NEW_NAMES, {})
    for position, part in (diagnostic.about.call, *diagnostic.about.results):
        if position not in names:
            names[position] = {}
            yield ReplaceValue(talk, position, _rename_calls)
        names[position][part] = (old, new)


def _rename_calls(seen: RuleRecord) -> Json:
    entry = seen.entry
    assert isinstance(entry, Message)
    names: dict[int, tuple[str, str]] = seen.talk.notes[NEW_NAMES][seen.position]
    parts = list(entry.parts)
    if any(not _has_name(parts, at, old) for at, (old, _) in names.items()):
        # Some parts were removed meanwhile, so the others have moved up.
        waiting = sorted(names.items())
        parts = [_rename_next(part, waiting) for part in parts]
    else:
        for at, (_, new) in names.items():
            parts[at] = _with_name(parts[at], new)
    return seen.replace_entry(replace(entry, parts=tuple(parts)))


def _has_name(parts: Sequence[Part], at: int, name: str) -> bool:
    return at < len(parts) and _call_id(parts[at]) == name


def _rename_next(part: Part, waiting: list[tuple[int, tuple[str, str]]]) -> Part:
    if not waiting or _call_id(part) != waiting[0][1][0]:
        return part
    return _with_name(part, waiting.pop(0)[1][1])


def _call_id(part: Part) -> str | None:
    match part:
        case ToolCall():
            return part.id
        case ToolResult():
            return part.call
        case _:
            return None


def _with_name(part: Part, name: str) -> Part:
    match part:
        case ToolCall():
            return replace(part, id=name)
        case ToolResult():
            return replace(part, call=name)
        case _:
            return part


def _find_free_id(talk: CheckedConversation, old: str) -> str:
    taken: set[int] | None = talk.notes.get(TAKEN)
    if taken is None:
        facts = talk.facts
        taken = talk.notes[TAKEN] = {*facts.calls.keys, *facts.results.keys}
    counts: dict[str, int] = talk.notes.setdefault(f"{TAKEN}-next", {})
    number = counts.get(old, 2)
    while hash(f"{old}_{number}") in taken:
        number += 1
    counts[old] = number + 1
    return f"{old}_{number}"


# reading again


def reread_record(talk: CheckedConversation, position: int) -> RuleRecord:
    """Return a record, read again; the last one is cached, because it may be large."""
    last: tuple[int, RuleRecord] | None = talk.notes.get(LAST)
    if last is None or last[0] != position:
        last = talk.notes[LAST] = (position, talk.read_record(position))
    return last[1]


def read_call(talk: CheckedConversation, site: Site) -> ToolCall:
    """Return a call, read again."""
    entry = reread_record(talk, site.position).entry
    assert isinstance(entry, Message)
    found = entry.parts[site.part]
    assert isinstance(found, ToolCall)
    return found


def read_result(talk: CheckedConversation, site: Site) -> ToolResult:
    """Return a result, read again."""
    entry = reread_record(talk, site.position).entry
    assert isinstance(entry, Message)
    found = entry.parts[site.part]
    assert isinstance(found, ToolResult)
    return found
