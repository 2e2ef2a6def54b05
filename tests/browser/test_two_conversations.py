"""A change applies to the conversation it was made in, wherever the reader is when it happens."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Open
from tests.browser.holding import held
from tests.browser.screen import PATIENCE, Screen
from tests.browser.screens.editing import Editing
from tests.browser.talks import line, named, write_damaged
from tests.web.running import Running, running, until
from tests.web.test_sessions import recorded
from tests.web.working import GIF, bytes_of, cid_of, copied

WORDS = "Said in one of them."
LEAVES = re.compile(r"/c/[^/]+/[a-z-]+$")
"""Where the page requests a change."""


class Pair(NamedTuple):
    """Two conversations with the same messages, one of them open."""

    studio: Running
    here: Editing
    there: Editing
    paths: Sequence[Path]

    @property
    def path(self) -> Path:
        """The path of the one that is changed."""
        return self.paths[0]

    @property
    def screen(self) -> Screen:
        return self.here.screen

    @property
    def last(self) -> str:
        return str(self.here.rows()[-1]["id"])

    def edits(self, of: Editing) -> list[dict[str, Any]]:
        """Return all edits of one of them."""
        found: list[dict[str, Any]] = self.studio.get(f"/c/{of.cid}/edits")["edits"]
        return found


@contextmanager
def paired(paths: Sequence[Path], open_window: Open) -> Iterator[Pair]:
    """Open two conversations in one window."""
    with running(paths) as studio:
        screen = open_window(studio)
        here, there = (Editing(screen, cid_of(studio, path)) for path in paths)
        yield Pair(studio, here, there, paths)


@pytest.fixture
def pair(tmp_path: Path, open_window: Open) -> Iterator[Pair]:
    """Return a conversation and a copy of it: every id is in both."""
    paths = [copied("native", tmp_path / name) for name in ("here", "there")]
    with paired(paths, open_window) as found:
        yield found


@pytest.fixture
def damaged(tmp_path: Path, open_window: Open) -> Iterator[Pair]:
    """Return a conversation that can be repaired, and a copy of it."""
    paths = [tmp_path / name / "damaged.jsonl" for name in ("here", "there")]
    for path in paths:
        path.parent.mkdir()
        write_damaged(path)
    with paired(paths, open_window) as found:
        yield found


@pytest.fixture
def sessions(tmp_path: Path, open_window: Open) -> Iterator[Pair]:
    """Return two sessions with files."""
    paths = [recorded(tmp_path / name) for name in ("here", "there")]
    with paired(paths, open_window) as found:
        yield found


def pressed(*keys: str) -> Callable[[Pair], None]:
    return lambda pair: pair.screen.press(*keys)


def chosen(item: str) -> Callable[[Pair], None]:
    return lambda pair: pair.here.act(pair.last, item)


def reply(pair: Pair) -> None:
    pair.screen.press("r")
    pair.here.write(WORDS)


def replace(pair: Pair) -> None:
    pair.here.act(pair.last, "Edit in place")
    pair.here.box.fill(f"{WORDS} Again.")
    pair.screen.press("Control+Enter")


def retype(pair: Pair) -> None:
    pair.here.act(pair.last, "Change type")
    dialog = pair.screen.dialog("Change type")
    dialog.locator("label").filter(has_not_text="now").first.click()
    dialog.get_by_role("button", name="Change type").click()


def move(pair: Pair) -> None:
    pair.here.act(pair.last, "Move")
    pair.screen.button("Make it a beginning").click()


def swap(pair: Pair) -> None:
    pair.here.act(pair.last, "Swap with")
    pair.screen.rows.nth(pair.screen.rows.count() - 3).click()


def revise(pair: Pair) -> None:
    pair.screen.press("c")
    pair.here.box.fill(f"{WORDS} Otherwise.")
    pair.screen.press("Control+Enter")


def name(pair: Pair) -> None:
    pair.here.act(pair.last, "Name this branch")
    pair.screen.dialog("Name this branch").get_by_role("textbox").fill("Mine")
    pair.screen.press("Enter")


def save(pair: Pair) -> None:
    pair.screen.press("s")
    dialog = pair.screen.dialog("Save")
    dialog.get_by_role("button", name="Save", exact=True).click()


def attach(pair: Pair) -> None:
    (file := pair.path.with_name("dot.gif")).write_bytes(GIF)
    pair.here.attach(pair.last, file)


def drag(pair: Pair) -> None:
    screen = pair.screen
    to = screen.rows.nth(screen.rows.count() - 4)
    screen.message(pair.last).locator("header").first.drag_to(to)
    dialog = screen.dialog("Move this message?")
    dialog.get_by_role("button", name="Move", exact=True).click()


def walk(pair: Pair) -> None:
    pair.screen.tab("History").click()
    pair.screen.button("Undo all").click()


def name_in_tree(pair: Pair) -> None:
    screen = pair.screen
    screen.tab("Tree").click()
    screen.page.get_by_role("treeitem").last.dblclick()
    screen.page.get_by_role("textbox", name="Name of this branch").fill("Mine")
    screen.press("Enter")


CHANGES: dict[str, Callable[[Pair], None]] = {
    "delete": pressed("x"),
    "reply": reply,
    "edit as a branch": revise,
    "edit in place": replace,
    "swap": swap,
    "clone": chosen("Clone"),
    "pop up": chosen("Pop up one level"),
    "change type": retype,
    "move": move,
    "undo": pressed("u"),
    "redo": pressed("u", "Control+Shift+z"),
    "name": name,
    "save": save,
    "attach": attach,
    "drag and drop": drag,
    "walk in the history": walk,
    "name in the tree": name_in_tree,
}


@pytest.mark.parametrize("change", list(CHANGES))
def test_an_answer_that_comes_late_leaves_another_conversation_alone(
    change: str, pair: Pair
) -> None:
    last = pair.last
    pair.here.go(last)
    pair.here.did(lambda: reply(pair))
    pair.here.go(last)
    leaves_alone(pair, lambda: CHANGES[change](pair))


def leaves_alone(
    pair: Pair, change: Callable[[], None], late: re.Pattern[str] = LEAVES, *, refused: bool = False
) -> None:
    """Go elsewhere between a change and its answer, and assert that this conversation is
    unchanged."""
    screen, before = pair.screen, pair.edits(pair.there)
    with held(screen.page, late, "POST") as answers:
        change()
        expect_one(screen, answers.routes)
        first = pair.there.rows()[0]["id"]
        pair.there.go(first)
        place = screen.place
        title = screen.page.title()
        with screen.page.expect_response(re.compile(rf"/c/{pair.here.cid}/")) as answered:
            answers.release()
        assert answered.value.status == 409 if refused else answered.value.ok
        # The page has time to do something wrong; keys would hide that it selects something else.
        screen.page.wait_for_timeout(100)
        assert screen.place == place
        screen.press("j", "k")
    expect(screen.message(first)).to_have_attribute("aria-current", "true")
    assert (screen.place, screen.page.title()) == (place, title)
    assert pair.edits(pair.there) == before == []
    assert not pair.studio.get(f"/c/{pair.there.cid}")["edited"]
    expect(screen.page.locator("dialog[open]")).to_have_count(0)
    expect(screen.page.locator(".toast")).to_have_count(int(refused))
    screen.assert_quiet()


def test_files_that_are_read_while_another_conversation_is_open_go_to_theirs(pair: Pair) -> None:
    pair.here.go(pair.last)
    leaves_alone(pair, lambda: attach(pair), re.compile("/uploads"))
    (edit,) = pair.edits(pair.here)
    assert edit["about"] == pair.last


def test_a_walk_goes_on_while_another_conversation_is_open(pair: Pair) -> None:
    for _ in range(2):
        pair.here.go(pair.last)
        pair.here.did(lambda: reply(pair))
    leaves_alone(pair, lambda: walk(pair))
    until(lambda: {each["state"] for each in pair.edits(pair.here)} == {"undone"})


def plan_repair(pair: Pair) -> Locator:
    """Show what a repair would do."""
    screen = pair.screen
    pair.here.go(pair.last)
    screen.tab("Problems").click()
    screen.button("Repair 2 problems…").click()
    dialog = screen.dialog("Repair what is safe")
    expect(dialog.get_by_role("button", name="Repair", exact=True)).to_be_enabled()
    return dialog


def repair(dialog: Locator) -> None:
    dialog.get_by_role("button", name="Repair", exact=True).click()


def test_a_repair_that_is_answered_late_leaves_another_conversation_alone(damaged: Pair) -> None:
    dialog, before = plan_repair(damaged), damaged.path.read_bytes()
    leaves_alone(damaged, lambda: repair(dialog))
    assert damaged.path.read_bytes() != before


def test_keys_after_a_repair_wait_for_it(damaged: Pair) -> None:
    screen, dialog, before = damaged.screen, plan_repair(damaged), damaged.path.read_bytes()
    with held(screen.page, re.compile("/fixes$"), "POST") as answers:
        repair(dialog)
        expect_one(screen, answers.routes)
        screen.press("Escape", "r")
        damaged.here.box.fill(WORDS)
        # However long the page takes to request the current state of the conversation.
        with held(screen.page, re.compile(rf"/c/{damaged.here.cid}(/edits)?$"), "GET"):
            screen.press("Control+Enter")
            answers.release()
            expect(damaged.here.undoing(f"reply: {WORDS}")).to_be_enabled()
    assert damaged.path.read_bytes() != before
    screen.assert_quiet()


def test_a_repair_is_made_on_what_its_plan_is_about(damaged: Pair) -> None:
    screen, dialog = damaged.screen, plan_repair(damaged)
    grow(damaged.path)
    grown = damaged.path.read_bytes()
    expect(screen.page.locator("footer.status")).to_contain_text("7 messages")
    repair(dialog)
    expect(dialog.get_by_role("alert")).to_contain_text("has changed meanwhile")
    assert damaged.path.read_bytes() == grown
    repair(dialog)
    expect(dialog.get_by_role("status")).to_contain_text("changes made")
    screen.assert_quiet()


def grow(path: Path) -> None:
    """Append one more message as another program does."""
    more = line(named(7, 4), named(6, 4), "user", "And at noon?", 7)
    with path.open("a") as file:
        file.write(json.dumps(more) + "\n")


@pytest.mark.parametrize("change", ["save", "repair"])
def test_a_change_that_is_refused_late_is_reported_wherever_the_reader_is(
    change: str, damaged: Pair
) -> None:
    screen = damaged.screen
    if change == "save":
        damaged.here.go(damaged.last)
        damaged.here.did(lambda: reply(damaged))

    def ask() -> None:
        if change == "save":
            save(damaged)
        else:
            repair(plan)
        grow(damaged.path)

    plan = screen.dialog("") if change == "save" else plan_repair(damaged)
    leaves_alone(damaged, ask, refused=True)
    toast = screen.page.locator(".toast")
    expect(toast).to_contain_text("Is the bell still there?: ")


def test_moves_of_files_that_are_answered_late_leave_another_session_alone(sessions: Pair) -> None:
    screen = sessions.screen
    work, other = (Path(each.parents[2]) / "work" for each in sessions.paths)
    last, beside = bytes_of(work), bytes_of(other)
    for verb in ("Undo", "Redo", "Restore"):
        sessions.here.go(str(sessions.here.rows()[0]["id"]))
        screen.tab("Session").click()
        asked = screen.page.get_by_role("group", name="Files and talk")
        asked.get_by_role("button", name=re.compile(f"^{verb}")).click()
        go = screen.page.locator("dialog").get_by_role("button", name=verb, exact=True)
        expect(go).to_be_enabled()
        leaves_alone(sessions, go.click, re.compile("/session/apply$"))
        assert (bytes_of(work) == last) == (verb == "Redo")
    assert bytes_of(other) == beside


def test_a_change_after_coming_back_waits_for_the_one_before_leaving(pair: Pair) -> None:
    screen, last = pair.screen, pair.last
    pair.here.go(last)
    with held(screen.page, LEAVES, "POST") as answers:
        screen.press("x")
        expect_one(screen, answers.routes)
        pair.there.go(last)
        pair.here.go(last)
        reply(pair)
        answers.release()
        expect(pair.here.undoing(f"reply: {WORDS}")).to_be_enabled()
    assert [each["state"] for each in pair.edits(pair.here)] == ["done", "done"]
    expect(screen.message(last)).to_contain_text("deleted")
    screen.assert_quiet()


def expect_one(screen: Screen, routes: list[Any]) -> None:
    """Wait until a request is held."""
    end = time.monotonic() + PATIENCE / 1000
    while not routes:
        assert time.monotonic() < end, "nothing was asked for"
        screen.page.wait_for_timeout(20)


def test_notices_about_a_conversation_are_hidden_with_it(pair: Pair) -> None:
    screen, last = pair.screen, pair.last
    toast = screen.page.locator(".toast")
    pair.here.go(last)
    pair.here.did(lambda: screen.press("x"))
    expect(toast.get_by_role("button", name="Undo")).to_be_visible()
    pair.there.go(last)
    expect(toast).to_have_count(0)
    pair.here.go(last)
    expect(toast).to_have_count(0)
    pair.here.did(lambda: screen.press("x"))
    expect(toast.get_by_role("button", name="Undo")).to_be_visible()
    pair.here.save()
    expect(toast).to_have_count(0)
    assert pair.edits(pair.there) == []
    screen.assert_quiet()


def test_dialogs_boxes_and_choices_end_with_their_conversation(pair: Pair) -> None:
    screen, last = pair.screen, pair.last

    def opened(what: Callable[[], None], shown: str) -> None:
        pair.here.go(last)
        what()
        expect(screen.page.locator(shown)).to_be_visible()
        screen.page.evaluate("(cid) => { location.hash = `#/c/${cid}` }", pair.there.cid)
        feed = screen.page.locator(f'[role=feed][data-cid="{pair.there.cid}"] article')
        feed.first.wait_for()
        expect(screen.page.locator(shown)).to_have_count(0)

    opened(lambda: screen.press("e"), "dialog[open]")
    opened(lambda: screen.press("m"), "[role=menu]")
    opened(lambda: pair.here.act(last, "Name this branch"), "dialog[open]")
    opened(lambda: screen.press("r"), ".composer")
    opened(lambda: pair.here.act(last, "Move"), ".work-banner")
    screen.assert_quiet()


def test_a_key_acts_on_the_row_that_is_on_screen_without_asking_for_it(pair: Pair) -> None:
    screen, last = pair.screen, pair.last
    pair.here.go(last)
    with held(screen.page, re.compile(r"/messages/[^/]+$")) as asked:
        pair.here.did(lambda: screen.press("x"))
        expect(screen.message(last)).to_contain_text("deleted")
        assert asked.routes == []
    screen.assert_quiet()


def test_a_key_right_after_saving_counts(pair: Pair) -> None:
    screen, last, source = pair.screen, pair.last, bytes_of(pair.path)
    pair.here.go(last)
    reported = pair.here.did(lambda: screen.press("x"))
    # However long the page takes to request the current state of the conversation.
    with held(screen.page, re.compile(rf"/c/{pair.here.cid}(/edits)?$"), "GET"):
        pair.here.save()
        pair.here.undo(reported["what"])
    pair.here.save()
    assert bytes_of(pair.path) == source
    screen.assert_quiet()


def test_keys_pressed_faster_than_answers_come_are_about_one_another(pair: Pair) -> None:
    screen, last = pair.screen, pair.last
    keys = ("x", "u", "Control+Shift+z", "u")
    pair.here.go(last)
    answered: list[int] = []
    screen.page.on(
        "response",
        lambda answer: answered.append(answer.status) if answer.request.method == "POST" else None,
    )
    with held(screen.page, re.compile(r"/(edits|undo|redo)$"), "POST") as answers:
        screen.press(*keys)
        expect_one(screen, answers.routes)
        answers.release()
        while len(answered) < len(keys):
            screen.page.wait_for_timeout(20)
        assert answered == [200] * len(keys)
        expect(screen.button("Redo: marked as deleted")).to_be_enabled()
        expect(screen.message(last)).not_to_contain_text("deleted")
    assert [each["state"] for each in pair.edits(pair.here)] == ["undone"]
    screen.assert_quiet()


def test_the_address_names_a_clone_as_soon_as_it_is_shown(pair: Pair) -> None:
    reported = pair.here.did(lambda: pair.here.act(pair.last, "Clone"))
    expect(pair.screen.current).to_have_attribute("data-id", reported["id"])
    assert f"/m/{reported['id']}" in pair.screen.place
    pair.screen.assert_quiet()


@pytest.mark.parametrize("change", ["delete", "reply", "clone", "undo"])
def test_an_edit_costs_four_requests_at_most(change: str, pair: Pair) -> None:
    screen, last = pair.screen, pair.last
    pair.here.go(last)
    pair.here.did(lambda: reply(pair))
    expect(screen.rows.filter(has_text=WORDS)).to_be_visible()
    expect(screen.tab("Files")).to_be_visible()
    screen.page.wait_for_timeout(1500)
    asked: list[str] = []
    screen.page.on(
        "request",
        lambda request: (
            asked.append(f"{request.method} {request.url.partition('/api/v1')[2]}")
            if "/api/v1/c/" in request.url
            else None
        ),
    )
    with screen.page.expect_response(lambda answer: answer.request.method == "POST") as answered:
        CHANGES[change](pair)
    assert answered.value.ok
    # Long enough for the requests that an event of the studio would cause.
    screen.page.wait_for_timeout(2500)
    assert len(asked) <= 4, asked
    screen.assert_quiet()


def test_a_message_that_is_on_another_branch_now_is_found_however_late_the_rows_come(
    pair: Pair,
) -> None:
    screen, last = pair.screen, pair.last
    pair.here.go(last)
    with held(screen.page, re.compile(r"/rows\?"), "GET") as rows:
        reported = pair.here.did(lambda: pair.here.act(last, "Clone"))
        assert reported["id"] in screen.place
        place = f"#/c/{pair.here.cid}/m/{last}"
        screen.page.evaluate("(place) => { location.hash = place }", place)
        expect_one(screen, rows.routes)
        rows.release()
        expect(screen.message(last)).to_have_attribute("aria-current", "true")
        expect(screen.message(last)).to_be_in_viewport()
        expect(screen.message(reported["id"])).to_have_count(0)
    screen.assert_quiet()


def test_a_message_that_is_named_while_a_branch_is_opened_stays_selected(pair: Pair) -> None:
    screen, last = pair.screen, pair.last
    pair.here.go(last)
    first = pair.here.did(lambda: pair.here.act(last, "Clone"))
    expect(screen.message(first["id"])).to_have_attribute("aria-current", "true")
    # From the previous branch, the second clone leads to the current branch.
    pair.here.go(last)
    with held(screen.page, re.compile(r"/rows\?"), "GET") as rows:
        reported = pair.here.did(lambda: pair.here.act(last, "Clone"))
        expect_one(screen, rows.routes)
        assert reported["id"] in screen.place
        place = f"#/c/{pair.here.cid}/m/{last}"
        screen.page.evaluate("(place) => { location.hash = place }", place)
        rows.release()
        expect(screen.message(last)).to_have_attribute("aria-current", "true")
        expect(screen.message(last)).to_be_in_viewport()
        expect(screen.message(reported["id"])).to_have_count(0)
    screen.assert_quiet()


class Tabs(NamedTuple):
    """Two windows on one conversation."""

    one: Editing
    two: Editing
    last: str


@pytest.fixture
def tabs(pair: Pair, open_window: Open) -> Tabs:
    """Open both at the last message."""
    two = Editing(open_window(pair.studio), pair.here.cid)
    for each in (pair.here, two):
        each.go(pair.last)
        expect(each.screen.page.locator(".status-live")).to_have_text("watching")
    return Tabs(pair.here, two, pair.last)


def unsaved(editing: Editing, *, is_unsaved: bool) -> None:
    """Whether a window shows unsaved changes, in every place that shows it."""
    page = editing.screen.page
    save = editing.screen.button("Save to its own file")
    (expect(save).to_be_enabled if is_unsaved else expect(save).to_be_disabled)()
    expect(page.locator(".status-edited")).to_have_count(int(is_unsaved))
    expect(page.locator(".work-dot")).to_have_count(int(is_unsaved))


def test_edits_of_one_window_are_seen_saved_and_undone_in_the_other(tabs: Tabs) -> None:
    one, two, last = tabs
    two.did(lambda: two.screen.press("x"))
    expect(one.screen.message(last)).to_contain_text("deleted")
    unsaved(one, is_unsaved=True)
    expect(one.undoing("marked as deleted")).to_be_enabled()
    expect(one.screen.page.locator(".status-live")).to_have_text("watching")
    one.save()
    for each in (one, two):
        unsaved(each, is_unsaved=False)
    # The edit that could be undone is saved now.
    expect(two.screen.page.locator(".toast")).to_have_count(0)
    two.undo("marked as deleted")
    for each in (one, two):
        expect(each.screen.message(last)).not_to_contain_text("deleted")
        unsaved(each, is_unsaved=True)
        expect(each.screen.page.locator(".status-live")).to_have_text("watching")
    one.redo("marked as deleted")
    for each in (one, two):
        expect(each.screen.message(last)).to_contain_text("deleted")
        unsaved(each, is_unsaved=False)
        each.screen.assert_quiet()


def test_a_reply_of_one_window_can_be_answered_in_the_other(tabs: Tabs) -> None:
    one, two = tabs.one, tabs.two
    two.screen.press("r")
    reported = two.did(lambda: two.write(WORDS))
    expect(one.screen.message(reported["id"])).to_contain_text(WORDS)
    one.go(reported["id"])
    one.screen.press("r")
    answer = one.did(lambda: one.write("And an answer to it."))
    expect(two.screen.message(answer["id"])).to_contain_text("And an answer to it.")
    for each in (one, two):
        each.screen.assert_quiet()
