"""Work on conversations: every edit on every format, undone and done again, with and without a mouse."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from talktree import api
from tests.browser.conftest import Open
from tests.browser.doable import Doable, doable
from tests.browser.screens.editing import Editing
from tests.web.running import running
from tests.web.working import DEMOS, bytes_of, cid_of, copied

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


DEEDS: dict[str, Callable[[Editing, Doable], None]] = {
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


@pytest.mark.parametrize("slug", DEMOS)
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
        for kind, deed in DEEDS.items():
            at = doable(editing, document, 0, kind)
            if at is None:
                continue
            made.append(kind)
            told = editing.did(lambda deed=deed, at=at: deed(editing, at))  # type: ignore[misc]
            expect(screen.current).to_have_attribute("data-id", told["id"])
            if kind in SPOKEN:
                expect(screen.current).to_contain_text(WORDS)
            after = editing.bytes
            assert after != before, kind
            editing.undo(told["what"])
            assert editing.bytes == before, kind
            editing.redo(told["what"])
            assert editing.bytes == after, kind
            expect(screen.current).to_have_attribute("data-id", told["id"])
            editing.undo(told["what"])
        assert {"reply", "edit in place"} <= set(made)
        editing.redo(told["what"])
        editing.save()
        assert bytes_of(path) != source
        editing.undo(told["what"])
        editing.save()
        assert bytes_of(path) == source
        screen.assert_quiet()
