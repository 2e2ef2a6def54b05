"""What mends tool calls and results: a marked answer where none is, new names, fewer results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple
from uuid import UUID, uuid5

from msgspec.structs import replace

from talktree.checks.evidence.lines import lines_of
from talktree.checks.evidence.links import called
from talktree.checks.evidence.pairs import Doubled
from talktree.checks.evidence.placeholders import LOST
from talktree.checks.evidence.relink import hung_on, is_linked, taken_out
from talktree.formats.change import Change, Insert, Revalue
from talktree.formats.facts import Site
from talktree.formats.format import About
from talktree.formats.rule import Diagnostic
from talktree.formats.talk import Seen, Talk
from talktree.model.message import SIDECHAIN, Message
from talktree.model.parts import Part, Text, ToolCall, ToolResult
from talktree.model.skeleton import ROOT
from talktree.text.json.value import Json

NAMES = UUID("7c9e4f6a-2d31-5b8e-9a47-61d0c3f2e815")
"""Where the ids of answers that were put in come from."""
TAKEN, LAST, NEW_NAMES = "call-ids", "asked-last", "new-call-ids"


class Unanswered(NamedTuple):
    """Calls of one message without a result, and which of them is meant."""

    parts: tuple[int, ...]
    number: int


# an answer where there is none


def answer_for(seen: Seen, part: int, *, parent: str | None) -> Message | None:
    """A message that says that a call's result is lost; None if the format cannot say it."""
    asking = seen.entry
    if not isinstance(asking, Message) or not isinstance(call := asking.parts[part], ToolCall):
        return None
    made = Message(
        id=_answer_id(asking, part),
        parent=parent,
        role="user",
        parts=(ToolResult((Text(LOST),), call.id, call.name, error=True),),
        time_ns=asking.time_ns,
        session=asking.session,
        flags=asking.flags & {SIDECHAIN},
        agent=asking.agent,
        context=asking.context,
    )
    about = About(id=seen.talk.id, session=asking.session or seen.talk.id)
    adopted = seen.talk.format.adopt(made, about, moment=asking.time_ns or 0)
    named = (each.call for each in adopted.parts if isinstance(each, ToolResult))
    return adopted if call.id in named else None


def _answer_id(asking: Message, part: int) -> str:
    # An id may hold half of a character, which has no bytes of its own.
    name = f"{asking.id}\0{part}".encode("utf-8", "backslashreplace")
    return str(uuid5(NAMES, name.decode()))


def is_answerable(seen: Seen, part: int) -> bool:
    """Whether an answer can be put in behind a call."""
    if is_linked(seen.talk) and called(seen.talk, seen.position) is None:
        return False
    return answer_for(seen, part, parent=None) is not None


def put_answer(talk: Talk, told: Diagnostic) -> Iterator[Change]:
    """An answer right behind the call; what came next comes behind the answer."""
    assert isinstance(told.about, Unanswered)
    parts, number = told.about
    seen = seen_again(talk, told.position)
    asking = seen.entry
    assert isinstance(asking, Message)
    linked = is_linked(talk)
    before = called(talk, told.position) if not number else _answer_id(asking, parts[number - 1])
    made = answer_for(seen, parts[number], parent=before if linked else None)
    assert made is not None
    yield Insert(talk, told.position, talk.format.put(made, None))
    if linked and number + 1 == len(parts):
        for child in lines_of(talk).children(told.position):
            if _follows(talk, told.position, child):
                yield Revalue(talk, child, lambda each: hung_on(each, made.id))


def _follows(talk: Talk, position: int, child: int) -> bool:
    """Whether a message goes on where another ended, rather than starting something beside it."""
    bones = talk.bones
    return child not in bones.linked and bones.sidechain[child] == bones.sidechain[position]


# results that must go


class Going(NamedTuple):
    """Results of one record that go, and where the one stands that is kept instead."""

    parts: frozenset[int]
    of: int
    """How many parts the record has as long as the numbers hold."""
    kept: int = ROOT


def drop_result(talk: Talk, told: Diagnostic) -> Iterator[Change]:
    """Results go, and with them their record if it holds nothing else."""
    going = told.about
    assert isinstance(going, Going)
    position = told.position
    if len(going.parts) < going.of:
        yield Revalue(talk, position, lambda seen: _without(seen, going))
        return
    above = talk.bones.parents[position]
    beside = going.kept not in (ROOT, position) and talk.bones.parents[going.kept] == above
    yield from taken_out(talk, position, going.kept if beside else above)


def _without(seen: Seen, going: Going) -> Json:
    entry = seen.entry
    if not isinstance(entry, Message) or len(entry.parts) != going.of:
        # Something else changed it meanwhile; the next round sees it as it is then.
        return seen.value
    left = tuple(part for number, part in enumerate(entry.parts) if number not in going.parts)
    return seen.put(replace(entry, parts=left))


# ids that stand twice


def rename_call(talk: Talk, told: Diagnostic) -> Iterator[Change]:
    """A call gets an id of its own, and so do its results; those of one record all at once."""
    assert isinstance(told.about, Doubled)
    old = call_at(talk, told.about.call).id or ""
    new = _free_id(talk, old)
    names: dict[int, dict[int, tuple[str, str]]] = talk.notes.setdefault(NEW_NAMES, {})
    for position, part in (told.about.call, *told.about.results):
        if position not in names:
            names[position] = {}
            yield Revalue(talk, position, _renamed)
        names[position][part] = (old, new)


def _renamed(seen: Seen) -> Json:
    entry = seen.entry
    assert isinstance(entry, Message)
    names: dict[int, tuple[str, str]] = seen.talk.notes[NEW_NAMES][seen.position]
    parts = list(entry.parts)
    if any(not _has_name(parts, at, old) for at, (old, _) in names.items()):
        # Some parts have gone meanwhile, so that the others stand further ahead.
        waiting = sorted(names.items())
        parts = [_next_named(part, waiting) for part in parts]
    else:
        for at, (_, new) in names.items():
            parts[at] = _named(parts[at], new)
    return seen.put(replace(entry, parts=tuple(parts)))


def _has_name(parts: Sequence[Part], at: int, name: str) -> bool:
    return at < len(parts) and _name(parts[at]) == name


def _next_named(part: Part, waiting: list[tuple[int, tuple[str, str]]]) -> Part:
    if not waiting or _name(part) != waiting[0][1][0]:
        return part
    return _named(part, waiting.pop(0)[1][1])


def _name(part: Part) -> str | None:
    match part:
        case ToolCall():
            return part.id
        case ToolResult():
            return part.call
        case _:
            return None


def _named(part: Part, name: str) -> Part:
    match part:
        case ToolCall():
            return replace(part, id=name)
        case ToolResult():
            return replace(part, call=name)
        case _:
            return part


def _free_id(talk: Talk, old: str) -> str:
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


# looking again


def seen_again(talk: Talk, position: int) -> Seen:
    """A record, read again; the one that was asked for last is at hand, for it may be large."""
    last: tuple[int, Seen] | None = talk.notes.get(LAST)
    if last is None or last[0] != position:
        last = talk.notes[LAST] = (position, talk.seen(position))
    return last[1]


def call_at(talk: Talk, site: Site) -> ToolCall:
    """A call, read again."""
    entry = seen_again(talk, site.position).entry
    assert isinstance(entry, Message)
    found = entry.parts[site.part]
    assert isinstance(found, ToolCall)
    return found


def result_at(talk: Talk, site: Site) -> ToolResult:
    """A result, read again."""
    entry = seen_again(talk, site.position).entry
    assert isinstance(entry, Message)
    found = entry.parts[site.part]
    assert isinstance(found, ToolResult)
    return found
