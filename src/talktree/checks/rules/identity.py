"""IDS1: the ids of messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from talktree.checks.support.message_ids import (
    SharedMessage,
    find_duplicate_ids,
    find_shared_ids,
    mint_id,
    wants_ids,
)
from talktree.checks.support.tree_links import find_new_ids, link_to, links_of
from talktree.formats.fixes import Change, DropRecord, ReplaceValue
from talktree.formats.rule import Diagnostic, make_safe_fix, make_unsafe_fix, rule
from talktree.formats.rule_context import CheckedConversation, RuleRecord, Setting
from talktree.model.entries import Snapshot
from talktree.text.json.value import Json


def _add_id(seen: RuleRecord) -> Json:
    return seen.replace_entry(replace(seen.entry, id=find_new_ids(seen.talk)[seen.position]))


def _fix_missing_id(talk: CheckedConversation, diagnostic: Diagnostic) -> Iterator[Change]:
    position = diagnostic.position
    find_new_ids(talk)[position] = mint_id(talk, position)
    yield ReplaceValue(talk, position, _add_id)


def _fix_duplicate_id(talk: CheckedConversation, diagnostic: Diagnostic) -> Iterator[Change]:
    """Set a new id, and update everything that refers to the entry or to its copies."""
    found = find_duplicate_ids(talk)
    position = diagnostic.position
    yield from _fix_missing_id(talk, diagnostic)
    if talk.origin.links(talk.conversation) != "own":
        return
    for each in (position, *found.others[position]):
        for child in found.children.get(each, ()):
            if child not in links_of(talk) and talk.skeleton.linked.get(child) != "spawned":
                yield link_to(talk, child, position, follows=talk.skeleton.is_restart(child))


def _fix_copy(talk: CheckedConversation, diagnostic: Diagnostic) -> Iterator[Change]:
    yield DropRecord(talk, diagnostic.position)


@rule("IDS101", "missing-id", "warning", on="talk", fix=make_unsafe_fix(_fix_missing_id))
def missing_id(talk: CheckedConversation) -> Iterator[Diagnostic]:
    """A message has no id, though others around it have one, or though the format's document
    demands one of every message.

    Why: nothing can reply to it, and programs that keep messages by id drop it or mix it up with
    others.

    Bad:
        {"type":"user","uuid":"1","parentUuid":null,"message":"Is the bread done?"}
        {"type":"assistant","parentUuid":"1","message":"Ten more minutes."}

    Fix (unsafe): it gets an id made from its place, where the format's programs want one.
    """
    skeleton = talk.skeleton
    if not skeleton.native or talk.origin.links(talk.conversation) != "own":
        # If messages are linked by position, ids are an internal matter of the format.
        return
    nameless = [position for position, native in skeleton.native.items() if not native]
    alone = len(nameless) >= len(skeleton) - skeleton.traits.count(0)
    if alone and not talk.format.demands_ids:
        # If no message has an id, the format does not need them.
        return
    fixable = wants_ids(talk)
    for position in nameless:
        if talk.sheet(position)[0].links == "own":
            yield Diagnostic("it has no id", position=position, fixable=fixable)


@rule("IDS102", "duplicate-id", "error", on="talk", fix=make_unsafe_fix(_fix_duplicate_id))
def duplicate_id(talk: CheckedConversation) -> Iterator[Diagnostic]:
    """A message has the id of an earlier one and says something else.

    Why: programs that keep messages by id show one of them in the place of the other; a reply may
    land under a message that it does not answer.

    Bad:
        {"type":"user","uuid":"1","parentUuid":null,"message":"Is the bread done?"}
        {"type":"assistant","uuid":"1","parentUuid":"1","message":"Ten more minutes."}

    Fix (unsafe): the later one gets an id made from the old one and its number. What names the id
    means the occurrence nearest before it, and is changed along with it.
    """
    found = find_duplicate_ids(talk)
    for position in found.others:
        own = talk.skeleton.own_id(position)
        what = f"the id {own[:60]} is that of an earlier message"
        yield Diagnostic(
            what, position=position, sought=own, fixable=position not in found.nameless
        )


@rule("IDS105", "exact-copy", "warning", on="talk", fix=make_safe_fix(_fix_copy))
def exact_copy(talk: CheckedConversation) -> Iterator[Diagnostic]:
    """A message occurs in the file again, with the same id and the same content.

    Why: forks and resumed sessions write their history again; it is counted twice, and the copies
    look like branches.

    Bad:
        {"type":"user","uuid":"1","parentUuid":null,"message":"Is the bread done?"}
        {"type":"user","uuid":"1","parentUuid":null,"message":"Is the bread done?"}

    Fix (safe): the later copies go to quarantine. Their children name the id, so they become
    children of the first one.
    """
    found = find_duplicate_ids(talk)
    for position, original in found.copies.items():
        if position not in found.rewritten:
            what = f"a copy of {_describe_place(talk, original)}"
            yield Diagnostic(what, position=position, fixable=position not in found.cut_off)


def _describe_place(talk: CheckedConversation, position: int) -> str:
    line = talk.line(position)
    where = f" on line {line}" if line else ""
    return f"{talk.skeleton.own_id(position)[:60]}{where}"


@rule("IDS109", "rewritten-copy", "warning", on="talk")
def rewritten_copy(talk: CheckedConversation) -> Iterator[Diagnostic]:
    """A message occurs in the file again, with the same id and content, and another parent or
    time.

    Why: programs that compact a session write messages again behind newer ones. Programs that keep
    messages by id take one place or the other, and lose what was said between them. Views show the
    message once, in its first place, and go on behind the newer ones.

    Bad:
        {"type":"user","uuid":"1","parentUuid":null,"message":{"role":"user","content":"Done?"}}
        {"type":"assistant","uuid":"2","parentUuid":"1","message":{"role":"assistant","content":"No."}}
        {"type":"user","uuid":"1","parentUuid":"2","message":{"role":"user","content":"Done?"}}

    Fix: none, because what names the message may mean either place.
    """
    found = find_duplicate_ids(talk)
    for position in sorted(found.rewritten):
        place = _describe_place(talk, found.copies[position])
        what = f"{place} again, with another parent, time or place"
        yield Diagnostic(what, position=position)


@rule("IDS106", "snapshot-id-clash", "warning", on="snapshot")
def snapshot_id_clash(seen: RuleRecord) -> Iterable[Diagnostic]:
    """A snapshot of files has the id of a message as its own.

    Why: programs that keep all records by id lose the message, and its children with it. A snapshot
    may well name the message it belongs to; that is another field.

    Bad:
        {"message":{"id":"1","role":"user","parts":[{"part":"text","text":"Is it done?"}]}}
        {"snapshot":{"id":"1","message":"2","files":{}}}

    Fix: none, because it is not known which of the two a reference to the id means.
    """
    entry = seen.entry
    assert isinstance(entry, Snapshot)
    if entry.id and entry.id in seen.talk.skeleton.by_id:
        return (Diagnostic(f"the id {entry.id[:60]} is that of a message"),)
    return ()


def _report_identity(each: SharedMessage, what: str) -> Diagnostic:
    return Diagnostic(what, path=each.path, line=each.line, name=each.id)


@rule("IDS103", "conflicting-copies", "warning", on="source")
def conflicting_copies(setting: Setting) -> Iterator[Diagnostic]:
    """Two files have a message with the same id, and what it says differs.

    Why: one of them was edited, or the id was given twice. A merge of the files has both, and a
    program that keeps messages by id loses one.

    Bad:
        first.jsonl:   {"type":"user","uuid":"1","message":"Is the bread done?"}
        second.jsonl:  {"type":"user","uuid":"1","message":"Is the cake done?"}

    Fix: none, because both may be wanted and neither is the original beyond doubt.
    """
    for each in find_shared_ids(setting).conflicting:
        yield _report_identity(each, f"{each.id[:60]} says something else in {each.other[:80]}")


@rule("IDS104", "differing-copies", "note", on="source")
def differing_copies(setting: Setting) -> Iterator[Diagnostic]:
    """Two files have copies of the same message that differ in more than the name of the session.

    Why: an export left something out, or a program added something later. Merging keeps the
    fullest one.

    Bad:
        first.jsonl:   {"type":"user","uuid":"1","message":"Is it done?","cwd":"/bakery"}
        second.jsonl:  {"type":"user","uuid":"1","message":"Is it done?"}

    Fix: none, because each file is right in itself.
    """
    for each in find_shared_ids(setting).differing:
        yield _report_identity(each, f"{each.id[:60]} differs from its copy in {each.other[:80]}")


@rule("IDS108", "session-in-several-files", "note", on="source")
def session_in_several_files(setting: Setting) -> Iterator[Diagnostic]:
    """Messages of one session stand in several files that are conversations of their own.

    Why: looking at one of them is not looking at the session; it was resumed, copied or split.

    Bad:
        first.jsonl:   {"type":"user","uuid":"1","sessionId":"s","message":"Is the bread done?"}
        second.jsonl:  {"type":"user","uuid":"2","sessionId":"s","message":"And the cake?"}

    Fix: none, because each file is sound; merging makes one conversation of them.
    """
    files: dict[str, str] = {}
    for talk in setting.talks:
        nodes = zip(talk.skeleton.traits, talk.skeleton.sidechain, strict=True)
        if all(side or not trait for trait, side in nodes):
            # Files of sub-agents name the session that started them.
            continue
        path = talk.conversation.main_file
        for session in talk.facts.session_names:
            first = files.setdefault(session, path)
            if first != path:
                what = f"messages of session {session[:60]} stand in {first[:80]} too"
                yield Diagnostic(what, path=path)
