"""A long record has the same excerpt as a short one, though only a small part of it is read."""

from __future__ import annotations

import json

import pytest

from talktree import api
from talktree.checks import excerpt as excerpts
from talktree.checks.excerpt import FindingExcerpt, make_excerpt
from talktree.files import Source
from talktree.formats.engine import DocumentOrigin
from talktree.model.findings import Finding, make_finding
from tests.session_lines import ask

WORDS = "some words, päivää, "


def _lines(padding: int) -> bytes:
    """Return a session whose second line has a duplicate name and a marked word, far from its
    start."""
    first, second = json.dumps(ask(1, None, "hi")), json.dumps(ask(2, 1, "@"), ensure_ascii=False)
    text = WORDS * padding + "MARK " + WORDS * padding
    second = second.replace("@", text)[:-1] + ',"cwd":"/tmp"}'
    return f"{first}\n{second}\n".encode()


def _found(data: bytes, *, at: int = -1, sought: str = "") -> tuple[DocumentOrigin, Finding]:
    document = api.read(Source.of_bytes(data, name="s.jsonl"))
    assert isinstance(document.origin, DocumentOrigin)
    made = make_finding("duplicate-key", "a name stands twice")
    return document.origin, Finding(
        code=made.code,
        name=made.name,
        severity=made.severity,
        message=made.message,
        at=at,
        sought=sought,
        number=1,
    )


@pytest.mark.parametrize("padding", [0, 1, 3, 40, 1000])
@pytest.mark.parametrize("what", ["name", "word", "start", "nothing"])
def test_a_long_record_is_shown_as_a_short_one(
    monkeypatch: pytest.MonkeyPatch, padding: int, what: str
) -> None:
    data = _lines(padding)
    line = data.split(b"\n")[1]
    at = {"name": line.rindex(b'"cwd"'), "start": 0}.get(what, -1)
    sought = "MARK" if what == "word" else ""
    shown: list[FindingExcerpt | None] = []
    for longest in (1 << 22, 0):
        monkeypatch.setattr(excerpts, "LONGEST", longest)
        shown.append(make_excerpt(*_found(data, at=at, sought=sought)))
    assert shown[0] == shown[1]
    assert shown[0] is not None
    if what == "word":
        start = shown[0].start
        assert shown[0].text[start : start + shown[0].length] == "MARK"
