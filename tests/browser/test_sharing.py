"""Sharing: a branch, a selection or everything, as a page or a format, without secrets."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

import talktree
from tests.browser.conftest import Open
from tests.browser.screen import Screen
from tests.browser.test_saving import downloaded
from tests.export.planted import KINDS, Dice
from tests.export.talks import Line, forked, lines, said
from tests.web.running import running
from tests.web.working import cid_of

KEY = KINDS["anthropic"](Dice(12))
LONG = 3_000
"""Number of messages of a conversation whose export takes a while."""


def share(screen: Screen) -> Locator:
    """Open the dialog by key."""
    expect(screen.button("Share")).to_be_visible()
    screen.press("e")
    return screen.dialog("Share")


def made(screen: Screen, dialog: Locator, folder: Path) -> Path:
    """Create the file and save it."""
    dialog.get_by_role("button", name="Make the file").click()
    return downloaded(screen, dialog, folder)


def as_(dialog: Locator, target: str) -> None:
    """Choose the output format."""
    dialog.get_by_role("combobox", name=re.compile("^As")).select_option(target)


def take(dialog: Locator, name: str) -> None:
    """Choose one of several options."""
    dialog.get_by_role("radio", name=re.compile(f"^{name}")).check()


def test_pages_of_a_branch_of_messages_and_of_everything(
    tmp_path: Path, open_window: Open, browser: Browser
) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_bytes(lines(*forked()))
    with running([path]) as studio:
        screen = open_window(studio)
        cid = cid_of(studio, path)
        screen.open(cid, "a3")
        expect(screen.message("a3")).to_have_attribute("aria-current", "true")
        dialog = share(screen)
        branch = made(screen, dialog, tmp_path / "branch").read_text()
        assert ("Done first." in branch, "Done second." in branch) == (True, False)
        take(dialog, "Everything")
        everything = made(screen, dialog, tmp_path / "all")
        assert "Done second." in everything.read_text()
        assert "data:image/png" in everything.read_text()
        dialog.get_by_role("combobox", name=re.compile("^Images")).select_option("drop")
        without = made(screen, dialog, tmp_path / "without").read_text()
        assert "data:image/png" not in without
        screen.press("Escape")
        screen.press("m")
        screen.menu_item(re.compile("^Share this message")).click()
        dialog = screen.dialog("Share")
        expect(dialog.get_by_role("radio", name="1 message chosen")).to_be_checked()
        one = made(screen, dialog, tmp_path / "one").read_text()
        assert ("Done first." in one, "Water the pears" in one) == (True, False)
        screen.assert_quiet()
    _opens_from_disk(browser, everything)


def _opens_from_disk(browser: Browser, page: Path) -> None:
    """Assert that the file is readable without script, and loads nothing."""
    context = browser.new_context(java_script_enabled=False, offline=True)
    try:
        seen = context.new_page()
        asked: list[str] = []
        seen.on("request", lambda request: asked.append(request.url))
        seen.goto(page.as_uri())
        expect(seen.get_by_text("Done second.").first).to_be_visible()
        others = [each for each in asked if not each.startswith(("data:", page.as_uri()))]
        assert others == []
    finally:
        context.close()


def test_words_and_formats_and_how_much_of_it(tmp_path: Path, open_window: Open) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_bytes(lines(*forked()))
    with running([path]) as studio:
        screen = open_window(studio)
        screen.open(cid_of(studio, path))
        dialog = share(screen)
        for target, suffix in (("md", ".md"), ("text", ".txt")):
            as_(dialog, target)
            take(dialog, "full")
            whole = made(screen, dialog, tmp_path / target)
            assert whole.suffix == suffix
            assert "ls orchard" in whole.read_text()
            take(dialog, "user-only")
            words = made(screen, dialog, tmp_path / f"{target}-words").read_text()
            assert ("Water the pears" in words, "ls orchard" in words) == (True, False)
        as_(dialog, "studio")
        expect(dialog.get_by_text("How much")).to_be_hidden()
        document = talktree.read(made(screen, dialog, tmp_path / "format"))
        assert document.format == "studio"
        screen.assert_quiet()


def test_secrets_are_shown_in_the_preview_and_replaced_unless_someone_insists(
    tmp_path: Path, open_window: Open
) -> None:
    path = tmp_path / "talk.jsonl"
    more = said("user", "k1", "a4", f"use {KEY}, I say {KEY}")
    titled: Line = {"type": "custom-title", "customTitle": f"Key {KEY}", "sessionId": "s1"}
    path.write_bytes(lines(*forked(), more, titled))
    with running([path]) as studio:
        screen = open_window(studio)
        cid = cid_of(studio, path)
        row = next(each for each in studio.get(f"/c/{cid}/rows")["rows"] if each["id"] == "k1")
        screen.open(cid)
        dialog = share(screen)
        secrets = dialog.get_by_role("region", name="Secrets")
        expect(secrets).to_contain_text("1 place with 1 value, all replaced")
        expect(secrets).to_contain_text("not for personal data")
        secrets.get_by_text("Anthropic").first.click()
        expect(secrets).to_contain_text(f"in #{row['number'] + 1}")
        assert KEY not in secrets.inner_text()
        dialog.get_by_text("Preview of what will be shared").click()
        asked: list[str] = []
        screen.page.on("request", lambda request: asked.append(request.url))
        framed = dialog.frame_locator("iframe[title=Preview]")
        expect(framed.get_by_text("[redacted: Anthropic key").first).to_be_visible()
        expect(framed.locator("body")).not_to_contain_text(KEY)
        expect(framed.get_by_text("Water the pears").first).to_be_visible()
        dialog.get_by_label("Words to replace").fill("pears, quizzacious")
        screen.press("Tab")
        expect(framed.locator("body")).not_to_contain_text("pears")
        as_(dialog, "md")
        text = dialog.get_by_label("Preview", exact=True)
        expect(text).to_contain_text("Water the [redacted: word")
        saved = made(screen, dialog, tmp_path / "markdown")
        assert saved.read_text().rstrip() == text.inner_text().rstrip()
        as_(dialog, "html")
        assert not any("quizzacious" in each for each in asked), "words are not in addresses"
        dialog.get_by_role("checkbox", name=re.compile("^Replace personal data")).check()
        expect(secrets).to_contain_text("2 words, personal data")
        page = made(screen, dialog, tmp_path / "safe")
        assert KEY not in page.read_text()
        assert "[redacted: Anthropic key" in page.read_text()
        assert "pears" not in page.read_text()
        assert "redacted" not in page.name
        assert KEY[:20] not in page.name
        box = secrets.get_by_role("checkbox", name=re.compile("^Replace secrets"))
        box.click()
        ask = secrets.get_by_role("alertdialog", name="Share secrets?")
        ask.get_by_role("button", name="Keep replacing").click()
        expect(box).to_be_checked()
        box.click()
        ask.get_by_role("button", name="Share them").click()
        expect(secrets.get_by_role("status")).to_contain_text("will be in the file")
        assert KEY in made(screen, dialog, tmp_path / "open").read_text()
        screen.assert_quiet()


@pytest.fixture(scope="module")
def long_talk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Start a studio with a conversation whose export takes a while."""
    path = tmp_path_factory.mktemp("long") / "long.jsonl"
    code = "```python\n" + "def stair(step: int) -> str:\n    return f'{step} of stone'\n" * 12
    with path.open("w") as stream:
        for number in range(LONG):
            role = "assistant" if number % 2 else "user"
            content = [{"type": "text", "text": f"Step {number}\n\n{code}```\n"}]
            each = said(role, f"m{number}", f"m{number - 1}" if number else None, content)
            stream.write(json.dumps(each) + "\n")
    return path


def test_a_long_export_can_be_stopped_and_leaves_the_page_usable(
    long_talk: Path, open_window: Open
) -> None:
    with running([long_talk]) as studio:
        screen = open_window(studio)
        screen.open(cid_of(studio, long_talk))
        dialog = share(screen)
        dialog.get_by_role("button", name="Make the file").click()
        progress = dialog.get_by_role("progressbar")
        expect(progress).to_be_visible()
        dialog.get_by_role("button", name="Close, go on working").click()
        assert studio.studio.jobs.find_running("share") is not None, "the work goes on"
        screen.press("g", "g")
        expect(screen.message("m0")).to_have_attribute("aria-current", "true")
        screen.press("j")
        expect(screen.message("m1")).to_have_attribute("aria-current", "true")
        dialog = share(screen)
        dialog.get_by_role("button", name="Make the file").click()
        expect(progress).to_be_visible()
        dialog.locator(".progress").get_by_role("button", name="Cancel").click()
        expect(dialog.get_by_role("status").filter(has_text="Cancelled")).to_be_visible()
        expect(dialog.get_by_role("link", name="Download")).to_be_hidden()
        screen.assert_quiet()
