"""SAG2: tool calls and tool results, in both places of results."""

from __future__ import annotations

from collections.abc import Iterator

from talktree.formats.fixes import repair_value
from talktree.formats.lens import Object
from talktree.formats.rule import Diagnostic, make_safe_fix, rule
from talktree.formats.rule_context import RuleRecord
from talktree.formats.sage.rules.message_line import (
    SAGE,
    get_line_value,
    get_list,
    get_object,
    is_foreign,
    is_plain,
)
from talktree.text.json.value import Json, is_same

CALL = {"id": str, "name": str, "arguments": dict}
RESULT = {"toolCallId": str, "toolName": str, "content": str, "success": bool}
RESULTS = "toolResults"
ANSWERS = "tool_result"


def _iterate_results(value: Object) -> Iterator[tuple[str, Json]]:
    """Yield every result of a line with its path, in either place."""
    for at, item in enumerate(get_list(value, RESULTS)):
        yield f"{RESULTS}/{at}", item
    held = value.get("message")
    if isinstance(held, dict) and RESULTS in held:
        for at, item in enumerate(get_list(held, RESULTS)):
            yield f"message/{RESULTS}/{at}", item


@rule("SAG201", "no-tool-results", "error", on="message", formats=SAGE)
def no_tool_results(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A line of type `tool_result` holds no results, neither at the top nor in its message.

    Why: the call it should answer stays open, and the model refuses to go on.

    Bad:
        {"type":"tool_result","uuid":"u3","parentUuid":"u2","timestamp":"2026-01-05T08:00:05Z",
         "sessionId":"s1","isSidechain":false}

    Fix: none, because what the tool said is not in the file.
    """
    value = get_line_value(seen)
    if value is None or value["type"] != ANSWERS or value.get(RESULTS):
        return
    held = get_object(value, "message") or {}
    if not held.get(RESULTS):
        yield Diagnostic("there are no toolResults")


def _remove_top_results(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    value = seen.value
    assert isinstance(value, dict)
    return {name: item for name, item in value.items() if name != RESULTS}


@rule(
    "SAG202",
    "results-in-both-places",
    "warning",
    on="message",
    formats=SAGE,
    fix=make_safe_fix(repair_value(_remove_top_results)),
)
def results_in_both_places(seen: RuleRecord) -> Iterator[Diagnostic]:
    """Tool results stand at the top of a line, as the document has them, and inside its message
    as well, as the program writes them.

    Why: each reader knows one place only, so two readers see different results.

    Bad:
        {"type":"tool_result", ... "toolResults":[{"toolCallId":"c1", ...}],
         "message":{"role":"tool","content":"","toolResults":[{"toolCallId":"c1", ...}]}}

    Fix (safe): where both are the same, the copy at the top goes, since the program looks for
    them in the message. Results that differ stay.
    """
    value = seen.record.value
    if not isinstance(value, dict) or not value.get(RESULTS):
        return
    held = get_object(value, "message") or {}
    if held.get(RESULTS):
        equal = is_same(value[RESULTS], held[RESULTS])
        what = "the same results stand twice" if equal else "different results stand in two places"
        yield Diagnostic(what, RESULTS, fixable=equal)


@rule("SAG203", "tools-in-wrong-line", "warning", on="message", formats=SAGE)
def tools_in_wrong_line(seen: RuleRecord) -> Iterator[Diagnostic]:
    """Tool calls stand in a line that is no reply of the assistant, or tool results in one that
    is not of type `tool_result`.

    Why: Sage takes calls from assistant messages and results from tool_result lines only; here
    they are passed over.

    Bad:
        {"type":"user", ... "message":{"role":"user","content":"Hi","toolCalls":[{"id":"c1", ...}]}}

    Fix: none, because the line itself may be what is wrong.
    """
    if is_plain(seen):
        return
    value = get_line_value(seen)
    if value is None or is_foreign(value):
        return
    type, held = value["type"], value.get("message")
    if isinstance(held, dict) and type != "assistant" and held.get("toolCalls"):
        yield Diagnostic(f"tool calls in a line of type {type}", "message/toolCalls")
    if type != ANSWERS:
        for way, _ in _iterate_results(value):
            yield Diagnostic(f"tool results in a line of type {type}", way.rpartition("/")[0])
            return


@rule("SAG204", "incomplete-call", "error", on="message", formats=SAGE)
def incomplete_call(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A tool call lacks its id, its name or its arguments, or has one of another type.

    Why: the document gives every call these three; Sage skips a line with a call it cannot load.

    Bad:
        {"type":"assistant", ... "message":{"role":"assistant","content":"",
         "toolCalls":[{"id":"c1","name":"bash"}]}}

    Fix: none, because what was called with what is not in the file.
    """
    if is_plain(seen):
        return
    value = get_line_value(seen)
    held = None if value is None else value.get("message")
    if not isinstance(held, dict) or not held.get("toolCalls"):
        return
    for at, item in enumerate(get_list(held, "toolCalls")):
        way = f"message/toolCalls/{at}"
        if not isinstance(item, dict):
            yield Diagnostic("a tool call that is no object", way)
            continue
        wrong = [name for name, kind in CALL.items() if not isinstance(item.get(name), kind)]
        if wrong:
            yield Diagnostic(f"a tool call without a sound {', '.join(wrong)}", way)


def _complete_call(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    value = seen.value
    assert isinstance(value, dict)
    outer, _, at = diagnostic.way.rpartition("/")
    inside = outer.startswith("message/")
    held = (get_object(value, "message") or {}) if inside else value
    results = list(get_list(held, RESULTS))
    item = results[int(at)]
    assert isinstance(item, dict)
    failed = isinstance(item.get("error"), str)
    usual: Object = {"toolName": "", "content": "", "success": not failed}
    results[int(at)] = {
        **{name: item.get(name) for name in item},
        **_find_missing_members(item, usual),
    }
    made = {**held, RESULTS: results}
    return {**value, "message": made} if inside else made


def _find_missing_members(item: Object, usual: Object) -> Object:
    return {name: given for name, given in usual.items() if item.get(name) is None}


@rule(
    "SAG205",
    "incomplete-result",
    "error",
    on="message",
    formats=SAGE,
    fix=make_safe_fix(repair_value(_complete_call)),
)
def incomplete_result(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A tool result lacks the id of its call, the name of the tool, its content or whether the
    tool succeeded, or has one of another type.

    Why: the document gives every result these four; Sage skips a line with one it cannot load, and
    without the id it is unknown which call is answered.

    Bad:
        {"type":"tool_result", ... "toolResults":[{"toolCallId":"c1","content":"done"}]}

    Fix (safe): a missing name or content becomes an empty text, which means unknown, and
    `success` follows from whether there is an `error`. A missing id is not made up.
    """
    value = get_line_value(seen)
    if value is None or value["type"] != ANSWERS:
        return
    for way, item in _iterate_results(value):
        if not isinstance(item, dict):
            yield Diagnostic("a tool result that is no object", way, fixable=False)
            continue
        wrong = [name for name, kind in RESULT.items() if not isinstance(item.get(name), kind)]
        fillable = [name for name in wrong if name != "toolCallId" and item.get(name) is None]
        if fillable:
            yield Diagnostic(f"a tool result without {', '.join(fillable)}", way)
        if rest := [name for name in wrong if name not in fillable]:
            yield Diagnostic(f"a tool result without a sound {', '.join(rest)}", way, fixable=False)


@rule("SAG206", "success-against-error", "warning", on="message", formats=SAGE)
def success_against_error(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A tool result says that it succeeded and tells an error.

    Why: one of the two is wrong, and the model reads both.

    Bad:
        {"toolCallId":"c1","toolName":"bash","content":"","success":true,"error":"not found"}

    Fix: none, because only the tool knew.
    """
    value = get_line_value(seen)
    if value is None or value["type"] != ANSWERS:
        return
    for way, item in _iterate_results(value):
        if isinstance(item, dict) and item.get("success") is True and item.get("error"):
            yield Diagnostic("it succeeded, and there is an error", f"{way}/error")
