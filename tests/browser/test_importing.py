"""Importing files: dropped or chosen, previewed first, stored on confirmation."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import DEMO, Open
from tests.browser.holding import held
from tests.browser.screen import Screen
from tests.export.talks import said
from tests.web.running import Running, running
from tests.web.working import bytes_of, copied

DROP = """([name, text]) => {
  const held = new DataTransfer()
  held.items.add(new File([text], name))
  const about = { dataTransfer: held, bubbles: true, cancelable: true }
  const event = (kind) => new DragEvent(kind, about)
  document.body.dispatchEvent(event('dragenter'))
  document.body.dispatchEvent(event('dragover'))
  document.body.dispatchEvent(event('drop'))
}"""


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[Running]:
    """Start a studio with one small conversation."""
    with running([copied("muse", tmp_path / "work")]) as found:
        yield found


def chosen(screen: Screen, *files: Path) -> Locator:
    """Choose files by the button; return the dialog about them."""
    with screen.page.expect_file_chooser() as chooser:
        screen.button("Import").click()
    chooser.value.set_files(list(files))
    return screen.page.get_by_role("dialog")


def test_a_dropped_file_is_looked_over_kept_and_opened(studio: Running, open_window: Open) -> None:
    screen = open_window(studio)
    text = (DEMO / "claude-messages.jsonl").read_text()
    expect(screen.button("Import")).to_be_enabled()
    screen.page.evaluate(DROP, ["garden.jsonl", text])
    dialog = screen.dialog("Import 1 file")
    expect(dialog).to_contain_text("garden.jsonl")
    expect(dialog).to_contain_text("% sure")
    expect(dialog).to_contain_text("20 messages")
    before = studio.get("/about")["library"]["conversations"]
    dialog.get_by_role("combobox", name="Keep it").select_option("muse")
    loss_report = dialog.get_by_role("region", name="What is kept")
    expect(loss_report).to_be_visible()
    dialog.get_by_role("combobox", name="Keep it").select_option("")
    expect(loss_report).to_be_hidden()
    assert studio.get("/about")["library"]["conversations"] == before, "nothing is kept unasked"
    dialog.get_by_role("button", name="Keep it").click()
    dialog.get_by_role("button", name="Open it").click()
    title = screen.page.get_by_role("heading", level=1)
    expect(title).to_contain_text("kitchen garden")
    expect(screen.rows.first).to_be_visible()
    assert studio.get("/about")["library"]["conversations"] == before + 1
    assert studio.get("/statistics")["conversations"] == studio.get("/conversations")["total"]
    screen.assert_quiet()


def test_chosen_files_are_kept_together_and_as_another_format(
    studio: Running, open_window: Open, tmp_path: Path
) -> None:
    damaged = tmp_path / "damaged.jsonl"
    lines = (DEMO / "claude-code.jsonl").read_text().splitlines(keepends=True)
    damaged.write_text("".join([*lines[:6], '{"type":"user","uui\n', *lines[9:]]))
    screen = open_window(studio)
    dialog = chosen(screen, DEMO / "native.jsonl", damaged)
    wrong = dialog.get_by_text("It can be kept all the same")
    expect(wrong).to_be_visible()
    wrong.click()
    items = dialog.get_by_role("listitem")
    expect(items.filter(has_text="damaged.jsonl").get_by_role("listitem").first).to_be_visible()
    items.filter(has_text="native.jsonl").get_by_role("combobox").select_option("studio")
    dialog.get_by_role("button", name="Keep all 2").click()
    expect(dialog.get_by_role("button", name="Open")).to_have_count(2)
    dialog.get_by_role("button", name="Close").last.click()
    formats = [each["format"] for each in studio.get("/conversations")["cards"]]
    assert "claude-code" in formats
    assert "studio" in formats
    screen.assert_quiet()


def dropped(screen: Screen, *paths: Path) -> None:
    """Drop files from the disk, as a file manager does."""
    browser = screen.seen.context.new_cdp_session(screen.page)
    held = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        browser.send("Input.dispatchDragEvent", {"type": kind, "x": 400, "y": 400, "data": held})


def test_folders_that_are_one_conversation_are_kept_as_they_are(
    studio: Running, open_window: Open
) -> None:
    screen = open_window(studio)
    expect(screen.button("Import")).to_be_enabled()
    sage, parts = DEMO / "sage", DEMO / "chatbuilder/messages/repair-cafe"
    dropped(screen, sage, parts)
    dialog = screen.dialog("Import 2 folders")
    expect(dialog).to_contain_text("Sage Agent session")
    expect(dialog).to_contain_text("17 messages")
    dialog.get_by_role("button", name="Keep all 2").click()
    expect(dialog.get_by_role("button", name="Open")).to_have_count(2)
    dialog.get_by_role("button", name="Close").last.click()
    cards = studio.get("/conversations")["cards"]
    kept = {each["format"]: Path(each["path"]) for each in cards}
    assert bytes_of(kept["sage"]) == bytes_of(sage)
    assert bytes_of(kept["chatbuilder"]) == bytes_of(parts)
    screen.assert_quiet()


def test_files_that_are_not_conversations_are_reported_and_not_kept(
    studio: Running, open_window: Open, tmp_path: Path
) -> None:
    (noise := tmp_path / "noise.bin").write_bytes(bytes(range(256)) * 64)
    bomb = tmp_path / "bomb.json.gz"
    bomb.write_bytes(zlib.compress(b"[" * 50_000_000, 9))
    deep = tmp_path / "deep.json"
    deep.write_bytes(b'{"messages":' + b"[" * 500_000 + b"]" * 500_000 + b"}")
    long = tmp_path / ("n" * 240 + ".json")
    long.write_text("{}")
    before = studio.get("/conversations")["total"]
    screen = open_window(studio)
    dialog = chosen(screen, noise, bomb, deep, long)
    expect(dialog.get_by_role("alert")).to_have_count(4, timeout=60_000)
    expect(dialog.get_by_role("button", name="Keep")).to_have_count(0)
    box = dialog.bounding_box()
    assert box is not None
    assert box["width"] <= 1280
    screen.page.evaluate(DROP, ["../../" + "x" * 3_000 + "\u202egnp.jsonl", "no conversation"])
    expect(dialog.get_by_role("alert")).to_have_count(5)
    overflow = screen.page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert overflow <= 0
    dialog.get_by_role("button", name="Close").last.click()
    expect(dialog).to_be_hidden()
    assert studio.get("/conversations")["total"] == before
    screen.assert_quiet()


def test_keeping_a_long_file_shows_how_far_it_is_and_can_be_stopped(
    studio: Running, open_window: Open, tmp_path: Path
) -> None:
    path = tmp_path / "long.jsonl"
    with path.open("w") as stream:
        for number in range(20_000):
            role = "assistant" if number % 2 else "user"
            each = said(role, f"m{number}", f"m{number - 1}" if number else None, "stone " * 60)
            stream.write(json.dumps(each) + "\n")
    before = studio.get("/conversations")["total"]
    screen = open_window(studio)
    # A file may arrive before the test looks.
    with held(screen.page, re.compile(r"/uploads\?"), "POST"):
        dialog = chosen(screen, path)
        expect(dialog.get_by_role("progressbar")).to_be_visible()
    dialog.get_by_role("button", name="Keep it").click(timeout=60_000)
    expect(dialog.get_by_role("progressbar", name="Being kept")).to_be_visible()
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog.get_by_role("button", name="Keep it")).to_be_visible()
    dialog.get_by_role("button", name="Take long.jsonl off the list").click()
    expect(dialog).to_be_hidden()
    assert studio.get("/conversations")["total"] == before
    screen.assert_quiet()
