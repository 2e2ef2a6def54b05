"""CLM2: subtypes and their members. CLM3: roles in a sidechain."""

from __future__ import annotations

from collections.abc import Iterable

from talktree.formats.claude_messages.rules.message_types import (
    CLAUDE_MESSAGES,
    get_line_value,
    is_documented,
)
from talktree.formats.fixes import repair_value
from talktree.formats.rule import Diagnostic, make_safe_fix, make_unsafe_fix, rule
from talktree.formats.rule_context import RuleRecord
from talktree.model.message import SIDECHAIN, Message
from talktree.model.parts import ToolCall
from talktree.text.json.value import Json

SUBTYPES = {
    "user": frozenset({"command"}),
    "assistant": frozenset({"response", "tool_use", "thinking", "command", "error"}),
    "system": frozenset({"tool_result", "error", "meta"}),
    "compact_system": frozenset[str](),
}
MARKED = {"error": "isError", "meta": "isMeta"}
"""Subtypes of system messages, and the flag of each."""
TOOL = ("toolName", "toolArguments")


@rule("CLM201", "undocumented-subtype", "warning", on="message", formats=CLAUDE_MESSAGES)
def undocumented_subtype(seen: RuleRecord) -> Iterable[Diagnostic]:
    """A line has a subtype that the document does not know for its type.

    Why: readers choose by it how to show a line; one they do not know is shown as plain words, or
    not at all.

    Bad:
        {"type":"assistant","subtype":"answer","uuid":"msg-003","message":"Sure."}

    Fix: none, because what was meant is not known.
    """
    value = get_line_value(seen)
    subtype = value.get("subtype")
    if subtype is None or not isinstance(subtype, str):
        return ()
    kind = str(value.get("type"))
    if subtype in SUBTYPES.get(kind, ()) or not is_documented(value):
        return ()
    return [Diagnostic(f"{kind} messages have no subtype {subtype[:40]}", way="subtype")]


def _with_arguments(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    value = get_line_value(seen)
    return value if value.get("toolArguments") is not None else {**value, "toolArguments": {}}


@rule(
    "CLM202",
    "incomplete-tool-use",
    "error",
    on="message",
    formats=CLAUDE_MESSAGES,
    fix=make_unsafe_fix(repair_value(_with_arguments)),
)
def incomplete_tool_use(seen: RuleRecord) -> Iterable[Diagnostic]:
    """A tool invocation lacks the name of the tool or its arguments.

    Why: the document demands both; without them it is unknown what was done, and it cannot be done
    again.

    Bad:
        {"type":"assistant","subtype":"tool_use","uuid":"msg-004","toolName":"Write"}

    Fix (unsafe): missing arguments become an empty object, as if the tool had been given nothing.
    A missing name stays missing.
    """
    value = get_line_value(seen)
    if value.get("subtype") != "tool_use" or value.get("type") != "assistant":
        return ()
    if not is_documented(value):
        return ()
    named = value.get("toolName") not in (None, "")
    given = value.get("toolArguments") is not None
    diagnostic = [] if named else [Diagnostic("a call of no tool", fixable=False)]
    return diagnostic if given else [*diagnostic, Diagnostic("a call without arguments")]


def _mark_as_call(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    value = get_line_value(seen)
    return {**value, "subtype": "tool_use"} if _is_unmarked(value) else value


def _is_unmarked(value: dict[str, Json]) -> bool:
    return value.get("type") == "assistant" and value.get("subtype") is None


@rule(
    "CLM203",
    "misplaced-tool-fields",
    "error",
    on="message",
    formats=CLAUDE_MESSAGES,
    fix=make_safe_fix(repair_value(_mark_as_call)),
)
def misplaced_tool_fields(seen: RuleRecord) -> Iterable[Diagnostic]:
    """A line has `toolName` or `toolArguments`, but is no tool invocation.

    Why: a line must be what its type and subtype say; readers that go by them miss the call.

    Bad:
        {"type":"assistant","uuid":"msg-004","toolName":"Bash","toolArguments":{"command":"ls"}}

    Fix (safe): an assistant's line without a subtype gets `tool_use`, since nothing else has these
    fields. Other lines stay as they are.
    """
    value = get_line_value(seen)
    if "toolName" not in value and "toolArguments" not in value:
        return ()
    if value.get("subtype") == "tool_use" and value.get("type") == "assistant":
        return ()
    key = next(key for key in TOOL if key in value)
    what = f"{key} in a line that is no tool_use"
    return [Diagnostic(what, way=key, fixable=_is_unmarked(value) and "toolName" in value)]


def _add_flag(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    value = get_line_value(seen)
    flag = MARKED.get(str(value.get("subtype")))
    return value if flag is None or value.get(flag) is not None else {**value, flag: True}


@rule(
    "CLM204",
    "subtype-without-flag",
    "warning",
    on="message",
    formats=CLAUDE_MESSAGES,
    fix=make_safe_fix(repair_value(_add_flag)),
)
def subtype_without_flag(seen: RuleRecord) -> Iterable[Diagnostic]:
    """A system message is an error without `isError`, or metadata without `isMeta`.

    Why: some readers go by the subtype and some by the flag, so they disagree about whether it
    failed, or whether people should see it.

    Bad:
        {"type":"system","subtype":"error","uuid":"msg-007","message":"Permission denied"}

    Fix (safe): a missing flag is set, as the document has it. One that says the opposite stays.
    """
    value = get_line_value(seen)
    flag = MARKED.get(value["subtype"]) if isinstance(value.get("subtype"), str) else None  # type: ignore[arg-type]
    if flag is None or value.get("type") != "system" or value.get(flag) is True:
        return ()
    subtype = value["subtype"]
    return [Diagnostic(f"{subtype} without {flag}", way="subtype", fixable=value.get(flag) is None)]


@rule("CLM205", "result-without-call", "warning", on="message", formats=CLAUDE_MESSAGES)
def result_without_call(seen: RuleRecord) -> Iterable[Diagnostic]:
    """A tool result is where no tool was used before: nothing it could be the result of.

    Why: results do not name their call here; only the messages above tell what was called. Without
    them the result means nothing.

    Bad:
        {"type":"user","uuid":"msg-001","message":"Hello"}
        {"type":"system","subtype":"tool_result","uuid":"msg-002","parentUuid":"msg-001","message":"ok"}

    Fix: none, because it may well be true; only the call is missing.
    """
    skeleton, position = seen.talk.skeleton, seen.position
    notes = seen.talk.notes
    if "CLM205" not in notes:
        notes["CLM205"] = bytearray(len(skeleton))
    called: bytearray = notes["CLM205"]
    above, entry = skeleton.find_named_parent(position), seen.entry
    assert isinstance(entry, Message)
    # If the parent is missing or comes later, its side is not known.
    unknown = above > position or position in skeleton.dangling
    called[position] = unknown or (above >= 0 and called[above]) or _has_call(entry)
    if called[position] or get_line_value(seen).get("subtype") != "tool_result":
        return ()
    return [Diagnostic("a result, and no tool was used before", way="subtype")]


def _has_call(entry: Message) -> bool:
    return any(isinstance(part, ToolCall) for part in entry.parts)


def _mark_as_external(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    value = get_line_value(seen)
    return value if value.get("userType") is not None else {**value, "userType": "external"}


@rule(
    "CLM301",
    "user-type-mismatch",
    "warning",
    on="message",
    formats=CLAUDE_MESSAGES,
    fix=make_safe_fix(repair_value(_mark_as_external)),
)
def user_type_mismatch(seen: RuleRecord) -> Iterable[Diagnostic]:
    """`userType` and `isSidechain` of a user message disagree about who speaks.

    Why: in a sidechain Claude is the user, which the document marks with `external`; outside it a
    human is. Where the two disagree, Claude's words are taken for a human's, or the reverse.

    Bad:
        {"type":"user","uuid":"msg-002","isSidechain":true,"message":"Analyze this code"}

    Fix (safe): a sidechain message without `userType` gets `external`, which is what the document
    says it is. A human's message that is marked so stays as it is.
    """
    entry, value = seen.entry, get_line_value(seen)
    assert isinstance(entry, Message)
    if entry.role != "user" or not is_documented(value):
        return ()
    aside, said = SIDECHAIN in entry.flags, value.get("userType")
    if aside == (said == "external"):
        return ()
    if aside:
        return [Diagnostic("Claude speaks, but is not marked as external", fixable=said is None)]
    return [Diagnostic("external outside a sidechain", way="userType", fixable=False)]


@rule("CLM302", "sidechain-break", "error", on="message", formats=CLAUDE_MESSAGES)
def sidechain_break(seen: RuleRecord) -> Iterable[Diagnostic]:
    """An assistant answers in another conversation than it was asked in: one of the two messages is
    marked as part of a sidechain, the other is not.

    Why: the document demands that the flag is the same throughout a sidechain. Where it is not,
    the sub-agent's words show up among those of Claude, or Claude's are hidden.

    Bad:
        {"type":"user","uuid":"msg-002","isSidechain":true,"message":"Review it"}
        {"type":"assistant","uuid":"msg-003","parentUuid":"msg-002","message":"It looks fine."}

    Fix: none, because either of the two flags may be the wrong one.
    """
    skeleton, above = seen.talk.skeleton, seen.talk.skeleton.find_named_parent(seen.position)
    if above < 0 or skeleton.roles[above] != "user":
        return ()
    entry = seen.entry
    assert isinstance(entry, Message)
    if entry.role != "assistant" or bool(skeleton.sidechain[above]) == (SIDECHAIN in entry.flags):
        return ()
    side = "outside" if skeleton.sidechain[above] else "in"
    return [Diagnostic(f"it answers a message of the other side, but stands {side} the sidechain")]
