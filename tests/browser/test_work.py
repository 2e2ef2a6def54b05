"""Editing conversations: every edit on every format, undone, redone, saved, by keyboard alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Route, expect

from talktree import api
from talktree.model.parts import Attachment
from talktree.settings.attachments import DEFAULT_SIZE
from tests.browser.conftest import Open
from tests.browser.doable import Doable, doable
from tests.browser.holding import intercept
from tests.browser.screens.editing import Editing
from tests.cases import TORTURE
from tests.web.running import running
from tests.web.working import DEMOS, GIF, bytes_of, cid_of, copied

WORDS = "Other words, with <marks> & “quotes”."


def _reply(editing: Editing, at: Doable) -> None:
    editing.go(at.about)
    editing.screen.press("r")
    editing.write(WORDS)


def _revise(editing: Editing, at: Doable) -> None:
    editing.go(at.about)
    editing.screen.press("c")
    editing.write(WORDS)


def _replace(editing: Editing, at: Doable) -> None:
    editing.act(at.about, "Edit in place")
    editing.box.fill(WORDS)
    editing.screen.button("Change").click()


def _move(editing: Editing, at: Doable) -> None:
    editing.act(at.about, "Move")
    editing.pick(at.other)


def _swap(editing: Editing, at: Doable) -> None:
    editing.act(at.about, "Swap with")
    editing.pick(at.other)


def _retype(editing: Editing, at: Doable) -> None:
    editing.act(at.about, "Change type")
    dialog = editing.screen.dialog("Change type")
    dialog.locator("label").filter(has_not_text="now").first.click()
    dialog.get_by_role("button", name="Change type").click()


def _delete(editing: Editing, at: Doable) -> None:
    editing.go(at.about)
    editing.screen.press("x")


def _taken(name: str) -> Callable[[Editing, Doable], None]:
    return lambda editing, at: editing.act(at.about, name)


EDITS: dict[str, Callable[[Editing, Doable], None]] = {
    "reply": _reply,
    "edit as a branch": _revise,
    "edit in place": _replace,
    "clone": _taken("Clone"),
    "clone with replies": _taken("Clone with all below"),
    "move": _move,
    "swap": _swap,
    "pop up": _taken("Pop up one level"),
    "change role": _retype,
    "delete": _delete,
}
SPOKEN = {"reply", "edit as a branch", "edit in place"}


KEYED = list(DEMOS) if TORTURE else ["studio", "muse", "claude-code"]
"""A tree, a chain, and records that name their parents; `web/test_edits` edits the others."""


@pytest.mark.parametrize("slug", KEYED)
def test_every_edit_can_be_made_undone_and_redone_by_keys(
    slug: str, tmp_path: Path, open_window: Open
) -> None:
    path = copied(slug, tmp_path / "work")
    document, source = api.read(path), bytes_of(path)
    with running([path]) as studio:
        screen = open_window(studio)
        editing = Editing(screen, cid_of(studio, path))
        before = editing.bytes
        made = []
        for kind, edit in EDITS.items():
            at = doable(editing, document, 0, kind)
            if at is None:
                continue
            made.append(kind)
            reported = editing.did(lambda edit=edit, at=at: edit(editing, at))  # type: ignore[misc]
            expect(screen.current).to_have_attribute("data-id", reported["id"])
            if kind in SPOKEN:
                expect(screen.current).to_contain_text(WORDS)
            after = editing.bytes
            assert after != before, kind
            editing.undo(reported["what"])
            assert editing.bytes == before, kind
            editing.redo(reported["what"])
            assert editing.bytes == after, kind
            expect(screen.current).to_have_attribute("data-id", reported["id"])
            editing.undo(reported["what"])
        assert {"reply", "edit in place"} <= set(made)
        editing.redo(reported["what"])
        editing.save()
        assert bytes_of(path) != source
        editing.undo(reported["what"])
        editing.save()
        assert bytes_of(path) == source
        screen.assert_quiet()


@pytest.fixture
def native(tmp_path: Path, open_window: Open) -> Iterator[tuple[Editing, Path]]:
    """Open a conversation that can hold every edit."""
    path = copied("native", tmp_path / "work")
    with running([path]) as studio:
        yield Editing(open_window(studio), cid_of(studio, path)), path


def test_a_message_is_moved_and_swapped_by_dragging(native: tuple[Editing, Path]) -> None:
    editing, _ = native
    screen = editing.screen
    last = editing.rows()[-1]["id"]
    before = editing.bytes
    for button, what in (("Move", "moved"), ("Swap the two", "swapped with another message")):
        editing.go(last)
        to = screen.rows.nth(screen.rows.count() - 4)
        target = to.get_attribute("data-id")
        screen.message(last).locator("header").first.drag_to(to)
        dialog = screen.dialog("Move this message?")
        reported = editing.did(dialog.get_by_role("button", name=button).click)
        assert reported["what"] == what
        if button == "Move":
            place = screen.studio.get(f"/c/{editing.cid}/messages/{last}")
            assert place["parent"] == target
        editing.undo(what)
        assert editing.bytes == before
    screen.assert_quiet()


def test_a_message_is_deleted_and_restored_and_the_toast_takes_it_back(
    native: tuple[Editing, Path],
) -> None:
    editing, _ = native
    screen = editing.screen
    last = editing.rows()[-1]["id"]
    editing.go(last)
    editing.did(lambda: screen.press("x"))
    expect(screen.current).to_contain_text("deleted")
    editing.did(lambda: screen.press("x"))
    expect(screen.message(last)).not_to_contain_text("deleted")
    screen.page.get_by_text("Restored", exact=True).last.wait_for()
    screen.button("Undo").last.click()
    expect(screen.message(last)).to_contain_text("deleted")
    screen.tab("History").click()
    edits = screen.page.get_by_role("region", name="Edits").get_by_role("listitem")
    expect(edits).to_have_count(3)
    expect(edits.nth(0)).to_contain_text("undone")
    expect(edits.nth(1)).to_contain_text("marked as deleted")
    edits.nth(2).get_by_role("button", name="Undo all").click()
    expect(screen.message(last)).not_to_contain_text("deleted")
    edits.nth(0).get_by_role("button", name="Redo to here").click()
    expect(editing.undoing("restored")).to_be_enabled()
    screen.assert_quiet()


def test_files_are_attached_as_what_they_are_and_too_large_ones_refused(
    native: tuple[Editing, Path], tmp_path: Path
) -> None:
    editing, path = native
    screen = editing.screen
    last = editing.rows()[-1]["id"]
    before, source = editing.bytes, bytes_of(path)
    (liar := tmp_path / "notes.txt").write_bytes(GIF)

    def attach_anyway() -> None:
        editing.attach(last, liar)
        dialog = screen.dialog("Attach this file?")
        expect(dialog).to_contain_text("said to be text/plain, and is image/gif")
        dialog.get_by_role("button", name="Attach anyway").click()

    reported = editing.did(attach_anyway)
    expect(screen.current.get_by_role("img", name="notes.txt")).to_be_visible()
    editing.undo(reported["what"])
    assert editing.bytes == before
    editing.redo(reported["what"])
    editing.save()
    said = api.read(path).conversations[0].messages()
    files = [part for each in said for part in each.parts if isinstance(part, Attachment)]
    assert ("notes.txt", "image/gif") in {(each.name, each.media_type) for each in files}
    editing.undo(reported["what"])
    editing.save()
    assert bytes_of(path) == source
    with (big := tmp_path / "big.bin").open("wb") as stream:
        stream.truncate(DEFAULT_SIZE + 1)
    editing.attach(last, big)
    expect(
        screen.page.get_by_role("alert").filter(has_text="an attachment may have 10,000,000")
    ).to_be_attached()
    assert editing.bytes == before
    screen.assert_quiet()


def test_a_branch_gets_a_name_and_loses_it(native: tuple[Editing, Path]) -> None:
    editing, _ = native
    screen = editing.screen
    leaf = screen.studio.get(f"/c/{editing.cid}")["leaf"]
    for name in ("The <better> one", ""):
        editing.act(leaf, "Name this branch")
        dialog = screen.dialog("Name this branch")
        dialog.get_by_role("textbox", name="Name").fill(name)
        screen.press("Enter")
        expect(dialog).to_be_hidden()
        screen.tab("Tree").click()
        named = screen.page.get_by_role("complementary").get_by_text("The <better> one")
        expect(named).to_have_count(1 if name else 0)
        screen.tab("Library").click()
    screen.assert_quiet()


def test_who_comes_second_is_reported_and_keeps_the_words(
    native: tuple[Editing, Path], open_window: Open
) -> None:
    editing, _ = native
    first = editing.screen
    second = Editing(open_window(first.studio), editing.cid)
    # The second window is not notified, as when two users press at the same moment.
    intercept(second.screen.page, re.compile(r"/live"), _silent)
    last = editing.rows()[-1]["id"]
    for each in (editing, second):
        each.go(last)
        each.screen.press("r")
        each.box.fill(f"{WORDS} {each is second}")
    editing.did(lambda: first.press("Control+Enter"))
    second.screen.press("Control+Enter")
    expect(second.screen.page.get_by_role("status").filter(has_text="changed")).to_be_attached()
    expect(second.screen.page.get_by_text(f"{WORDS} False")).to_be_visible()
    expect(second.box).to_have_value(f"{WORDS} True")
    reported = second.did(lambda: second.screen.press("Control+Enter"))
    assert reported["what"].startswith("reply")
    said = [each["text"] for each in editing.rows(reported["leaf"])]
    assert f"{WORDS} True" in said
    second.screen.assert_quiet()


def test_a_draft_is_there_when_the_box_opens_again(native: tuple[Editing, Path]) -> None:
    editing, _ = native
    last = editing.rows()[-1]["id"]
    editing.go(last)
    editing.screen.press("r")
    editing.box.fill("Half a thought")
    editing.screen.press("Escape")
    expect(editing.box).to_be_hidden()
    editing.screen.again()
    editing.go(last)
    editing.screen.press("r")
    expect(editing.box).to_have_value("Half a thought")
    editing.screen.assert_quiet()


def _silent(route: Route) -> None:
    route.fulfill(status=200, content_type="text/event-stream", body="")
