"""Whatever a log ends with: appending to it loses no line and keeps every byte."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from talktree.session.journal.lines import LogTail, read_tail, seal_line, verify_seal
from tests.cases import TORTURE
from tests.session.journals import opened, quarantined, served

NEW = b'{"new":true}'


def session(count: int = 12) -> list[bytes]:
    chance = random.Random(count)
    bodies = [b'{"at":%d,"text":"%s"}' % (at, b"w " * chance.randrange(12)) for at in range(count)]
    return [seal_line(body, at + 1) for at, body in enumerate(bodies)]


def after_append(
    folder: Path, data: bytes, *, durability: str = "fast"
) -> tuple[bytes, list[bytes]]:
    """Return the file and the quarantine after appending one message to a file with these bytes."""
    path = folder / "messages.jsonl"
    path.write_bytes(data)
    for old in folder.glob("quarantine/*"):
        old.unlink()
    journal = opened(folder, "safe" if durability == "safe" else "fast")
    [place] = journal.append("messages", NEW)
    journal.close()
    now = path.read_bytes()
    assert now.endswith(seal_line(NEW, place.number) + b"\n")
    return now[: place.start], quarantined(folder)


def check(folder: Path, data: bytes, whole: list[bytes]) -> None:
    """Check that every line of the data is served after an append, and every byte is kept."""
    before, moved = after_append(folder, data)
    kept = before if data.startswith(before) else before[:-1]
    assert kept + b"".join(moved) == data
    found = [line.raw for line in served(folder)]
    assert [line for line in found[:-1] if verify_seal(line).state == "good"] == [
        line for line in whole if line in data
    ]


def cuts(length: int) -> range | list[int]:
    if TORTURE:
        return range(length + 1)
    return sorted(random.Random(length).sample(range(length + 1), 150))


def test_a_file_cut_at_any_byte(tmp_path: Path) -> None:
    whole = session(200 if TORTURE else 30)
    data = b"".join(line + b"\n" for line in whole)
    for stop in cuts(len(data)):
        check(tmp_path, data[:stop], whole)


def test_every_cut_of_the_last_two_lines(tmp_path: Path) -> None:
    whole = session(4)
    data = b"".join(line + b"\n" for line in whole)
    for stop in range(data.index(whole[2]), len(data) + 1):
        check(tmp_path, data[:stop], whole)


@pytest.mark.parametrize("size", [1, 7, 512, 4096])
def test_nuls_at_every_line_boundary(tmp_path: Path, size: int) -> None:
    whole = session(8)
    for at in range(len(whole) + 1):
        head = b"".join(line + b"\n" for line in whole[:at])
        rest = b"".join(line + b"\n" for line in whole[at:])
        check(tmp_path, head + b"\0" * size + rest, whole)
        check(tmp_path, head + b"\0" * size + b"\n" + rest, whole)
        check(tmp_path, head[:-1] + b"\0" * size + rest, whole)


def test_every_pair_of_fused_lines(tmp_path: Path) -> None:
    whole = session()
    for at in range(len(whole) - 1):
        lines = [line + b"\n" for line in whole]
        lines[at] = whole[at]
        check(tmp_path, b"".join(lines), whole)


def test_nuls_after_a_cut(tmp_path: Path) -> None:
    whole = session(3)
    data = b"".join(line + b"\n" for line in whole)
    for stop in range(data.index(whole[2]), len(data) + 1):
        check(tmp_path, data[:stop] + b"\0" * 50, whole)


def test_a_line_of_another_program_without_newline_stays(tmp_path: Path) -> None:
    before, moved = after_append(tmp_path, b'{"theirs":1}\n{"theirs":2}')
    assert (before, moved) == (b'{"theirs":1}\n{"theirs":2}\n', [])


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", LogTail(0, 0)),
        (b"\n\n", LogTail(2, 0)),
        (b"\0\0\0", LogTail(0, 0)),
        (b'{"a":1}\n', LogTail(8, 1)),
        (b'{"a":1}\r\n', LogTail(9, 1)),
        (b'{"a":1}\n\0\0\n\0', LogTail(8, 1)),
        (b'{"a":1}', LogTail(7, 1, open=True)),
        (b'{"a":1}\0\0', LogTail(7, 1, open=True)),
        (b'{"a":1}\n{"b', LogTail(8, 1)),
        (seal_line(b"{}", 41) + b'\n{"a":1}\n', LogTail(39, 42)),
        (b'{"a":1}\nnot json\n', LogTail(17, 2)),
    ],
)
def test_how_a_log_ends(tmp_path: Path, data: bytes, expected: LogTail) -> None:
    path = tmp_path / "messages.jsonl"
    path.write_bytes(data)
    with open(path, "rb") as file:
        assert read_tail(file.fileno(), len(data)) == expected


def test_the_quarantine_says_why(tmp_path: Path) -> None:
    (tmp_path / "messages.jsonl").write_bytes(b'{"a":1}\n{"ha')
    journal = opened(tmp_path)
    journal.append("messages", NEW)
    [about] = (tmp_path / "quarantine").glob("*.json")
    reported = json.loads(about.read_text())
    assert (reported["log"], reported["start"], reported["length"]) == ("messages", 8, 4)
    assert reported["why"]
    [problem] = journal.problems
    assert about.with_suffix(".bytes").name in problem
    assert about.stat().st_mode & 0o777 == 0o600
    assert about.parent.stat().st_mode & 0o777 == 0o700


def test_a_quarantine_that_is_a_link_is_refused(tmp_path: Path) -> None:
    from talktree.errors import NotSaved

    outside = tmp_path / "outside"
    outside.mkdir()
    folder = tmp_path / "session"
    folder.mkdir()
    (folder / "quarantine").symlink_to(outside)
    (folder / "messages.jsonl").write_bytes(b'{"ha')
    with pytest.raises(NotSaved):
        opened(folder).append("messages", NEW)
    assert [*outside.iterdir()] == []
    assert (folder / "messages.jsonl").read_bytes() == b'{"ha'
