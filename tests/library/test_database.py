"""The database: statements, transactions, errors, schema and migrations."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from talktree.errors import LockHeld, NotFound, NotSaved, Unreadable
from talktree.library.database.connection import PAGE, Database
from talktree.library.database.migrations.steps import STEPS
from talktree.library.database.names import Names
from talktree.library.database.open_database import migrate, open_database, schema_number
from talktree.library.database.schema import SCHEMA
from tests.library.store_schema import STORED
from tests.session.faults import unwritable


def made(folder: Path) -> Database:
    """Return a new database."""
    return open_database(folder / "library.sqlite", write=True)


def tables(db: Database) -> dict[str, str]:
    """Return the schema of a database; a column that was added later has other spaces around it."""
    found = db.read("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
    return {name: re.sub(r"\s*([(),])\s*", r"\1", " ".join(sql.split())) for name, sql in found}


# opening


def test_only_the_owner_can_read_it(tmp_path: Path) -> None:
    with made(tmp_path / "library") as db, db.transaction():
        db.run("INSERT INTO names (text) VALUES ('x')")
        folder = tmp_path / "library"
        assert folder.stat().st_mode & 0o777 == 0o700
        assert {file.stat().st_mode & 0o777 for file in folder.iterdir()} == {0o600}
        assert len(list(folder.iterdir())) == 3


def test_a_library_that_is_not_there_is_reported(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no library here") as reported:
        open_database(tmp_path / "library.sqlite", write=False)
    assert reported.value.hint == "make one with `talktree import`"
    assert not list(tmp_path.iterdir())


def test_a_folder_of_odd_bytes_is_a_folder(tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/a?b%20#c\xff"))
    with made(folder) as db:
        db.run("INSERT INTO names (text) VALUES ('x')")
    with open_database(folder / "library.sqlite", write=False) as db:
        assert db.read("SELECT text FROM names") == [("x",)]


def test_a_reader_cannot_write(tmp_path: Path) -> None:
    made(tmp_path).close()
    with open_database(tmp_path / "library.sqlite", write=False) as db, pytest.raises(NotSaved):
        db.run("INSERT INTO names (text) VALUES ('x')")


def test_a_library_on_a_disk_that_is_only_read_can_be_read(tmp_path: Path) -> None:
    made(tmp_path / "library").close()
    place = tmp_path / "disk"
    with unwritable(place):
        if os.geteuid() == 0:
            subprocess.run(["mount", "--bind", "-o", "ro", tmp_path / "library", place], check=True)
        try:
            with open_database(place / "library.sqlite", write=False) as db:
                assert schema_number(db) == SCHEMA
        finally:
            if os.geteuid() == 0:
                subprocess.run(["umount", place], check=True)


@pytest.mark.parametrize("bad", [b"\xff\xfe", b"\x80"])
def test_text_that_is_none_is_damage(tmp_path: Path, bad: bytes) -> None:
    with made(tmp_path) as db:
        db.run("INSERT INTO names (text) VALUES (CAST(? AS TEXT))", (bad,))
        with pytest.raises(Unreadable, match="is damaged"):
            db.read("SELECT text FROM names")


@pytest.mark.parametrize("junk", [b"not a database, but long enough to be one" * 99, b"\0" * 5000])
def test_a_file_that_is_not_a_database_is_reported(tmp_path: Path, junk: bytes) -> None:
    path = tmp_path / "library.sqlite"
    path.write_bytes(junk)
    for write in (True, False):
        with pytest.raises(Unreadable) as reported:
            open_database(path, write=write)
        assert reported.value.hint
    assert path.read_bytes() == junk


def test_another_program_s_database_is_left_alone(tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "library.sqlite")
    other.execute("CREATE TABLE about (key, value)")
    other.close()
    with pytest.raises(Unreadable, match="not a library"):
        made(tmp_path)


def test_damage_is_reported_with_what_to_do(tmp_path: Path) -> None:
    with made(tmp_path) as db:
        db.run_many_atomically(
            "INSERT INTO names (text) VALUES (?)", ((f"name {n}" * 9,) for n in range(5000))
        )
    path = tmp_path / "library.sqlite"
    size = path.stat().st_size
    with open(path, "r+b") as file:
        for at in range(size // 2, size, PAGE):
            os.pwrite(file.fileno(), b"\xff" * 64, at)
    with open_database(path, write=False) as db:
        with pytest.raises(Unreadable, match="is damaged") as reported:
            db.read("SELECT text FROM names")
        assert "put a copy of the file back" in str(reported.value.hint)
        with pytest.raises(Unreadable, match="is damaged"):
            list(db.iter_rows("SELECT text FROM names"))
        assert db.check_structure(thorough=False)


# transactions


def test_a_transaction_is_whole_or_nothing(tmp_path: Path) -> None:
    with made(tmp_path) as db:
        with suppress(RuntimeError), db.transaction():
            db.run("INSERT INTO names (text) VALUES ('a')")
            with db.transaction():
                db.run("INSERT INTO names (text) VALUES ('b')")
            raise RuntimeError
        assert db.read("SELECT text FROM names") == []
        assert db.rollbacks == 1
        with db.transaction(durable=True):
            assert db.run("INSERT INTO names (text) VALUES ('c')") == 1
            assert db.execute_change("UPDATE names SET text = 'd'") == 1
        assert db.read_one("SELECT text FROM names") == ("d",)
        assert db.read_one("SELECT text FROM names WHERE id = 9") is None


def test_two_writers_wait_for_each_other_or_are_reported(tmp_path: Path) -> None:
    made(tmp_path).close()
    path = tmp_path / "library.sqlite"
    with Database(path, write=True) as one, Database(path, write=True, patience=0.05) as other:
        with one.transaction():
            with pytest.raises(LockHeld, match="another program is writing"), other.transaction():
                pass
            assert other.read("SELECT count(*) FROM names") == [(0,)]
        with other.transaction():
            other.run("INSERT INTO names (text) VALUES ('x')")


def test_a_snapshot_stays_what_it_was(tmp_path: Path) -> None:
    with made(tmp_path) as db, open_database(tmp_path / "library.sqlite", write=False) as reader:
        with reader.snapshot():
            assert reader.read("SELECT count(*) FROM names") == [(0,)]
            db.run("INSERT INTO names (text) VALUES ('x')")
            assert reader.read("SELECT count(*) FROM names") == [(0,)]
        assert reader.read("SELECT count(*) FROM names") == [(1,)]


def test_an_invalid_statement_is_an_internal_error(tmp_path: Path) -> None:
    with made(tmp_path) as db, pytest.raises(sqlite3.OperationalError):
        db.read("SELECT nothing FROM nowhere")


def test_a_file_that_may_not_grow_is_reported_and_whole(tmp_path: Path) -> None:
    code = """if True:
        import resource, sys
        from pathlib import Path
        from talktree.errors import NotSaved
        from talktree.library.database.open_database import open_database
        db = open_database(Path(sys.argv[1]), write=True)
        db.run("INSERT INTO names (text) VALUES ('before')")
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
        try:
            with db.transaction():
                for n in range(4000):
                    db.run("INSERT INTO names (text) VALUES (?)", (str(n) * 500,))
        except NotSaved as told:
            print(told.message, told.hint)
    """
    path = tmp_path / "library.sqlite"
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True)
    assert re.search("library.sqlite: cannot grow: the limit on the size of files", done.stdout)
    assert "what was kept before is whole" in done.stdout
    with open_database(path, write=True) as db:
        assert db.read("SELECT text FROM names") == [("before",)]
        assert db.check_structure(thorough=True) == []


# schema


@pytest.mark.parametrize("number", range(1, SCHEMA + 1))
def test_every_schema_there_was_leads_to_today_s(tmp_path: Path, number: int) -> None:
    path = tmp_path / "library.sqlite"
    old = sqlite3.connect(path)
    old.executescript((STORED / f"schema-{number}.sql").read_text())
    old.close()
    if number < SCHEMA:
        with pytest.raises(Unreadable, match="older version"):
            open_database(path, write=False)
    with open_database(path, write=True) as db, made(tmp_path / "new") as new:
        assert schema_number(db) == SCHEMA
        assert tables(db) == tables(new), (
            "it changed: raise SCHEMA, add a step, then run python -m tests.library.store_schema"
        )
        assert db.read("SELECT path, format FROM sources") == [
            (b"/home/ana/a.jsonl", "claude-code")
        ]
        assert db.check_structure(thorough=True) == []
    assert set(STEPS) == set(range(2, SCHEMA + 1))


def test_steps_are_done_once_in_their_order_or_not_at_all(tmp_path: Path) -> None:
    def second(db: Database) -> None:
        db.run("CREATE TABLE later (id INTEGER PRIMARY KEY)")

    def third(db: Database) -> None:
        db.run("ALTER TABLE later ADD COLUMN text TEXT")

    def broken(db: Database) -> None:
        db.run("ALTER TABLE nowhere ADD COLUMN text TEXT")

    first = SCHEMA + 1
    with made(tmp_path) as db:
        before = tables(db)
        with pytest.raises(sqlite3.OperationalError):
            migrate(db, {first: second, first + 1: broken}, first + 1)
        assert (schema_number(db), tables(db)) == (SCHEMA, before)
        migrate(db, {first: second, first + 1: third}, first + 1)
        migrate(db, {first: second, first + 1: third}, first + 1)
        assert schema_number(db) == first + 1
        assert "text TEXT" in tables(db)["later"]
    for write in (True, False):
        with pytest.raises(Unreadable, match="newer version"):
            open_database(tmp_path / "library.sqlite", write=write)


def test_many_processes_may_create_the_same_library_concurrently(tmp_path: Path) -> None:
    failed: list[BaseException] = []

    def make() -> None:
        try:
            made(tmp_path).close()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=make) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


def test_the_page_says_what_the_tables_are(tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "docs" / "design" / "library.md").read_text()
    page = {
        name: set(columns.split(", "))
        for name, columns in re.findall(r"^\| `(\w+)` \| ([\w, ]+) \| ", text, re.MULTILINE)
        if name not in ("body", "file", "tag", "time")
    }
    with made(tmp_path) as db:
        names = [name for name, sql in tables(db).items() if sql.startswith("CREATE TABLE")]
        found = {
            name: {str(row[1]) for row in db.read(f"PRAGMA table_info({name})")}
            for name in names
            if not name.startswith("sqlite_")
        }
    assert {name: columns for name, columns in page.items() if name in found} == found


# names


def test_a_word_has_one_number(tmp_path: Path) -> None:
    with made(tmp_path) as db:
        names = Names(db)
        words = ["opus", "sonnet", "", "日本", "a\0b", "\ud800", "opus"]
        numbers = [names.get_or_add(word) for word in words]
        assert numbers == [Names(db).get_or_add(word) for word in words]
        assert len(set(numbers)) == 6
        assert [names.text(number) for number in numbers[:5]] == words[:5]
        assert names.text(numbers[5]) == "?"
        assert names.find_number("nobody") is None
        assert names.text(99) == ""


def test_a_number_that_was_taken_back_is_not_remembered(tmp_path: Path) -> None:
    with made(tmp_path) as db:
        names = Names(db)
        with suppress(RuntimeError), db.transaction():
            names.get_or_add("opus")
            raise RuntimeError
        assert names.get_or_add("sonnet") == 1
        assert names.get_or_add("opus") == 2
        assert names.text(1) == "sonnet"
