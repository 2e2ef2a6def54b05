"""Damage to tool calls and contents: T01 to T05, C01, C02."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.conversion.trips import Files
from tests.damage.lines import Lines
from tests.damage.patterns import Case, pattern

NAMED = ["claude-code", "native"]
"""Formats in which a result names its call."""


def _blocks(lines: Lines, at: int) -> list[dict[str, Any]]:
    message = lines.message(at)
    if lines.slug == "native":
        parts: list[dict[str, Any]] = message["parts"]
        return parts
    content = message["message"]["content"]
    return content if isinstance(content, list) else []


def _set_blocks(lines: Lines, at: int, blocks: object) -> None:
    if lines.slug == "native":
        lines.set(at, parts=blocks)
        return
    value = lines.value(at)
    value["message"]["content"] = blocks
    value.pop("toolUseResult", None)
    lines.put(at, value)


def _kind(block: dict[str, Any]) -> object:
    return block.get("type", block.get("part"))


def _places(lines: Lines, *kinds: str) -> list[int]:
    return [
        at for at in lines.messages if any(_kind(block) in kinds for block in _blocks(lines, at))
    ]


def _calls(lines: Lines) -> list[int]:
    return _places(lines, "tool_use", "tool_call")


def _results(lines: Lines) -> list[int]:
    return _places(lines, "tool_result")


def _some_result(lines: Lines, random: Random) -> int | None:
    results = _results(lines)
    return random.choice(results) if results else None


def _words(lines: Lines, text: str) -> object:
    if lines.slug == "native":
        return [{"part": "text", "text": text}]
    return [{"type": "text", "text": text}]


@pattern("T01", "no-result", NAMED)
def no_result(files: Files, slug: str, random: Random) -> Case | None:
    lines = Lines(files, slug)
    results = _results(lines)
    # Where ids are optional, another pair has to show that they are used.
    if len(results) < (2 if slug == "native" else 1):
        return None
    at = random.choice(results)
    number = lines.number(at)
    _set_blocks(lines, at, _words(lines, f"No. {number}: never mind."))
    return Case(lines.done(), ["TOL101"])


@pattern("T02", "orphan-result", NAMED)
def orphan_result(files: Files, slug: str, random: Random) -> Case | None:
    lines = Lines(files, slug)
    calls = _calls(lines)
    if not calls:
        return None
    at = random.choice(calls)
    number = lines.number(at)
    _set_blocks(lines, at, _words(lines, f"No. {number}: nothing to call."))
    # The result without a call may be removed.
    touched = {lines.number(each) for each in _results(lines)}
    return Case(lines.done(), ["TOL102"], frozenset(touched))


@pattern("T03", "dup-tool-id", NAMED)
def dup_tool_id(files: Files, slug: str, random: Random) -> Case | None:
    lines = Lines(files, slug)
    calls = _calls(lines)
    if len(calls) < 2:
        return None
    ids = [
        block["id"]
        for at in calls
        for block in _blocks(lines, at)
        if _kind(block) in ("tool_use", "tool_call")
    ]
    for at, line in enumerate(lines.raw):
        lines.raw[at] = line.replace(ids[1].encode(), ids[0].encode())
    return Case(lines.done(), ["TOL103", "TOL104"])


@pattern("T03", "dup-result", NAMED)
def dup_result(files: Files, slug: str, random: Random) -> Case | None:
    lines = Lines(files, slug)
    at = _some_result(lines, random)
    if at is None:
        return None
    lines.raw.insert(at + 1, lines.raw[at])
    lines.set_id(at + 1, "5a5a5a5a-0000-4000-8000-00000000ffff")
    lines.set_parent(at + 1, lines.id(at))
    return Case(lines.done(), ["TOL104"])


@pattern("T04", "order", NAMED)
def order(files: Files, slug: str, random: Random) -> Case | None:
    lines = Lines(files, slug)
    at = _some_result(lines, random)
    if at is None:
        return None
    lines.raw[at - 1], lines.raw[at] = lines.raw[at], lines.raw[at - 1]
    return Case(lines.done(), ["TOL105"])


@pattern("T05", "lost-result", NAMED)
def lost_result(files: Files, slug: str, random: Random) -> Case | None:
    lines = Lines(files, slug)
    at = _some_result(lines, random)
    if at is None:
        return None
    touched = frozenset({lines.number(at)})
    blocks = _blocks(lines, at)
    reported = random.choice(["[Tool result missing due to internal error]", "[Tool result lost]"])
    for block in blocks:
        if slug == "native":
            block["output"] = [{"part": "text", "text": reported}]
            block["error"] = True
        else:
            block["content"] = reported
            block["is_error"] = True
    _set_blocks(lines, at, blocks)
    return Case(lines.done(), ["TOL106"], touched)


@pattern("C01", "empty-text", ["claude-code"])
def empty_text(files: Files, slug: str, random: Random) -> Case:
    lines = Lines(files, slug)
    replies = [at for at in lines.messages if lines.value(at)["type"] == "assistant"]
    at = random.choice(replies)
    blank = {"type": "text", "text": random.choice(["", " ", "\n\n"])}
    blocks = [*_blocks(lines, at)]
    blocks.insert(random.randint(0, len(blocks)), blank)
    _set_blocks(lines, at, blocks)
    return Case(lines.done(), ["CLC201"])


@pattern("C02", "thinking", ["claude-code"])
def thinking(files: Files, slug: str, random: Random) -> Case:
    lines = Lines(files, slug)
    replies = [at for at in lines.messages if lines.value(at)["type"] == "assistant"]
    at = random.choice(replies)
    broken = random.choice(
        [
            {"type": "thinking", "thinking": "", "signature": "EqQBCkYIBxgCKkB="},
            {"type": "thinking", "thinking": "Let me see."},
        ]
    )
    _set_blocks(lines, at, [broken, *_blocks(lines, at)])
    return Case(lines.done(), ["CLC202", "CLC203"])
