"""Garbage as input: no conversion fails with an internal error."""

from __future__ import annotations

import json
import random
import string
from pathlib import Path

import pytest

from talktree import api
from talktree.cli.main import run
from talktree.files import Source
from talktree.formats import slugs

DOCUMENTED = {0, 1, 2, 3, 4, 5}
"""The exit codes that the command reference explains; 70 is an internal error."""
CASES = 15


def session_line(content: str, **members: str) -> bytes:
    """Return a line of a session whose content is JSON text, or something similar."""
    more = "".join(f'"{name}":{text},' for name, text in members.items())
    return (
        f'{{{more}"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s",'
        f'"timestamp":"2026-03-01T10:00:00.000Z","message":{{"role":"user","content":{content}}}}}\n'
    ).encode()


def converted(data: bytes, source: str, target: str) -> bytes:
    document = api.read(Source.of_bytes(data, name="chat.jsonl"), format=source)
    (pieces,) = api.convert_document(document, to=target).files.values()
    return b"".join(pieces)


@pytest.mark.parametrize("target", ["native", "studio", "muse"])
@pytest.mark.parametrize(
    "text",
    [
        '{"":"","":{"":{"":0}},"uuid":"","":""}',
        '{"""type":"""uuid":""}\n{"""x-talktree":{"of":"studio',
        '{"type":"user","uuid":"","message":{}}\n{"uuid":"a"}\n{"type":"","uuid":"b"}',
    ],
)
def test_broken_records_are_converted(
    text: str, target: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text(text)
    out = tmp_path / "out"
    code = run(["convert", str(path), "--from", "claude-code", "-t", target, "-o", str(out)])
    assert code == 0, capfd.readouterr().err


ARRAY = "[" * 1000 + "]" * 1000
OBJECT = '{"a":' * 1000 + "1" + "}" * 1000


@pytest.mark.parametrize("target", ["native", "studio"])
@pytest.mark.parametrize(
    "line",
    [
        pytest.param(session_line(ARRAY), id="content"),
        pytest.param(session_line(f"[{OBJECT}]"), id="block"),
        pytest.param(
            session_line(f'[{{"type":"tool_use","id":"t","name":"n","input":{OBJECT}}}]'),
            id="tool input",
        ),
        pytest.param(session_line('"x"', todos=ARRAY), id="member"),
    ],
)
def test_deeply_nested_values_make_the_round_trip(line: bytes, target: str) -> None:
    there = converted(line, "claude-code", target)
    assert converted(there, target, "claude-code") == line
    edited = there.replace(b'"x"', b'"y"').replace(b"T10:00:00", b"T10:00:07")
    assert converted(edited, target, "claude-code")


@pytest.mark.parametrize("content", ["[3[4]]", "[1.5[[]],-[2]x]", "[NaN,3[4]]"])
@pytest.mark.parametrize("target", ["native", "sage", "claude-messages", "chatbuilder"])
def test_malformed_content_comes_back_as_it_was(content: str, target: str) -> None:
    line = session_line(content)
    document = api.read(Source.of_bytes(line, name="chat.jsonl"), format="claude-code")
    made = api.convert_document(document, to=target)
    files = {path: b"".join(pieces) for path, pieces in made.files.items()}
    source = Source.of_files(files) if made.folder else Source.of_bytes(*files.values())
    back = api.convert_document(api.read(source, format=target), to="claude-code")
    assert [b"".join(pieces) for pieces in back.files.values()] == [line]


# random garbage

NAMES = [
    *("", "type", "uuid", "parentUuid", "message", "content", "role", "id", "of", "kept", "at"),
    *("x-talktree", "as", "sum", "seams", "riders", "origin", "sheets", "children", "userId"),
    *("contentHash", "message_history", "parts", "part", "conversation", "talktree", "version"),
]
WORDS = [
    *("user", "assistant", "text", "studio", "claude-code", "native", "muse", "tool_use"),
    *("\u0000", "\ud83d", "é", '"', "\\", ""),
]


def garbage(chance: random.Random, depth: int = 0) -> str:
    """Generate text similar to JSON: mostly well formed, with known names."""
    kind = chance.random()
    if depth > 4 or kind < 0.35:
        return _scalar(chance)
    if kind < 0.38:
        deep = chance.choice((50, 400, 1200))
        return "[" * deep + "]" * deep
    count = chance.randrange(4)
    if kind < 0.55:
        return "[" + ",".join(garbage(chance, depth + 1) for _ in range(count)) + "]"
    pairs = [f"{json.dumps(chance.choice(NAMES))}:{garbage(chance, depth + 1)}" for _ in range(6)]
    return "{" + ",".join(pairs) + "}"


def _scalar(chance: random.Random) -> str:
    simple = ["0", "-1", "1e999", "NaN", "true", "null", "9" * 30, "3[4]"]
    return chance.choice([*simple, *(json.dumps(word) for word in WORDS)])


def damaged(chance: random.Random, text: str) -> str:
    """Return text with some characters replaced, duplicated or removed."""
    letters = list(text)
    for _ in range(chance.randrange(4)):
        at = chance.randrange(len(letters) + 1)
        letters[at : at + chance.randrange(3)] = chance.choice(('"', "{", "]", ",", "", "\n", "\0"))
    return "".join(letters)


def a_source(chance: random.Random) -> bytes:
    """Generate a few lines of garbage, some of them messages, some with embedded source data."""
    lines: list[str] = []
    for number in range(chance.randrange(1, 5)):
        line = garbage(chance)
        if chance.random() < 0.5:
            content = chance.choice((garbage(chance), json.dumps(chance.choice(WORDS))))
            carried = {"x-talktree": garbage(chance)} if chance.random() < 0.5 else {}
            line = session_line(content, **carried).decode().strip()
        if number and chance.random() < 0.2:
            line = chance.choice(lines)
        lines.append(damaged(chance, line))
    return "\n".join(lines).encode("utf-8", "surrogatepass")


@pytest.mark.parametrize("seed", range(CASES))
def test_no_garbage_is_an_internal_error(
    seed: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    chance = random.Random(seed)
    name = "".join(chance.choices(string.ascii_lowercase, k=3))
    path, out, back = tmp_path / f"{name}.jsonl", tmp_path / "out", tmp_path / "back"
    path.write_bytes(a_source(chance))
    known = slugs()
    source, target = chance.choice(known), chance.choice(known)
    named = ["--from", source] if chance.random() < 0.8 else []
    code = run(["convert", str(path), *named, "-t", target, "-o", str(out)])
    assert code in DOCUMENTED, capfd.readouterr().err
    if code:
        assert not out.exists()
        return
    onward = chance.choice(known)
    code = run(["convert", str(out), "--from", target, "-t", onward, "-o", str(back)])
    assert code in DOCUMENTED, capfd.readouterr().err
