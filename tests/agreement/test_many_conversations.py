"""A file with many conversations is many rows of the library, each found by its own id."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

import talktree
from tests.agreement import surfaces
from tests.agreement.populations import muse_dump
from tests.agreement.test_folders import talktree_command
from tests.web.running import running

IDS = ["conv-0", "conv-1", "conv-2"]


@pytest.fixture
def dump(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a dump that was imported into its own library."""
    monkeypatch.setenv("TALKTREE_HOME", str(tmp_path / "home"))
    path = tmp_path / "dump.json"
    path.write_bytes(muse_dump(3))
    with talktree.open_library() as library:
        library.import_([path])
        yield path


def test_each_is_a_row(dump: Path) -> None:
    rows = surfaces.command("list", "--json")["conversations"]
    assert sorted(row["id"] for row in rows) == IDS
    assert {(row["messages"], row["branches"], row["threads"]) for row in rows} == {(2, 1, 1)}
    assert {row["path"] for row in rows} == {str(dump)}
    assert sorted(row["title"] for row in rows) == ["Talk 0", "Talk 1", "Talk 2"]


@pytest.mark.parametrize("id", IDS)
def test_each_is_found_by_its_id(id: str, dump: Path) -> None:
    number = IDS.index(id)
    code, out, _ = talktree_command("show", id)
    assert code == 0
    assert [word for word in IDS if f"Question {word[-1]}?" in out] == [id]
    assert list(surfaces.show(id)) == list(surfaces.tree(id)) == [id]
    with talktree.open_library(write=False) as library:
        kept = library.conversation(id)
        assert (kept.id, kept.title, kept.messages) == (id, f"Talk {number}", 2)
        texts = [message.text for message in library.read(kept).conversation.messages()]
        assert texts == [f"Question {number}?", f"Answer {number}."]
        hits = list(library.search(f'"Question {number}"'))
        assert [hit.conversation for hit in hits] == [id]
        rows = library.table("messages", conversation=id).read_all()
        assert rows.column("text").to_pylist() == texts


def test_search_in_one_conversation(dump: Path) -> None:
    with talktree.open_library(write=False) as library:
        assert [hit.conversation for hit in library.search("answer session:conv-1")] == ["conv-1"]


def test_the_studio_has_a_card_for_each(dump: Path) -> None:
    with running([dump]) as studio:
        found = studio.get("/conversations")
        assert sorted(card["id"] for card in found["cards"]) == IDS
        for card in found["cards"]:
            opened = studio.get(f"/c/{card['cid']}")
            assert (opened["id"], opened["title"]) == (card["id"], card["title"])
            assert (opened["messages"], opened["branches_total"]) == (2, 1)


def test_they_are_forgotten_only_together(dump: Path) -> None:
    code, _, errors = talktree_command("library", "forget", "conv-1", "--yes")
    assert code == 2
    assert "3 conversations" in errors
    assert len(surfaces.command("list", "--json")["conversations"]) == 3
    assert talktree_command("library", "forget", str(dump), "--yes")[0] == 0
    assert surfaces.command("list", "--json")["conversations"] == []


def test_the_path_of_a_file_that_is_gone_means_all_of_it(dump: Path) -> None:
    dump.unlink()
    assert sorted(surfaces.show(str(dump))) == IDS
    code, out, _ = talktree_command("show", str(dump), "--all")
    assert code == 0
    assert [word for word in IDS if f"Question {word[-1]}?" in out] == IDS


def test_an_edit_by_id_concerns_that_conversation(dump: Path) -> None:
    code, _, errors = talktree_command(
        "edit", "conv-1", "--replace", "m1-1", "--here", "--text", "Changed?"
    )
    assert code == 0, errors
    code, _, errors = talktree_command("edit", "conv-1", "--save")
    assert code == 0, errors
    found = json.loads(dump.read_bytes())
    assert [each["message_history"][0]["content"] for each in found] == [
        "Question 0?", "Changed?", "Question 2?",
    ]  # fmt: skip


def test_a_growing_file_gains_rows(dump: Path) -> None:
    dump.write_bytes(muse_dump(5))
    with talktree.open_library() as library:
        library.import_([dump])
        assert sorted(each.id for each in library.conversations()) == [*IDS, "conv-3", "conv-4"]
        dump.write_bytes(muse_dump(1))
        library.import_([dump])
        assert [each.id for each in library.conversations()] == ["conv-0"]


def test_a_library_of_an_older_version_is_brought_up_to_date(dump: Path, tmp_path: Path) -> None:
    root = tmp_path / "home" / "library"
    with sqlite3.connect(root / "library.sqlite") as db:
        # As version 5 left it: one row for the file and none for its conversations.
        db.execute("DROP TABLE conversations")
        for name in ("tombstones", "tombstone_hashes", "scrubs", "erasures"):
            db.execute(f"DROP TABLE {name}")
            db.execute("DELETE FROM checksums WHERE name = ?", (name,))
        db.execute("DROP INDEX sources_parent")
        db.execute("UPDATE about SET value = '5' WHERE key = 'schema'")
    db.close()
    with talktree.open_library(root) as library:
        assert [each.raw_path for each in library.conversations()] == [bytes(dump)]
        library.import_()
        assert sorted(each.id for each in library.conversations()) == IDS
