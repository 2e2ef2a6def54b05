"""Edits through the API: every deed on every format works and survives, or is refused."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from talktree import api
from talktree.errors import TalktreeError
from talktree.formats.engine.edited import edited
from talktree.testing.edits import KINDS, Outcome, shape, tried
from tests.web.running import Running, running
from tests.web.working import (
    DEMOS,
    GIF,
    bytes_of,
    cid_of,
    copied,
    deed_of,
    document_of,
    done,
    fingerprint,
    refused,
    shown_bytes,
    stamp_of,
    turned,
    uploaded,
)

SINGLE = tuple(DEMOS)


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Running, dict[str, Path]]]:
    folder = tmp_path_factory.mktemp("demos")
    paths = {slug: copied(slug, folder / slug) for slug in DEMOS}
    with running([*paths.values()]) as found:
        yield found, paths


def first_that_works(path: Path, kind: str) -> Outcome:
    """The first edit of a kind that a source takes; else the last that it refuses."""
    document = api.read(path)
    outcomes = list(tried(document, document.conversations[0], kind))
    assert not any(each.lost for each in outcomes)
    works = [each for each in outcomes if each.edited is not None]
    return (works or outcomes)[0]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("slug", SINGLE)
def test_a_deed_survives_saving_and_all_ways_back_or_is_refused(
    studio: tuple[Running, dict[str, Path]], slug: str, kind: str
) -> None:
    found, paths = studio
    path, cid = paths[slug], cid_of(studio[0], paths[slug])
    source = bytes_of(path)
    expected = first_that_works(path, kind)
    if expected.operation is None:
        return
    upload = uploaded(found, GIF)["upload"] if kind == "attach" else ""
    deed = deed_of(kind, expected.operation, upload)
    before, stamp = shown_bytes(found, cid), stamp_of(found, cid)
    assert before == {name: data for name, data in source.items() if name in before}
    if expected.edited is None and kind != "restore":
        error = refused(found, f"/c/{cid}/edits", {"stamp": stamp, "deed": deed}, 422)
        assert slug in error["message"]
        assert (stamp_of(found, cid), bytes_of(path)) == (stamp, source)
        return
    if kind == "restore":
        if expected.edited is None:
            return
        done(found, cid, {"do": "delete", "about": deed["about"]})
        before = shown_bytes(found, cid)
    answer = done(found, cid, deed)
    after = shown_bytes(found, cid)
    assert answer["stamp"] == stamp_of(found, cid) != stamp
    assert bytes_of(path) == source, "only saving changes the file"
    turned(found, cid, "undo")
    assert shown_bytes(found, cid) == before
    turned(found, cid, "redo")
    assert shown_bytes(found, cid) == after
    turned(found, cid, "save")
    assert bytes_of(path) == {**source, **after}
    conversation = api.read(path).conversations[0]
    assert shape(conversation) == shape(expected.edited.find(conversation.id))
    while found.get(f"/c/{cid}/edits")["can_undo"]:
        turned(found, cid, "undo")
    turned(found, cid, "save")
    assert bytes_of(path) == source


def test_an_edit_says_where_to_look(studio: tuple[Running, dict[str, Path]]) -> None:
    found, paths = studio
    cid = cid_of(found, paths["claude-code"])
    conversation = document_of(found, cid).conversations[0]
    last = conversation.path()[-1].id
    answer = done(found, cid, {"do": "reply", "parent": last, "text": "And then?"})
    new = document_of(found, cid).conversations[0][answer["id"]]
    assert (new.text, new.parent, new.role) == ("And then?", last, "user")
    assert answer["leaf"] == answer["id"]
    history = found.get(f"/c/{cid}/edits")
    assert history["edits"][-1]["about"] == answer["id"]
    assert history["edits"][-1]["what"] == "reply: And then?"
    assert (history["can_undo"], history["can_redo"], history["saved"]) == (True, False, False)
    back = turned(found, cid, "undo")
    assert (back["id"], back["what"]) == (last, "undone: reply: And then?")
    history = found.get(f"/c/{cid}/edits")
    assert history["edits"][-1]["state"] == "undone"
    assert (history["can_redo"], history["saved"]) == (True, True)


@pytest.mark.parametrize(
    "deed",
    [
        {"do": "reply", "parent": "nowhere", "text": ""},
        {"do": "revise", "about": "nowhere", "text": ""},
        {"do": "move", "about": "nowhere", "to": None},
        {"do": "attach", "about": "nowhere", "upload": "../../etc/passwd"},
    ],
)
def test_a_message_that_is_not_there_is_told(
    studio: tuple[Running, dict[str, Path]], deed: dict[str, Any]
) -> None:
    found, paths = studio
    cid = cid_of(found, paths["native"])
    stamp = stamp_of(found, cid)
    refused(found, f"/c/{cid}/edits", {"stamp": stamp, "deed": deed}, 404)
    assert stamp_of(found, cid) == stamp


def test_what_changes_nothing_is_refused(studio: tuple[Running, dict[str, Path]]) -> None:
    found, paths = studio
    cid = cid_of(found, paths["native"])
    first = next(document_of(found, cid).conversations[0].messages())
    for deed in (
        {"do": "undelete", "about": first.id},
        {"do": "replace", "about": first.id, "text": first.text},
        {"do": "retype", "about": first.id, "role": first.role},
        {"do": "move", "about": first.id, "to": first.parent},
        {"do": "swap", "about": first.id, "other": first.id},
        {"do": "pop_up", "about": first.id},
        {"do": "retype", "about": first.id, "role": ""},
    ):
        refused(found, f"/c/{cid}/edits", {"stamp": stamp_of(found, cid), "deed": deed}, 400)


def test_a_stale_stamp_changes_nothing(tmp_path: Path) -> None:
    path = copied("claude-code", tmp_path / "talks")
    with running([path]) as found:
        cid = cid_of(found, path)
        old = stamp_of(found, cid)
        last = document_of(found, cid).conversations[0].path()[-1].id
        now = done(found, cid, {"do": "reply", "parent": last, "text": "First"})["stamp"]
        assert found.studio.desk.library().db.read("PRAGMA wal_checkpoint") is not None
        rows = found.studio.desk.library().db.read("SELECT * FROM operations")
        talks = fingerprint(tmp_path / "talks")
        deed = {"do": "reply", "parent": last, "text": "Second"}
        for path_, body in (
            ("edits", {"stamp": old, "deed": deed}),
            ("undo", {"stamp": old}),
            ("redo", {"stamp": old}),
            ("save", {"stamp": old}),
            ("fixes", {"stamp": old, "apply": True}),
            ("edits", {"stamp": "", "deed": deed}),
        ):
            error = refused(found, f"/c/{cid}/{path_}", body, 409)
            assert error["stamp"] == now
        assert found.studio.desk.library().db.read("SELECT * FROM operations") == rows
        assert fingerprint(tmp_path / "talks") == talks
        assert stamp_of(found, cid) == now


def test_of_two_windows_one_comes_second(tmp_path: Path) -> None:
    path = copied("claude-code", tmp_path)
    with running([path]) as found:
        cid = cid_of(found, path)
        last = document_of(found, cid).conversations[0].path()[-1].id
        for number in range(5):
            stamp = stamp_of(found, cid)
            barrier, codes = threading.Barrier(4), list[int]()

            def ask(stamp: str, text: str) -> None:
                body = {"stamp": stamp, "deed": {"do": "reply", "parent": last, "text": text}}
                barrier.wait()
                codes.append(found.client.post(f"/api/v1/c/{cid}/edits", json=body).status_code)

            windows = [
                threading.Thread(target=ask, args=(stamp, f"{number}.{each}")) for each in range(4)
            ]
            for each in windows:
                each.start()
            for each in windows:
                each.join()
            assert sorted(codes) == [200, 409, 409, 409]
        assert len(found.get(f"/c/{cid}/edits")["edits"]) == 5


def test_a_read_only_studio_edits_nothing(tmp_path: Path) -> None:
    path = copied("native", tmp_path)
    with running([path], read_only=True) as found:
        cid = cid_of(found, path)
        stamp = stamp_of(found, cid)
        for verb in ("undo", "redo", "save"):
            refused(found, f"/c/{cid}/{verb}", {"stamp": stamp}, 403)
        body: dict[str, Any] = {"stamp": stamp, "deed": {"do": "remove", "about": "b1"}}
        refused(found, f"/c/{cid}/edits", body, 403)
        refused(found, f"/c/{cid}/fixes", {"stamp": stamp, "apply": True}, 403)
        refused(found, f"/c/{cid}/branch-names", {"leaf": "b1", "name": "x"}, 403)
        refused(found, "/imports", {}, 403)
        assert found.client.post("/api/v1/uploads?name=x", content=b"x").status_code == 403


def test_an_edit_that_its_file_outgrew_is_told_and_the_file_is_shown(tmp_path: Path) -> None:
    path = copied("studio", tmp_path)
    with running([path]) as found:
        cid = cid_of(found, path)
        first = next(document_of(found, cid).conversations[0].messages())
        done(found, cid, {"do": "replace", "about": first.id, "text": "Mine"})
        path.write_bytes(path.read_bytes().replace(b"\n", b"\n\n"))
        found.ended(found.post("/imports", {})["id"])
        assert "Mine" not in [
            each.text for each in document_of(found, cid).conversations[0].messages()
        ]
        deed = {"do": "remove", "about": first.id}
        refused(found, f"/c/{cid}/edits", {"stamp": stamp_of(found, cid), "deed": deed}, 409)
        turned(found, cid, "undo")
        done(found, cid, deed)


def test_an_edit_is_the_same_as_on_the_command_line() -> None:
    document = api.read(Path(__file__).parents[2] / "demo" / "muse.json")
    talk = document.conversations[0]
    with pytest.raises(TalktreeError, match="one line of messages"):
        edited(document, talk.id, KINDS["new beginning"](talk, talk.path()[0]))
