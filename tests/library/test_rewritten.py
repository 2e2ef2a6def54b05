"""Files that are rewritten in place: every version in the library is one that the file had."""

from __future__ import annotations

import os
import sqlite3
from functools import cache
from pathlib import Path

import pytest

from talktree.library.database.row_checksums import TABLES
from talktree.library.importing import archive_writer, lines
from talktree.library.library import Library
from tests.library import made

LINES = 120
"""With texts of 4,000 characters that makes a file of four chunks."""


@cache
def session(words: str, count: int = LINES) -> bytes:
    """Return a session with long prompts that begin with some words."""
    said = made.Session(made.Truth(), 1)
    for number in range(count):
        said.say(f"{words} {number} " + f"{number:04}" * 1000)
    return said.bytes()


def replace_in_place(path: Path, data: bytes) -> None:
    """Write over a file without truncating it first."""
    with path.open("r+b") as file:
        file.write(data)


def versions(library: Library, path: Path) -> list[bytes]:
    """Return the content of each version of a file in the library, the oldest first."""
    kept = library.conversation(str(path))
    return [
        b"".join(library.content(kept, version=each.number).as_bytes().values())
        for each in library.versions(kept)
    ]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "place").mkdir()
    return tmp_path / "place" / "a.jsonl"


def test_a_file_that_was_rewritten_and_grew_is_not_grown(library: Library, path: Path) -> None:
    first = session("heron")
    path.write_bytes(first)
    library.import_([path.parent])
    second = first.replace(b"heron 3 ", b"stork 3 ") + session("more", 1)
    replace_in_place(path, second)
    done = library.import_()
    assert (done.grown, done.replaced) == (0, 1)
    assert versions(library, path) == [first, second]
    assert library.search("stork").total == 1


def test_the_same_size_and_time_is_not_the_same_content(library: Library, path: Path) -> None:
    first = session("heron")
    path.write_bytes(first)
    library.import_([path.parent])
    about = path.stat()
    second = first.replace(b"heron 3 ", b"stork 3 ")
    replace_in_place(path, second)
    os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))
    assert library.import_().replaced == 1
    assert versions(library, path) == [first, second]


def test_a_file_of_a_folder_that_was_rewritten_and_grew(tmp_path: Path, library: Library) -> None:
    (sage,) = (each.path for each in made.others(tmp_path / "place") if each.slug == "sage")
    file = sage / "messages.jsonl"
    line = file.read_bytes().splitlines(keepends=True)[0]
    file.write_bytes(file.read_bytes() + line * 20)
    library.import_([tmp_path / "place"])
    second = bytearray(file.read_bytes() + line)
    second[10:11] = b"#"
    replace_in_place(file, bytes(second))
    library.import_()
    kept = library.conversation(str(sage))
    assert library.content(kept).as_bytes()["messages.jsonl"] == second


# while it is watched


def test_a_small_file_is_compared_as_a_whole_while_it_is_watched(
    library: Library, path: Path
) -> None:
    first = session("heron")
    path.write_bytes(first)
    library.import_([path.parent])
    second = first.replace(b"heron 3 ", b"stork 3 ") + session("more", 1)
    replace_in_place(path, second)
    assert library.import_(quiet=3600).replaced == 1
    assert versions(library, path) == [first, second]


def missed(library: Library, path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[bytes, bytes]:
    """Return a rewrite that a sample of one chunk does not detect: the first and the new
    content."""
    monkeypatch.setattr(archive_writer, "SAMPLE", 1)
    first = session("heron")
    path.write_bytes(first)
    library.import_([path.parent])
    # The size determines which chunk is compared: one of two lengths misses the first chunk.
    for words in ("more", "more.", "more..", "more..."):
        second = first.replace(b"heron 3 ", b"stork 3 ") + session(words, 1)
        replace_in_place(path, second)
        if library.import_(quiet=3600).grown:
            return first, second
        path.unlink()
        library.import_()
        path.write_bytes(first)
        library.import_()
    raise AssertionError("every sample saw it")


def test_a_rewrite_that_a_sample_missed_is_corrected_when_the_file_is_quiet(
    library: Library, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = missed(library, path, monkeypatch)
    assert versions(library, path)[-1] != second
    assert library.import_(quiet=3600).unchanged == 1, "it is not quiet yet"
    following = library.watch([path.parent], every=0.01, quiet=0.05)
    assert next(following).replaced == 1
    following.close()  # type: ignore[attr-defined]
    assert {*versions(library, path)} == {first, second}
    assert versions(library, path)[-1] == second
    assert library.search("stork").total == 1
    assert library.import_().bytes_read == 0, "it was compared"


def test_an_import_compares_what_was_only_sampled(
    library: Library, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = missed(library, path, monkeypatch)
    assert library.import_().replaced == 1
    assert {*versions(library, path)} == {first, second}


def test_versions_of_a_watched_file_stay_when_it_was_only_appended_to(
    library: Library, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive_writer, "SAMPLE", 1)
    all_versions = [session("heron")]
    path.write_bytes(all_versions[0])
    library.import_([path.parent])
    for number in range(3):
        all_versions.append(all_versions[-1] + session(f"more{number}", 1))
        path.write_bytes(all_versions[-1])
        assert library.import_(quiet=3600).grown == 1
    assert library.import_().unchanged == 1
    assert versions(library, path) == all_versions
    replaced = session("crane")
    path.write_bytes(replaced)
    library.import_()
    assert versions(library, path) == [*all_versions, replaced]


def test_appended_messages_stay_although_the_file_can_no_longer_be_compared(
    tmp_path: Path, library: Library, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive_writer, "SAMPLE", 1)
    first = session("heron")
    path.write_bytes(first)
    library.import_([path.parent])
    second = first + session("more", 1)
    path.write_bytes(second)
    library.import_(quiet=3600)
    other = tmp_path / "other"
    other.write_bytes(session("crane"))
    os.replace(other, path)
    library.import_(quiet=3600)
    assert versions(library, path) == [first, second, session("crane")]
    path.write_bytes(b"")
    library.import_()
    assert versions(library, path)[:2] == [first, second]


# changes at the worst moment


def test_a_file_that_is_rewritten_while_it_is_read_makes_no_version(
    library: Library, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = session("heron"), session("stork")
    path.write_bytes(first)
    monkeypatch.setattr(lines, "BLOCK", 1 << 16)
    beats: list[int] = []

    def rewrite(*_: int) -> None:
        if not beats:
            replace_in_place(path, second)
        beats.append(1)

    done = library.import_([path.parent], pulse=rewrite)
    assert len(beats) > 2
    assert "changed while it was read" in done.failed[0].failure.message
    assert versions(library, path) == []
    assert library.import_().failed == []
    assert versions(library, path) == [second]


def test_a_file_that_grows_while_it_is_read_makes_a_version(
    library: Library, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = session("heron")
    path.write_bytes(first)
    monkeypatch.setattr(lines, "BLOCK", 1 << 16)
    added = b""

    def append(*_: int) -> None:
        nonlocal added
        more = session(f"more{len(added)}", 1)
        added += more
        with path.open("ab") as file:
            file.write(more)

    assert library.import_([path.parent], pulse=append).failed == []
    assert versions(library, path) == [first]
    seen = added
    assert library.import_().grown == 1
    assert versions(library, path) == [first, first + seen]


# libraries from before


def test_a_false_version_of_an_older_library_is_corrected(tmp_path: Path, path: Path) -> None:
    first = session("heron")
    path.write_bytes(first)
    with Library.open(tmp_path / "old", write=True) as library:
        library.import_([path.parent])
        second = first + session("more", 1)
        path.write_bytes(second)
        library.import_()
        true = first.replace(b"heron 3 ", b"stork 3 ") + second[len(first) :]
        replace_in_place(path, true)
        about = path.stat()
    with sqlite3.connect(tmp_path / "old" / "library.sqlite") as db:
        # The file as an older version saw it, which compared only its last bytes.
        db.execute(
            "UPDATE files SET changed = ?, modified = ?", (about.st_ctime_ns, about.st_mtime_ns)
        )
        for name in ("tombstones", "tombstone_hashes", "scrubs", "erasures"):
            db.execute(f"DROP TABLE {name}")
        for table in TABLES:
            if table.name in ("tombstones", "tombstone_hashes", "scrubs"):
                continue
            db.execute(f"ALTER TABLE {table.name} DROP COLUMN checksum")
        db.execute("DROP TABLE checksums")
        db.execute("DROP TABLE fulltext_files")
        db.execute("ALTER TABLE files DROP COLUMN trouble")
        db.execute("DROP INDEX versions_provisional")
        db.execute("ALTER TABLE versions DROP COLUMN verified")
        db.execute("DROP TABLE conversations")
        db.execute("DROP INDEX sources_parent")
        db.execute("UPDATE about SET value = '3' WHERE key = 'schema'")
    db.close()
    with Library.open(tmp_path / "old", write=True) as library:
        assert library.import_().replaced == 1
        assert versions(library, path) == [first, true]
        assert library.check(read_data=True) == []
