"""Edits through the API: every operation on every format works and survives, or is refused."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree import api
from talktree.errors import TalktreeError
from talktree.formats.engine.write import apply_edit
from talktree.library.versions.editing import Versions
from talktree.model import operations
from talktree.model.document import Document
from talktree.model.operations import DeleteMessage
from talktree.testing.edits import KINDS, EditOutcome, content_shape, try_edit
from talktree.testing.edits import compute_outcome as tried_one
from tests.cases import examples
from tests.web.running import Running, running
from tests.web.working import (
    DEMO,
    DEMOS,
    GIF,
    bytes_of,
    cid_of,
    copied,
    document_of,
    done,
    fingerprint,
    make_edit,
    refused,
    shown_bytes,
    stamp_of,
    turned,
    uploaded,
)

SAVED = ("reply", "edit in place", "remove")
"""Edits that are also saved here: those that add to, change and remove from the file. All others
are written the same way; that they survive is tested below, without a library, for every
message."""


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Running, dict[str, Path]]]:
    folder = tmp_path_factory.mktemp("demos")
    paths = {slug: copied(slug, folder / slug) for slug in DEMOS}
    with running([*paths.values()]) as found:
        yield found, paths


def first_that_works(document: Document, kind: str) -> EditOutcome | None:
    """Return the first edit of a kind that a source accepts; otherwise one that it refuses."""
    outcomes = list(try_edit(document, document.conversations[0], kind))
    works = [each for each in outcomes if each.edited is not None]
    no = [each for each in outcomes if not each.senseless]
    return next(iter(works or no), None)


@pytest.mark.parametrize("slug", DEMOS)
def test_every_edit_survives_saving_and_all_ways_back_or_is_refused(
    studio: tuple[Running, dict[str, Path]], slug: str
) -> None:
    found, paths = studio
    path, cid = paths[slug], cid_of(studio[0], paths[slug])
    demo, source = api.read(DEMO / DEMOS[slug]), bytes_of(path)
    before, stamp = shown_bytes(found, cid), stamp_of(found, cid)
    assert before == {name: data for name, data in source.items() if name in before}
    for kind in KINDS:
        expected = first_that_works(demo, kind)
        if expected is None or (kind == "restore" and expected.edited is None):
            continue  # no message could be its target
        upload = uploaded(found, GIF)["upload"] if kind == "attach" else ""
        first = next(demo.conversations[0].messages()).id
        edit = make_edit(kind, expected.operation or DeleteMessage(about=first), upload)
        if expected.edited is None:
            body = {"stamp": stamp, "deed": edit}
            assert slug in refused(found, f"/c/{cid}/edits", body, 422)["message"]
            assert stamp_of(found, cid) == stamp
            continue
        stamp = _there_and_back(found, cid, stamp, kind, edit)
        if kind in SAVED:
            after = shown_bytes(found, cid)
            stamp = found.post(f"/c/{cid}/save", {"stamp": stamp})["stamp"]
            assert {**bytes_of(path), **after} == bytes_of(path)
            conversation = api.read(path).conversations[0]
            assert content_shape(conversation) == content_shape(
                expected.edited.find(conversation.id)
            ), kind
        while found.get(f"/c/{cid}/edits")["can_undo"]:
            stamp = found.post(f"/c/{cid}/undo", {"stamp": stamp})["stamp"]
        assert shown_bytes(found, cid) == before
    found.post(f"/c/{cid}/save", {"stamp": stamp})
    assert bytes_of(path) == source


def _there_and_back(found: Running, cid: str, stamp: str, kind: str, edit: dict[str, Any]) -> str:
    """Do it, undo it, redo it; return the stamp then."""

    def ask(verb: str, stamp: str, **more: Any) -> str:
        return str(found.post(f"/c/{cid}/{verb}", {"stamp": stamp, **more})["stamp"])

    if kind == "restore":
        stamp = ask("edits", stamp, deed={"do": "delete", "about": edit["about"]})
    before = shown_bytes(found, cid)
    there = ask("edits", stamp, deed=edit)
    after = shown_bytes(found, cid)
    assert after != before
    _is_as_if_read_anew(found, cid)
    assert (back := ask("undo", there)) == stamp
    assert shown_bytes(found, cid) == before
    assert ask("redo", back) == there
    assert shown_bytes(found, cid) == after
    return there


def _is_as_if_read_anew(found: Running, cid: str) -> None:
    """Assert that the open conversation after an edit equals reading the source and its edits."""
    cache = found.studio.cache
    shown, anew = document_of(found, cid), Versions(cache.get_library(), int(cid)).document()
    assert api.to_bytes(shown) == api.to_bytes(anew)
    assert list(map(content_shape, shown.conversations)) == list(
        map(content_shape, anew.conversations)
    )


@pytest.mark.parametrize("slug", DEMOS)
def test_every_edit_is_there_when_it_is_read_again_or_is_refused(slug: str) -> None:
    document = api.read(DEMO / DEMOS[slug])
    for kind in KINDS:
        for outcome in try_edit(document, document.conversations[0], kind):
            assert not outcome.lost, (kind, outcome.operation)
            assert outcome.edited is not None or outcome.refusal


TEXTS = st.text(max_size=40) | st.sampled_from(
    [
        "\r\nx\r",
        "\0",
        "]]>",
        "<!--",
        "\ufeff",
        "---",
        "; role: x",
        "\x0b\x85\u2028",
        "",
        " ",
        "From me",
    ]
)


@pytest.mark.parametrize("slug", DEMOS)
@given(text=TEXTS, kind=st.sampled_from(["reply", "edit in place"]))
@examples(40)
def test_any_words_are_kept_or_refused(slug: str, text: str, kind: str) -> None:
    document = _demo(slug)
    talk = document.conversations[0]
    about = talk.path()[-1]
    made = operations.reply if kind == "reply" else operations.replace
    outcome = tried_one(document, talk, about, lambda *_: made(talk, about.id, text))
    assert not outcome.lost


@cache
def _demo(slug: str) -> Document:
    return api.read(DEMO / DEMOS[slug])


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


def test_an_edit_gives_the_state_that_it_led_to(
    studio: tuple[Running, dict[str, Path]],
) -> None:
    found, paths = studio
    cid = cid_of(found, paths["claude-code"])
    last = document_of(found, cid).conversations[0].path()[-1].id
    answer = done(found, cid, {"do": "reply", "parent": last, "text": "And then?"})

    def agrees(reported: dict[str, Any]) -> None:
        history = found.get(f"/c/{cid}/edits")
        assert reported["edit"] == history["edits"][-1]["id"] == answer["edit"]
        assert reported["history"] == history
        assert reported["conversation"] == found.get(f"/c/{cid}")
        place = found.get(f"/c/{cid}/place", id=reported["id"], leaf=reported["leaf"])
        assert (reported["number"], reported["leaf"]) == (place["number"], place["leaf"])

    agrees(answer)
    agrees(turned(found, cid, "undo"))
    agrees(turned(found, cid, "redo"))
    turned(found, cid, "undo")


def test_an_undo_is_only_of_the_edit_that_is_meant(
    studio: tuple[Running, dict[str, Path]],
) -> None:
    found, paths = studio
    cid = cid_of(found, paths["claude-code"])
    last = document_of(found, cid).conversations[0].path()[-1].id
    edits = [
        done(found, cid, {"do": "reply", "parent": last, "text": text})["edit"]
        for text in ("One", "Two")
    ]

    def ask(verb: str, edit: int) -> int:
        body = {"stamp": stamp_of(found, cid), "edit": edit}
        return int(found.post(f"/c/{cid}/{verb}", body)["edit"])

    def is_refused(verb: str, edit: int) -> None:
        stamp = stamp_of(found, cid)
        error = refused(found, f"/c/{cid}/{verb}", {"stamp": stamp, "edit": edit}, 409)
        assert error["stamp"] == stamp == stamp_of(found, cid)

    is_refused("undo", edits[0])
    is_refused("redo", edits[1])
    assert ask("undo", edits[1]) == edits[1]
    is_refused("undo", edits[1])
    assert ask("undo", edits[0]) == edits[0]
    is_refused("redo", edits[1])
    assert ask("redo", edits[0]) == edits[0]
    assert ask("undo", edits[0]) == edits[0]


@pytest.mark.parametrize(
    "edit",
    [
        {"do": "reply", "parent": "nowhere", "text": ""},
        {"do": "revise", "about": "nowhere", "text": ""},
        {"do": "move", "about": "nowhere", "to": None},
        {"do": "attach", "about": "nowhere", "upload": "../../etc/passwd"},
    ],
)
def test_a_message_that_is_not_there_is_reported(
    studio: tuple[Running, dict[str, Path]], edit: dict[str, Any]
) -> None:
    found, paths = studio
    cid = cid_of(found, paths["native"])
    stamp = stamp_of(found, cid)
    refused(found, f"/c/{cid}/edits", {"stamp": stamp, "deed": edit}, 404)
    assert stamp_of(found, cid) == stamp


def test_an_edit_without_effect_is_refused(studio: tuple[Running, dict[str, Path]]) -> None:
    found, paths = studio
    cid = cid_of(found, paths["native"])
    first = next(document_of(found, cid).conversations[0].messages())
    for edit in (
        {"do": "undelete", "about": first.id},
        {"do": "replace", "about": first.id, "text": first.text},
        {"do": "retype", "about": first.id, "role": first.role},
        {"do": "move", "about": first.id, "to": first.parent},
        {"do": "swap", "about": first.id, "other": first.id},
        {"do": "pop_up", "about": first.id},
        {"do": "retype", "about": first.id, "role": ""},
    ):
        refused(found, f"/c/{cid}/edits", {"stamp": stamp_of(found, cid), "deed": edit}, 400)


def test_a_stale_stamp_changes_nothing(tmp_path: Path) -> None:
    path = copied("claude-code", tmp_path / "talks")
    with running([path]) as found:
        cid = cid_of(found, path)
        old = stamp_of(found, cid)
        last = document_of(found, cid).conversations[0].path()[-1].id
        now = done(found, cid, {"do": "reply", "parent": last, "text": "First"})["stamp"]
        rows = found.studio.cache.get_library().db.read("SELECT * FROM operations")
        talks = fingerprint(tmp_path / "talks")
        edit = {"do": "reply", "parent": last, "text": "Second"}
        for path_, body in (
            ("edits", {"stamp": old, "deed": edit}),
            ("undo", {"stamp": old}),
            ("redo", {"stamp": old}),
            ("save", {"stamp": old}),
            ("fixes", {"stamp": old, "apply": True}),
            ("edits", {"stamp": "", "deed": edit}),
        ):
            error = refused(found, f"/c/{cid}/{path_}", body, 409)
            assert error["stamp"] == now
        assert found.studio.cache.get_library().db.read("SELECT * FROM operations") == rows
        assert fingerprint(tmp_path / "talks") == talks
        assert stamp_of(found, cid) == now


def test_of_two_windows_one_comes_second(tmp_path: Path) -> None:
    path = copied("claude-code", tmp_path)
    with running([path]) as found:
        cid = cid_of(found, path)
        last = document_of(found, cid).conversations[0].path()[-1].id
        barrier = threading.Barrier(4)

        def ask(codes: list[int], stamp: str, text: str) -> None:
            body = {"stamp": stamp, "deed": {"do": "reply", "parent": last, "text": text}}
            barrier.wait()
            codes.append(found.client.post(f"/api/v1/c/{cid}/edits", json=body).status_code)

        for number in range(5):
            stamp = stamp_of(found, cid)
            codes: list[int] = []
            windows = [
                threading.Thread(target=ask, args=(codes, stamp, f"{number}.{each}"))
                for each in range(4)
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


def test_an_edit_that_its_file_outgrew_is_reported_and_the_file_is_shown(tmp_path: Path) -> None:
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
        edit = {"do": "remove", "about": first.id}
        refused(found, f"/c/{cid}/edits", {"stamp": stamp_of(found, cid), "deed": edit}, 409)
        turned(found, cid, "undo")
        done(found, cid, edit)


def test_an_edit_is_the_same_as_on_the_command_line() -> None:
    document = api.read(Path(__file__).parents[2] / "demo" / "muse.json")
    talk = document.conversations[0]
    with pytest.raises(TalktreeError, match="one line of messages"):
        apply_edit(document, talk.id, KINDS["new beginning"](talk, talk.path()[0]))
