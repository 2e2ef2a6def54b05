"""Parts as text: readable, exact, and editable."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from talktree.conversion.render import parse_part, render_part
from talktree.model.parts import (
    Artifact,
    Attachment,
    Event,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    UnknownPart,
)
from talktree.testing.strategies import any_text, damage_bytes, json_values, parts, wild_text
from talktree.text.json.value import Json, Token, is_same

JOINED_HALVES = re.compile(r"\\ud[89ab]..\\ud[c-f]")
"""Adjacent surrogate halves are one character to every reader of JSON."""
LINES = [
    *["```", "````text", "```json", "`", "> x", ">", "- a: 1", "- a:", "**Call: x**", "**Result**"],
    *["*(no input)*", "[Attachment]", "", " ", "\t", "\r", "\\", '"', "\x1b[31m", "x" * 70],
]
NAMES = [
    *["", " ", " x", '"', '"x"', "a*b", "a (b)", "(b/c)", "[x]", "<x>", "x: y", "a\\nb", "C:\\x"],
    *["\u200b", "\x7f", "\U000e0041", "n" * 80, "n" * 81, "mcp__a__b", "text/html; charset=utf-8"],
    *["data:,x", "DATA:,x", "https://a.b/c?d=e&f=g#h", "https://a.b/c_(d)", "/tmp/my file.png"],
]
tricky_lines = st.lists(st.sampled_from(LINES) | wild_text, max_size=6).map("\n".join)
"""Texts made of the same markup as rendered parts."""
tricky_names = tricky_lines | st.sampled_from(NAMES)
_maybe = st.none() | tricky_names
_tricky_inputs = st.dictionaries(
    st.sampled_from(["command", "file path", "a.b", "-x", "ключ"]) | tricky_names,
    tricky_lines | json_values | st.lists(tricky_lines, max_size=2),
    max_size=4,
)
_tricky_singles: st.SearchStrategy[Any] = st.one_of(
    st.builds(Thinking, tricky_lines),
    st.builds(ToolCall, tricky_names, _tricky_inputs | tricky_lines),
    st.builds(Attachment, _maybe, _maybe, _maybe),
    st.builds(Artifact, media_type=_maybe, title=_maybe, content=st.none() | tricky_lines),
    st.builds(Event, tricky_names, st.none() | tricky_lines),
    st.builds(UnknownPart, tricky_names, tricky_lines | _tricky_inputs),
)
tricky_parts: st.SearchStrategy[Part] = _tricky_singles | st.builds(
    ToolResult,
    st.lists(st.builds(Text, tricky_lines) | _tricky_singles, max_size=3).map(tuple),
    error=st.booleans(),
)
any_parts = parts | tricky_parts


def shown(part: Part) -> Part:
    """Return the part with only the fields that its text shows."""
    match part:
        case Thinking():
            return Thinking(part.text)
        case ToolCall():
            return ToolCall(part.name, part.input)
        case Attachment():
            held = part.url is not None and part.url[:5].lower() == "data:"
            return Attachment(part.name, part.media_type, None if held else part.url)
        case Artifact():
            return Artifact(None, part.media_type, part.title, part.content)
        case Event():
            return Event(part.kind, part.text)
        case UnknownPart():
            return part
        case ToolResult():
            output: Any = tuple(map(shown, part.output))
            return ToolResult(output, error=part.error)
        case Text():
            return Text(part.text)


def values(part: Part | None) -> list[Json]:
    """Return the JSON values in a part, which `==` would compare too loosely."""
    match part:
        case ToolCall():
            return [part.input]
        case UnknownPart():
            return [part.value]
        case ToolResult():
            return [value for each in part.output for value in values(each)]
        case _:
            return []


@given(any_parts)
def test_rendered_parts_are_read_back_exactly(part: Part) -> None:
    assume(not isinstance(part, Text))
    assume(not JOINED_HALVES.search(repr(part)))
    found = parse_part(render_part(part))
    assert found == shown(part)
    assert is_same(values(found), values(shown(part)))


@given(any_parts)
def test_rendering_what_was_read_gives_the_same_text(part: Part) -> None:
    assume(not isinstance(part, Text))
    assume(not JOINED_HALVES.search(repr(part)))
    text = render_part(part)
    assert text == render_part(part)
    found = parse_part(text)
    assert found is not None
    assert render_part(found) == text


@given(any_parts)
def test_only_empty_texts_look_empty(part: Part) -> None:
    text = render_part(part)
    assert text.strip() or isinstance(part, Text)
    # Content at the ends of a text is easily lost.
    assert text == text.strip("\n") or isinstance(part, Text)


@given(any_parts)
def test_no_half_of_a_character_is_written(part: Part) -> None:
    assume(not isinstance(part, Text))
    render_part(part).encode()


@given(tricky_lines | any_text)
def test_texts_stay_as_they_are(text: str) -> None:
    assert render_part(Text(text)) == text
    assert not isinstance(parse_part(text), Text)


@given(st.data())
def test_damaged_texts_are_answered(data: st.DataObject) -> None:
    whole = render_part(data.draw(any_parts)).encode("utf-8", "surrogatepass")
    text = data.draw(damage_bytes(whole)).decode("utf-8", "surrogateescape")
    found = parse_part(text)
    if found is not None:
        assert not isinstance(found, Text)
        assert render_part(found)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "**Call me**",
        "**Call: me**",
        "**Call: me**\n- now: please",
        "**Call: me**\n\nor not",
        "**Result**",
        "**Results**\n```text\n1\n```",
        "**Result**\n> as they say",
        "**Result**: fine",
        "**Error**\nnothing works",
        "**Example**\n```json\n{}\n```",
        "**Artifact**",
        "**Thinking** is hard",
        "> **Thinking**\nis hard",
        "> quoted",
        "*Event: tonight* at nine",
        "*emphasis*",
        "[Attachment styles](https://a.b) matter",
        "[link](https://a.b)",
        "```text\nx\n```",
        "- a: 1",
        "**Call: x**\n- a: 1\n- a: 2",
        "**Call: x**\n- a:\n```text\nnever closed",
        '**Call: "x\\"**\n*(no input)*',
        "**Call: x**\n```json\n\ud800\n```",
        "**Call: x**\n```json\n```",
    ],
)
def test_prose_is_prose(text: str) -> None:
    assert parse_part(text) is None


LOOKS: list[tuple[Part, str]] = [
    (Thinking("Let me see.\n\nYes."), "> **Thinking**\n> Let me see.\n> \n> Yes."),
    (Thinking(""), "> **Thinking**"),
    (Thinking("half \ud83c"), '**Thinking**\n```json\n"half \\ud83c"\n```'),
    (
        ToolCall("Bash", {"command": "ls -la", "timeout": 5, "background": False}),
        '**Call: Bash**\n- command: "ls -la"\n- timeout: 5\n- background: false',
    ),
    (
        ToolCall("Write", {"file_path": "/a", "content": "x = 1\n"}),
        '**Call: Write**\n- file_path: "/a"\n- content:\n```text\nx = 1\n\n```',
    ),
    (
        ToolCall("Note", {"text": "one\n```\ntwo\n```", "tags": ["a"], "n": Token("NaN")}),
        "**Call: Note**\n- text:\n````text\none\n```\ntwo\n```\n````"
        '\n- tags:\n```json\n["a"]\n```\n- n:\n```json\nNaN\n```',
    ),
    (ToolCall("List", {}), "**Call: List**\n*(no input)*"),
    (ToolCall("List", None), "**Call: List**\n```json\nnull\n```"),
    (ToolCall("a*b\n", {"": 1}), '**Call: "a\\u002ab\\n"**\n```json\n{"": 1}\n```'),
    (ToolResult((Text("done"),)), "**Result**\n```text\ndone\n```"),
    (
        ToolResult((Text("a"), Text("")), error=True),
        "**Error**\n```text\na\n```\n\n```text\n\n```",
    ),
    (ToolResult(), "**Result**\n*(empty result)*"),
    (
        ToolResult((Text("a"), Attachment("b.png", "image/png"), Event("cut"))),
        "**Result**\n```text\na\n```\n\n> [Attachment: b.png (image/png)]\n\n> *Event: cut*",
    ),
    (Attachment(), "[Attachment]"),
    (Attachment(None, "image/png", "data:image/png;base64,AAAA"), "[Attachment (image/png)]"),
    (
        Attachment("a (1).txt", None, "https://a.b/c"),
        '[Attachment: "a (1).txt"](https://a.b/c)',
    ),
    (Attachment("a", None, "/tmp/my file"), "[Attachment: a](</tmp/my file>)"),
    (
        Artifact("id", "text/html", "A page", "<p>"),
        "**Artifact: A page** (text/html)\n```text\n<p>\n```",
    ),
    (Artifact(), "**Artifact**\n*(no content)*"),
    (Event("compacted", "It was\nlong."), "*Event: compacted*\n> It was\n> long."),
    (Event("compacted"), "*Event: compacted*"),
    (UnknownPart("poll", {"yes": 1}), '**Unknown: poll**\n```json\n{"yes": 1}\n```'),
]


@pytest.mark.parametrize(("part", "text"), LOOKS, ids=[text[:20] for _, text in LOOKS])
def test_parts_look_like_this(part: Part, text: str) -> None:
    assert render_part(part) == text
    assert parse_part(text) == shown(part)


WRITE = ToolCall("Write", {"file_path": "/a", "content": "x = 1\ny = 2\n", "mode": [1, {"a": 2}]})
EDITS: list[tuple[Part, str, str, Part]] = [
    (
        WRITE,
        "x = 1",
        "x = '''\n```\n> - a: 1\n'''",
        ToolCall("Write", WRITE.input | {"content": "x = '''\n```\n> - a: 1\n'''\ny = 2\n"}),
    ),
    (WRITE, "x = 1", "x = 3", ToolCall("Write", WRITE.input | {"content": "x = 3\ny = 2\n"})),
    (WRITE, "x = 1\ny = 2\n", "", ToolCall("Write", WRITE.input | {"content": ""})),
    (WRITE, "```\n- mode", "```\n\n- mode", WRITE),
    (WRITE, '"/a"', '"/b"', ToolCall("Write", WRITE.input | {"file_path": "/b"})),
    (WRITE, '{"a": 2}', "null", ToolCall("Write", WRITE.input | {"mode": [1, None]})),
    (WRITE, "Write", "Save", ToolCall("Save", WRITE.input)),
    (
        ToolCall("Bash", {"command": "ls", "timeout": 5}),
        "ls",
        "ls " + "-l " * 40,
        ToolCall("Bash", {"command": "ls " + "-l " * 40, "timeout": 5}),
    ),
    (Thinking("one\n\ntwo\n"), "two", "2\n> 3", Thinking("one\n\n2\n3\n")),
    (Thinking("one\n\ntwo\n"), "> \n", ">\n", Thinking("one\n\ntwo\n")),
    (
        ToolResult((Text("one"), Text("two\n")), error=True),
        "two",
        "```\n2\n```",
        ToolResult((Text("one"), Text("```\n2\n```\n")), error=True),
    ),
    (ToolResult((Text("one"),)), "**Result**", "**Error**", ToolResult((Text("one"),), error=True)),
    (
        Artifact(None, "text/html", "Page", "<p>"),
        "<p>",
        "<p>\n</p>",
        Artifact(None, "text/html", "Page", "<p>\n</p>"),
    ),
    (Event("note", "before"), "before", "after", Event("note", "after")),
    (UnknownPart("poll", {"yes": 1}), "1", "2", UnknownPart("poll", {"yes": 2})),
]


@pytest.mark.parametrize(("part", "old", "new", "expected"), EDITS)
def test_an_edit_comes_through_and_nothing_else_changes(
    part: Part, old: str, new: str, expected: Part
) -> None:
    text = render_part(part)
    assert old in text
    found = parse_part(text.replace(old, new, 1))
    assert found == expected
    assert is_same(values(found), values(expected))


@given(tricky_lines, tricky_lines)
def test_lines_added_to_a_text_come_through(first: str, second: str) -> None:
    assume("```" not in second)
    text = render_part(ToolCall("Write", {"content": f"start\n{first}\nend", "mode": 1}))
    assume("start\n" in text)
    found = parse_part(text.replace("start\n", f"start\n{second}\n", 1))
    assert found == ToolCall("Write", {"content": f"start\n{second}\n{first}\nend", "mode": 1})


@pytest.mark.parametrize("depth", [30, 300, 30_000])
def test_depth_does_no_harm(depth: int) -> None:
    value: Json = "x" * 100
    for _ in range(depth):
        value = [value]
    for part in (ToolCall("x", {"deep": value}), ToolCall("x", value), UnknownPart("x", value)):
        text = render_part(part)
        assert len(text) < 10 * depth + 1000
        assert is_same(values(parse_part(text)), values(part))


def test_a_newline_around_the_text_changes_nothing() -> None:
    assert parse_part("\n" + render_part(WRITE) + "\n") == WRITE
