"""Files in UTF-16 stay in UTF-16: when they are restored, and when they are edited."""

from __future__ import annotations

from pathlib import Path

import pytest

from talktree import api
from talktree.cli.main import run
from talktree.conversion.options import Options
from talktree.files import Source

LINE = (
    '{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s",'
    '"timestamp":"2026-03-01T10:00:00.000Z",'
    '"message":{"role":"user","content":"Grüße 🎈 from here"}}\n'
)
XML = (
    '<?xml version="1.0" encoding="UTF-16"?>\n<comments><comment><id>c1</id>'
    "<userId>ada</userId><content>Grüße 🎈 from here</content><contentHash>1</contentHash>"
    "<timestamp>1772359200000</timestamp><type>user</type></comment></comments>\n"
)
JSON = (
    '{"_id":"1","conversation_id":"c","schema_version":2,"message_history":'
    '[{"id":"m","role":"user","content":"Grüße 🎈 from here","timestamp":1772359200000}]}'
)
SOURCES = [
    pytest.param("claude-code", LINE, id="lines"),
    pytest.param("studio-xml", XML, id="xml"),
    pytest.param("muse", JSON, id="document"),
]
ENCODINGS = [
    pytest.param(b"\xff\xfe", "utf-16-le", id="little"),
    pytest.param(b"\xfe\xff", "utf-16-be", id="big"),
]


def through(
    data: bytes, source: str, *targets: str, change: tuple[str, str] | None = None
) -> bytes:
    """Convert a file from format to format, with an edit after the first step."""
    known, name = source, "chat"
    for number, target in enumerate(targets):
        document = api.read(Source.of_bytes(data, name=name), format=known)
        ((name, pieces),) = api.convert_document(document, to=target).files.items()
        data, known = b"".join(pieces), target
        if change is not None and number == 0:
            old, new = (each.encode() for each in change)
            assert old in data
            data = data.replace(old, new)
    return data


@pytest.mark.parametrize(("mark", "encoding"), ENCODINGS)
@pytest.mark.parametrize(("slug", "text"), SOURCES)
def test_a_round_trip_keeps_the_encoding(slug: str, text: str, mark: bytes, encoding: str) -> None:
    stored = mark + text.encode(encoding)
    for way in (["native"], ["studio"], ["claude-messages"], ["native", "studio"]):
        assert through(stored, slug, *way, slug) == stored


@pytest.mark.parametrize(("mark", "encoding"), ENCODINGS)
@pytest.mark.parametrize(("slug", "text"), SOURCES)
def test_an_edit_elsewhere_keeps_the_encoding(
    slug: str, text: str, mark: bytes, encoding: str
) -> None:
    stored = mark + text.encode(encoding)
    back = through(stored, slug, "native", slug, change=("from here", "from there"))
    assert back == mark + text.replace("from here", "from there").encode(encoding)


@pytest.mark.parametrize(("mark", "encoding"), ENCODINGS)
def test_an_edited_file_stays_in_utf_16(mark: bytes, encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(mark + LINE.encode(encoding))
    assert run(["edit", str(path), "--replace", "u1", "--text", "new 🎈", "--save"]) == 0
    data = path.read_bytes()
    assert data.startswith(mark)
    assert "new 🎈" in data[2:].decode(encoding)


def test_halves_of_characters_come_back() -> None:
    text = LINE.replace("from here", "half \ud83d of it")
    stored = b"\xff\xfe" + text.encode("utf-16-le", "surrogatepass")
    assert through(stored, "claude-code", "native", "claude-code") == stored


def test_a_cut_off_character_is_reported() -> None:
    stored = b"\xff\xfe" + LINE.encode("utf-16-le")[:-3]
    document = api.read(Source.of_bytes(stored, name="session.jsonl"), format="claude-code")
    assert "damaged-file" in {each.name for each in document.findings}


@pytest.mark.parametrize("left", [1, 2, 3, 5])
@pytest.mark.parametrize(("mark", "encoding"), ENCODINGS)
@pytest.mark.parametrize(("slug", "text"), SOURCES)
def test_a_cut_off_file_is_recognised_and_comes_back(
    slug: str, text: str, mark: bytes, encoding: str, left: int
) -> None:
    stored = mark + text.encode(encoding)[:-left]
    document = api.read(Source.of_bytes(stored, name="chat"))
    assert document.format == slug
    made = api.convert_document(document, to="native")
    assert [*made.loss_report.count_by_kind()] == []
    assert through(stored, slug, "native", slug) == stored
    assert through(stored, slug, "claude-messages", slug) == stored


@pytest.mark.parametrize(("mark", "encoding"), ENCODINGS)
@pytest.mark.parametrize("left", [1, 2, 3])
def test_half_of_a_pair_at_the_end_comes_back(mark: bytes, encoding: str, left: int) -> None:
    stored = mark + (LINE + "🎈").encode(encoding)[:-left]
    assert through(stored, "claude-code", "native", "claude-code") == stored


def test_the_rest_of_a_cut_off_character_is_lost_without_embedded_data() -> None:
    stored = b"\xff\xfe" + LINE.encode("utf-16-le")[:-1]
    document = api.read(Source.of_bytes(stored, name="session.jsonl"), format="claude-code")
    made = api.convert_document(document, to="native", options=Options(carry=False))
    assert ("damage", 1) in [*made.loss_report.count_by_kind()]


@pytest.mark.parametrize("name", ["muse.json", "studio.json"])
@pytest.mark.parametrize("left", [1, 2, 3])
def test_a_cut_off_document_is_recognised(name: str, left: int) -> None:
    text = (Path(__file__).parents[2] / "demo" / name).read_text("utf-8")
    stored = b"\xff\xfe" + text.encode("utf-16-le")[:-left]
    document = api.read(Source.of_bytes(stored, name=name))
    whole = api.read(Source.of_bytes(text.encode(), name=name))
    assert document.format == whole.format
    assert [*map(len, document.conversations)] == [*map(len, whole.conversations)]
