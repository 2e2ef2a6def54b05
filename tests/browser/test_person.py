"""A person at two tabs: random actions at typing speed, and what must hold after each of them.

Parts of the page arrive late, the file grows meanwhile, and the person does not wait. After each
action:

- edits of conversations that are not in view are what they were;
- words that were typed are in the focused field or nowhere, and made no edit;
- both tabs and the server agree on what is unsaved and on the number of messages;
- the messages on the screen are those of the file that the studio would save;
- no dialog and no offer to undo is left of another address.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, Request, Route, expect

from tests.browser.axe import SOURCE, bring, grave_findings
from tests.browser.chromium import WIDE
from tests.browser.screen import PATIENCE, Screen, entered
from tests.cases import SEED, TORTURE
from tests.oracle import claude_code
from tests.session_lines import Line, append, ask, say, uid
from tests.web.running import Running, running
from tests.web.working import shown_bytes

SEEDS = range(SEED, SEED + (50 if TORTURE else 2))
ACTIONS = 150 if TORTURE else 60
CARDS = 300
WORKED_ON = 4
DELAY = 400
"""Milliseconds that each part of the page takes to arrive."""
TYPING = 20
"""Milliseconds between two keys."""
NARROW = (390, 800)
PHRASES = ("fix the test", "jump over", "users export xor", "save redo undo")
DIALOGS = {"e": "Share", "?": "Help"}
"""Keys that open a dialog, and its title."""
PARTS = re.compile(r"/assets/(?!index-).*\.js$")
CHANGES = re.compile(r"/(edits|undo|redo|save)$")


def _session(number: int, turns: int) -> list[Line]:
    """Write a session in which each message has its own words."""
    lines: list[Line] = []
    for turn in range(turns):
        at = 2 * turn
        parent = at - 1 if turn else None
        lines += [
            ask(at, parent, f"question {number} {turn} about boats", sessionId=uid(number)),
            say(at + 1, at, f"answer {number} {turn} about harbours", sessionId=uid(number)),
        ]
    return lines


class Person:
    """A user with two tabs, and what is known about the conversations without the page."""

    def __init__(self, seed: int, studio: Running, tabs: list[Screen], paths: list[Path]) -> None:
        self._random = random.Random(seed)
        self.studio = studio
        self.tabs = tabs
        self._paths = {self._cid(path): path for path in paths}
        self.cids = list(self._paths)
        self.log: list[str] = []
        self._asked = {tab.page: self._watch(tab.page) for tab in tabs}
        self._grown = 100

    def _cid(self, path: Path) -> str:
        cards = self.studio.get("/conversations", text=path.name)["cards"]
        return next(str(card["cid"]) for card in cards if card["path"] == str(path))

    def act(self) -> None:
        """Do something in one of the tabs, and check everything."""
        tab = self._random.choice(self.tabs)
        action = self._random.choice(
            [
                *(self.palette, self.move, self.open) * 2,
                *(self.delete, self.undo, self.reply, self.press_toast),
                *(self.back, self.resize, self.grow, self.save, self.look, self.reload),
            ]
        )
        before, place = self.edits(), _cid_of(tab.page)
        self.log.append(f"{self.tabs.index(tab)}@{place}: {action.__name__}")
        allowed = action(tab)
        self._settle(tab.page)
        after = self.edits()
        seen = {place, _cid_of(tab.page)} if allowed else set()
        for cid in before:
            if cid not in seen:
                assert after[cid] == before[cid], f"edits of {cid} changed"
        if _cid_of(tab.page) != place:
            self.assert_nothing_is_left(tab.page)
        for each in self.tabs:
            self.assert_agrees(each)

    # actions; each returns whether it may edit what is in view

    def palette(self, tab: Screen) -> bool:
        words = self._random.choice(PHRASES)
        tab.page.keyboard.press("Control+k")
        self._type(tab.page, words)
        tab.page.keyboard.press("Escape")
        expect(tab.page.locator("dialog[open]")).to_have_count(0)
        return False

    def move(self, tab: Screen) -> bool:
        tab.press(*self._random.choices("jkJKgG", k=3))
        return False

    def delete(self, tab: Screen) -> bool:
        tab.press("x")
        return True

    def undo(self, tab: Screen) -> bool:
        tab.press("u")
        return True

    def reply(self, tab: Screen) -> bool:
        page = tab.page
        page.keyboard.press("r")
        box = page.get_by_role("textbox", name="Text", exact=True)
        if _cid_of(page) is None or not _is_shown(box):
            page.keyboard.press("Escape")
            return False
        self._type(page, self._random.choice(PHRASES))
        sends = self._random.random() < 0.5
        page.keyboard.press("Control+Enter" if sends else "Escape")
        # If the file grew meanwhile, nothing is sent: the page says so and keeps the text.
        refused = page.locator(".toast-warning, .toast-error")
        _await(page, lambda: not box.count() or bool(refused.count()), "sent, or refused")
        page.keyboard.press("Escape")
        expect(box).to_have_count(0)
        return sends

    def look(self, tab: Screen) -> bool:
        """Open a dialog that has no field, and continue typing."""
        page = tab.page
        if _cid_of(page) is None:
            return False
        key, title = self._random.choice(list(DIALOGS.items()))
        page.keyboard.press(key)
        page.keyboard.type(self._random.choice(PHRASES), delay=TYPING)
        expect(tab.dialog(title)).to_be_visible()
        _await(page, lambda: _closes(page), "the dialog closes")
        return False

    def reload(self, tab: Screen) -> bool:
        tab.again()
        return False

    def open(self, tab: Screen) -> bool:
        cid = self._random.choice(self.cids)
        tab.page.evaluate("cid => { location.hash = `#/c/${cid}` }", cid)
        if self._random.random() < 0.5:
            tab.page.locator(f'[role=feed][data-cid="{cid}"] article').first.wait_for()
        return False

    def press_toast(self, tab: Screen) -> bool:
        button = tab.page.locator(".toast button").first
        if not button.count():
            return False
        try:
            button.click(timeout=1000)
        except Exception:
            return False
        return True

    def back(self, tab: Screen) -> bool:
        tab.page.go_back()
        if not tab.page.url.startswith(self.studio.origin):
            tab.open(self._random.choice(self.cids))
        return False

    def resize(self, tab: Screen) -> bool:
        width, height = self._random.choice([WIDE, NARROW])
        tab.page.set_viewport_size({"width": width, "height": height})
        return False

    def grow(self, tab: Screen) -> bool:
        """Append to one of the files as another program does."""
        cid = self._random.choice(self.cids)
        path = self._paths[cid]
        lines = path.read_text().splitlines()
        parent = next(
            int(found[1], 16)
            for found in map(re.compile(r'"uuid":\s*"([0-9a-f]{8})-0000').search, reversed(lines))
            if found
        )
        self._grown += 2
        more = [
            ask(self._grown, parent, f"grown {self._grown} in the meantime", sessionId=uid(99)),
            say(self._grown + 1, self._grown, f"grown {self._grown + 1} too", sessionId=uid(99)),
        ]
        append(path, more)
        return False

    def save(self, tab: Screen) -> bool:
        page = tab.page
        if _cid_of(page) is None or not self.is_unsaved(_cid_of(page)):
            return False
        self.assert_agrees(tab)
        dialog = tab.dialog("Save")
        _await(page, lambda: _opens(page, "s", dialog), "the dialog to save")
        dialog.get_by_role("button", name="Save", exact=True).click()
        # If the file grew meanwhile, nothing is written, and the dialog says so.
        refused = dialog.get_by_role("button", name="Try again")
        cid = _cid_of(page)
        _await(page, lambda: bool(refused.count()) or not self.is_unsaved(cid), "saved, or refused")
        page.keyboard.press("Escape")
        expect(page.locator("dialog[open]")).to_have_count(0)
        return True

    def _settle(self, page: Page) -> None:
        """Wait until every change that the page requested is answered."""
        quiet = 0
        while quiet < 2:
            quiet = 0 if self._asked[page] else quiet + 1
            page.wait_for_timeout(20)

    def _watch(self, page: Page) -> set[Request]:
        """Record the changes that a page requested and that are not answered yet."""
        asked: set[Request] = set()

        def ask(request: Request) -> None:
            if request.method == "POST" and CHANGES.search(request.url):
                asked.add(request)

        page.on("request", ask)
        page.on("requestfinished", lambda request: asked.discard(request))
        page.on("requestfailed", lambda request: asked.discard(request))
        return asked

    def _type(self, page: Page, words: str) -> None:
        """Type immediately; the text is in the focused field, complete."""
        page.keyboard.type(words, delay=TYPING)
        _await(page, lambda: _focused_text(page).endswith(words), f"{words!r} in the field")

    # what must hold

    def edits(self) -> dict[str, Any]:
        """Return the last entry in the log of each conversation: an edit, undo, redo or save adds
        one."""
        found: dict[str, Any] = {cid: self.studio.get(f"/c/{cid}")["log"] for cid in self.cids}
        for card in self.studio.get("/conversations", limit=200)["cards"]:
            found.setdefault(card["cid"], card["edited"])
        return found

    def seen(self) -> list[str]:
        """Describe what both tabs show, for the report of a failure."""
        found = []
        for number, tab in enumerate(self.tabs):
            feed = tab.page.locator("[role=feed]")
            busy = [each.get_attribute("aria-busy") for each in feed.all()]
            rows = tab.page.locator(".conv-slot").evaluate_all(
                "slots => slots.map((slot) => slot.dataset.empty === undefined)"
            )
            pane = tab.page.locator(".conv-pane")
            words = pane.inner_text()[:200].replace("\n", " ") if pane.count() else ""
            found.append(f"tab {number} at {tab.place}: busy {busy}, rows {rows}, {words!r}")
        return found

    def is_unsaved(self, cid: str | None) -> bool:
        return bool(self.studio.get(f"/c/{cid}")["edited"])

    def assert_nothing_is_left(self, page: Page) -> None:
        expect(page.locator("dialog[open]")).to_have_count(0)
        expect(page.locator(".toast button").filter(has_text="Undo")).to_have_count(0)

    def assert_agrees(self, tab: Screen) -> None:
        """Assert that the tab shows what the server has."""
        page, cid = tab.page, _cid_of(tab.page)
        if cid is None:
            return
        page.locator(f'[role=feed][data-cid="{cid}"][aria-busy=false] article').first.wait_for()
        differs = [""]

        def agrees() -> bool:
            differs[:] = [self._difference(page, cid)]
            return not differs[0]

        _await(page, agrees, lambda: f"the tab at {cid} and the server agree: {differs[0]}")

    def _difference(self, page: Page, cid: str) -> str:
        """Return what the tab shows wrongly; empty if it shows what the server has."""
        reported = self.studio.get(f"/c/{cid}")
        save = page.get_by_role("button", name="Save to its own file", exact=True)
        if save.count() and save.is_enabled() != reported["edited"]:
            return f"edited is {reported['edited']}"
        status = page.locator("footer.status").inner_text()
        if f"{reported['messages']} message" not in status:
            return f"{reported['messages']} messages, not {status!r}"
        return self._not_as_saved(page, cid)

    def _not_as_saved(self, page: Page, cid: str) -> str:
        path = self._paths.get(cid)
        if path is None:
            return ""
        (data,) = shown_bytes(self.studio, cid).values()
        copy = path.with_name("as-saved.jsonl.tmp")
        copy.write_bytes(data)
        said = {each.id: each.texts for each in _all(claude_code.read(copy))}
        copy.unlink()
        shown = page.locator("article[data-id]").evaluate_all(
            "rows => rows.map((row) => [row.dataset.id, row.innerText])"
        )
        for id, words in shown:
            if id not in said or not all(text in words for text in said[id]):
                return f"{id} is {said.get(id)}, not {words!r}"
        return ""


def _await(page: Page, holds: Callable[[], bool], what: str | Callable[[], str]) -> None:
    """Wait until a condition holds, while the page continues."""
    end = time.monotonic() + PATIENCE / 1000
    while not holds():
        assert time.monotonic() < end, what if isinstance(what, str) else what()
        page.wait_for_timeout(50)


def _opens(page: Page, key: str, dialog: Locator) -> bool:
    """Press a key and return whether the dialog opened; a narrow page does not show if it may
    open."""
    page.keyboard.press(key)
    page.wait_for_timeout(500)
    return bool(dialog.count())


def _closes(page: Page) -> bool:
    """Press Escape, which may close a list of choices first; return whether all dialogs are
    closed."""
    page.keyboard.press("Escape")
    page.wait_for_timeout(100)
    return not page.locator("dialog[open]").count()


def _focused_text(page: Page) -> str:
    return str(page.evaluate("document.activeElement?.value ?? ''"))


def _all(found: dict[str, list[Any]]) -> Iterator[Any]:
    return (each for shown in found.values() for each in shown)


def _cid_of(page: Page) -> str | None:
    found = re.search(r"#/c/([^/?]+)", page.url)
    return found[1] if found else None


def _is_shown(box: Any) -> bool:
    try:
        box.wait_for(timeout=5000)
    except Exception:
        return False
    return True


def _late(route: Route) -> None:
    route.request.frame.page.wait_for_timeout(DELAY)
    route.continue_()


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    return lambda: tmp_path_factory.mktemp("person")


@pytest.mark.parametrize("seed", SEEDS)
def test_a_person_at_two_tabs(
    seed: int, browser: Browser, sources: Callable[[], Path], tmp_path: Path
) -> None:
    folder = sources()
    paths = []
    for number in range(CARDS):
        path = folder / f"session-{number:03}.jsonl"
        append(path, _session(number, 12 if number < WORKED_ON else 1))
        paths.append(path)
    with running([folder]) as studio, ExitStack() as windows:
        first = windows.enter_context(entered(browser, studio, downloads=tmp_path))
        context = first.page.context
        if SOURCE.exists():
            bring(context)
            first.again()
        second = Screen(first.seen._replace(page=context.new_page()), studio)
        person = Person(seed, studio, [first, second], paths[:WORKED_ON])
        # Before preloading: both tabs have what they show, and nothing else.
        context.route(PARTS, _late)
        first.again()
        for tab, cid in zip(person.tabs, person.cids, strict=False):
            tab.page.set_default_timeout(PATIENCE)
            tab.open(cid)
        for _ in range(ACTIONS):
            try:
                person.act()
            except BaseException as error:
                error.add_note("\n".join([f"seed {seed}", *person.log[-12:], *person.seen()]))
                raise
        context.unroute_all(behavior="ignoreErrors")
        first.assert_quiet()
        if SOURCE.exists():
            assert grave_findings(first.page, "body") == []
