"""Every hostile text in every place where the studio shows something: none of them acts.

The page's own policy is switched off here, so that it cannot hide what the renderer lets pass;
`test_places` tests with the policy on and reports what it refuses.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.hostile.conftest import RecordPlace
from tests.browser.hostile.talks import write_crowd, write_lists, write_titles
from tests.browser.hostile.texts import Numbered, amounts, encodable
from tests.browser.hostile.walk import Walk, walking
from tests.web.running import Running, running

IN_A_MESSAGE = (
    "message", "thinking", "tool name", "tool input", "tool output", "diff", "file name",
    "todo in a message", "attachment name", "artifact source", "event",
)  # fmt: skip
FEW = 100
HITS = 40
"""Number of search results that the palette shows."""


@contextmanager
def _walk(browser: Browser, path: Path, painted: bool = True) -> Iterator[Walk]:
    with running([path]) as studio, walking(browser, studio, painted=painted) as walk:
        yield walk


def _only(studio: Running) -> str:
    return str(studio.get("/conversations")["cards"][0]["cid"])


def _together(texts: Numbered, many: int) -> list[list[str]]:
    every = list(texts.values())
    return [every[start : start + many] for start in range(0, len(every), many)]


@pytest.mark.parametrize("texts", amounts(60, 0, 520))
def test_messages(
    browser: Browser, tmp_path: Path, texts: Numbered, record_place: RecordPlace
) -> None:
    path = write_crowd(tmp_path / "crowd.jsonl", texts)
    with _walk(browser, path, painted=len(texts) < FEW) as walk:
        walk.open(_only(walk.screen.studio))
        seen = walk.rows("rows", marking=False)
        assert seen == {f"n{number}" for number in texts}
        for place in IN_A_MESSAGE:
            record_place(place, len(seen), walk.canary)


@pytest.mark.parametrize("texts", amounts(60, 1, 1100))
def test_titles_and_what_is_found(
    browser: Browser, tmp_path: Path, texts: Numbered, record_place: RecordPlace
) -> None:
    groups = _together(texts, HITS)
    for number, group in enumerate(groups):
        write_titles(tmp_path / f"titles{number}.jsonl", group, f"lantern{number}")
    with _walk(browser, tmp_path) as walk:
        listed = _listed(walk, len(set(texts.values())) - len(groups))
        walk.look("Library")
        assert listed
        record_place("title in the library", len(texts), walk.canary)
        walk.search("lantern")
        shown = walk.tour("search", [f"lantern{number}" for number in range(len(groups))])
        assert shown == [len(group) for group in groups]
        record_place("search hit", sum(shown), walk.canary)
        walk.page.keyboard.press("Escape")
        opened = _addresses(walk.screen.studio, len(texts))[::8]
        walk.tour("visit", [(address, "") for address in opened])
        record_place("title of what is open", len(opened), walk.canary)


def _listed(walk: Walk, wanted: int) -> bool:
    """Whether the library lists a number of cards; they appear as the files are imported."""
    walk.page.wait_for_selector(".library-list [role=option]", timeout=60_000)
    for _ in range(600):
        cards = walk.page.evaluate("hostile.walk('.library-list', '[role=option]', false)")
        if len(cards) >= wanted:
            return True
        walk.page.wait_for_timeout(500)
    return False


def _addresses(studio: Running, total: int) -> list[str]:
    pages = (
        studio.get("/conversations", limit=100, **{"from": start})["cards"]
        for start in range(0, total, 100)
    )
    return [f"/c/{card['cid']}" for cards in pages for card in cards]


@pytest.mark.parametrize("texts", amounts(60, 2, 500))
def test_tasks_and_files(
    browser: Browser, tmp_path: Path, texts: Numbered, record_place: RecordPlace
) -> None:
    path = write_lists(tmp_path / "lists.jsonl", list(texts.values()))
    with _walk(browser, path) as walk:
        walk.open(_only(walk.screen.studio))
        walk.page.keyboard.press("j")
        walk.tab("Todos")
        expect(walk.page.locator(".todos-item")).to_have_count(len(texts))
        walk.look("Todos")
        record_place("todo", len(texts), walk.canary)
        walk.tab("Files")
        walk.look("Files")
        listed = walk.page.locator(".inspector-file").count()
        assert listed > len(texts) * 0.9
        record_place("file name in the inspector", listed, walk.canary)
        # The last file was changed, and has all texts in it.
        assert walk.tour("files", FEW) == min(listed, FEW + 1)
        record_place("diff in the inspector", len(texts), walk.canary)


def _wrong(cid: str, number: int, text: str) -> tuple[str, str]:
    """Return an address that does not exist, and its error message."""
    asked = quote(encodable(text), safe="")
    return (
        (f"/c/{asked}", encodable(text)[:8]),
        (f"/c/{cid}/m/{asked}", ""),
        (f"/c/{cid}?leaf={asked}", ""),
        (f"/?project={asked}&text={asked}", ""),
    )[number % 4]


@pytest.mark.parametrize("texts", amounts(60, 3, 1100))
def test_errors(
    browser: Browser, tmp_path: Path, texts: Numbered, record_place: RecordPlace
) -> None:
    path = write_titles(tmp_path / "titles.jsonl", ["quiet"])
    with _walk(browser, path) as walk:
        cid = _only(walk.screen.studio)
        walk.tour("visit", [_wrong(cid, number, text) for number, text in texts.items()])
        record_place("error", len(texts), walk.canary)
        walk.search("quiet")
        bad = [f'tool:"{encodable(text)} AND (' for text in texts.values()][::8]
        walk.tour("search", bad)
        record_place("error of a query", len(bad), walk.canary)


@pytest.mark.parametrize("texts", amounts(60, 4, 1100))
def test_names_of_what_is_brought_in(
    browser: Browser, tmp_path: Path, texts: Numbered, record_place: RecordPlace
) -> None:
    path = write_titles(tmp_path / "titles.jsonl", ["quiet"])
    with _walk(browser, path) as walk:
        groups = _together(texts, 100)
        shown = sum(walk.tour("bring", [encodable(text) for text in group]) for group in groups)
        assert shown == len(texts)
        record_place("name of an imported file", shown, walk.canary)
