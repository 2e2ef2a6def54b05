"""What reads changes nothing, and a read-only studio changes nothing at all."""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from talktree.library.temporary import library_of
from talktree.web.table import TABLE
from tests.web.every_route import filled, questions
from tests.web.running import Running, running

LONG_AGO = 1_700_000_000
ALLOWED = {
    "/login", "/jobs/{job}/cancel", "/c/{cid}/save-as", "/c/{cid}/session/plan", "/c/{cid}/share",
    "/c/{cid}/fixes",
}  # fmt: skip
"""What is no GET and yet changes nothing: the door, plans, and files to download. Fixes are asked
for as a plan; with `apply` they are refused like everything else."""


def digests(*folders: Path) -> dict[str, str]:
    """What is in all files below some folders, and what databases hold, however they hold it."""
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    return {str(path): _digest(path) for path in files if not path.name.endswith(("-shm", "-wal"))}


def _digest(path: Path) -> str:
    if path.suffix != ".sqlite":
        return hashlib.sha256(path.read_bytes()).hexdigest()
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        return hashlib.sha256("\n".join(database.iterdump()).encode()).hexdigest()


@pytest.fixture
def own(demo: Path, tmp_path: Path) -> Path:
    """The demo, old enough that nobody looks at it a second time to be sure."""
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
    folders = (own, library_of([own]), served.studio.scratch)
    before = digests(*folders)
    assert len(before) > 10
    for question in asked:
        served.client.get(question.path, params=question.query)
        served.client.head(question.path, params=question.query)
    assert digests(*folders) == before


def test_a_studio_that_only_reads_refuses_every_change(own: Path) -> None:
    with running([own], read_only=True) as studio:
        assert studio.get("/about")["read_only"] is True
        before = digests(own, library_of([own]))
        parts = {"cid": "1", "id": "m", "number": "0", "job": "j", "upload": "u"}
        for route in TABLE:
            if route.method != "GET" and route.path not in ALLOWED:
                answer = studio.client.request(route.method, filled(route, parts), json={})
                assert answer.status_code == 403, route
                assert answer.json()["error"]["kind"] == "read-only"
        stamp = studio.get("/c/1")["stamp"]
        fix = studio.client.post("/api/v1/c/1/fixes", json={"stamp": stamp, "apply": True})
        assert (fix.status_code, fix.json()["error"]["kind"]) == (403, "read-only")
        assert studio.ended(studio.post("/c/1/share", {"to": "md"})["id"])["state"] == "done"
        assert digests(own, library_of([own])) == before


def test_only_what_is_allowed_has_no_effects() -> None:
    changes = {route.path for route in TABLE if route.method != "GET"}
    assert {path for path in changes if path in ALLOWED} == ALLOWED
    assert all(
        route.effects for route in TABLE if route.path in changes - ALLOWED if route.method != "GET"
    )
    assert not any(route.effects for route in TABLE if route.method == "GET")
