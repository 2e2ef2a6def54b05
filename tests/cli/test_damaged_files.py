"""A damaged compressed file: every command reports that a part of it is missing."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

import talktree
from talktree.cli.main import run

COUNT = 60


def session() -> bytes:
    """Return a session that is long enough for many blocks of compressed data."""
    chance = random.Random(5)
    return b"".join(
        json.dumps(
            {
                "type": "user",
                "uuid": f"u{number}",
                "parentUuid": f"u{number - 1}" if number else None,
                "sessionId": "s",
                "timestamp": "2026-03-01T10:00:00.000Z",
                "message": {"role": "user", "content": f"question {chance.getrandbits(32_000):x}"},
            }
        ).encode()
        + b"\n"
        for number in range(COUNT)
    )


def zstd(data: bytes) -> bytes:
    return zstandard.ZstdCompressor(write_checksum=True).compress(data)


def cut(data: bytes) -> bytes:
    return data[: len(data) * 7 // 10]


def flip(data: bytes) -> bytes:
    at = len(data) * 7 // 10
    return data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :]


def flip_checksum(data: bytes) -> bytes:
    return data[:-3] + bytes([data[-3] ^ 0x55]) + data[-2:]


KINDS = [
    pytest.param(".gz", gzip.compress, id="gzip"),
    pytest.param(".zst", zstd, id="zstd"),
]
DAMAGE = [cut, flip, flip_checksum]
Change = Callable[[bytes], bytes]


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize(("ending", "compress"), KINDS)
def test_commands_say_that_a_part_is_missing(
    ending: str,
    compress: Change,
    damage: Change,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    name = f"session.jsonl{ending}"
    Path(name).write_bytes(damage(compress(session())))
    for command in (
        ["show", name, "--last", "1"],
        ["stats", name],
        ["convert", name, "-t", "studio", "-o", "lenient.json"],
    ):
        assert run(command) == 0
        assert f"{name}: " in (reported := capfd.readouterr().err)
        assert "; the rest is missing" in reported
    assert run(["check", name]) == 1
    assert "SYN114 damaged-file" in capfd.readouterr().out
    assert run(["convert", name, "-t", "studio", "-o", "strict.json", "--strict"]) == 4
    assert "damage" in capfd.readouterr().err
    assert not Path("strict.json").exists()


@pytest.mark.parametrize(("ending", "compress"), KINDS)
def test_content_before_the_damage_is_read(ending: str, compress: Change, tmp_path: Path) -> None:
    path = tmp_path / f"session.jsonl{ending}"
    path.write_bytes(flip(compress(session())))
    (found,) = talktree.read(path).conversations
    assert len(found) > COUNT * 0.5


@pytest.mark.parametrize(("ending", "compress"), KINDS)
def test_valid_files_are_not_reported(ending: str, compress: Change, tmp_path: Path) -> None:
    path = tmp_path / f"session.jsonl{ending}"
    half = session()[: session().index(b"\n", 200_000) + 1]
    # Several compressed members in a row are one text, and zeros after it are padding.
    padding = b"\0" * 512 if ending == ".gz" else b""
    path.write_bytes(compress(half) + compress(half) + padding)
    document = talktree.read(path)
    assert "damaged-file" not in {each.name for each in document.findings}
    assert document.conversations[0].record_count == 2 * half.count(b"\n")


def test_an_import_lists_a_damaged_file(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "session.jsonl.gz"
    path.write_bytes(cut(gzip.compress(session())))
    assert run(["import", str(path), "--library", str(tmp_path / "library")]) == 3
    reported = capfd.readouterr().err
    why = "the file ends before its gzip data does; the rest is missing"
    assert reported == f"talktree: {path}: imported, but damaged: {why}\n"


def test_a_damaged_file_is_neither_edited_nor_repaired(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "session.jsonl.gz"
    data = cut(gzip.compress(session()))
    path.write_bytes(data)
    assert run(["edit", str(path), "--replace", "u1", "--text", "new", "--save"]) == 3
    assert "to write it anew would drop the rest" in capfd.readouterr().err
    assert run(["repair", str(path), "--unsafe", "--in-place"]) == 0
    assert path.read_bytes() == data


def test_a_file_of_which_nothing_can_be_decompressed_says_so(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "session.jsonl.gz"
    path.write_bytes(gzip.compress(session())[:12])
    assert run(["show", str(path)]) == 3
    assert "a damaged compressed file" in capfd.readouterr().err
