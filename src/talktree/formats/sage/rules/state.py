"""SAG3: members of a message other than its text: thinking, tasks, context, version."""

from __future__ import annotations

from collections.abc import Iterator

from talktree.formats.fixes import repair_value
from talktree.formats.lens import Object
from talktree.formats.rule import Diagnostic, make_safe_fix, make_unsafe_fix, rule
from talktree.formats.rule_context import RuleRecord
from talktree.formats.sage.adopt import LEVELS, OTHER_LEVELS, OTHER_STATES, STATES
from talktree.formats.sage.rules.message_line import (
    SAGE,
    get_line_value,
    get_list,
    get_object,
    is_plain,
)
from talktree.text.json.value import Json

THINKING = "thinkingMetadata"
USER_TYPES = ("external", "internal")
MOST_SHOWN = 40


def _fix_level(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    value = seen.value
    assert isinstance(value, dict)
    held = get_object(value, THINKING) or {}
    level = str(held.get("level")).lower()
    level = OTHER_LEVELS.get(level, level)
    return {**value, THINKING: {**held, "level": level if level in LEVELS else "medium"}}


@rule(
    "SAG301",
    "thinking-level",
    "error",
    on="message",
    formats=SAGE,
    fix=make_unsafe_fix(repair_value(_fix_level)),
)
def thinking_level(seen: RuleRecord) -> Iterator[Diagnostic]:
    """The level of thinking is none of none, low, medium and high.

    Why: these four are all there are; Sage skips a line with another.

    Bad:
        "thinkingMetadata":{"level":"ultra","disabled":false,"triggers":[]}

    Fix (unsafe): the nearest of the four is written, or medium if the word is not known.
    """
    if is_plain(seen):
        return
    value = get_line_value(seen)
    held = None if value is None else value.get(THINKING)
    if not isinstance(held, dict):
        return
    level = held.get("level")
    if level is not None and (not isinstance(level, str) or level not in LEVELS):
        yield Diagnostic(
            f"{str(level)[:MOST_SHOWN]!r} is no level of thinking", f"{THINKING}/level"
        )


def _fix_thinking(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    value = seen.value
    assert isinstance(value, dict)
    held = get_object(value, THINKING) or {}
    disabled = held.get("disabled") is True
    usual: Object = {"level": "none" if disabled else "medium", "disabled": False}
    lacking = {name: item for name, item in usual.items() if held.get(name) is None}
    return {**value, THINKING: {**held, **lacking}}


@rule(
    "SAG302",
    "thinking-fields",
    "error",
    on="message",
    formats=SAGE,
    fix=make_safe_fix(repair_value(_fix_thinking)),
)
def thinking_fields(seen: RuleRecord) -> Iterator[Diagnostic]:
    """The thinking metadata lack their level or whether thinking is disabled, or hold triggers
    that are no list of texts.

    Why: level and disabled are required; Sage skips the line.

    Bad:
        "thinkingMetadata":{"level":"high","triggers":["think hard"]}

    Fix (safe): what is missing is filled in as Sage takes it by default: medium, or none where
    thinking is disabled; not disabled. Odd triggers stay.
    """
    if is_plain(seen):
        return
    value = get_line_value(seen)
    held = None if value is None else value.get(THINKING)
    if not isinstance(held, dict):
        return
    for name in ("level", "disabled"):
        if held.get(name) is None:
            yield Diagnostic(f"{THINKING} lacks {name}", THINKING)
    if not isinstance(held.get("disabled"), bool | None):
        yield Diagnostic(
            "disabled is neither true nor false", f"{THINKING}/disabled", fixable=False
        )
    triggers = held.get("triggers")
    if triggers is not None and not (
        isinstance(triggers, list) and all(isinstance(each, str) for each in triggers)
    ):
        yield Diagnostic("triggers is no list of texts", f"{THINKING}/triggers", fixable=False)


def _iterate_todos(seen: RuleRecord) -> Iterator[tuple[int, Json]]:
    value = None if is_plain(seen) else get_line_value(seen)
    if value is not None and value.get("todos"):
        yield from enumerate(get_list(value, "todos"))


def _with_todo(seen: RuleRecord, diagnostic: Diagnostic, **members: Json) -> Json:
    value = seen.value
    assert isinstance(value, dict)
    todos = list(get_list(value, "todos"))
    at = int(diagnostic.way.split("/")[1])
    old = todos[at]
    assert isinstance(old, dict)
    todos[at] = {**old, **members}
    return {**value, "todos": todos}


def _fix_state(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    state = str(diagnostic.about).lower()
    state = OTHER_STATES.get(state, state)
    return _with_todo(seen, diagnostic, status=state if state in STATES else STATES[0])


@rule(
    "SAG311",
    "todo-state",
    "error",
    on="message",
    formats=SAGE,
    fix=make_unsafe_fix(repair_value(_fix_state)),
)
def todo_state(seen: RuleRecord) -> Iterator[Diagnostic]:
    """The status of a task is none of pending, in_progress and completed.

    Why: Sage knows these three and skips a line with another.

    Bad:
        "todos":[{"content":"Water bed 1","status":"done","activeForm":"Watering bed 1"}]

    Fix (unsafe): the nearest of the three is written, or pending if the word is not known.
    """
    for at, item in _iterate_todos(seen):
        status = item.get("status") if isinstance(item, dict) else None
        if status is not None and (not isinstance(status, str) or status not in STATES):
            what = f"{str(status)[:MOST_SHOWN]!r} is no state of a task"
            yield Diagnostic(what, f"todos/{at}/status", about=status)


def _set_active_form(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    return _with_todo(seen, diagnostic, activeForm="")


@rule(
    "SAG312",
    "todo-fields",
    "error",
    on="message",
    formats=SAGE,
    fix=make_safe_fix(repair_value(_set_active_form)),
)
def todo_fields(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A task lacks its content, its status or its activeForm, or has one that is no text.

    Why: a task has all three; Sage skips a line with a task it cannot load.

    Bad:
        "todos":[{"content":"Water bed 1","status":"pending"}]

    Fix (safe): a missing activeForm becomes an empty text, which means that there is none. What
    the task is and how far it is are not made up.
    """
    for at, item in _iterate_todos(seen):
        if not isinstance(item, dict):
            yield Diagnostic("a task that is no object", f"todos/{at}", fixable=False)
            continue
        for name in ("content", "status", "activeForm"):
            given = item.get(name)
            if given is None:
                what, fixable = f"a task lacks its {name}", name == "activeForm"
                yield Diagnostic(what, f"todos/{at}", fixable=fixable)
            elif not isinstance(given, str) and name != "status":
                yield Diagnostic(
                    f"the {name} of a task is no text", f"todos/{at}/{name}", fixable=False
                )


@rule("SAG321", "user-type", "note", on="message", formats=SAGE)
def user_type(seen: RuleRecord) -> Iterator[Diagnostic]:
    """The type of the user is neither external nor internal.

    Why: the document knows these two; what another word means to a program is open.

    Bad:
        "context":{"cwd":"/home/ada","platform":"linux","userType":"guest"}

    Fix: none, because the word may be new, and nothing depends on it.
    """
    context = getattr(seen.entry, "context", None)
    word = None if context is None else context.user_type
    if word is not None and word not in USER_TYPES:
        yield Diagnostic(f"{word[:MOST_SHOWN]!r} is no type of user", "context/userType")


@rule("SAG322", "odd-version", "note", on="message", formats=SAGE)
def odd_version(seen: RuleRecord) -> Iterator[Diagnostic]:
    """The version of the program is not written as numbers with dots, like `0.1.0`.

    Why: whether a line can be loaded is decided by comparing versions, and this one cannot be
    compared.

    Bad:
        {"type":"user", ... "version":"latest", ...}

    Fix: none, because which version wrote the line is not known.
    """
    context = getattr(seen.entry, "context", None)
    version = None if context is None else context.version
    if version and not (version[0].isdigit() and version.count(".") == 2):
        yield Diagnostic(f"{version[:MOST_SHOWN]!r} is no version", "version")
