"""One message with a given text in every place that a message has.

`say(place)` gives the text for a place: hostile conversations use the same text everywhere,
conversations of markers name the place.
"""

# ruff: noqa: E501  (texts that cannot be broken)
from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Iterator
from typing import Any

Say = Callable[[str], str]
Json = dict[str, Any]
DRAWING = "image/svg+xml"


def data_url(media_type: str, text: str) -> str:
    """Return text as the content of an attachment."""
    held = b64encode(text.encode("utf-8", "surrogatepass")).decode()
    return f"data:{media_type};base64,{held}"


def _calls(say: Say) -> Iterator[tuple[str, Json, str]]:
    """Return tools, their arguments and their results."""
    path = say("file path")
    shown = f"\x1b[31m{say('tool output')}\x1b[0m\n\x1b]0;{say('tool output')}\x07"
    question = {
        "question": say("question"),
        "options": [{"label": say("answer"), "description": "x"}],
    }
    yield say("tool name"), {say("argument name"): say("tool input"), "deep": [[path]]}, shown
    yield "Bash", {"command": say("command"), "description": say("description")}, shown
    yield "Read", {"file_path": path}, f"     1→{say('file content')}"
    yield (
        "Edit",
        {"file_path": path, "old_string": say("old"), "new_string": say("new") + " x"},
        "ok",
    )
    yield "Write", {"file_path": f"{path}.html", "content": say("written")}, "ok"
    yield "Grep", {"pattern": say("pattern"), "path": path}, say("found")
    yield "WebFetch", {"url": say("address"), "prompt": say("fetch prompt")}, say("fetched")
    yield "Task", {"description": say("task"), "prompt": say("task prompt")}, say("task result")
    yield "Skill", {"command": say("skill")}, "ok"
    yield "ExitPlanMode", {"plan": say("plan")}, "ok"
    yield "AskUserQuestion", {"questions": [question]}, "ok"
    yield "mcp__a__b", {"q": say("mcp input")}, json.dumps({say("json key"): say("json value")})
    yield "TodoWrite", {"todos": [{"content": say("todo written"), "status": "pending"}]}, "ok"


def called(say: Say, id: str) -> tuple[list[Json], list[Json]]:
    """Return the calls of a message, and their results; the last one failed."""
    calls: list[Json] = []
    results: list[Json] = []
    for number, (name, given, gave) in enumerate(_calls(say)):
        call = f"{id}-c{number}"
        calls.append({"part": "tool_call", "name": name, "input": given, "id": call})
        output = [{"part": "text", "text": gave}]
        results.append({"part": "tool_result", "output": output, "call": call, "name": name})
    results[-1]["error"] = True
    return calls, results


def held(say: Say) -> list[Json]:
    """Return attachments, artifacts, events and unknown parts."""
    media, made = say("media type"), say("artifact")
    files = [
        (say("attachment name"), media, say("attachment address")),
        (say("image name"), "image/png", say("image address")),
        (say("page name"), "text/html", data_url("text/html", say("page content"))),
        (say("drawing name"), DRAWING, data_url(DRAWING, f"<svg>{say('drawing')}</svg>")),
    ]
    kinds = (
        "text/html",
        "text/markdown",
        DRAWING,
        "application/vnd.ant.mermaid",
        say("artifact kind"),
    )
    events: list[tuple[str, Any, Any]] = [
        (say("event kind"), say("event"), {say("event key"): say("event value")}),
        ("hook", None, {"hook": say("hook")}),
        ("summary", say("summary"), None),
        (
            "command",
            say("slash command"),
            {"name": say("command name"), "args": say("command words")},
        ),
        ("command_output", say("command output"), None),
        ("compacted", say("compaction"), {"trigger": say("trigger")}),
    ]
    return [
        *({"part": "attachment", "name": n, "media_type": m, "url": u} for n, m, u in files),
        *({"part": "artifact", "id": say("artifact id"), "media_type": kind, "title": say("artifact title"),
           "content": made} for kind in kinds),
        *({"part": "event", "kind": k, "text": t, "data": d} for k, t, d in events),
        {"part": "unknown", "kind": say("unknown kind"), "value": {say("unknown key"): say("unknown")}},
    ]  # fmt: skip


def messages(say: Say, id: str, parent: str | None, second: int) -> tuple[Json, Json]:
    """Return a message with all of it, and the one with the results."""
    calls, results = called(say, id)
    words = [{"part": "thinking", "text": say("thinking")}, {"part": "text", "text": say("text")}]
    todo = {"content": say("todo"), "status": say("todo state"), "active_form": say("todo doing")}
    where = {"cwd": say("cwd"), "git_branch": say("git branch"), "version": say("version")}
    facts = {
        "authors": [{"name": say("author"), "version": say("author version")}],
        "tags": [say("tag")], "model": say("model"), "agent": say("agent"), "context": where,
        "todos": [todo], "extra": {say("extra key"): say("extra")}, "session": say("session"),
        "usage": {"input": 10, "output": 2},
    }  # fmt: skip
    asked = {"id": id, "parent": parent, "role": "assistant", "parts": [*words, *calls, *held(say)]}
    answer = {"id": f"{id}-r", "parent": id, "role": "user", "parts": results}
    return {**asked, **facts, "time": when(second)}, {**answer, "time": when(second + 1)}


ARTIFACTS = ("text/html", "text/markdown", DRAWING, "text/x-python")
"""Kinds that are used in turn, one for each text."""


def shortly(text: str, number: int, id: str, parent: str | None) -> tuple[Json, Json]:
    """Return a message with one text in one place of each kind, so that thousands can be shown."""
    path = f"/w/{text}"
    calls = {
        text: {text: text, "deep": [text]},
        "Bash": {"command": text, "description": text},
        "Edit": {"file_path": path, "old_string": text, "new_string": f"{text} x"},
        "TodoWrite": {"todos": [{"content": text, "status": "pending"}]},
    }
    asked: list[Json] = [
        {"part": "tool_call", "name": name, "input": given, "id": f"{id}-{at}"}
        for at, (name, given) in enumerate(calls.items())
    ]
    gave: list[Json] = [
        {"part": "tool_result", "output": [{"part": "text", "text": text}], "call": call["id"]}
        for call in asked
    ]
    parts = [
        {"part": "artifact", "id": text, "title": text, "content": text,
         "media_type": ARTIFACTS[number % len(ARTIFACTS)]},
        {"part": "thinking", "text": text}, {"part": "text", "text": text}, *asked,
        {"part": "attachment", "name": text, "media_type": "text/plain", "url": text},
        {"part": "event", "kind": text, "text": text, "data": {text: text}},
    ]  # fmt: skip
    facts = {"model": text, "tags": [text], "todos": [{"content": text, "status": text}]}
    first = {"id": id, "parent": parent, "role": "assistant", "parts": parts, **facts}
    return first, {"id": f"{id}-r", "parent": id, "role": "user", "parts": gave}


def when(second: int) -> str:
    """Return the time of a message."""
    hour, minute = second // 3600 % 24, second // 60 % 60
    return f"2026-05-02T{hour:02}:{minute:02}:{second % 60:02}.000Z"
