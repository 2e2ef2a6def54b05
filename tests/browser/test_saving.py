"""Saving: to the own file with a guard, or to another format with the loss report first."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

from playwright.sync_api import Locator, expect

import talktree
from tests.browser.conftest import Open
from tests.browser.screen import Screen
from tests.browser.screens.editing import Editing
from tests.web.running import running
from tests.web.working import bytes_of, cid_of, copied


def test_a_file_that_changed_outside_is_not_written_over(tmp_path: Path, open_window: Open) -> None:
    path = copied("native", tmp_path / "work")
    with running([path]) as studio:
        screen = open_window(studio)
        editing = Editing(screen, cid_of(studio, path))
        editing.go(editing.rows()[-1]["id"])
        screen.press("r")
        editing.did(lambda: editing.write("Mine"))
        screen.press("s")
        dialog = screen.dialog("Save")
        expect(dialog).to_contain_text("1 edit to be written")
        path.write_bytes(path.read_bytes().replace(b"Saturday", b"Sunday"))
        others = path.read_bytes()
        dialog.get_by_role("button", name="Save", exact=True).click()
        expect(dialog.get_by_role("alert")).to_contain_text("changed")
        assert path.read_bytes() == others
        dialog.get_by_role("button", name="Save as another format").click()
        expect(screen.dialog("Save as another format")).to_be_visible()
        assert path.read_bytes() == others
        screen.assert_quiet()


def test_it_can_be_saved_as_every_format_after_the_loss_report_was_shown(
    tmp_path: Path, open_window: Open
) -> None:
    path = copied("claude-code", tmp_path / "work")
    before = bytes_of(path)
    with running([path]) as studio:
        screen = open_window(studio)
        screen.open(cid_of(studio, path))
        screen.button("Save as another format").click()
        dialog = screen.dialog("Save as another format")
        formats = [each for each in studio.get("/about")["formats"] if each["writes"]]
        for format in formats:
            dialog.get_by_role("combobox", name=re.compile("^Format")).select_option(format["slug"])
            loss_report = studio.get(f"/c/{cid_of(studio, path)}/ledger", to=format["slug"])
            _shows(dialog.get_by_role("region", name="What is kept"), loss_report)
            dialog.get_by_role("button", name="Convert").click()
            saved = downloaded(screen, dialog, tmp_path / format["slug"])
            document = talktree.read(saved)
            assert document.format == format["slug"]
            said = document.conversations[0].messages()
            assert any("sunset" in each.text for each in said), format["slug"]
        screen.assert_quiet()
    assert bytes_of(path) == before


def _shows(loss_report: Locator, reported: dict[str, object]) -> None:
    """Assert that it shows how much would be lost, before anything is written."""
    if reported["lost"]:
        number = f"{reported['lost']:,}"
        expect(loss_report).to_contain_text(f"{number} value")
    else:
        expect(loss_report.locator("p").first).to_contain_text(
            "ost" if not reported["losses"] else ""
        )


def downloaded(screen: Screen, dialog: Locator, folder: Path) -> Path:
    """Return the downloaded file, unpacked if it is a folder."""
    link = dialog.get_by_role("link", name="Download")
    with screen.page.expect_download() as download:
        link.click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    if path.suffix != ".zip":
        return path
    with zipfile.ZipFile(path) as archive:
        archive.extractall(folder / "unpacked")
    (inside,) = (folder / "unpacked").iterdir()
    return inside


def test_a_studio_that_only_shows_changes_nothing(tmp_path: Path, open_window: Open) -> None:
    path = copied("native", tmp_path / "work")
    before = bytes_of(path)
    with running([path], read_only=True) as studio:
        screen = open_window(studio)
        editing = Editing(screen, cid_of(studio, path))
        expect(screen.page.get_by_text("read only")).to_be_visible()
        last = editing.rows()[-1]["id"]
        editing.go(last)
        screen.press("r", "c", "x", "u", "s")
        screen.press("m")
        for name in ("Reply", "Clone", "Move", "Name this branch"):
            item = screen.page.get_by_role("menuitem", name=name).first
            expect(item).to_be_disabled()
        screen.press("Escape")
        expect(editing.box).to_be_hidden()
        expect(screen.button("Save to its own file")).to_be_disabled()
        expect(screen.button("Import")).to_be_disabled()
        stamp = studio.get(f"/c/{editing.cid}/edits")["stamp"]
        body = {"stamp": stamp, "deed": {"do": "delete", "about": last}}
        answer = studio.client.post(f"/api/v1/c/{editing.cid}/edits", json=body)
        assert answer.status_code == 403
        screen.assert_quiet()
    assert bytes_of(path) == before
