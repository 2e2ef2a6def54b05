"""Work on the messages of a conversation: selecting, writing, undoing and saving."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Response, expect

from tests.browser.screen import Screen
from tests.web.working import shown_bytes

CHANGES = re.compile(r"/(edits|undo|redo|save)$")


class Editing:
    """A conversation that is being edited."""

    def __init__(self, screen: Screen, cid: str) -> None:
        self.screen = screen
        self.cid = cid

    @property
    def box(self) -> Locator:
        """The text box."""
        return self.screen.page.get_by_role("textbox", name="Text", exact=True)

    def go(self, id: str) -> None:
        """Select a message."""
        self.screen.open(self.cid, id)
        expect(self.screen.message(id)).to_have_attribute("aria-current", "true")

    def act(self, id: str, name: str) -> None:
        """Choose an action from the menu of a message, by keyboard."""
        self.go(id)
        self.screen.press("m")
        item = self.screen.menu_item(re.compile(f"^{re.escape(name)}(…|$)"))
        item.focus()
        self.screen.press("Enter")

    def write(self, text: str) -> None:
        """Type text into the box and send it."""
        self.box.fill(text)
        self.screen.press("Control+Enter")

    def pick(self, id: str) -> None:
        """Move to a message by keys and choose it."""
        expect(self.screen.page.get_by_text("Choose the message")).to_be_visible()
        numbers = {each["id"]: each["number"] for each in self.rows(id)}
        here = self.screen.current.get_attribute("data-id") or ""
        steps = numbers[id] - numbers[here]
        self.screen.press(*(["j" if steps > 0 else "k"] * abs(steps)))
        expect(self.screen.message(id)).to_be_focused()
        self.screen.press("Enter")

    def rows(self, leaf: str = "") -> list[dict[str, Any]]:
        """Return the rows of a branch."""
        given = {"leaf": leaf} if leaf else {}
        found = self.screen.studio.get(f"/c/{self.cid}/rows", **given)["rows"]
        assert isinstance(found, list)
        return found

    def did(self, edit: Callable[[], object]) -> dict[str, Any]:
        """Run an action and wait until the page shows its result; return the studio's message."""
        with self.screen.page.expect_response(_changes) as answered:
            edit()
        reported: dict[str, Any] = answered.value.json()
        assert answered.value.ok, reported
        expect(self.undoing(reported["what"])).to_be_enabled()
        return reported

    def undo(self, what: str) -> None:
        """Undo by key."""
        self.screen.press("u")
        expect(self.screen.button(f"Redo: {what}")).to_be_enabled()

    def redo(self, what: str) -> None:
        """Redo by key."""
        self.screen.press("Control+Shift+z")
        expect(self.undoing(what)).to_be_enabled()

    def undoing(self, what: str) -> Locator:
        """The button that undoes the last edit."""
        return self.screen.button(f"Undo: {what}")

    def save(self) -> None:
        """Save to the conversation's own file."""
        expect(self.screen.button("Save to its own file")).to_be_enabled()
        self.screen.press("s")
        dialog = self.screen.dialog("Save")
        dialog.get_by_role("button", name="Save", exact=True).click()
        expect(dialog.get_by_role("status")).to_contain_text("Saved")
        dialog.get_by_role("button", name="Close").last.click()
        expect(dialog).to_be_hidden()

    def attach(self, id: str, *files: Path) -> None:
        """Attach files to a message."""
        with self.screen.page.expect_file_chooser() as chooser:
            self.act(id, "Attach files")
        chooser.value.set_files(list(files))

    @property
    def bytes(self) -> dict[str, bytes]:
        """The bytes that saving would write now."""
        return shown_bytes(self.screen.studio, self.cid)


def _changes(answer: Response) -> bool:
    return answer.request.method == "POST" and bool(CHANGES.search(answer.url))
