"""The format of a source: the bodies of messages decide, not the envelope around them."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

import talktree
from talktree.errors import UnknownFormat
from talktree.files import Source
from talktree.formats.claude_code import FORMAT as CLAUDE_CODE
from talktree.formats.collection import iterate_documents

Line = dict[str, object]


def envelope(number: int, type: str, **members: object) -> Line:
    """Return a record as several programs write it, without its content."""
    return {
        "uuid": f"00000000-0000-4000-8000-{number:012}",
        "parentUuid": f"00000000-0000-4000-8000-{number - 1:012}" if number else None,
        "sessionId": "5e55",
        "timestamp": f"2026-03-01T10:00:{number % 60:02}.000Z",
        "type": type,
        "cwd": "/home/ada",
        "version": "1.2.3",
        **members,
    }


def own(number: int) -> Line:
    """Return a message as Claude Code writes it."""
    return envelope(number, "user", message={"role": "user", "content": f"question {number}"})


def foreign(number: int) -> Line:
    """Return a message with the same envelope and another body."""
    said: list[Line] = [{"text": f"question {number}"}]
    return envelope(number, "user", message={"role": "user", "parts": said})


def note(number: int) -> Line:
    """Return a record without a message."""
    return envelope(number, "system", subtype="telemetry", systemPayload={"tokens": number})


def lines(*records: Line) -> bytes:
    return b"".join(json.dumps(each).encode() + b"\n" for each in records)


def refusal(source: Source | Path) -> str:
    with pytest.raises(UnknownFormat) as caught:
        talktree.detect(source)
    return str(caught.value)


def test_messages_of_another_program_are_refused_with_a_reason() -> None:
    data = lines(foreign(0), note(1), note(2), foreign(3), note(4))
    why = refusal(Source.of_bytes(data, name="chat.jsonl"))
    assert "2 of 2 messages do not fit: parts instead of content" in why
    assert "claude-code" in why


def test_the_envelope_does_not_outvote_the_messages() -> None:
    notes = [note(number) for number in range(1, 30)]
    assert "1 of 1 messages" in refusal(Source.of_bytes(lines(foreign(0), *notes)))


def test_a_message_after_many_other_records_decides() -> None:
    notes = [note(number) for number in range(400)]
    assert "messages do not fit" in refusal(Source.of_bytes(lines(*notes, foreign(400))))
    found = talktree.detect(Source.of_bytes(lines(*notes, own(400))))
    assert found.format is CLAUDE_CODE


def test_a_session_without_messages_is_recognised() -> None:
    found = talktree.detect(Source.of_bytes(lines(note(0), note(1))))
    assert found.format is CLAUDE_CODE


def test_broken_and_unknown_records_do_not_count() -> None:
    unknown: list[Line] = [{"kind": "other", "n": number} for number in range(40)]
    cut: list[Line] = [envelope(number, "user", message={"role": "user"}) for number in range(5)]
    broken = b'{"type":"user","uuid":"x","message":{"role":"us\n' * 20
    data = broken + lines(*unknown, *cut, own(50))
    assert talktree.detect(Source.of_bytes(data)).format is CLAUDE_CODE


def test_a_few_foreign_messages_do_not_refuse_a_session() -> None:
    data = lines(own(0), own(1), foreign(2), own(3))
    assert talktree.detect(Source.of_bytes(data)).format is CLAUDE_CODE


def test_blocks_of_another_kind_are_refused() -> None:
    said: list[Line] = [{"functionCall": {"name": "ls"}}]
    record = envelope(0, "assistant", message={"role": "assistant", "content": said})
    assert "blocks of content without a type" in refusal(Source.of_bytes(lines(record)))


def test_foreign_sessions_of_a_folder_are_not_read_as_its_own() -> None:
    files = {
        "a.jsonl": lines(foreign(0), foreign(1)),
        "b.jsonl": lines(own(0), own(1), own(2)),
        "c.jsonl": lines({"id": "s1", "role": "user", "created": 5, "content": "hello"}),
    }
    source = Source.of_files(files, name="project")
    assert talktree.detect(source).format is CLAUDE_CODE
    split = CLAUDE_CODE.split(source)
    assert [sheet.path for sheet in split.sheets] == ["b.jsonl"]
    assert split.foreign_files == ["a.jsonl", "c.jsonl"]


@pytest.mark.parametrize("form", [gzip.compress, lambda data: data.decode().encode("utf-16")])
def test_foreign_sessions_are_known_in_any_form(form: Callable[[bytes], bytes]) -> None:
    said: Line = {"id": "m", "role": "user", "parts": []}
    other: list[Line] = [{"talktree": {"version": 1}}, {"message": said}]
    files = {
        "one/a.jsonl": lines(own(0), own(1)),
        "two/b.jsonl": form(lines(*other)),
    }
    source = Source.of_files(files, name="folder")
    assert CLAUDE_CODE.split(source).foreign_files == ["two/b.jsonl"]
    found = talktree.read(source)
    assert [each.format for each in iterate_documents(found)] == ["claude-code", "native"]


def test_a_folder_of_files_that_are_all_of_another_format_is_not_one_session() -> None:
    data = Path(__file__).parents[1] / "data/claude-messages/good/both-dialects-in-one-file.jsonl"
    source = Source.of_files({"a.jsonl": data.read_bytes(), "b.jsonl": data.read_bytes()}, name="x")
    found = [each.format for each in iterate_documents(talktree.read(source))]
    assert found == ["claude-messages", "claude-messages"]


def test_a_folder_of_foreign_sessions_is_refused() -> None:
    files = {"a.jsonl": lines(foreign(0)), "b.jsonl": lines(note(0), foreign(1))}
    assert "1 of 1 messages do not fit" in refusal(Source.of_files(files, name="project"))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            '{"_id":"1","conversation_id":"c","message_history":[{"role":"user","content":["x"]}]}',
            "message_history: 1 of 1 messages do not fit",
        ),
        (
            '{"_id":"1","conversation_id":"c","message_history":[{"text":"x"},{"text":"y"}]}',
            "message_history: 2 of 2 messages do not fit",
        ),
        (
            '[{"userId":"u","contentHash":"h","content":[{"text":"x"}],"children":[]}]',
            "1 of 1 comments do not fit: content is not text",
        ),
        (
            '{"created_at":"2026-01-01","messages":[{"from":"human","value":"x"}]}',
            "1 of its 1 messages have no role",
        ),
        (
            '{"type":"user","uuid":"u","context":{"cwd":"/"},"message":{"role":"user","parts":[1]}}',
            "1 of 1 messages do not fit: parts instead of content",
        ),
        (
            '{"talktree":{"version":1}}\n{"message":{"role":"user","content":"x"}}',
            "1 of 1 messages do not fit: content instead of parts",
        ),
    ],
)
def test_every_format_looks_at_its_bodies(text: str, why: str) -> None:
    assert why in refusal(Source.of_bytes(text.encode(), name="chat.json"))


def test_the_library_imports_no_foreign_session(tmp_path: Path) -> None:
    (tmp_path / "theirs.jsonl").write_bytes(lines(note(0), foreign(1), note(2)))
    (tmp_path / "ours.jsonl").write_bytes(lines(note(0), own(1), note(2)))
    (tmp_path / "notes.jsonl").write_bytes(lines(note(0), note(1)))
    with talktree.open_library(tmp_path / "library") as library:
        library.import_([tmp_path])
        names = {os.path.basename(each.raw_path) for each in library.conversations()}
    assert names == {b"ours.jsonl", b"notes.jsonl"}
