"""Forgetting in the studio: the announcement, what is removed, and what other windows show."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from talktree.library.erasure.forget import finish_interrupted_erasure, forget_many
from talktree.library.importing.lock import WriterLock
from talktree.library.library import Library
from talktree.web.routes.live import Watch
from tests.export.talks import lines, said
from tests.web.running import Running, running, until
from tests.web.working import cid_of, copied, done, refused, stamp_of


def test_the_studio_says_what_goes_and_forgets_it(tmp_path: Path) -> None:
    path, other = copied("claude-code", tmp_path), copied("muse", tmp_path)
    before = path.read_bytes()
    with running([path, other]) as found:
        cid = cid_of(found, path)
        preview = found.get(f"/c/{cid}/forget")
        assert (preview["path"], preview["on_disk"]) == (str(path), True)
        assert preview["versions"] == 1
        watch = watch_of(found, cid)
        watch.find_change()
        count = found.get("/conversations")["total"]
        forgotten = found.post(f"/c/{cid}/forget", None)
        assert forgotten["left"] == []
        news = watch.find_change()
        assert news is not None
        assert news.cause == "forgotten"
        assert watch.find_change() is None
        assert found.get("/conversations")["total"] == count - 1
        refused(found, f"/c/{cid}/forget", None, 404)
        with found.studio.cache.open_for_writing() as library:
            assert library.import_([path, other]).forgotten == 1
        assert found.get("/conversations")["total"] == count - 1
        assert found.get(f"/c/{cid_of(found, other)}")["messages"] > 0
    assert path.read_bytes() == before


def test_a_studio_that_only_shows_forgets_nothing(tmp_path: Path) -> None:
    path = copied("native", tmp_path)
    with running([path], read_only=True) as found:
        cid = cid_of(found, path)
        assert found.get(f"/c/{cid}/forget")["conversations"] == 2
        refused(found, f"/c/{cid}/forget", None, 403)
        assert found.get(f"/c/{cid}")["messages"] > 0


WORD = "quizzaciousharbour"
LONG = 3_000


def watch_of(studio: Running, cid: str) -> Watch:
    """Return the event stream of an open window."""
    return Watch(studio.studio.cache, cid)


def planted(folder: Path, count: int = 3) -> Path:
    """Return a session with a unique word in each message."""
    path = folder / "planted.jsonl"
    parents: list[str | None] = [None, *(f"m{number}" for number in range(count))]
    path.write_bytes(
        lines(*(said("user", f"m{n}", parents[n], f"{WORD} {n} " * 20) for n in range(count)))
    )
    return path


def files_with(word: str, *folders: Path) -> list[Path]:
    """Return the files that contain a word; names of files do not count."""
    found = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    return [path for path in found if word.encode() in path.read_bytes()]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TALKTREE_HOME", str(tmp_path / "home"))
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    return tmp_path / "home"


def test_edits_files_and_previews_of_it_go_as_well(home: Path, tmp_path: Path) -> None:
    path = planted(tmp_path)
    with running([path]) as found:
        cid = cid_of(found, path)
        edit = {"do": "reply", "parent": "m2", "text": f"an unsaved {WORD}"}
        done(found, cid, edit)
        stamp = stamp_of(found, cid)
        watches = [watch_of(found, cid) for _ in range(2)]
        for to in ("html", "md"):
            job = found.ended(found.post(f"/c/{cid}/share", {"to": to})["id"])
            assert found.client.get(f"/api/v1/jobs/{job['id']}/file").status_code == 200
        page = found.post(f"/c/{cid}/share/preview", {"to": "html"})["page"]
        assert files_with(WORD, home, tmp_path / "temporary")
        forgotten = found.post(f"/c/{cid}/forget", None)
        assert forgotten["left"] == []
        assert files_with(WORD, home, tmp_path / "temporary") == []
        assert found.client.get(page).status_code == 404
        refused(found, f"/jobs/{job['id']}/file", None, 405)
        assert found.client.get(f"/api/v1/jobs/{job['id']}/file").status_code == 404
        turn = {"stamp": stamp}
        refused(found, f"/c/{cid}/undo", turn, 404)
        for watch in watches:
            news = watch.find_change()
            assert news is not None
            assert news.cause == "forgotten"
    assert WORD in path.read_text()


def test_work_on_it_stops_and_leaves_no_file(home: Path, tmp_path: Path) -> None:
    path = planted(tmp_path, LONG)
    with running([path]) as found:
        cid = cid_of(found, path)
        jobs = [found.post(f"/c/{cid}/share", {"to": "html"})["id"] for _ in range(2)]
        assert found.post(f"/c/{cid}/forget", None)["left"] == []
        for job in jobs:
            ended = found.ended(job)
            assert ended["state"] in {"cancelled", "failed", "done"}
            assert ended["file"] is None
        assert files_with(WORD, home, tmp_path / "temporary") == []


def test_a_conversation_forgotten_by_another_program_is_dropped_too(
    home: Path, tmp_path: Path
) -> None:
    with Library.open(write=True) as library:
        library.import_([planted(tmp_path)])
    with running([]) as found:
        job = found.ended(found.post("/c/1/share", {"to": "md"})["id"])
        assert job["file"]
        with Library.open(write=True) as library:
            library.forget(next(iter(library.conversations())))
        until(lambda: not files_with(WORD, tmp_path / "temporary"))
        assert found.client.get(f"/api/v1/jobs/{job['id']}/file").status_code == 404
        until(lambda: not files_with(WORD, home))


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait for other users of the library."""
    for each in (forget_many, finish_interrupted_erasure):
        assert each.__kwdefaults__ is not None
        monkeypatch.setitem(each.__kwdefaults__, "wait", 0.1)


@pytest.mark.usefixtures("impatient")
def test_while_another_program_writes_nothing_is_forgotten(home: Path, tmp_path: Path) -> None:
    path = planted(tmp_path)
    with running([path]) as found:
        cid = cid_of(found, path)
        root = found.host.served.root
        assert root is not None
        with WriterLock(root).hold(60.0):
            answer = refused(found, f"/c/{cid}/forget", None, 409)
            assert answer["kind"] == "busy"
            assert found.get(f"/c/{cid}")["messages"] == 3
        assert found.post(f"/c/{cid}/forget", None)["left"] == []


@pytest.mark.usefixtures("impatient")
def test_a_reader_of_the_database_is_named_as_what_is_left(home: Path, tmp_path: Path) -> None:
    path = planted(tmp_path)
    with running([path]) as found:
        cid = cid_of(found, path)
        root = found.host.served.root
        assert root is not None
        with Library.open(root) as reader, reader.db.snapshot():
            assert list(reader.conversations())
            forgotten = found.post(f"/c/{cid}/forget", None)
            assert forgotten["left"], "it says that it is not finished"
        until(lambda: not files_with(WORD, home))
