"""An encrypted library in the browser: unlocking, locking in all windows, and what remains."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from talktree.files.age import load_age_library
from talktree.library.encryption.unlocking import forget_key
from talktree.web.security.guesses import FREE
from tests.browser.axe import all_findings, bring
from tests.browser.chromium import PHONE
from tests.browser.conftest import Open
from tests.browser.screen import Screen
from tests.web.locked_studio import PASSPHRASE, EncryptedHome, encrypted_home
from tests.web.running import Running, running

pytest.importorskip("sqlcipher3")
IDENTITY = load_age_library().x25519.Identity.generate()


@pytest.fixture
def home(tmp_path: Path, demo: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[EncryptedHome]:
    monkeypatch.setenv("TALKTREE_HOME", str(tmp_path / "home"))
    made = encrypted_home(tmp_path / "home", demo, IDENTITY.to_public())
    yield made
    forget_key(made.id)


@pytest.fixture
def locked(home: EncryptedHome) -> Iterator[Running]:
    with running([]) as found:
        yield found


def type_passphrase(page: Page, words: str) -> None:
    page.get_by_label("Passphrase").fill(words)
    page.keyboard.press("Enter")


def is_locked(screen: Screen) -> None:
    expect(screen.page.get_by_role("heading", name="The library is locked")).to_be_visible()
    expect(screen.page.locator("article, .card")).to_have_count(0)


def test_unlocked_in_one_window_and_locked_in_all(locked: Running, open_window: Open) -> None:
    here, there = open_window(locked), open_window(locked)
    asked: list[str] = []
    here.page.on("request", lambda request: asked.append(request.url))
    is_locked(here)
    is_locked(there)
    type_passphrase(here.page, "wrong one")
    expect(here.page.get_by_role("alert")).to_have_text("Wrong passphrase.")
    expect(here.page.get_by_label("Passphrase")).to_have_value("")
    expect(here.page.get_by_label("Passphrase")).to_be_focused()
    type_passphrase(here.page, PASSPHRASE)
    for screen in (here, there):
        screen.page.locator(".card").first.wait_for()
    cid = here.cid("claude-code")
    here.open(cid)
    there.open(cid)
    there.page.get_by_role("feed").focus()
    there.press("r")
    there.page.locator("textarea").fill("a quizzacious draft")
    assert there.page.title() == "Talktree studio", "the history is on the disk"
    here.button("Lock the library").click()
    for screen in (here, there):
        is_locked(screen)
        kept = screen.page.evaluate("JSON.stringify([localStorage, sessionStorage])")
        body = screen.page.content()
        for text in (PASSPHRASE, "wrong one", "quizzacious"):
            assert text not in kept + body + screen.page.url
        assert "Apple" not in body
    assert not any("passphrase" in each or "wrong" in each for each in asked)
    type_passphrase(there.page, PASSPHRASE)
    there.page.locator("article").first.wait_for()
    assert f"/c/{cid}" in there.place, "it goes on where it was"


def test_wrong_passphrases_make_it_wait(locked: Running, open_window: Open) -> None:
    screen = open_window(locked)
    for number in range(FREE):
        answered = screen.page.expect_response("**/unlock")
        with answered as answer:
            type_passphrase(screen.page, f"wrong {number}")
        assert answer.value.status == 403
        expect(screen.button("Unlocking…")).to_be_hidden()
    expect(screen.page.get_by_role("button", name="Wait")).to_be_disabled()
    expect(screen.button("Unlock")).to_be_enabled()
    type_passphrase(screen.page, PASSPHRASE)
    screen.page.locator(".card").first.wait_for()


def test_an_identity_file_opens_it_on_a_phone(
    locked: Running, open_window: Open, tmp_path: Path
) -> None:
    file = tmp_path / "identity.txt"
    file.write_text(f"# created: today\n{IDENTITY}\n")
    screen = open_window(locked, size=PHONE, dark=True)
    is_locked(screen)
    bring(screen.page.context)
    screen.again()
    is_locked(screen)
    assert all_findings(screen.page) == []
    assert screen.page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    screen.button("Unlock").click()
    expect(screen.page.get_by_role("alert")).to_have_text("Type the passphrase.")
    screen.page.get_by_label("age identity file").set_input_files(file)
    screen.button("Unlock").click()
    screen.page.get_by_role("heading", name="Overview").wait_for()
    screen.choose("More", "Lock the library")
    is_locked(screen)
