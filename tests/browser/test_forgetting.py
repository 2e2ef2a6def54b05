"""Forgetting in the browser: the confirmation, and what all windows show afterwards."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import expect

from tests.browser.conftest import Open
from tests.web.running import running
from tests.web.working import cid_of, copied


def test_a_conversation_is_forgotten_in_all_windows(tmp_path: Path, open_window: Open) -> None:
    path, other = copied("claude-code", tmp_path), copied("muse", tmp_path)
    before = path.read_bytes()
    with running([path, other]) as studio:
        cid = cid_of(studio, path)
        here, there = open_window(studio), open_window(studio)
        here.open(cid)
        there.open(cid)
        here.choose("More about this conversation", "Forget…")
        dialog = here.dialog("Forget this conversation?")
        expect(dialog).to_contain_text(str(path))
        expect(dialog).to_contain_text("The file itself stays where it is")
        dialog.get_by_role("button", name="Cancel").click()
        assert studio.get(f"/c/{cid}")["messages"] > 0
        here.choose("More about this conversation", "Forget…")
        here.dialog("Forget this conversation?").get_by_role(
            "button", name=re.compile("^Forget$")
        ).click()
        for screen in (here, there):
            expect(screen.page.get_by_text("This conversation was forgotten")).to_be_visible()
        with studio.studio.cache.open_for_writing() as library:
            assert library.import_([path, other]).forgotten == 1
    assert path.read_bytes() == before
