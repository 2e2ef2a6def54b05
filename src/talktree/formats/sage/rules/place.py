"""SAG11: where a message is: its role, its session, its branch, the form of its file."""

from __future__ import annotations

from collections.abc import Iterator

from talktree.formats.fixes import repair_value
from talktree.formats.rule import Diagnostic, make_unsafe_fix, rule
from talktree.formats.rule_context import CheckedConversation, RuleRecord
from talktree.formats.sage.detect_kinds import detect_kind
from talktree.formats.sage.parse import SessionSheet
from talktree.formats.sage.rules.message_line import SAGE, get_line_value, get_object, is_foreign
from talktree.model.message import Message
from talktree.text.json.value import Json

ROLES = {
    "user": ("user",),
    "assistant": ("assistant",),
    "system": ("system",),
    "tool_result": ("tool", "user"),
}
"""The allowed roles of each type; the user may also pass on tool results."""


def _with_role(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    value = seen.value
    assert isinstance(value, dict)
    held = get_object(value, "message") or {}
    return {**value, "message": {**held, "role": ROLES[str(value["type"])][0]}}


@rule(
    "SAG111", "role-against-type", "warning", on="message", formats=SAGE,
    fix=make_unsafe_fix(repair_value(_with_role)),
)  # fmt: skip
def role_against_type(seen: RuleRecord) -> Iterator[Diagnostic]:
    """The role inside a message contradicts the type of its line.

    Why: programs that go by the type and those that go by the role show different speakers, and
    the model is sent the wrong one.

    Bad:
        {"type":"user", ... "message":{"role":"assistant","content":"Which bed is dry?"}}

    Fix (unsafe): the role becomes that of the type, by which the line was written.
    """
    value = get_line_value(seen)
    held = None if value is None else value.get("message")
    if not isinstance(held, dict) or value is None:
        return
    role, allowed = held.get("role"), ROLES.get(str(value["type"]))
    if allowed and isinstance(role, str) and role not in allowed:
        yield Diagnostic(f"the type is {value['type']}, the role {role[:40]}", "message/role")


@rule("SAG112", "dangling-branch-point", "warning", on="message", formats=SAGE)
def dangling_branch_point(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A message says by `branchParentUuid` where its branch leaves, and that message is not here.

    Why: the branch cannot be drawn where it belongs, nor undone to that point.

    Bad:
        {"type":"user","uuid":"u2","parentUuid":"u1","branchParentUuid":"gone", ...}

    Fix: none, because its parent holds it in the tree, and where it left is not known.
    """
    entry = seen.entry
    assert isinstance(entry, Message)
    if entry.follows is None or entry.parent is None:
        return
    if entry.follows not in seen.talk.skeleton.by_id:
        what = f"the branch leaves at {entry.follows[:60]}, which is not here"
        yield Diagnostic(what, "branchParentUuid")


@rule("SAG113", "mixed-sessions", "warning", on="talk", formats=SAGE)
def mixed_sessions(talk: CheckedConversation) -> Iterator[Diagnostic]:
    """The log of one session holds messages of another.

    Why: a session is a folder of its own, and resuming it feeds every line of its log to the
    model, also those that were said elsewhere.

    Bad:
        {"type":"user","uuid":"u1","sessionId":"s1", ...}
        {"type":"user","uuid":"u2","parentUuid":"u1","sessionId":"s2", ...}

    Fix: none, because moving the lines to a session of their own is for people to decide.
    """
    names = talk.facts.session_names
    if len(names) < 2:
        return
    usual = talk.facts.sessions
    first = next(number for number in usual if number)
    diagnostic = {0, first}
    for position, number in enumerate(usual):
        if number not in diagnostic:
            diagnostic.add(number)
            value = talk.read_record(position).value
            if isinstance(value, dict) and is_foreign(value):
                continue
            name = list(names)[number - 1]
            yield Diagnostic(f"this is of the session {name[:60]}", "sessionId", position=position)


@rule("SAG114", "older-message-form", "error", on="message", formats=SAGE)
def older_message_form(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A message of the older form (`role` and `content` on one level) is among lines of the current
    one, or the other way round.

    Why: no version of Sage reads both; it skips the message.

    Bad:
        {"type":"user","uuid":"u1","sessionId":"s1", ... "message":{"role":"user","content":"Hi"}}
        {"role":"assistant","content":"Hello","timestamp":"2025-11-02T06:00:00Z"}

    Fix: none, because a message of the older form has no id; `talktree migrate` makes the whole
    session a current one.
    """
    value = seen.record.value
    if not isinstance(value, dict) or isinstance(value.get("type"), str) == (
        not _is_in_older_file(seen)
    ):
        return
    if _is_in_older_file(seen):
        yield Diagnostic("a message of the current form in an older session file")
    elif detect_kind(value, seen.record.path) == "legacy":
        yield Diagnostic("a message of the older form among current ones")


def _is_in_older_file(seen: RuleRecord) -> bool:
    return isinstance(seen.talk.sheet(seen.position)[0], SessionSheet)


@rule("SAG115", "usage-outside-replies", "note", on="message", formats=SAGE)
def usage_outside_replies(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A message that is no reply of the assistant counts tokens.

    Why: the document has usage for assistant messages; sums over all lines count it twice.

    Bad:
        {"type":"user", ... "usage":{"inputTokens":1500,"outputTokens":200}}

    Fix: none, because the numbers may be all that is known of what a reply cost.
    """
    entry = seen.entry
    assert isinstance(entry, Message)
    if entry.usage is None or entry.role == "assistant":
        return
    value = get_line_value(seen)
    if value is not None and not is_foreign(value):
        yield Diagnostic(f"a line of type {entry.role[:40]} counts tokens", "usage")
