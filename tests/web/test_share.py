"""Sharing from the page: a job that leaves a file, and the secrets that would be in it."""

from __future__ import annotations

import re
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from talktree.web.routes.route import API
from tests.export.planted import KINDS, Dice
from tests.export.talks import forked, lines, said
from tests.web.running import Running, running
from tests.web.working import copied

KEY = KINDS["anthropic"](Dice(12))
PLACEHOLDER = re.compile(r"\[redacted: [^\]\\]+\]")


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Running:  # type: ignore[misc]
    folder = tmp_path_factory.mktemp("talks")
    more = said("user", "k1", "a4", f"use {KEY} for ../../{KEY}")
    path = folder / "talk.jsonl"
    path.write_bytes(lines(*forked(), more))
    with running([path]) as found:
        yield found


def shared(studio: Running, cid: str = "1", **asked: Any) -> tuple[str, bytes]:
    """Return the file of a share, and its name."""
    job = studio.ended(studio.post(f"/c/{cid}/share", {"to": "html", **asked})["id"])
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
    studio: Running, asked: dict[str, Any], there: bytes, absent: bytes
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


def test_secrets_are_reported_without_being_shown(studio: Running) -> None:
    found = studio.post("/c/1/secrets", {})
    assert (found["total"], found["distinct"]) == (1, 1)
    (place,) = found["places"]
    assert place["message"] == "k1"
    assert place["kind"] == "ai-vendor-key"
    assert place["placeholder"].startswith("[redacted: Anthropic key ")
    assert KEY not in str(found)
    assert KEY[8:20] not in str(found)
    assert studio.post("/c/1/secrets", {"leaf": "a3"})["total"] == 0
    assert studio.post("/c/1/secrets", {"ids": ["u1", "k1"]})["total"] == 1


def test_missing_items_are_reported_immediately(studio: Running) -> None:
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
        left = studio.post("/c/1/secrets", {})
        assert (left["hidden"], left["total"]) == ({"message not shown to the user": 1}, 0)
        every = studio.post("/c/1/secrets", {"include_deleted": True})
        assert (every["hidden"], every["total"]) == ({"message not shown to the user": 1}, 1)
        assert b"never mind" not in shared(studio, to="md")[1]
        assert b"never mind" in shared(studio, to="md", include_deleted=True)[1]


def test_the_preview_is_what_is_shared(studio: Running) -> None:
    found = studio.post("/c/1/secrets", {"words": ["pears"], "personal": True})
    assert (found["looked_for"]["words"], found["looked_for"]["personal"]) == (1, True)
    for to in ("html", "md", "text", "native", "claude-code", "studio"):
        for more in ({}, {"words": ["pears"]}, {"redact": False}, {"personal": True}):
            shown = studio.post("/c/1/share/preview", {"to": to, **more})
            name, data = shared(studio, to=to, **more)
            assert shown["is_whole"]
            (file,) = shown["files"]
            if to == "html":
                assert file["text"] is None
                page = studio.client.get(shown["page"])
                assert page.headers["content-type"].startswith("text/html")
                assert page.content == data, (name, more)
            else:
                assert file["text"].encode() == data, (name, more)
            assert (KEY.encode() in data) == ("redact" in more)
            if "words" in more:
                assert b"pears" not in data.lower()
                listed = {each["placeholder"] for each in found["places"]}
                in_messages = set(PLACEHOLDER.findall(data.decode().replace("\\]", "]")))
                assert in_messages <= listed, "the list shows what the file has"


def test_a_page_is_previewed_in_a_sandbox(studio: Running) -> None:
    page = studio.post("/c/1/share/preview", {"to": "html"})["page"]
    policy = studio.client.get(page).headers["content-security-policy"]
    assert policy.startswith("sandbox; default-src 'none'")
    assert "script-src" not in policy
    for _ in range(4):
        studio.post("/c/1/share/preview", {"to": "html"})
    assert studio.client.get(page).status_code == 404, "only the last ones are held"


def test_a_folder_is_previewed_file_by_file(tmp_path: Path) -> None:
    with running([copied("sage", tmp_path)]) as studio:
        (cid,) = {each["cid"] for each in studio.get("/conversations")["cards"]}
        shown = studio.post(f"/c/{cid}/share/preview", {"to": "sage"})
        _, data = shared(studio, cid=cid, to="sage")
        with zipfile.ZipFile(BytesIO(data)) as archive:
            members = {n.partition("/")[2]: archive.read(n) for n in archive.namelist()}
        assert len(shown["files"]) > 1
        for file in shown["files"]:
            assert members[file["name"]].startswith(file["text"].encode())
