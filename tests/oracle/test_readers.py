"""The naive readers, compared with counts and words that were taken from the files by hand."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tests.oracle import READERS, messages, read
from tests.oracle.blocks import split_command
from tests.oracle.shown import Shown

DATA = Path(__file__).parents[1] / "data"
COUNTS = {
    "chatbuilder/good/single.md": [1],
    "chatbuilder/good/sourdough": [11],
    "chatbuilder/good/tree": [2, 3],
    "claude-code/good/one-session.jsonl": [30],
    "claude-code/good/project": [2, 2, 4, 4],
    "claude-code/good/steered.jsonl": [6],
    "claude-code/good/web-export.json": [4],
    "claude-messages/good/both-dialects-in-one-file.jsonl": [6],
    "claude-messages/good/tools-and-branches.jsonl": [17],
    "muse/good/analytics.json": [3],
    "muse/good/application.json": [3],
    "muse/good/export.jsonl": [2, 2],
    "muse/good/list.json": [2],
    "native/good/every-part.jsonl": [1, 10],
    "native/good/loose-style.jsonl": [2],
    "sage/good/as-the-program-writes.jsonl": [6],
    "sage/good/legacy-session.json": [5],
    "sage/good/session-tide-table": [13],
    "sage/good/two-sessions": [2, 2, 5],
    "studio/good/app-export.json": [3],
    "studio/good/on-one-line.json": [3],
    "studio/good/one-comment.json": [1],
    "studio/good/two-branch-points.json": [8],
    "studio/good/worker-export.json": [2],
    "studio-text/foreign/app.text": [5],
    "studio-text/foreign/older-crlf.text": [4],
    "studio-text/foreign/older-location.text": [4],
    "studio-text/foreign/worker.text": [3],
    "studio-text/good/chain.eml": [6],
    "studio-text/good/harbour.text": [8],
    "studio-xml/bad/torn.xml": [2],
    "studio-xml/good/app.xml": [4],
    "studio-xml/good/attributes.xml": [3],
    "studio-xml/good/everything.xml": [2],
    "studio-xml/good/older.xml": [2],
    "studio-xml/good/one-line.xml": [2],
    "studio-xml/good/windows.xml": [1],
    "studio-xml/good/worker.xml": [2],
}
"""Number of messages in each conversation of a file, the shortest one first."""


@pytest.mark.parametrize("name", COUNTS)
def test_every_message_is_counted(name: str) -> None:
    found = read(name.partition("/")[0], DATA / name)
    assert sorted(map(len, found.values())) == COUNTS[name]


def test_every_valid_file_was_counted_by_hand() -> None:
    sound = {
        str(path.relative_to(DATA)) for slug in READERS for path in DATA.glob(f"{slug}/good/*")
    }
    assert sound <= set(COUNTS)


def test_commands_calls_and_results_of_a_session() -> None:
    shown = messages("claude-code", DATA / "claude-code/good/steered.jsonl")
    assert [each.role for each in shown] == [
        "user",
        "assistant",
        "user",
        "user",
        "user",
        "assistant",
    ]
    assert shown[1].calls == (("Bash", {"command": "make test", "description": "Run the tests"}),)
    assert shown[2].results == ("12 passed",)
    assert shown[3].texts == ("and show overdue ones in red",)


def test_a_slash_command_is_what_was_typed(tmp_path: Path) -> None:
    text = "<command-name>/plan</command-name>\n<command-args>the garden</command-args>"
    line = {"type": "user", "uuid": "a", "message": {"role": "user", "content": text}}
    path = tmp_path / "s.jsonl"
    path.write_text(json.dumps(line))
    assert messages("claude-code", path) == [Shown("a", "user", ("/plan", "the garden"))]


def test_tags_of_commands_among_other_words_are_words() -> None:
    text = "as in <command-name>/plan</command-name>"
    assert split_command(text) == (text,)


def test_details_that_are_damaged_say_nothing(tmp_path: Path) -> None:
    mark = "--x\nContent-Type: application/json\nContent-Description: details\n\n"
    text = 'Studio-Text: 1\nContent-Type: multipart/mixed; boundary="x"\n\n--x\nDepth: 0\n\nsaid\n'
    for body in ('"id": "other"}', "[1, 2]", ""):
        (tmp_path / "s.text").write_text(f"{text}{mark}{body}\n--x--\n")
        assert [each.texts for each in messages("studio-text", tmp_path)] == [("said",)]


def test_a_header_with_one_damaged_line_is_a_header(tmp_path: Path) -> None:
    lines = ["; Block-UUID: a", "; Authors: Ana (v1)", ";", "; role: user"]
    path = tmp_path / "1.md"
    for at in range(2):
        for start in (" ", '"; '):
            damaged = [*lines[:at], start + lines[at].removeprefix("; "), *lines[at + 1 :]]
            path.write_text("\n".join(damaged) + "\n\n\nwords")
            assert messages("chatbuilder", path)[0].texts == ("words",)


def test_contents_in_the_encodings_of_the_studio() -> None:
    text = messages("studio-text", DATA / "studio-text/foreign/app.text")
    assert text[0].texts == ("What grows in the shade?",)
    assert text[1].texts == ("Ferns, mostly.\n\n--fern\nId: fake\n",)
    assert text[4].texts == ("",)
    xml = messages("studio-xml", DATA / "studio-xml/good/attributes.xml")
    assert [each.texts for each in xml] == [
        ("Attributes & plain text, no section",),
        ('All in "one" tag',),
        ("Another answer",),
    ]


def test_messages_are_read_in_the_order_of_their_numbers() -> None:
    shown = messages("chatbuilder", DATA / "chatbuilder/good/sourdough")
    assert [each.role for each in shown[:3]] == ["user", "assistant", "user"]
    assert [each.texts for each in shown[8:10]] == [("Fine.\n",), ("Tenth.\n",)]
    assert shown[7].texts[0].startswith("; role: user\n\n\nquo")


HISTORY = {
    "schema_version": 2,
    "message_history": [
        {"id": f"m{number}", "role": "user", "content": f"words {number}"} for number in range(3)
    ],
}
THREAD = [
    {
        "id": "c1",
        "userId": "u",
        "type": "user",
        "content": "one",
        "children": [
            {"id": "c2", "userId": "u", "type": "user", "content": "two", "children": []},
            {"id": "c3", "userId": "u", "type": "user", "content": "three", "children": []},
        ],
    }
]


@pytest.mark.parametrize(
    ("slug", "text", "broken", "left"),
    [
        ("muse", json.dumps(HISTORY), "words 1", ["words 0", "words 2"]),
        ("muse", json.dumps(HISTORY, indent=2), "words 1", ["words 0", "words 2"]),
        ("studio", json.dumps(THREAD), "two", ["one", "three"]),
        ("studio", json.dumps(THREAD, indent=2), "one", ["two", "three"]),
    ],
)
def test_only_the_damaged_record_is_left_out(
    slug: str, text: str, broken: str, left: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "file.json"
    path.write_text(text.replace(broken, broken[:2] + '"' + broken[2:]))
    assert [each.texts[0] for each in messages(slug, path)] == left


def test_packed_and_wide_files_are_read(tmp_path: Path) -> None:
    line = '{"type": "user", "uuid": "a", "message": "Grüße"}\n'
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(line.encode()))
    (tmp_path / "b.jsonl").write_bytes(line.encode("utf-16"))
    (tmp_path / "x-talktree.jsonl").write_text(line)
    expected = [Shown("a", "user", ("Grüße",))]
    assert read("claude-messages", tmp_path) == {"a.jsonl.gz": expected, "b.jsonl": expected}
