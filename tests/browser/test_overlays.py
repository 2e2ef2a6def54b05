"""An overlay takes the keys from the moment it is requested, loaded or not."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import expect

from talktree import web
from tests.browser.conftest import Open
from tests.browser.holding import PARTS, changes, delayed, held, load_nothing_ahead
from tests.browser.screen import Screen
from tests.browser.screens.editing import Editing
from tests.browser.screens.tree import Tree
from tests.browser.talks import BELL, SOURDOUGH, write_damaged
from tests.cases import TORTURE
from tests.web.running import Running, running
from tests.web.test_sessions import recorded
from tests.web.working import cid_of, copied

PACES = (20, 60, 120)
"""Milliseconds between two keys."""
SLOW = 100
"""From this pace on, a few letters are enough."""
DELAY = 400
"""Milliseconds that a part of the page takes to arrive."""
MIDDLE = 45
"""The pace at which it arrives in the middle of the text, before a space."""
WORDS = "xurse fix the test"
"""Every letter of it is a command of the page, or is in the middle of one."""


def pressed(*keys: str) -> Callable[[Screen], None]:
    return lambda screen: screen.press(*keys)


def clicked(button: str | re.Pattern[str]) -> Callable[[Screen], None]:
    return lambda screen: screen.button(button).first.click()


def from_menu(item: str) -> Callable[[Screen], None]:
    def opens(screen: Screen) -> None:
        screen.press("m")
        screen.menu_item(re.compile(f"^{item}")).focus()
        screen.press("Enter")

    return opens


def dragged(screen: Screen) -> None:
    to = screen.rows.nth(screen.rows.count() - 4)
    screen.message("b14").locator("header").first.drag_to(to)


def compared(screen: Screen) -> None:
    other = screen.page.get_by_role("treeitem", name=re.compile("^(?!.*shown$)"))
    other.last.click(button="right")
    screen.menu_item("Compare with what is shown").click()


class Overlay(NamedTuple):
    """An overlay of the page."""

    opens: Callable[[Screen], None]
    title: str
    field: str = ""
    """Initial content of its text field, if it has one."""
    is_menu: bool = False


NO_FIELD = "-"
OVERLAYS: dict[str, Overlay] = {
    "palette": Overlay(pressed("Control+k"), "Search and commands"),
    "commands": Overlay(pressed("Control+Shift+p"), "Search and commands", "> "),
    "help": Overlay(pressed("?"), "Help", NO_FIELD),
    "share": Overlay(pressed("e"), "Share", NO_FIELD),
    "save": Overlay(pressed("s"), "Save", NO_FIELD),
    "save as": Overlay(clicked("Save as another format"), "Save as another format", NO_FIELD),
    "share a message": Overlay(from_menu("Share this message"), "Share", NO_FIELD),
    "name a branch": Overlay(from_menu("Name this branch"), "Name this branch"),
    "change type": Overlay(from_menu("Change type"), "Change type", NO_FIELD),
    "move": Overlay(dragged, "Move this message?", NO_FIELD),
    "compare": Overlay(compared, "Compare branches", NO_FIELD),
    "menu of a message": Overlay(pressed("m"), "Actions", NO_FIELD, is_menu=True),
    "menu of the layout": Overlay(clicked("Layout"), "Layout", NO_FIELD, is_menu=True),
}
SHOWN = """() => [...document.querySelectorAll('dialog[open]')]
  .map((each) => document.getElementById(each.getAttribute('aria-labelledby')).innerText)"""
TYPED = """(words) => [...document.querySelectorAll('input, textarea')]
  .filter((each) => words.some((word) => each.value.includes(word)))
  .map((each) => [each.value, each === document.activeElement])"""


def type_into(screen: Screen, overlay: Overlay, pace: int) -> None:
    """Open something and type immediately: nothing changes, and the text is in its field or
    nowhere."""
    # A space chooses the selected item of a menu, as intended.
    words = WORDS.split()[0] if overlay.is_menu else WORDS if pace < SLOW else WORDS[:7]
    with changes(screen.page) as made:
        overlay.opens(screen)
        screen.page.keyboard.type(words, delay=pace)
    assert made == []
    if overlay.is_menu:
        expect(screen.page.locator("[role=menu]")).to_have_count(1)
        return
    expect(screen.dialog(overlay.title)).to_be_visible()
    # Some titles have the style of headings.
    assert [each.lower() for each in screen.page.evaluate(SHOWN)] == [overlay.title.lower()]
    expected = [] if overlay.field == NO_FIELD else [[overlay.field + words, True]]
    assert screen.page.evaluate(TYPED, words.split()) == expected


def close_all(screen: Screen) -> None:
    while screen.page.locator("dialog[open], [role=menu]").count():
        screen.press("Escape")


def with_one_edit(screen: Screen) -> Editing:
    """Open a conversation with an unsaved edit and the tree beside it."""
    load_nothing_ahead(screen.page)
    editing = Editing(screen, Tree(screen, screen.titled(SOURDOUGH)).cid)
    editing.go("b14")
    editing.did(lambda: screen.press("x"))
    expect(screen.tab("History")).to_be_visible()
    return editing


@pytest.mark.parametrize("pace", PACES)
def test_text_typed_after_opening_anything_is_not_a_command(
    pace: int, studio: Running, open_window: Open
) -> None:
    screen = open_window(studio)
    editing = with_one_edit(screen)
    with held(screen.page, PARTS) as chunks:
        for overlay in OVERLAYS.values():
            expect(screen.message("b14")).to_contain_text("deleted")
            screen.message("b14").focus()
            type_into(screen, overlay, pace)
            close_all(screen)
        chunks.release()
    assert len(studio.get(f"/c/{editing.cid}/edits")["edits"]) == 1
    screen.assert_quiet()


@pytest.mark.parametrize("pace", PACES if TORTURE else [MIDDLE])
def test_text_typed_while_a_part_of_the_page_arrives_is_not_a_command(
    pace: int, demo: Path, tmp_path: Path, open_window: Open
) -> None:
    session = recorded(tmp_path / "session")
    damaged = write_damaged(demo / "damaged.jsonl")
    with running([demo, session]) as studio:
        screen = open_window(studio)
        loaded: list[str] = []
        screen.page.on("request", lambda request: loaded.append(request.url))
        editing = with_one_edit(screen)
        with delayed(screen.page, PARTS, DELAY) as late:
            for overlay in OVERLAYS.values():
                screen.message("b14").focus()
                type_into(screen, overlay, pace)
                close_all(screen)
            screen.open(cid_of(studio, damaged))
            screen.tab("Problems").click()
            opens = clicked(re.compile(r"^Repair \d+ problems?…$"))
            type_into(screen, Overlay(opens, "Repair what is safe", NO_FIELD), pace)
            close_all(screen)
            screen.open(cid_of(studio, session))
            screen.tab("Session").click()
            type_into(screen, Overlay(clicked("Undo…"), "Undo the last step", NO_FIELD), pace)
            close_all(screen)
            file = copied("muse", tmp_path / "files")
            type_into(screen, Overlay(importing(file), "Import 1 file", NO_FIELD), pace)
            close_all(screen)
        assert late
        # If there is a part that was not loaded, nothing above opens it.
        assert parts_of_the_page() <= {Path(url).name for url in loaded}
        assert len(studio.get(f"/c/{editing.cid}/edits")["edits"]) == 1
        screen.assert_quiet()


def importing(file: Path) -> Callable[[Screen], None]:
    def opens(screen: Screen) -> None:
        with screen.page.expect_file_chooser() as chooser:
            screen.button("Import").click()
        chooser.value.set_files([file])
        expect(screen.dialog("Import 1 file")).to_be_visible()

    return opens


def parts_of_the_page() -> set[str]:
    """Return the names of all scripts of the page."""
    return {each.name for each in (Path(web.__file__).parent / "static" / "assets").glob("*.js")}


@pytest.mark.parametrize("pace", PACES)
def test_text_typed_right_after_the_palette_key_is_in_its_box(pace: int, screen: Screen) -> None:
    load_nothing_ahead(screen.page)
    screen.open(screen.titled(SOURDOUGH), "b14")
    with held(screen.page, PARTS):
        screen.press("Control+k")
        screen.page.keyboard.type(WORDS, delay=pace)
        box = screen.dialog("Search and commands").get_by_role("combobox")
        expect(box).to_have_value(WORDS)
        expect(box).to_be_focused()
    screen.assert_quiet()


def test_a_dialog_has_its_frame_before_its_content(screen: Screen) -> None:
    load_nothing_ahead(screen.page)
    screen.open(screen.titled(SOURDOUGH), "b14")
    with held(screen.page, PARTS) as chunks:
        screen.press("e")
        dialog = screen.dialog("Share")
        expect(dialog).to_be_visible()
        expect(screen.button("Make the file")).to_have_count(0)
        screen.press("Escape")
        expect(dialog).to_be_hidden()
        screen.press("e")
        chunks.release()
        expect(screen.button("Make the file")).to_be_visible()
    screen.assert_quiet()


def test_words_for_a_long_message_that_is_not_here_yet_are_kept_for_the_box(
    gallery: Running, open_window: Open
) -> None:
    screen = open_window(gallery)
    editing = Editing(screen, screen.titled("Step 0 of the tower"))
    long = gallery.get(f"/c/{editing.cid}")["leaf"]
    editing.go(long)
    with held(screen.page, re.compile(f"/messages/{long}$")) as whole, changes(screen.page) as made:
        screen.press("c")
        screen.page.keyboard.type("xu end", delay=20)
        whole.release()
        expect(editing.box).to_have_value(re.compile(r"The very end of the tower\.xu end$"))
        expect(editing.box).to_be_focused()
    assert made == []
    screen.press("Escape")
    screen.assert_quiet()


@pytest.mark.parametrize("side", ["Library", "Inspector"])
def test_keys_do_not_reach_what_lies_below_a_sheet(
    side: str, studio: Running, open_window: Open
) -> None:
    screen = open_window(studio, size=(390, 740))
    screen.open(screen.titled(SOURDOUGH), "b14")
    if side == "Library":
        screen.button("Library").click()
    else:
        screen.choose("More", "Inspector")
    sheet = screen.dialog(side)
    expect(sheet).to_be_visible()
    with changes(screen.page) as made:
        screen.page.keyboard.type("xux", delay=20)
        expect(sheet).to_be_visible()
    assert made == []
    screen.page.set_viewport_size({"width": 1280, "height": 800})
    expect(sheet).to_be_hidden()
    screen.press("Control+k")
    expect(screen.dialog("Search and commands")).to_be_visible()
    screen.assert_quiet()


def test_files_and_fixes_take_the_keys_before_their_dialog_is_loaded(
    tmp_path: Path, open_window: Open
) -> None:
    folder = tmp_path / "work"
    path = copied("native", folder)
    damaged = write_damaged(folder / "damaged.jsonl")
    with running([folder]) as studio:
        screen = open_window(studio)
        load_nothing_ahead(screen.page)
        screen.open(screen.titled(BELL))
        screen.press("G")
        screen.tab("Problems").click()
        with held(screen.page, PARTS), changes(screen.page) as made:
            screen.button(re.compile(r"^Repair \d+ problems?…$")).first.click()
            screen.page.keyboard.type(WORDS, delay=20)
            expect(screen.dialog("Repair what is safe")).to_be_visible()
            screen.press("Escape")
            importing(path)(screen)
            screen.page.keyboard.type(WORDS, delay=20)
        assert made == []
        assert studio.get(f"/c/{cid_of(studio, damaged)}/edits")["edits"] == []
        screen.assert_quiet()


def test_loading_the_page_anew_stays_the_browsers_key(screen: Screen) -> None:
    screen.open(screen.titled(SOURDOUGH), "b14")
    taken = screen.page.evaluate(
        """() => {
          const press = new KeyboardEvent('keydown', {
            key: 'r', ctrlKey: true, bubbles: true, cancelable: true,
          })
          document.activeElement.dispatchEvent(press)
          return press.defaultPrevented
        }"""
    )
    assert taken is False
    screen.assert_quiet()
