"""Sharing from the page: a job that leaves a file, and the secrets that would be in it."""

from __future__ import annotations

import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from talktree.web.route import API
from tests.export.planted import KINDS, Dice
from tests.export.talks import forked, lines, said
from tests.web.running import Running, running

KEY = KINDS["anthropic"](Dice(12))


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Running:  # type: ignore[misc]
    folder = tmp_path_factory.mktemp("talks")
    more = said("user", "k1", "a4", f"use {KEY} for ../../{KEY}")
    path = folder / "talk.jsonl"
    path.write_bytes(lines(*forked(), more))
    with running([path]) as found:
        yield found


def shared(studio: Running, **asked: object) -> tuple[str, bytes]:
    """The file of a share, and what it is called."""
    job = studio.ended(studio.post("/c/1/share", {"to": "html", **asked})["id"])
    assert job["state"] == "done", job
    answer = studio.client.get(f"{API}/jobs/{job['id']}/file")
    assert answer.status_code == 200
    assert answer.headers["content-disposition"].startswith("attachment;")
    assert job["size"] == len(answer.content)
    return job["file"], answer.content


def test_a_page_is_made_in_the_background(studio: Running) -> None:
    name, page = shared(studio)
    assert name.endswith(".html")
    assert page.startswith(b"<!doctype html>")
    assert b"Done first." in page
    assert b"Done second." in page
    assert KEY.encode() not in page
    assert b"[redacted: Anthropic key" in page


@pytest.mark.parametrize(
    ("asked", "there", "absent"),
    [
        ({"leaf": "a3"}, b"Done first.", b"Done second."),
        ({"leaf": "a3", "everything": True}, b"Done second.", b"nothing"),
        ({"ids": ["u1"]}, b"Water the pears", b"Two pears"),
        ({"detail": "user-only"}, b"Water the pears", b"Two pears"),
        ({"images": "drop"}, b"image left out", b"data:image"),
        ({"redact": False}, KEY.encode(), b"[redacted"),
    ],
)
def test_it_holds_what_was_asked_for(
    studio: Running, asked: dict[str, object], there: bytes, absent: bytes
) -> None:
    for to in ("html", "md", "text"):
        if to != "html" and "images" in asked:
            continue
        _, page = shared(studio, to=to, **asked)
        assert there in page
        assert absent not in page


def test_any_format_can_be_shared(studio: Running) -> None:
    for each in studio.get("/about")["formats"]:
        name, data = shared(studio, to=each["slug"])
        if name.endswith(".zip"):
            with zipfile.ZipFile(BytesIO(data)) as archive:
                data = b"".join(archive.read(inside) for inside in archive.namelist())
        assert KEY.encode() not in data, each["slug"]


def test_secrets_are_told_without_being_shown(studio: Running) -> None:
    found = studio.get("/c/1/secrets")
    assert (found["total"], found["distinct"]) == (1, 1)
    (place,) = found["places"]
    assert place["message"] == "k1"
    assert place["kind"] == "ai-vendor-key"
    assert place["placeholder"].startswith("[redacted: Anthropic key ")
    assert KEY not in str(found)
    assert KEY[8:20] not in str(found)
    assert studio.get("/c/1/secrets", leaf="a3")["total"] == 0
    assert studio.get("/c/1/secrets", ids=["u1", "k1"])["total"] == 1


def test_what_is_not_there_is_told_at_once(studio: Running) -> None:
    for body in (
        {"to": "nothing"},
        {"to": "html", "ids": ["nobody"]},
        {"to": "html", "leaf": "x9"},
    ):
        answer = studio.client.post(f"{API}/c/1/share", json=body)
        assert answer.status_code in (400, 404), body
        assert answer.json()["error"]["message"]


def test_a_share_that_is_cancelled_leaves_nothing(tmp_path: Path) -> None:
    many = [
        said("user", f"u{n}", f"u{n - 1}" if n else None, "pear **x** " * 40) for n in range(9000)
    ]
    path = tmp_path / "long.jsonl"
    path.write_bytes(lines(*many))
    with running([path]) as studio:
        job = studio.post("/c/1/share", {"to": "html"})
        studio.post(f"/jobs/{job['id']}/cancel")
        ended = studio.ended(job["id"])
        assert ended["state"] in ("cancelled", "done")
        if ended["state"] == "cancelled":
            assert not any(each.is_file() for each in studio.studio.scratch.iterdir())


def test_hidden_messages_are_shared_only_if_they_are_chosen(tmp_path: Path) -> None:
    gone = said("user", "k1", "a4", f"never mind {KEY}") | {"isMeta": True}
    path = tmp_path / "talk.jsonl"
    path.write_bytes(lines(*forked(), gone))
    with running([path]) as studio:
        left = studio.get("/c/1/secrets")
        assert (left["hidden"], left["total"]) == ({"message not shown to the user": 1}, 0)
        every = studio.get("/c/1/secrets", include_deleted="true")
        assert (every["hidden"], every["total"]) == ({"message not shown to the user": 1}, 1)
        assert b"never mind" not in shared(studio, to="md")[1]
        assert b"never mind" in shared(studio, to="md", include_deleted=True)[1]


def test_the_preview_is_what_is_shared(studio: Running) -> None:
    shown = studio.get("/c/1/share/preview", to="md")
    assert shown["is_whole"]
    assert shown["replaced"] == 1
    assert "[redacted: Anthropic key" in shown["text"]
    assert KEY not in shown["text"]
    words = studio.get("/c/1/share/preview", to="html", words=["pears"])
    assert "pears" not in words["text"].lower()
    looked = studio.get("/c/1/secrets", words=["pears"], personal="true")["looked_for"]
    assert (looked["words"], looked["personal"]) == (1, True)
    assert b"pears" not in shared(studio, to="md", words=["pears"])[1].lower()
