"""Without a mouse: every key does what the help says, and every part can be reached."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import Open
from tests.browser.holding import changes, held
from tests.browser.screen import Screen
from tests.browser.talks import FLAKY, SOURDOUGH
from tests.web.running import Running, running


def listed(screen: Screen) -> dict[str, str]:
    """Return what the help lists: the keys of each action."""
    screen.press("?")
    dialog = screen.dialog("Help")
    expect(dialog).to_be_visible()
    lines: list[tuple[str, str]] = dialog.locator(".help-line").evaluate_all(
        """lines => lines.map((line) => [
          line.querySelector('dt').textContent,
          [...line.querySelectorAll('dd kbd')].map((key) => key.textContent).join(' '),
        ])"""
    )
    screen.press("Escape")
    expect(dialog).to_be_hidden()
    return dict(lines)


def selected(screen: Screen, id: str) -> None:
    expect(screen.message(id)).to_have_attribute("aria-current", "true")
    expect(screen.message(id)).to_be_in_viewport()


def closes(screen: Screen, name: str | re.Pattern[str]) -> None:
    """Assert that a dialog is open and that Escape closes it."""
    expect(screen.dialog(name)).to_be_visible()
    screen.press("Escape")
    expect(screen.dialog(name)).to_be_hidden()


def walk(screen: Screen) -> None:
    screen.press("g", "g")
    selected(screen, "b1")
    screen.press("j")
    selected(screen, "b2")
    screen.press("k")
    selected(screen, "b1")
    screen.press("J")
    selected(screen, "b8b")
    screen.press("K")
    selected(screen, "b1")
    screen.press("G")
    selected(screen, "b14")


def siblings(screen: Screen) -> None:
    screen.press("g", "g", "J")
    selected(screen, "b8b")
    screen.press("h")
    selected(screen, "b8")
    screen.press("l")
    selected(screen, "b8b")


def sub_agent(screen: Screen) -> None:
    screen.press("g", "g", "j")
    selected(screen, "b2")
    button = screen.message("b2").get_by_role("button", name=re.compile("4 messages$"))
    button.press("Enter")
    expect(screen.current).to_contain_text("sub-agent")
    screen.press("b")
    selected(screen, "b2")


def tools(screen: Screen) -> None:
    screen.press("g", "g", "j")
    read = screen.message("b2").get_by_role("button", name=re.compile("^Read"))
    expect(read).to_have_attribute("aria-expanded", "false")
    screen.press("o")
    expect(read).to_have_attribute("aria-expanded", "true")
    screen.press("o")
    expect(read).to_have_attribute("aria-expanded", "false")


def menu(screen: Screen) -> None:
    screen.press("g", "g", "m")
    expect(screen.page.get_by_role("menu", name="Actions of this message")).to_be_visible()
    screen.press("Escape")
    expect(screen.page.get_by_role("menu")).to_be_hidden()


def link(screen: Screen) -> None:
    screen.press("g", "g", "y")
    screen.hears("Link copied")
    assert screen.clipboard().endswith("/m/b1")


def thinking(screen: Screen) -> None:
    screen.press("g", "g", "j")
    fold = screen.message("b2").get_by_role("button", name=re.compile("^Thinking"))
    screen.press("t")
    expect(fold).to_have_attribute("aria-expanded", "true")
    screen.press("t")
    expect(fold).to_have_attribute("aria-expanded", "false")


def switched(key: str, role: str, name: str) -> Callable[[Screen], None]:
    """Return a check that a key shows something and hides it again."""

    def checked(screen: Screen) -> None:
        found = screen.page.get_by_role(role, name=name)  # type: ignore[arg-type]
        before = found.count()
        screen.press(key)
        expect(found).to_have_count(1 - before)
        screen.press(key)
        expect(found).to_have_count(before)

    return checked


def follow(screen: Screen) -> None:
    screen.press("f")
    expect(screen.button("Following what comes")).to_be_visible()
    screen.press("f")
    expect(screen.button("Follow what comes")).to_be_visible()


def find(screen: Screen) -> None:
    screen.press("/")
    bar = screen.page.get_by_role("search", name="Find in this conversation")
    expect(bar.get_by_role("searchbox")).to_be_focused()
    screen.press("Escape")
    expect(bar).to_be_hidden()


def files(screen: Screen) -> None:
    screen.tab("Usage").click()
    screen.press("d")
    expect(screen.tab("Files")).to_have_attribute("aria-selected", "true")


def edited(screen: Screen) -> None:
    """Reply, undo, redo, edit, delete, restore, save."""
    page, box = screen.page, screen.page.get_by_role("textbox", name="Text")
    screen.press("G", "r")
    box.fill("A reply by key.")
    screen.press("Control+Enter")
    expect(box).to_be_hidden()
    written = screen.rows.filter(has_text="A reply by key.")
    expect(written).to_be_visible()
    screen.press("u")
    expect(written).to_be_hidden()
    screen.press("Control+Shift+z")
    expect(written).to_be_visible()
    screen.press("G")
    expect(screen.current).to_contain_text("A reply by key.")
    screen.press("x")
    expect(written).to_contain_text("deleted")
    screen.press("x")
    expect(written).not_to_contain_text("deleted")
    screen.press("c")
    box.fill("Another one.")
    screen.press("Control+Enter")
    expect(box).to_be_hidden()
    expect(screen.rows.filter(has_text="Another one.")).to_be_visible()
    screen.press("s")
    closes(screen, re.compile("^Save"))
    assert "Another one." in page.locator("body").inner_text()


def neighbours(screen: Screen) -> None:
    here = screen.place
    screen.press("]")
    expect(screen.page).not_to_have_url(re.compile(f"{re.escape(here)}$"))
    screen.press("[")
    expect(screen.page.get_by_role("heading", level=1)).to_contain_text("Sourdough")
    screen.rows.first.wait_for()


def narrow(screen: Screen) -> None:
    screen.press("Control+Shift+l")
    box = screen.page.get_by_role("searchbox", name="Title, project or path")
    expect(box).to_be_focused()
    screen.rows.first.focus()


def palette(screen: Screen) -> None:
    screen.press("Control+k")
    closes(screen, "Search and commands")


def commands(screen: Screen) -> None:
    screen.press("Control+Shift+p")
    box = screen.dialog("Search and commands").get_by_role("combobox")
    expect(box).to_have_value(re.compile("^>"))
    closes(screen, "Search and commands")


def help(screen: Screen) -> None:
    screen.press("?")
    closes(screen, "Help")


def share(screen: Screen) -> None:
    screen.press("e")
    closes(screen, re.compile("^Share"))


CHECKS: dict[str, Callable[[Screen], None]] = {
    "g g, G, j, k, J, K": walk,
    "h, l": siblings,
    "b": sub_agent,
    "o": tools,
    "m": menu,
    "y": link,
    "t": thinking,
    "F": switched("F", "group", "Filter the rows"),
    "f": follow,
    "/": find,
    "d": files,
    "Ctrl B": switched("Control+b", "complementary", "Library"),
    "Ctrl .": switched("Control+.", "complementary", "Inspector"),
    "[, ]": neighbours,
    "Ctrl Shift L": narrow,
    "Ctrl K": palette,
    "Ctrl Shift P": commands,
    "?": help,
    "e": share,
    "r, u Ctrl Z, Ctrl Shift Z, x, c, s": edited,
}
"""Keys as the help shows them; the last one changes things."""


def test_every_key_of_the_help_does_what_it_says(screen: Screen) -> None:
    screen.open(screen.titled(SOURDOUGH))
    reported = set(listed(screen).values())
    checked = {keys for each in CHECKS for keys in each.split(", ")}
    assert reported <= checked, reported - checked
    assert checked <= reported, checked - reported
    for check in CHECKS.values():
        check(screen)
    screen.assert_quiet()


NOTHING_TO_DO = [
    ("u", "There is nothing to undo."),
    ("Control+Shift+z", "There is nothing to redo."),
    ("s", "There is nothing to save."),
    ("h", "This message has no other versions."),
    ("l", "This message has no other versions."),
    ("b", "This is not a sub-agent that you opened from its call."),
    ("o", "This message has no tools."),
    ("k", "This is the first message."),
    ("K", "No earlier prompt"),
]
"""Keys at the first message of a conversation without edits, and the expected announcement."""


def test_a_key_without_effect_says_why(screen: Screen) -> None:
    screen.open(screen.titled(SOURDOUGH))
    page = screen.page
    expect(screen.button("Undo")).to_be_disabled()
    for key in ("h", "o", "y"):
        screen.press(key)
        screen.hears("No message is selected")
        page.locator(".toast").filter(has_text="No message is selected").get_by_role(
            "button"
        ).last.click()
    screen.press("g", "g")
    selected(screen, "b1")
    with changes(page) as asked, held(page, re.compile("/api/")):
        for key, reason in NOTHING_TO_DO:
            screen.press(key)
            screen.hears(reason)
    assert asked == []
    screen.press("J")
    selected(screen, "b8b")
    screen.press("l")
    screen.hears("This is the last version.")
    screen.press("G")
    selected(screen, "b14")
    screen.press("j")
    screen.hears("This is the last message.")
    screen.press("J")
    screen.hears("No later prompt")
    # At the end of the library; the list need not be in view.
    last = screen.studio.get("/conversations")["cards"][-1]
    screen.open(last["cid"])
    screen.press("Control+b", "]")
    screen.hears("There is no next conversation.")
    screen.press("[")
    expect(page).not_to_have_url(re.compile(f"/c/{last['cid']}$"))
    screen.assert_quiet()


def test_undo_works_before_the_page_knows_that_there_is_something_to_undo(screen: Screen) -> None:
    screen.open(screen.titled(SOURDOUGH))
    expect(screen.button("Undo")).to_be_disabled()
    screen.press("G")
    selected(screen, "b14")
    with held(screen.page, re.compile("/edits$"), "POST") as answers:
        screen.press("x", "u")
        answers.release()
    expect(screen.page.get_by_role("button", name=re.compile("^Redo:"))).to_be_enabled()
    expect(screen.message("b14")).not_to_contain_text("deleted")
    screen.assert_quiet()


def test_keys_that_would_change_something_say_that_nothing_can_be_changed(
    demo: Path, open_window: Open
) -> None:
    with running([demo], read_only=True) as studio:
        screen = open_window(studio)
        screen.open(screen.titled(SOURDOUGH), "b14")
        with changes(screen.page) as asked:
            for key in ("r", "c", "x", "u", "Control+Shift+z", "s"):
                screen.press(key)
                toast = screen.page.locator(".toast").filter(has_text="This studio is read-only.")
                expect(toast).to_have_count(1)
                toast.get_by_role("button").last.click()
                expect(toast).to_have_count(0)
        assert asked == []
        screen.assert_quiet()


def focused(page: Page) -> str:
    """Return the role or tag and the text of the focused element."""
    return str(
        page.evaluate(
            """() => {
              const here = document.activeElement
              const name = here.getAttribute('aria-label') ?? here.textContent.trim().slice(0, 60)
              return `${here.getAttribute('role') ?? here.tagName.toLowerCase()} ${name}`
            }"""
        )
    )


def tab_to(screen: Screen, wanted: str) -> None:
    """Press Tab until something has the focus, as a user would."""
    for _ in range(80):
        if re.search(wanted, focused(screen.page)):
            return
        screen.press("Tab")
    raise AssertionError(f"Tab does not lead to {wanted}")


def test_a_whole_walk_without_a_mouse(gallery: Running, open_window: Open) -> None:
    screen = open_window(gallery)
    page = screen.page
    page.get_by_role("region", name="Tools").wait_for()
    screen.press("Tab")
    assert "Skip to the conversation" in focused(page)
    tab_to(screen, "^listbox Conversations")
    page.get_by_role("option", name=re.compile(FLAKY)).wait_for()
    screen.press("Home")
    pointed = page.get_by_role("listbox").get_attribute("aria-activedescendant")
    for _ in range(20):
        if FLAKY in (page.locator(f"[id='{pointed}']").text_content() or ""):
            break
        screen.press("ArrowDown")
        pointed = page.get_by_role("listbox").get_attribute("aria-activedescendant")
    screen.press("Enter")
    expect(page.get_by_role("heading", name=re.compile(FLAKY), level=1)).to_be_visible()
    screen.rows.first.wait_for()
    tab_to(screen, "^tab Library")
    screen.press("ArrowRight")
    expect(screen.tab("Tree")).to_be_focused()
    page.get_by_role("tree").wait_for()
    tab_to(screen, "^tree ")
    screen.press("End")
    expect(page.get_by_role("tree")).to_have_attribute("aria-activedescendant", "tree-line-3")
    screen.press("Home", "ArrowRight", "ArrowDown", "ArrowDown", "ArrowDown")
    expect(page.get_by_role("treeitem", name="Claude: A test that only fails")).to_be_visible()
    screen.press("Enter")
    expect(screen.current).to_contain_text("A test that only fails")
    screen.press("j")
    tab_to(screen, "^tab Files")
    screen.press("End")
    expect(screen.page.get_by_role("tab").last).to_be_focused()
    screen.press("Home")
    tab_to(screen, "sun.py")
    screen.press("Enter")
    expect(page.get_by_role("region", name=re.compile("^Difference of"))).to_be_visible()
    screen.assert_quiet()


def test_in_a_studio_without_conversations_the_help_lists_what_there_is(
    open_window: Open, tmp_path: Path
) -> None:
    (tmp_path / "none").mkdir()
    with running([tmp_path / "none"]) as studio:
        screen = open_window(studio)
        screen.page.get_by_text("Nothing is here yet").wait_for()
        assert {"?", "Ctrl K", "Ctrl B"} <= set(listed(screen).values())
        assert "j" not in listed(screen).values()
        screen.assert_quiet()
