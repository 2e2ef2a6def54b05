"""TRE1: the links between messages."""

from __future__ import annotations

from collections.abc import Iterator

from talktree.checks.support.message_ids import find_parents_elsewhere
from talktree.checks.support.tree_links import (
    can_be_named,
    find_interleaved,
    find_unmarked_sidechains,
    link_as_inferred,
    link_to,
    links_of,
    mark_as_sidechain,
)
from talktree.formats.fixes import Change
from talktree.formats.rule import Diagnostic, make_safe_fix, make_unsafe_fix, rule
from talktree.formats.rule_context import CheckedConversation
from talktree.model.inferred_links import SEQUENCE
from talktree.model.skeleton import ROOT


@rule("TRE101", "dangling-parent", "error", on="talk", fix=make_safe_fix(link_as_inferred))
def dangling_parent(talk: CheckedConversation) -> Iterator[Diagnostic]:
    """A message names a parent that is neither in this conversation nor in a file beside it.

    Why: programs that follow the links stop here, and everything that was said before seems to be
    gone: of a long session a few messages may be left.

    Bad:
        {"type":"user","uuid":"1","parentUuid":null,"message":"Is the bread done?"}
        {"type":"assistant","uuid":"3","parentUuid":"2","message":"Ten more minutes."}

    Fix (safe): its parent is the message before it of the same session and the same sub-agent, with
    its siblings beside it; the log says that the link is inferred and what it replaced.
    """
    if not talk.skeleton.dangling:
        return
    elsewhere, links = find_parents_elsewhere(talk), links_of(talk)
    for position, missing in talk.skeleton.dangling.items():
        if missing not in elsewhere and links.get(position, ROOT) != ROOT:
            what = f"its parent {missing[:60]} is not here"
            yield Diagnostic(what, position=position, sought=missing)


@rule("TRE102", "parent-cycle", "error", on="talk", fix=make_safe_fix(link_as_inferred))
def parent_cycle(talk: CheckedConversation) -> Iterator[Diagnostic]:
    """The parents of a message lead back to itself.

    Why: programs that walk from message to message never stop; they hang or run out of memory.

    Bad:
        {"type":"user","uuid":"1","parentUuid":"2","message":"Is the bread done?"}
        {"type":"assistant","uuid":"2","parentUuid":"1","message":"Ten more minutes."}

    Fix (safe): the link that points forward in the file is cut, since it cannot be true, and the
    message before it becomes its parent, or it starts the conversation if there is none.
    """
    for position, named in talk.skeleton.looped.items():
        if named != talk.skeleton.own_id(position):
            what = f"its parents lead back to itself, by way of {named[:60]}"
            yield Diagnostic(what, position=position, sought=named)


@rule("TRE103", "false-fork", "error", on="talk", fix=make_safe_fix(link_as_inferred))
def false_fork(talk: CheckedConversation) -> Iterator[Diagnostic]:
    """A message is a child of a progress note, a hook or a failed request beside the conversation.

    Why: the recorder took the note for the last thing that was said. Programs that follow the links
    from the end skip all replies beside the note, as if they were not there.

    Bad:
        {"type":"user","uuid":"1","parentUuid":null,"message":"Is the bread done?"}
        {"type":"system","uuid":"2","parentUuid":"1","message":"Oven checked"}
        {"type":"assistant","uuid":"3","parentUuid":"1","message":"Ten more minutes."}
        {"type":"user","uuid":"4","parentUuid":"2","message":"And now?"}

    Fix (safe): the last message of that part becomes its parent. This is reported only if the note
    was written while the conversation went on and that part was over before, so that the user
    cannot have gone back. It is not done where another message has the same id and would be taken
    for that one.
    """
    found = {each for each in links_of(talk) if each not in talk.skeleton.dangling}
    for position in sorted(found - talk.skeleton.looped.keys() - talk.skeleton.astray.keys()):
        above = talk.skeleton.ids[talk.skeleton.parents[position]]
        what = f"it hangs on the note {above[:60]}, beside the talk that it continues"
        end = links_of(talk)[position]
        yield Diagnostic(what, position=position, fixable=can_be_named(talk, end, position))


@rule("TRE105", "self-parent", "error", on="talk", fix=make_safe_fix(link_as_inferred))
def self_parent(talk: CheckedConversation) -> Iterator[Diagnostic]:
    """A message names itself as its parent.

    Why: programs that walk from message to message never stop, and what was said before is cut off.

    Bad:
        {"type":"user","uuid":"1","parentUuid":"1","message":"Is the bread done?"}

    Fix (safe): the message before it becomes its parent, or it starts the conversation if there is
    none.
    """
    for position, named in talk.skeleton.looped.items():
        if named == talk.skeleton.own_id(position):
            yield Diagnostic("it is its own parent", position=position)


@rule("TRE106", "forward-parent", "note", on="talk")
def forward_parent(talk: CheckedConversation) -> Iterator[Diagnostic]:
    """A message is before its parent in the file.

    Why: the tree is sound, but programs that read a file line by line take the message for one
    without a parent.

    Bad:
        {"type":"assistant","uuid":"2","parentUuid":"1","message":"Ten more minutes."}
        {"type":"user","uuid":"1","parentUuid":null,"message":"Is the bread done?"}

    Fix: none, because the order of records is never changed and the links are right.
    """
    skeleton = talk.skeleton
    if not skeleton.points_forward:
        return
    for position, above in enumerate(skeleton.parents):
        if above > position and position not in skeleton.linked:
            parent = skeleton.ids[above]
            what = f"its parent {parent[:60]} stands behind it"
            yield Diagnostic(what, position=position, sought=parent)


@rule("TRE107", "sidechain-mismatch", "warning", on="talk", fix=make_safe_fix(mark_as_sidechain))
def sidechain_mismatch(talk: CheckedConversation) -> Iterator[Diagnostic]:
    """A message is among those of a sub-agent, or answers one, and is not marked as its own.

    Where the format's document demands that the mark is consistent, only a reply of the assistant
    may lead back to the main conversation: all messages from the first with the mark to the first
    reply without it must have the mark.

    Why: it shows up in the main conversation, and the sub-agent's branch ends before it.

    Bad:
        {"type":"user","uuid":"2","parentUuid":"1","isSidechain":true,"message":"Look it up."}
        {"type":"assistant","uuid":"3","parentUuid":"2","message":"Looking."}
        {"type":"assistant","uuid":"4","parentUuid":"3","isSidechain":true,"message":"Found."}

    Fix (safe): it is marked too. That is done only where the same sub-agent wrote its parent, where
    its parent and all its replies are marked, or where it is the result of a sub-agent's call.
    """
    for position, sure in find_unmarked_sidechains(talk):
        what = "it stands on a sidechain and is not marked as such"
        yield Diagnostic(what, position=position, fixable=sure)


@rule("TRE108", "concurrent-branches", "warning", on="talk")
def concurrent_branches(talk: CheckedConversation) -> Iterator[Diagnostic]:
    """Two branches were written at the same time, some records of one, then some of the other.

    Why: two programs continued one session. Both lines are whole, but a reader of the last one does
    not see the other, and the model in each did not know of it.

    Bad:
        {"type":"user","uuid":"1","parentUuid":null,"message":"Is the bread done?"}
        {"type":"user","uuid":"2","parentUuid":"1","message":"Look at the oven."}
        {"type":"user","uuid":"3","parentUuid":"1","message":"Look at the clock."}
        {"type":"user","uuid":"4","parentUuid":"2","message":"And the crust?"}
        {"type":"user","uuid":"5","parentUuid":"3","message":"And the date?"}

    Fix: none, because both branches are real and neither is to be preferred.
    """
    if talk.format.has_branch_log(talk):
        return
    for position, fork in find_interleaved(talk.conversation):
        other = talk.skeleton.ids[fork]
        what = f"written at the same time as another branch from {other[:60]}"
        yield Diagnostic(what, position=position)


@rule("TRE109", "parent-elsewhere", "note", on="talk")
def parent_elsewhere(talk: CheckedConversation) -> Iterator[Diagnostic]:
    """A message continues one in another file.

    Why: this file alone is not the whole conversation; it was resumed from another, or it is that
    of a sub-agent.

    Bad:
        first.jsonl:   {"type":"user","uuid":"1","parentUuid":null,"message":"Is it done?"}
        second.jsonl:  {"type":"assistant","uuid":"2","parentUuid":"1","message":"Not yet."}

    Fix: none, because the link is right.
    """
    if not talk.skeleton.dangling:
        return
    elsewhere = find_parents_elsewhere(talk)
    for position, missing in talk.skeleton.dangling.items():
        if missing in elsewhere:
            what = f"its parent {missing[:60]} stands in {elsewhere[missing][:80]}"
            yield Diagnostic(what, position=position, sought=missing)


@rule("TRE110", "lost-origin", "note", on="talk")
def lost_origin(talk: CheckedConversation) -> Iterator[Diagnostic]:
    """A message without a parent names what it follows, and that is not here or is below it.

    Why: after a compaction, or where a branch of another session starts, a reader cannot go back
    from here to what was said before.

    Bad:
        {"type":"system","subtype":"compact_boundary","uuid":"2","parentUuid":null,
         "logicalParentUuid":"1","content":"Conversation compacted"}

    Fix: none, because to all programs it starts anew, and the name may still lead somewhere.
    """
    for position, origin in talk.skeleton.astray.items():
        what = talk.skeleton.explain_unreachable(position)
        if what is not None:
            yield Diagnostic(what, position=position, sought=origin)


@rule("TRE111", "lost-beginning", "warning", on="talk", fix=make_safe_fix(link_as_inferred))
def lost_beginning(talk: CheckedConversation) -> Iterator[Diagnostic]:
    """The first message of a conversation, session or sub-agent names a parent that is nowhere.

    Why: what was said before is missing, or lies in a file that was not found beside this one.

    Bad:
        {"type":"assistant","uuid":"2","parentUuid":"1","message":"Ten more minutes."}

    Fix (safe): the message becomes what it is in fact, a start without a parent; the log keeps the
    name of the parent.
    """
    if not talk.skeleton.dangling:
        return
    elsewhere, links = find_parents_elsewhere(talk), links_of(talk)
    for position, missing in talk.skeleton.dangling.items():
        if missing not in elsewhere and links.get(position, ROOT) == ROOT:
            what = f"its parent {missing[:60]} is nowhere, and nothing stands before it"
            yield Diagnostic(what, position=position, sought=missing)


def _find_unlinked(talk: CheckedConversation) -> list[int]:
    """Return the messages without a parent that are taken to follow the one before."""
    return sorted(at for at, kind in talk.skeleton.linked.items() if kind == SEQUENCE)


def _link_in_order(talk: CheckedConversation, diagnostic: Diagnostic) -> Iterator[Change]:
    for position in _find_unlinked(talk):
        above = talk.skeleton.parents[position]
        if can_be_named(talk, above, position):
            yield link_to(talk, position, above)


@rule("TRE112", "missing-links", "warning", on="talk", fix=make_unsafe_fix(_link_in_order))
def missing_links(talk: CheckedConversation) -> Iterator[Diagnostic]:
    """Most messages name no parent, so that each seems to start a conversation of its own.

    Why: programs that follow the links show the last message and nothing else. Talktree takes the
    messages in the order of the file: each follows the one before it, a sub-agent's apart from the
    main line.

    Bad:
        {"type":"user","uuid":"1","message":"Is the bread done?"}
        {"type":"assistant","uuid":"2","message":"Ten more minutes."}

    Fix (unsafe): the parents are written down as they are inferred. Whether messages were said in
    the order of the file, only those who wrote it know.
    """
    found = _find_unlinked(talk)
    if found:
        one = len(found) == 1
        who = "1 message names" if one else f"{len(found):,} messages name"
        yield Diagnostic(f"{who} no parent; taken in the order of the file", position=found[0])
