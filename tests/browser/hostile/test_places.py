"""Hostile texts in each place that a message has, in every format: none of them acts.

Each place is also filled with its own marker, so that the test knows which places were seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, FilePayload

from tests.browser.chromium import watched
from tests.browser.hostile.canary import Canary
from tests.browser.hostile.talks import (
    OTHERS,
    convert,
    marker,
    taking_turns,
    write_talk,
    write_titles,
)
from tests.browser.hostile.walk import Walk
from tests.browser.screen import Screen
from tests.views.html.vectors import VECTORS
from tests.web.running import Running, running

REFUSED = "Failed to load resource: the server responded with a status of 4"
"""The browser reports every request that was answered with an error."""
SIZE = (1500, 2000)
FORMATS = ("native", *OTHERS)
SHARE, WHOLE = 5, len(VECTORS) // 90 + 1
"""Messages of a conversation: each shows about ninety texts."""
AMOUNTS = [SHARE, pytest.param(WHOLE, marks=pytest.mark.torture)]
SHOWN = (
    "text", "thinking", "author", "tag", "model", "agent", "file path", "tool name", "tool input",
    "tool output", "command", "old", "new", "written", "pattern", "found", "address", "fetched",
    "task", "task result", "skill", "plan", "question", "answer", "mcp input", "json key",
    "json value", "todo written", "attachment name", "attachment address", "image address",
    "page name", "page content", "artifact title", "artifact", "event kind", "event", "summary",
    "command name", "command words", "command output", "unknown kind", "unknown key", "unknown",
)  # fmt: skip
"""Places that a row shows when it is unfolded."""


@pytest.fixture(scope="module", params=AMOUNTS, ids=["share", "whole"])
def hostile(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    """Start a studio of such conversations in every format."""
    folder = tmp_path_factory.mktemp("hostile")
    said = [marker, *islice(taking_turns(VECTORS), request.param)]
    native = write_talk(folder / "talk.jsonl", said, VECTORS[60])
    for to in OTHERS:
        convert(native, folder, to)
    write_titles(folder / "titles.jsonl", VECTORS[::60])
    with running([folder]) as studio:
        yield studio


@pytest.fixture
def walk(browser: Browser, hostile: Running) -> Iterator[Walk]:
    """Walk through the studio; nothing may have happened afterwards."""
    with watched(browser, hostile.origin, size=SIZE) as seen:
        canary = Canary(seen.context, hostile.origin)
        canary.watch(seen.page)
        seen.page.set_default_timeout(60_000)
        seen.page.goto(hostile.keys.build_address(hostile.keys.token))
        seen.page.wait_for_function("() => 'talktree.key' in localStorage")
        yield Walk(Screen(seen, hostile), canary)
        canary.assert_silent()
        assert [each for each in seen.complaints if not each.startswith(REFUSED)] == []


def _cid(studio: Running, format: str) -> str:
    cards = studio.get("/conversations", format=format, limit=100)["cards"]
    return str(max(cards, key=lambda card: card["messages"])["cid"])


@pytest.mark.parametrize("format", FORMATS)
def test_messages(walk: Walk, hostile: Running, format: str) -> None:
    cid = _cid(hostile, format)
    walk.open(cid)
    seen = walk.rows(format)
    assert len(seen) == hostile.get(f"/c/{cid}/rows", limit=1)["total"]
    assert marker("text") in walk.marks[format]
    if format == "native":
        assert {marker(place) for place in SHOWN} - walk.marks[format] == set()


def test_hostile_texts_beside_the_messages(walk: Walk, hostile: Running) -> None:
    walk.open(_cid(hostile, "native"))
    walk.inspector()
    walk.raw(3)
    walk.tree()
    for name, place in {
        "Files": "file path",
        "Todos": "todo",
        "Raw": "text",
        "Tree": "text",
    }.items():
        assert marker(place) in walk.marks[name], name


def test_dialogs(walk: Walk, hostile: Running) -> None:
    cid = _cid(hostile, "native")
    walk.open(cid)
    walk.page.keyboard.press("e")
    walk.dialog("Share")
    walk.command("Save as another format")
    dialog = walk.page.get_by_role("dialog")
    for format in ("chatbuilder", "studio", "muse"):
        dialog.get_by_role("combobox").first.select_option(format)
        walk.calm()
        walk.look("Save as")
    walk.dialog("Save as")


def test_titles_and_what_is_found(walk: Walk, hostile: Running) -> None:
    walk.page.get_by_role("heading", name="Overview").wait_for()
    walk.calm()
    walk.look("Overview")
    walk.page.evaluate("hostile.walk('.library-list', '[role=option]')")
    walk.look("Library")
    for query in ("lantern", marker("text"), "alert", "onerror"):
        walk.search(query)
        walk.page.get_by_role("listbox", name="Results").get_by_role("option").first.wait_for()
        walk.look("Found")
        walk.page.keyboard.press("Escape")
    assert marker("text") in walk.marks["Found"]
    for card in hostile.get("/conversations", limit=8)["cards"]:
        walk.go(f"/c/{card['cid']}")
        walk.page.locator("article").first.wait_for()
        walk.look("Title")


def test_errors_with_hostile_texts(walk: Walk, hostile: Running, tmp_path: Path) -> None:
    cid = _cid(hostile, "native")
    for text in [*VECTORS[::900], '<img src=x onerror="alert(1)">']:
        asked = quote(text.encode("utf-8", "replace"), safe="")
        for place in (
            f"/c/{asked}",
            f"/c/{cid}/m/{asked}",
            f"/c/{cid}?leaf={asked}",
            f"/?project={asked}&text={asked}",
        ):
            walk.go(place)
            walk.calm()
            walk.look("Errors")
        walk.search(f'tool:"{text} AND (')
        walk.look("Bad query")
        walk.page.keyboard.press("Escape")
    walk.go(f"/c/{cid}")
    walk.page.locator("article").first.wait_for()
    names = [
        "<img src=x onerror=alert(1)>.jsonl",
        '"><svg onload=alert(1)>.json',
        "javascript:alert(1).xml",
    ]
    files: list[FilePayload] = [
        {"name": each, "mimeType": "text/html", "buffer": b"<script>alert(1)</script>"}
        for each in names
    ]
    with walk.page.expect_file_chooser() as chooser:
        walk.page.get_by_role("button", name="Import").first.click()
    chooser.value.set_files(files)
    walk.dialog("Import")
