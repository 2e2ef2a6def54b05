"""Damage anywhere in a library is found, and the advice for it helps."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from talktree.cli.main import run
from talktree.library.database.connection import PAGE
from talktree.library.database.row_checksums import TABLES
from talktree.library.database.schema import REBUILDABLE
from talktree.library.erasure.key import keyed_hash
from talktree.library.importing.reindex import compare_facts, open_rebuilt_copy
from talktree.library.library import Library
from talktree.model.operations import ReplyTo
from tests.library import made

FLIPS = 40


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a library with rows in every table; nothing may change it."""
    folder = tmp_path_factory.mktemp("damage")
    for path in made.history(folder / "place").files[3:]:
        path.unlink()
    made.others(folder / "place" / "others")
    with Library.open(folder / "library", write=True) as library:
        library.import_([folder / "place"])
        kept = library.conversation(made.session_id(1))
        edits = library.edits(kept)
        (talk,) = edits.document().conversations
        edits.do(talk.id, ReplyTo(id="by-hand", parent=None, text="what a person wrote"))
        with library.db.transaction():
            library.db.run(
                "INSERT INTO branch_names (source, conversation, leaf, name, time)"
                " VALUES (?, ?, 'leaf', 'the good one', 1)",
                (kept.source, talk.id),
            )
            library.db.run("INSERT INTO landmarks (mark, chunk) VALUES (77, 1)")
            library.db.run("INSERT INTO tombstones (format, time) VALUES ('claude-code', 5)")
            library.db.run(
                "INSERT INTO tombstone_hashes (hash, tombstone, kind) VALUES (x'0102', 1, 'id')"
            )
            library.db.run("INSERT INTO scrubs (hash, size, probe, time) VALUES (x'07', 9, 1, 5)")
        keyed_hash(library.root, make=True)
        assert library.check(read_data=True) == []
        library.db.checkpoint()
    return folder / "library"


@pytest.fixture
def copy(tmp_path: Path, whole: Path) -> Path:
    shutil.copytree(whole, tmp_path / "library")
    return tmp_path / "library"


def change(root: Path, statement: str, values: tuple[object, ...] = ()) -> None:
    """Change a value as none of our programs would."""
    db = sqlite3.connect(root / "library.sqlite")
    with db:
        done = db.execute(statement, values).rowcount
    db.close()
    assert done == 1, statement


def checked(root: Path, *, read_data: bool = False) -> list[tuple[str, str, str]]:
    with Library.open(root) as library:
        return [tuple(each) for each in library.check(read_data=read_data)]  # type: ignore[misc]


def columns(root: Path, table: str) -> list[str]:
    db = sqlite3.connect(root / "library.sqlite")
    found = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
    db.close()
    return found


def _another(kind: str, old: Any) -> object:
    """Return another value of the same kind."""
    match kind:
        case "integer":
            return old + 1_000_003
        case "real":
            return old + 0.5
        case "text":
            return old + "x"
        case "blob":
            return bytes([old[0] ^ 1]) + old[1:] if old else b"x"
        case _:
            return 5


def each_change(root: Path, table: str) -> Iterator[tuple[str, str]]:
    """Change one value of one row, for each column, and change it back."""
    db = sqlite3.connect(root / "library.sqlite")
    order = "rowid" if table in ("places", "sources", "files") else "1"
    for column in columns(root, table):
        row = db.execute(
            f"SELECT typeof({column}), * FROM {table} ORDER BY {column} IS NULL, {order} LIMIT 1"
        ).fetchone()
        where = " AND ".join(f"{name} IS ?" for name in columns(root, table))
        kind, *values = row
        old = values[columns(root, table).index(column)]
        new = _another(kind, old)
        with db:
            assert (
                db.execute(
                    f"UPDATE {table} SET {column} = ? WHERE {where}", (new, *values)
                ).rowcount
                == 1
            )
        yield column, str(new)
        values[columns(root, table).index(column)] = new
        with db:
            db.execute(f"UPDATE {table} SET {column} = ? WHERE {where}", (old, *values))
    db.close()


# data that cannot be rebuilt


@pytest.mark.parametrize("table", [each.name for each in TABLES])
def test_every_change_of_what_cannot_be_made_again_is_found(copy: Path, table: str) -> None:
    known = next(each for each in TABLES if each.name == table)
    checksummed = {*known.key, *known.values, "checksum"}
    for column, _ in each_change(copy, table):
        if column in checksummed:
            reported = checked(copy)
            assert reported, f"{table}.{column}"
            assert all(table == "landmarks" or "reindex" not in hint for _, _, hint in reported)
    assert checked(copy) == []
    assert {*columns(copy, table)} - checksummed == {
        "sources": {
            *("native", "title", "project", "branch", "first", "last", "messages", "branches"),
            *("sidechains", "errors", "size", "archived", "indexed", "heading", "shape", "parent"),
        },
        "chunks": {"data"},
    }.get(table, set())
    change(copy, f"DELETE FROM {table} WHERE checksum = (SELECT max(checksum) FROM {table})")
    assert checked(copy)


def test_chunks_that_were_changed_are_found(copy: Path) -> None:
    change(copy, "UPDATE chunks SET data = substr(data, 1, length(data) - 1) || x'00' WHERE id = 1")
    assert checked(copy, read_data=True)


# data that can be rebuilt


def test_every_change_of_facts_is_found(copy: Path) -> None:
    # Row ids have no meaning; where the extracted length of a source is wrong, an import reports
    # it.
    not_reported = {"id", "indexed", "archived"}
    with Library.open(copy) as library, open_rebuilt_copy(library) as anew:
        assert [*compare_facts(library.db, anew.db)] == []
        for table in (*REBUILDABLE, "names"):
            for column, new in each_change(copy, table):
                if column not in not_reported:
                    reported = [*compare_facts(library.db, anew.db)]
                    assert reported, f"{table}.{column} = {new}"
                    assert all("reindex" in each.hint for each in reported)
        known = next(each for each in TABLES if each.name == "sources")
        for column, new in each_change(copy, "sources"):
            if column not in {*not_reported, *known.values, "checksum"}:
                assert [*compare_facts(library.db, anew.db)], f"sources.{column} = {new}"
        assert [*compare_facts(library.db, anew.db)] == []


def test_reindex_repairs_what_can_be_made_again(
    copy: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    change(copy, "UPDATE sources SET title = 'another', messages = 7 WHERE id = 1")
    change(
        copy,
        "UPDATE replies SET output = 5 WHERE (key, source) ="
        " (SELECT key, source FROM replies ORDER BY key, source LIMIT 1)",
    )
    change(copy, "DELETE FROM calls WHERE key = (SELECT min(key) FROM calls)")
    change(copy, "UPDATE spent SET input = 9 WHERE rowid = 1")
    change(copy, "INSERT INTO roles (source, role, messages) VALUES (999, 1, 1)")
    change(copy, "UPDATE names SET text = 'other' WHERE id = 1")
    for file in (copy / "fulltext" / "1").glob("*.idx"):
        file.write_bytes(file.read_bytes()[:-9] + b"\0" + file.read_bytes()[-8:])
    assert run(["library", "check", "--read-data", "--library", str(copy)]) == 1
    reported = capfd.readouterr().out
    assert "title, messages" in reported
    assert "replies" in reported
    assert "reindex" in reported
    assert "move it away" not in reported
    assert run(["library", "reindex", "--library", str(copy)]) == 0
    assert run(["library", "check", "--read-data", "--library", str(copy)]) == 0


def test_a_flipped_byte_in_the_full_text_is_found(copy: Path) -> None:
    chosen = random.Random(1)
    files = sorted(path for path in (copy / "fulltext" / "1").iterdir() if path.stat().st_size)
    for _ in range(FLIPS):
        path = chosen.choice(files)
        data = path.read_bytes()
        at = chosen.randrange(len(data))
        path.write_bytes(
            data[:at] + bytes([data[at] ^ (1 << chosen.randrange(8))]) + data[at + 1 :]
        )
        reported = checked(copy)
        assert [kind for kind, _, _ in reported] == ["fulltext"], f"{path.name} at {at}"
        assert path.name in reported[0][1]
        path.write_bytes(data)
    assert checked(copy) == []


def test_documents_that_are_missing_are_found(copy: Path) -> None:
    with Library.open(copy, write=True) as library:
        from talktree.library.fulltext.index_checksums import record_files

        with library.open_fulltext_for_writing().writer(1, 0) as writing:
            writing.delete(1)
            writing.commit()
        record_files(library.db, library.root)
    assert [kind for kind, _, _ in checked(copy, read_data=True)] == ["fulltext"]
    with Library.open(copy, write=True) as library:
        library.reindex()
    assert checked(copy, read_data=True) == []


# the structure of the database


@pytest.mark.parametrize("name", ["replies", "calls_source", "sources_native"])
def test_a_broken_page_of_what_can_be_made_again_is_repaired(copy: Path, name: str) -> None:
    db = sqlite3.connect(copy / "library.sqlite")
    (root,) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (name,)).fetchone()
    db.close()
    with open(copy / "library.sqlite", "r+b") as file:
        file.seek((root - 1) * PAGE)
        file.write(b"\xff" * 4000)
    reported = checked(copy)
    assert reported
    assert all("reindex" in hint and "move it away" not in hint for _, _, hint in reported)
    with Library.open(copy, write=True) as library:
        library.reindex()
    assert checked(copy, read_data=True) == []


def test_a_broken_page_of_what_cannot_be_made_again_is_not_said_to_be_repaired(copy: Path) -> None:
    db = sqlite3.connect(copy / "library.sqlite")
    (root,) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'extents'").fetchone()
    db.close()
    with open(copy / "library.sqlite", "r+b") as file:
        file.seek((root - 1) * PAGE)
        file.write(b"\xff" * 4000)
    assert not any("reindex" in hint for _, _, hint in checked(copy))
