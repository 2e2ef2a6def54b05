"""TOL1: tool calls and their results, paired by id on each line of talk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from talktree.checks.support.message_ids import missing_elsewhere
from talktree.checks.support.tool_results import (
    Going,
    Unanswered,
    call_at,
    drop_result,
    is_answerable,
    is_placeholder,
    pairs_of,
    put_answer,
    rename_call,
    result_at,
    seen_again,
    short_results,
)
from talktree.checks.support.tree_links import goes_on, is_linked, lines_of
from talktree.formats.rule import Diagnostic, rule, unsafe
from talktree.formats.rule_batch import Place, Stretch
from talktree.formats.rule_context import Seen, Site, Talk
from talktree.model.message import Message
from talktree.model.parts import ToolCall, ToolResult
from talktree.model.skeleton import ROOT

SHOWN = 60


@rule("TOL101", "unanswered-call", "error", on="talk", fix=unsafe(put_answer))
def unanswered_call(talk: Talk) -> Iterable[Diagnostic]:
    """A tool was called and no result names that call, though the conversation goes on behind it.

    Why: model APIs refuse a request in which a call has no result, so the conversation cannot be
    continued: every further message fails with the same error.

    Bad:
        {"type":"assistant","uuid":"a1","parentUuid":"u1","message":{"role":"assistant",
         "content":[{"type":"tool_use","id":"toolu_1","name":"Bash","input":{}}]}}
        {"type":"user","uuid":"u2","parentUuid":"a1","message":{"role":"user","content":"and?"}}

    Fix (unsafe): a result is put in right behind the call that says, marked as such, that the real
    one is not in the file; what hung on the call hangs on it. A real result always wins.
    """
    for position, parts in _without_result(talk):
        if not goes_on(talk, position):
            continue
        seen = seen_again(talk, position)
        below = [talk.name(child) for child in lines_of(talk).children(position)]
        can = all(is_answerable(seen, part) for part in parts)
        for number, part in enumerate(parts):
            call = call_at(talk, Site(position, part))
            what = f"the call {_brief(call.id)} of {_brief(call.name)} has no result"
            more = "" if len(below) == 1 else f" and {len(below) - 1} more"
            yield Diagnostic(
                f"{what}, and behind it comes {_brief(below[0])}{more}" if below else what,
                position=position,
                fixable=can,
                about=Unanswered(parts, number),
                sought=call.id or "",
            )


@rule("TOL108", "open-call", "note", on="talk")
def open_call(talk: Talk) -> Iterable[Diagnostic]:
    """A tool was called last, and its result is not there.

    Why: the tool may still be running, or the program was closed while it ran. Programs that go on
    with the conversation must add a result first.

    Bad:
        {"type":"assistant","uuid":"a1","parentUuid":"u1","message":{"role":"assistant",
         "content":[{"type":"tool_use","id":"toolu_1","name":"Bash","input":{}}]}}

    Fix: none, because nobody can know here whether the result is still to come.
    """
    for position, parts in _without_result(talk):
        if not goes_on(talk, position):
            for part in parts:
                call = call_at(talk, Site(position, part))
                what = f"the call {_brief(call.id)} of {_brief(call.name)} has no result yet"
                yield Diagnostic(what, position=position, sought=call.id or "")


@rule("TOL102", "orphan-result", "error", on="talk", fix=unsafe(drop_result))
def orphan_result(talk: Talk) -> Iterable[Diagnostic]:
    """A tool result names a call that is nowhere in the conversation, on no branch of it.

    Why: model APIs refuse a request with a result that answers nothing. The call was lost with a
    damaged record, or cut off by a tool that shortens conversations.

    Bad:
        {"type":"user","uuid":"u2","parentUuid":"u1","message":{"role":"user",
         "content":[{"type":"tool_result","tool_use_id":"toolu_gone","content":"ok"}]}}

    Fix (unsafe): the result goes to quarantine, with its record if that holds nothing else; what
    hung on the record hangs on the one before it. Where the conversation goes on from another file
    nothing is done, since the call may be there.
    """
    by_record: dict[int, list[Site]] = {}
    for site in pairs_of(talk).orphans:
        by_record.setdefault(site.position, []).append(site)
    for position, sites in by_record.items():
        going = _going(talk, sites, ROOT)
        names = ", ".join(_brief(result_at(talk, site).call) for site in sites[:3])
        more = f" and {len(sites) - 3} more" if len(sites) > 3 else ""
        what = f"no call {names}{more} is in the conversation{_hanging(talk, position, going)}"
        there = _continues(talk, position)
        yield Diagnostic(
            f"{what}; it may be in {there[:SHOWN]}, which goes before this" if there else what,
            position=position,
            fixable=not there,
            about=going,
        )


@rule("TOL103", "duplicate-call-id", "error", on="talk", fix=unsafe(rename_call))
def duplicate_call_id(talk: Talk) -> Iterable[Diagnostic]:
    """A tool call has the id of an earlier call on the same line of talk.

    Why: results name calls by id, so nobody can tell which call a result is for, and model APIs
    refuse the request. Copies of a call on another branch are as they should be and not told.

    Bad:
        {"type":"tool_use","id":"toolu_1","name":"Read","input":{"file":"a"}}
        {"type":"tool_use","id":"toolu_1","name":"Read","input":{"file":"b"}}

    Fix (unsafe): the later call gets an id of its own, `toolu_1_2`, and its results name that one.
    """
    for found in pairs_of(talk).doubled:
        call = call_at(talk, found.call)
        what = f"an earlier call has the id {_brief(call.id)} too"
        yield Diagnostic(what, position=found.call.position, about=found, sought=call.id or "")


@rule("TOL104", "duplicate-result", "error", on="talk", fix=unsafe(drop_result))
def duplicate_result(talk: Talk) -> Iterable[Diagnostic]:
    """A tool call has more than one result on the same line of talk.

    Why: model APIs refuse a request in which a call is answered twice. Mostly one of them was made
    up when the program was interrupted, and the real one came later.

    Bad:
        {"type":"tool_result","tool_use_id":"toolu_1","content":"[Tool result missing …]"}
        {"type":"tool_result","tool_use_id":"toolu_1","content":"12 files changed"}

    Fix (unsafe): one result stays, a real one before one that says that the real one is lost,
    otherwise the first; the others go to quarantine.
    """
    for rivals in pairs_of(talk).rivals:
        kept = _kept(talk, rivals)
        by_record: dict[int, list[Site]] = {}
        for site in rivals:
            if site != kept:
                by_record.setdefault(site.position, []).append(site)
        name = _brief(result_at(talk, kept).call)
        for position, sites in by_record.items():
            where = "here too" if position == kept.position else f"in {talk.name(kept.position)}"
            going = _going(talk, sites, kept.position)
            what = f"the call {name} has another result {where}{_hanging(talk, position, going)}"
            yield Diagnostic(what, position=position, about=going)


@rule("TOL105", "result-out-of-order", "warning", on="talk")
def result_out_of_order(talk: Talk) -> Iterable[Diagnostic]:
    """A tool result stands before its call, or only after something else was said.

    Why: model APIs want results right behind their calls. Programs that send the messages in the
    order of the file are refused; ours shows each result with its call.

    Bad:
        assistant: tool_use toolu_1
        user: "are you still there?"
        user: tool_result toolu_1

    Fix: none, because the order in the file is what was recorded; results are put in order only
    where they are shown or sent.
    """
    pairs = pairs_of(talk)
    early = set(pairs.early)
    for site in sorted((*pairs.early, *pairs.late)):
        name = _brief(result_at(talk, site).call)
        why = "stands before its call" if site in early else "comes after something else was said"
        yield Diagnostic(f"the result of {name} {why}", position=site.position)


@rule(
    "TOL106",
    "placeholder-result",
    "warning",
    on="part",
    glance=short_results,
    parts=(ToolResult,),
)
def placeholder_result(part: ToolResult, seen: Seen, number: int) -> Sequence[Diagnostic]:
    """A tool result only says that the real result is lost or was cleared.

    Why: the call may well have succeeded. Whoever reads on, person or model, takes it for a failure
    and repeats the work.

    Bad:
        {"type":"tool_result","tool_use_id":"toolu_1","content":"[Tool result missing …]"}

    Fix: none, because the real result is not in the file.
    """
    if not is_placeholder(part):
        return ()
    return [
        Diagnostic(
            f"the result of {_brief(part.call)} is not in the file, only a word that says so"
        )
    ]


def _unnamed(stretch: Stretch) -> Sequence[Place]:
    parts = stretch.parts
    calls = [place for place in parts.get(ToolCall, ()) if not place[0].id]  # type: ignore[union-attr]
    results = [place for place in parts.get(ToolResult, ()) if not place[0].call]  # type: ignore[union-attr]
    return calls + results


@rule(
    "TOL107",
    "unnamed-tool-use",
    "error",
    on="part",
    glance=_unnamed,
    parts=(ToolCall, ToolResult),
)
def unnamed_tool_use(part: ToolCall | ToolResult, seen: Seen, number: int) -> Sequence[Diagnostic]:
    """A tool call has no id, or a result names no call, in a format where results name calls.

    Why: without the name only the order can tell which result belongs to which call, and model APIs
    refuse the request.

    Bad:
        {"type":"tool_use","name":"Bash","input":{"command":"ls"}}

    Fix: none, because an id would have to be guessed for the call and for its result.
    """
    if part.call if type(part) is ToolResult else part.id:  # type: ignore[union-attr]
        return ()
    if seen.talk.format.can.calls != "named":
        return ()
    if isinstance(part, ToolCall):
        return [Diagnostic(f"the call of {_brief(part.name)} has no id")]
    return [Diagnostic("the result does not say which call it is for")]


# what the rules share


def _without_result(talk: Talk) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Messages with calls nobody answered; none where results may just not be recorded."""
    pairs = pairs_of(talk)
    named = talk.format.can.calls == "named"
    if not pairs.unanswered or not (named or (pairs.answered and not talk.facts.unnamed)):
        return
    by_record: dict[int, list[int]] = {}
    for position, part in pairs.unanswered:
        by_record.setdefault(position, []).append(part)
    for position, parts in by_record.items():
        if named or not _has_sub_agent(talk, position):
            yield position, tuple(parts)


def _has_sub_agent(talk: Talk, position: int) -> bool:
    """Whether a sub-agent starts at a call: what it said may be all the answer there is."""
    side = talk.bones.sidechain
    return any(side[each] > side[position] for each in lines_of(talk).children(position))


def _going(talk: Talk, sites: Sequence[Site], kept: int) -> Going:
    entry = seen_again(talk, sites[0].position).entry
    assert isinstance(entry, Message)
    return Going(frozenset(site.part for site in sites), len(entry.parts), kept)


def _continues(talk: Talk, position: int) -> str:
    """The conversation or file that the line of a message goes on from; empty if it is whole."""
    parent = talk.bones.dangling.get(lines_of(talk).start(position))
    return "" if parent is None else missing_elsewhere(talk).get(parent, "")


def _hanging(talk: Talk, position: int, going: Going) -> str:
    """What has to hang on something else once a record goes."""
    below = lines_of(talk).children(position) if len(going.parts) == going.of else []
    if not below or not is_linked(talk):
        return ""
    more = f" and {len(below) - 1} more" if len(below) > 1 else ""
    return f"; on it hangs {_brief(talk.name(below[0]))}{more}"


def _kept(talk: Talk, rivals: Sequence[Site]) -> Site:
    """The result that stays: the first that is real, else the first."""
    entries = talk.conversation.entries_at([site.position for site in rivals])
    for site, entry in zip(rivals, entries, strict=True):
        if isinstance(entry, Message) and not is_placeholder(entry.parts[site.part]):
            return site
    return rivals[0]


def _brief(name: str | None) -> str:
    return (name or "without a name")[:SHOWN]
