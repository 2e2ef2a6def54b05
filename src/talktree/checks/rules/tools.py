"""TOL1: tool calls and their results, paired by id on each branch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from talktree.checks.support.message_ids import find_parents_elsewhere
from talktree.checks.support.tool_results import (
    RemovedResults,
    UnansweredCalls,
    drop_result,
    find_short_results,
    insert_answer,
    is_answerable,
    is_placeholder,
    pairs_of,
    read_call,
    read_result,
    rename_call,
    reread_record,
)
from talktree.checks.support.tree_links import is_continued, is_linked, lines_of
from talktree.formats.rule import Diagnostic, make_unsafe_fix, rule
from talktree.formats.rule_batch import Place, RecordBatch
from talktree.formats.rule_context import CheckedConversation, RuleRecord, Site
from talktree.model.message import Message
from talktree.model.parts import ToolCall, ToolResult
from talktree.model.skeleton import ROOT

SHOWN = 60


@rule("TOL101", "unanswered-call", "error", on="talk", fix=make_unsafe_fix(insert_answer))
def unanswered_call(talk: CheckedConversation) -> Iterable[Diagnostic]:
    """A tool was called and no result names that call, though the conversation goes on behind it.

    Why: model APIs refuse a request in which a call has no result, so the conversation cannot be
    continued: every further message fails with the same error.

    Bad:
        {"type":"assistant","uuid":"a1","parentUuid":"u1","message":{"role":"assistant",
         "content":[{"type":"tool_use","id":"toolu_1","name":"Bash","input":{}}]}}
        {"type":"user","uuid":"u2","parentUuid":"a1","message":{"role":"user","content":"and?"}}

    Fix (unsafe): a result is inserted directly after the call. It is marked, and says that the real
    one is not in the file; children of the call become its children. A real result always wins.
    """
    for position, parts in _find_unanswered(talk):
        if not is_continued(talk, position):
            continue
        seen = reread_record(talk, position)
        below = [talk.name(child) for child in lines_of(talk).children(position)]
        can = all(is_answerable(seen, part) for part in parts)
        for number, part in enumerate(parts):
            call = read_call(talk, Site(position, part))
            what = f"the call {_shorten_name(call.id)} of {_shorten_name(call.name)} has no result"
            more = "" if len(below) == 1 else f" and {len(below) - 1} more"
            yield Diagnostic(
                f"{what}, and behind it comes {_shorten_name(below[0])}{more}" if below else what,
                position=position,
                fixable=can,
                about=UnansweredCalls(parts, number),
                sought=call.id or "",
            )


@rule("TOL108", "open-call", "note", on="talk")
def open_call(talk: CheckedConversation) -> Iterable[Diagnostic]:
    """A tool was called last, and its result is not there.

    Why: the tool may still be running, or the program was closed while it ran. Programs that go on
    with the conversation must add a result first.

    Bad:
        {"type":"assistant","uuid":"a1","parentUuid":"u1","message":{"role":"assistant",
         "content":[{"type":"tool_use","id":"toolu_1","name":"Bash","input":{}}]}}

    Fix: none, because it is not known whether the result is still to come.
    """
    for position, parts in _find_unanswered(talk):
        if not is_continued(talk, position):
            for part in parts:
                call = read_call(talk, Site(position, part))
                id, name = _shorten_name(call.id), _shorten_name(call.name)
                what = f"the call {id} of {name} has no result yet"
                yield Diagnostic(what, position=position, sought=call.id or "")


@rule("TOL102", "orphan-result", "error", on="talk", fix=make_unsafe_fix(drop_result))
def orphan_result(talk: CheckedConversation) -> Iterable[Diagnostic]:
    """A tool result names a call that is nowhere in the conversation, on no branch of it.

    Why: model APIs refuse a request with a result that answers nothing. The call was lost with a
    damaged record, or cut off by a tool that shortens conversations.

    Bad:
        {"type":"user","uuid":"u2","parentUuid":"u1","message":{"role":"user",
         "content":[{"type":"tool_result","tool_use_id":"toolu_gone","content":"ok"}]}}

    Fix (unsafe): the result goes to quarantine, with its record if that holds nothing else; its
    children become children of its parent. Where the conversation goes on from another file nothing
    is done, since the call may be there.
    """
    by_record: dict[int, list[Site]] = {}
    for site in pairs_of(talk).orphans:
        by_record.setdefault(site.position, []).append(site)
    for position, sites in by_record.items():
        going = _make_removal(talk, sites, ROOT)
        names = ", ".join(_shorten_name(read_result(talk, site).call) for site in sites[:3])
        more = f" and {len(sites) - 3} more" if len(sites) > 3 else ""
        dependents = _describe_dependents(talk, position, going)
        what = f"no call {names}{more} is in the conversation{dependents}"
        there = _find_continuation(talk, position)
        yield Diagnostic(
            f"{what}; it may be in {there[:SHOWN]}, which goes before this" if there else what,
            position=position,
            fixable=not there,
            about=going,
        )


@rule("TOL103", "duplicate-call-id", "error", on="talk", fix=make_unsafe_fix(rename_call))
def duplicate_call_id(talk: CheckedConversation) -> Iterable[Diagnostic]:
    """A tool call has the id of an earlier call on the same line of talk.

    Why: results name calls by id, so it is not clear which call a result is for, and model APIs
    refuse the request. Copies of a call on another branch are correct and not reported.

    Bad:
        {"type":"tool_use","id":"toolu_1","name":"Read","input":{"file":"a"}}
        {"type":"tool_use","id":"toolu_1","name":"Read","input":{"file":"b"}}

    Fix (unsafe): the later call gets an id of its own, `toolu_1_2`, and its results name that one.
    """
    for found in pairs_of(talk).doubled:
        call = read_call(talk, found.call)
        what = f"an earlier call has the id {_shorten_name(call.id)} too"
        yield Diagnostic(what, position=found.call.position, about=found, sought=call.id or "")


@rule("TOL104", "duplicate-result", "error", on="talk", fix=make_unsafe_fix(drop_result))
def duplicate_result(talk: CheckedConversation) -> Iterable[Diagnostic]:
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
        kept = _choose_result(talk, rivals)
        by_record: dict[int, list[Site]] = {}
        for site in rivals:
            if site != kept:
                by_record.setdefault(site.position, []).append(site)
        name = _shorten_name(read_result(talk, kept).call)
        for position, sites in by_record.items():
            where = "here too" if position == kept.position else f"in {talk.name(kept.position)}"
            going = _make_removal(talk, sites, kept.position)
            dependents = _describe_dependents(talk, position, going)
            what = f"the call {name} has another result {where}{dependents}"
            yield Diagnostic(what, position=position, about=going)


@rule("TOL105", "result-out-of-order", "warning", on="talk")
def result_out_of_order(talk: CheckedConversation) -> Iterable[Diagnostic]:
    """A tool result is before its call, or only after something else was said.

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
        name = _shorten_name(read_result(talk, site).call)
        why = "stands before its call" if site in early else "comes after something else was said"
        yield Diagnostic(f"the result of {name} {why}", position=site.position)


@rule(
    "TOL106",
    "placeholder-result",
    "warning",
    on="part",
    glance=find_short_results,
    parts=(ToolResult,),
)
def placeholder_result(part: ToolResult, seen: RuleRecord, number: int) -> Sequence[Diagnostic]:
    """A tool result only says that the real result is lost or was cleared.

    Why: the call may well have succeeded. A reader, person or model, takes it for a failure and
    repeats the work.

    Bad:
        {"type":"tool_result","tool_use_id":"toolu_1","content":"[Tool result missing …]"}

    Fix: none, because the real result is not in the file.
    """
    if not is_placeholder(part):
        return ()
    return [
        Diagnostic(
            f"the result of {_shorten_name(part.call)} is not in the file, only a word that says so"
        )
    ]


def _find_unnamed(batch: RecordBatch) -> Sequence[Place]:
    parts = batch.parts
    calls = [place for place in parts.get(ToolCall, ()) if not place[0].id]  # type: ignore[union-attr]
    results = [place for place in parts.get(ToolResult, ()) if not place[0].call]  # type: ignore[union-attr]
    return calls + results


@rule(
    "TOL107",
    "unnamed-tool-use",
    "error",
    on="part",
    glance=_find_unnamed,
    parts=(ToolCall, ToolResult),
)
def unnamed_tool_use(
    part: ToolCall | ToolResult, seen: RuleRecord, number: int
) -> Sequence[Diagnostic]:
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
        return [Diagnostic(f"the call of {_shorten_name(part.name)} has no id")]
    return [Diagnostic("the result does not say which call it is for")]


# shared by the rules


def _find_unanswered(talk: CheckedConversation) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield messages with unanswered calls; none if results may simply not be recorded."""
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


def _has_sub_agent(talk: CheckedConversation, position: int) -> bool:
    """Whether a sub-agent starts at a call: its messages may be the only answer."""
    side = talk.skeleton.sidechain
    return any(side[each] > side[position] for each in lines_of(talk).children(position))


def _make_removal(talk: CheckedConversation, sites: Sequence[Site], kept: int) -> RemovedResults:
    entry = reread_record(talk, sites[0].position).entry
    assert isinstance(entry, Message)
    return RemovedResults(frozenset(site.part for site in sites), len(entry.parts), kept)


def _find_continuation(talk: CheckedConversation, position: int) -> str:
    """Return the conversation or file that a message's branch continues; empty if none."""
    parent = talk.skeleton.dangling.get(lines_of(talk).find_start(position))
    return "" if parent is None else find_parents_elsewhere(talk).get(parent, "")


def _describe_dependents(talk: CheckedConversation, position: int, going: RemovedResults) -> str:
    """Return a text about the records that need another parent if a record is removed."""
    below = lines_of(talk).children(position) if len(going.parts) == going.of else []
    if not below or not is_linked(talk):
        return ""
    more = f" and {len(below) - 1} more" if len(below) > 1 else ""
    return f"; on it hangs {_shorten_name(talk.name(below[0]))}{more}"


def _choose_result(talk: CheckedConversation, rivals: Sequence[Site]) -> Site:
    """Return the result to keep: the first real one, else the first."""
    entries = talk.conversation.entries_at([site.position for site in rivals])
    for site, entry in zip(rivals, entries, strict=True):
        if isinstance(entry, Message) and not is_placeholder(entry.parts[site.part]):
            return site
    return rivals[0]


def _shorten_name(name: str | None) -> str:
    return (name or "without a name")[:SHOWN]
