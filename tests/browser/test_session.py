"""Moves of a session and its files: the plan first, conflicts resolved there, then only that
plan."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import DEMO, Open
from tests.browser.screen import Screen
from tests.web.running import running
from tests.web.test_sessions import recorded
from tests.web.working import bytes_of, cid_of


def opened(screen: Screen, cid: str) -> None:
    """Open the panel with the actions."""
    screen.open(cid)
    screen.tab("Session").click()


def ask(screen: Screen, verb: str, title: str) -> Locator:
    """Request a move and return the dialog with its plan."""
    screen.page.get_by_role("group", name="Files and talk").get_by_role("button", name=verb).click()
    dialog = screen.dialog(title)
    expect(dialog.get_by_role("listitem").first).to_be_visible()
    return dialog


def go(dialog: Locator, name: str) -> None:
    """Execute the plan, and close."""
    dialog.get_by_role("button", name=name, exact=True).click()
    expect(dialog.get_by_role("status")).to_contain_text("changed")
    dialog.get_by_role("button", name="Close").last.click()
    expect(dialog).to_be_hidden()


def test_a_step_is_undone_redone_and_restored_as_the_plan_says(
    tmp_path: Path, open_window: Open
) -> None:
    folder, work = recorded(tmp_path), tmp_path / "work"
    last = bytes_of(work)
    with running([folder]) as studio:
        screen = open_window(studio)
        cid = cid_of(studio, folder)
        first = studio.get(f"/c/{cid}/rows")["rows"][0]["id"]
        opened(screen, cid)
        dialog = ask(screen, "Undo…", "Undo the last step")
        expect(dialog.get_by_role("listitem").filter(has_text="notes.txt")).to_contain_text("write")
        assert bytes_of(work) == last, "nothing happens before it is asked for"
        go(dialog, "Undo")
        assert bytes_of(work) == {"notes.txt": b"two\n", "new.txt": b"new 0\n"}
        go(ask(screen, "Redo…", "Redo"), "Redo")
        assert bytes_of(work) == last
        screen.open(cid, first)
        expect(screen.message(first)).to_have_attribute("aria-current", "true")
        dialog = ask(screen, "Restore to selected…", "Restore to the selected message")
        dialog.get_by_role("button", name="files only").click()
        expect(dialog.get_by_text("the talk stays where it is")).to_be_visible()
        shown = dialog.get_by_role("listitem").filter(has_text="notes.txt")
        shown.get_by_role("button", name="Show changes").click()
        expect(shown.get_by_role("region", name="Changes of notes.txt")).to_contain_text("one")
        go(dialog, "Restore")
        assert bytes_of(work) == {"notes.txt": b"one\n"}
        screen.assert_quiet()


@pytest.mark.parametrize("choice", ["keep", "theirs"])
def test_a_conflict_is_decided_in_the_dialog(
    choice: str, tmp_path: Path, open_window: Open
) -> None:
    folder, work = recorded(tmp_path), tmp_path / "work"
    (work / "notes.txt").write_text("somebody else's\n")
    with running([folder]) as studio:
        screen = open_window(studio)
        opened(screen, cid_of(studio, folder))
        dialog = ask(screen, "Undo…", "Undo the last step")
        expect(dialog.get_by_text("1 conflict to decide")).to_be_visible()
        expect(dialog.get_by_role("button", name="Undo", exact=True)).to_be_disabled()
        dialog.get_by_role("radio", name=re.compile(f"^{choice} ")).check()
        go(dialog, "Undo")
        expected = {"keep": b"somebody else's\n", "theirs": b"two\n"}[choice]
        assert bytes_of(work)["notes.txt"] == expected
        screen.assert_quiet()


def test_files_changed_after_the_plan_was_shown_are_not_overwritten(
    tmp_path: Path, open_window: Open
) -> None:
    folder, work = recorded(tmp_path), tmp_path / "work"
    with running([folder]) as studio:
        screen = open_window(studio)
        opened(screen, cid_of(studio, folder))
        dialog = ask(screen, "Undo…", "Undo the last step")
        (work / "notes.txt").write_text("just now\n")
        dialog.get_by_role("button", name="Undo", exact=True).click()
        expect(dialog.get_by_role("alert")).to_be_visible()
        assert (work / "notes.txt").read_text() == "just now\n"
        screen.assert_quiet()


def test_nothing_can_be_pressed_where_nothing_can_be_done(
    tmp_path: Path, open_window: Open
) -> None:
    """The demo's session of Claude Code has lost its copies, so every step reports that it cannot
    move."""
    path = tmp_path / "claude-code.jsonl"
    shutil.copy(DEMO / "claude-code.jsonl", path)
    with running([path]) as studio:
        screen = open_window(studio)
        cid = cid_of(studio, path)
        operations = studio.get(f"/c/{cid}/session")["operations"]
        assert operations
        screen.open(cid, operations[0]["message"])
        screen.tab("Session").click()
        dialog = ask(screen, "Restore to selected…", "Restore to the selected message")
        steps = dialog.get_by_role("listitem").filter(has_text="cannot")
        expect(steps.first).to_be_visible()
        expect(dialog.get_by_role("button", name="Restore", exact=True)).to_be_disabled()
        screen.assert_quiet()


def test_files_of_a_kept_session_are_compared_with_their_backups(
    tmp_path: Path, open_window: Open
) -> None:
    folder = tmp_path / "sage"
    shutil.copytree(DEMO / "sage", folder)
    with running([folder]) as studio:
        screen = open_window(studio)
        screen.open(cid_of(studio, folder))
        screen.press("d")
        screen.page.get_by_role("button", name="modified timetable.csv").click()
        changes = screen.page.get_by_role("tabpanel", name="Files")
        expect(changes).to_contain_text("winter,16,on")
        expect(changes).to_contain_text("17,on")
        screen.assert_quiet()
