"""Thousands of hostile texts through every place where something is shown: none of them acts.

Each place is also filled with a word of its own, so that it is known which places were seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser.chromium import watched
from tests.browser.hostile.canary import Canary
from tests.browser.hostile.talks import OTHERS, convert, marker, taking_turns, write_talk, write_titles
from tests.browser.hostile.walk import Walk
from tests.browser.screen import Screen
from tests.views.html.vectors import VECTORS
from tests.web.running import Running, running

SIZE = (1500, 2000)
FORMATS = ("native", *OTHERS)
SHARE, WHOLE = 5, len(VECTORS) // 90 + 1
"""Messages of a conversation: each shows about ninety texts."""
AMOUNTS = [SHARE, pytest.param(WHOLE, marks=pytest.mark.torture)]
UNSEEN = {
    "tree": {"parent"},
}


@pytest.fixture(scope="module", params=AMOUNTS, ids=["share", "whole"])
def hostile(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A studio of such conversations in every format."""
    folder = tmp_path_factory.mktemp("hostile")
    said = [marker, *islice(taking_turns(VECTORS), request.param)]
    native = write_talk(folder / "talk.jsonl", said, VECTORS[60])
    for to in OTHERS:
        convert(native, folder, to)
    write_titles(folder / "titles.jsonl", VECTORS[:: 60 if request.param == SHARE else 1])
    with running([folder]) as studio:
        yield studio


@pytest.fixture
def walk(browser: Browser, hostile: Running) -> Iterator[Walk]:
    """Somebody who goes through it; nothing may have happened when they are back."""
    with watched(browser, hostile.origin, size=SIZE) as seen:
        canary = Canary(seen.context, hostile.origin)
        canary.watch(seen.page)
        seen.page.set_default_timeout(60_000)
        seen.page.goto(hostile.keys.address(hostile.keys.token))
        seen.page.wait_for_function("() => !location.hash.includes('token')")
        yield Walk(Screen(seen, hostile), canary)
        canary.assert_silent()
        assert [each for each in seen.complaints if "404" not in each] == []


def _cid(studio: Running, format: str) -> str:
    cards = studio.get("/conversations", format=format)["cards"]
    return str(max(cards, key=lambda card: card["messages"])["cid"])


@pytest.mark.parametrize("format", FORMATS)
def test_messages(walk: Walk, hostile: Running, format: str) -> None:
    cid = _cid(hostile, format)
    walk.open(cid)
    seen = walk.rows(format)
    assert len(seen) == hostile.get(f"/c/{cid}/rows", limit=1)["total"]
    assert marker("text") in walk.marks[format]
    if format == "native":
        assert len(walk.marks[format]) > 60


def test_what_stands_beside_the_messages(walk: Walk, hostile: Running) -> None:
    walk.open(_cid(hostile, "native"))
    walk.inspector()
    walk.raw(6)
    walk.tree()
    for name, place in {"Files": "file path", "Todos": "todo", "Raw": "text", "Tree": "text"}.items():
        assert marker(place) in walk.marks[name], name


def test_dialogs(walk: Walk, hostile: Running) -> None:
    cid = _cid(hostile, "native")
    walk.open(cid)
    walk.page.keyboard.press("e")
    walk.dialog("Share")
    walk.command("Save as another format")
    dialog = walk.page.get_by_role("dialog")
    for format in ("chatbuilder", "studio", "muse"):
        dialog.get_by_label("Format").select_option(format)
        walk.page.wait_for_load_state("networkidle")
        walk.look("Save as")
    walk.dialog("Save as")
