"""Reads change nothing, and a read-only studio changes nothing at all."""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from talktree.library.library import Library
from talktree.library.temporary import temporary_library_path
from talktree.web.routes import TABLE
from talktree.web.watcher import EVERY
from tests.web.every_route import PARTS, filled, questions
from tests.web.running import Running, running
from tests.web.test_sessions import recorded

LONG_AGO = 1_700_000_000
ALLOWED = {
    "/login", "/challenge", "/lock", "/unlock", "/jobs/{job}/cancel", "/c/{cid}/save-as",
    "/c/{cid}/session/plan", "/c/{cid}/share", "/c/{cid}/fixes", "/c/{cid}/secrets",
    "/c/{cid}/share/preview",
}  # fmt: skip
"""Routes other than GET that change nothing: the login, plans, and files to download. Fixes are
requested as a plan; with `apply` they are refused like everything else."""


def digests(*folders: Path) -> dict[str, str]:
    """Return the content of all files below some folders, and of databases, in any storage form."""
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    return {str(path): _digest(path) for path in files if not path.name.endswith(("-shm", "-wal"))}


def _digest(path: Path) -> str:
    if path.suffix != ".sqlite":
        return hashlib.sha256(path.read_bytes()).hexdigest()
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        return hashlib.sha256("\n".join(database.iterdump()).encode()).hexdigest()


@pytest.fixture
def own(demo: Path, tmp_path: Path) -> Path:
    """Return a demo that is old enough not to be compared a second time."""
    made = Path(shutil.copytree(demo, tmp_path / "own"))
    for path in (made, *made.rglob("*")):
        os.utime(path, (LONG_AGO, LONG_AGO))
    return made


@pytest.fixture
def served(own: Path) -> Iterator[Running]:
    with running([own]) as studio:
        yield studio


def test_get_has_no_effects(served: Running, own: Path) -> None:
    asked = [each for each in questions(served) if not each.route.path.endswith("/live")]
    folders = (own, temporary_library_path([own]), served.studio.scratch)
    before = digests(*folders)
    assert len(before) > 10
    for question in asked:
        served.client.get(question.path, params=question.query)
        served.client.head(question.path, params=question.query)
    assert digests(*folders) == before


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a separate data folder."""
    monkeypatch.setenv("TALKTREE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.mark.parametrize("paths", [False, True], ids=["the library", "some paths"])
def test_a_read_only_studio_leaves_every_byte_as_it_is(
    own: Path, home: Path, *, paths: bool
) -> None:
    recorded(own / "session")
    with Library.open(write=True) as library:
        library.import_([own])
    given = [own] if paths else []
    if paths:
        with running(given):
            pass
    before = digests(own, home)
    assert len(before) > 10
    # Something new to import, for background work.
    shutil.copy(own / "muse.json", own / "new.json")
    with running(given, read_only=True) as studio:
        _ask_everything(studio)
        time.sleep(1.2 * EVERY)
        after = digests(own, home)
    assert after.pop(str(own / "new.json"))
    assert after == before
    after = digests(own, home)
    assert after.pop(str(own / "new.json"))
    assert after == before, "nothing is left behind either"


def _ask_everything(studio: Running) -> None:
    """Request every route that is not refused: all GETs, and those that change nothing."""
    for question in questions(studio):
        if not question.route.path.endswith("/live"):
            studio.client.get(question.path, params=question.query)
    cards = studio.get("/conversations")["cards"]
    card = cards[0]["cid"]
    stamp = studio.get(f"/c/{card}")["stamp"]
    planned = 0
    for path, body in (
        (f"/c/{card}/share", {"to": "html"}),
        (f"/c/{card}/share/preview", {"to": "html"}),
        (f"/c/{card}/secrets", {"words": ["lantern"]}),
        (f"/c/{card}/save-as", {"to": "native"}),
        (f"/c/{card}/fixes", {"stamp": stamp}),
        *((f"/c/{each['cid']}/session/plan", {"verb": "undo"}) for each in cards),
        ("/jobs/none/cancel", {}),
        ("/login", {"token": "none"}),
        ("/challenge", {}),
    ):
        answer = studio.client.post(f"/api/v1{path}", json=body)
        assert answer.status_code != 403, (path, answer.text)
        planned += answer.status_code == 200 and path.endswith("/plan")
        if path.endswith(("/share", "/save-as")):
            studio.ended(answer.json()["id"])
    assert planned, "at least one conversation is a session that can be undone"


def test_a_studio_that_only_reads_refuses_every_change(own: Path, home: Path) -> None:
    with running([own], read_only=True) as studio:
        assert studio.get("/about")["read_only"] is True
        before = digests(own, home)
        for route in TABLE:
            if route.method != "GET" and route.path not in ALLOWED:
                answer = studio.client.request(route.method, filled(route, PARTS), json={})
                assert answer.status_code == 403, route
                assert answer.json()["error"]["kind"] == "read-only"
        stamp = studio.get("/c/1")["stamp"]
        fix = studio.client.post("/api/v1/c/1/fixes", json={"stamp": stamp, "apply": True})
        assert (fix.status_code, fix.json()["error"]["kind"]) == (403, "read-only")
        assert studio.ended(studio.post("/c/1/share", {"to": "md"})["id"])["state"] == "done"
        assert digests(own, home) == before


def test_only_what_is_allowed_has_no_effects() -> None:
    changes = {route.path for route in TABLE if route.method != "GET"}
    assert {path for path in changes if path in ALLOWED} == ALLOWED
    assert all(
        route.effects for route in TABLE if route.path in changes - ALLOWED if route.method != "GET"
    )
    assert not any(route.effects for route in TABLE if route.method == "GET")
