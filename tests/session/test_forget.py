"""Erased is erased: no byte of it is left in the store, and the rest works as before.

The oracle does not use the store: it plants words that occur nowhere else and searches for them in
the bytes and the names of all files.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import talktree
from talktree.errors import LockHeld, NotFound, NotUndoable, UsageError
from talktree.session import Session, Store
from talktree.session.capture.file_state import name_to_json

from ..cases import SEED, rotate
from .killed import killed_at

NOTED = Path(__file__).parent / "data" / "noted" / "store"
LEGACY = Path(__file__).parents[1] / "data" / "sage" / "good" / "legacy-session.json"


def hits(root: Path, *words: str) -> list[tuple[str, str]]:
    """Return where words are in a store, in names and raw bytes."""
    found: list[tuple[str, str]] = []
    for path in sorted(root.rglob("*")):
        data = path.read_bytes() if path.is_file() else b""
        there = [word for word in words if word.encode() in data or word in path.name]
        found += [(word, str(path.relative_to(root))) for word in there]
    return found


class Made(NamedTuple):
    """A session with words planted everywhere, and the messages they are in."""

    store: Store
    work: Path
    id: str
    first: str
    caller: str
    result: str
    middle: str
    last: str


SECRET = ("quibblefix", "zanthor.txt", "vermiqual", "gropplesnitch", "mirthwalrus")
"""Text, path, content, tool input and result of the middle message."""


def made(top: Path) -> Made:
    """Record three turns that work on files, an undo and a redo, and a branch name."""
    work = top / "work"
    work.mkdir(parents=True)
    store = Store(work / ".sage")
    session = store.create(
        workspace=work, title="plumdozer title", durability="fast", id="session-123"
    )
    first = session.user("the first prompt")
    session.assistant("the first reply")
    write(session, work, {"a.txt": "one\n", "b.txt": "bee\n"})
    session.user("the second prompt")
    caller = session.assistant(
        "quibblefix",
        calls=[{"id": "call_7", "name": "write", "input": {"in": "gropplesnitch"}}],
    )
    write(session, work, {"a.txt": "two\n", "zanthor.txt": "vermiqual\n"})
    result = session.results({"call": "call_7", "output": "mirthwalrus"})
    middle = session.assistant("between them")
    session.user("the third prompt")
    last = session.assistant("the third reply")
    write(session, work, {"a.txt": "three\n", "c.txt": "sea\n"})
    session.name("frobnitz-branch")
    for move in (session.undo(to=first), session.redo()):
        move.plan()
        assert move.apply().exit_code == 0
    session.close()
    return Made(store, work, session.id, first, caller, result, middle, last)


def write(session: Session, work: Path, files: dict[str, str]) -> None:
    """Write files in a step."""
    with session.step(paths=list(files)):
        for name, text in files.items():
            (work / name).write_text(text)


def said(store: Store, id: str) -> list[tuple[str, str]]:
    """Return the conversation as a model gets it."""
    with store.open(id, write=False) as session:
        return [(message.role, message.text) for message in session.full_messages()]


def assert_valid(made: Made) -> None:
    """Assert that nothing is wrong with the store, and that it can be continued."""
    with made.store.open(made.id) as session:
        assert [each.kind for each in session.check(read_data=True)] == []
    assert talktree.check(made.work / ".sage").codes == set()


# messages


def test_nothing_is_erased_without_being_asked_twice(tmp_path: Path) -> None:
    it = made(tmp_path)
    before = {path: path.read_bytes() for path in it.work.rglob("*") if path.is_file()}
    report = it.store.forget(it.id, messages=[it.caller])
    assert report.dry_run
    assert set(report.messages) == {it.caller, it.result}
    assert "zanthor.txt" in " ".join(report.not_undoable)
    after = {path: path.read_bytes() for path in it.work.rglob("*") if path.is_file()}
    assert {path: data for path, data in after.items() if "cache" not in path.parts} == {
        path: data for path, data in before.items() if "cache" not in path.parts
    }


def test_an_erased_message_is_in_no_byte_of_the_store(tmp_path: Path) -> None:
    it = made(tmp_path)
    root = it.work / ".sage"
    assert {word for word, _ in hits(root, *SECRET)} == set(SECRET)
    planned = it.store.forget(it.id, messages=[it.caller])
    report = it.store.forget(it.id, messages=[it.caller], dry_run=False)
    assert report.messages == planned.messages
    assert report.files == planned.files
    assert hits(root, *SECRET, it.caller, it.result) == []
    assert [text for _, text in said(it.store, it.id)] == [
        "the first prompt",
        "the first reply",
        "the second prompt",
        "between them",
        "the third prompt",
        "the third reply",
    ]
    assert_valid(it)


def test_lines_that_stay_read_the_same(tmp_path: Path) -> None:
    it = made(tmp_path)
    log = it.work / ".sage" / "sessions" / it.id / "messages.jsonl"

    def lines() -> dict[str, Any]:
        """Return the lines without seals and links."""
        values = [json.loads(line) for line in log.read_text().splitlines()]
        free = ("seal", "parentUuid")
        return {
            each["uuid"]: {name: item for name, item in each.items() if name not in free}
            for each in values
        }

    before = lines()
    it.store.forget(it.id, messages=[it.caller], dry_run=False)
    gone = {it.caller, it.result}
    assert lines() == {id: value for id, value in before.items() if id not in gone}


def test_the_rest_is_undone_and_done_again(tmp_path: Path) -> None:
    it = made(tmp_path)
    it.store.forget(it.id, messages=[it.caller], dry_run=False)
    with it.store.open(it.id) as session:
        undo = session.undo()
        undo.plan()
        assert undo.apply().exit_code == 0
        assert (it.work / "a.txt").read_text() == "two\n"
        assert not (it.work / "c.txt").exists()
        redo = session.redo()
        redo.plan()
        assert redo.apply().exit_code == 0
        assert (it.work / "a.txt").read_text() == "three\n"
        undo = session.undo(before=it.first)
        undo.plan()
        undo.apply()
        # The effects of the erased message are unknown now; the other files were restored.
        assert not (it.work / "a.txt").exists()
        assert (it.work / "zanthor.txt").read_text() == "vermiqual\n"
        assert session.leaf is None
        session.user("and on it goes")
    assert_valid(it)


def test_the_result_of_a_call_that_stays_is_emptied(tmp_path: Path) -> None:
    it = made(tmp_path)
    report = it.store.forget(it.id, messages=[it.result], dry_run=False)
    assert (report.messages, report.emptied) == ((), (it.result,))
    assert hits(it.work / ".sage", "mirthwalrus") == []
    assert {word for word, _ in hits(it.work / ".sage", "gropplesnitch")} == {"gropplesnitch"}
    assert_valid(it)


def test_prompts_and_titles_in_the_list_go_with_their_message(tmp_path: Path) -> None:
    store = Store(tmp_path / ".sage")
    with store.create(workspace=tmp_path, durability="fast") as session:
        only = session.user("wombatglyph prompt")
        session.user("second")
    assert store.list_sessions()[0].title == "wombatglyph prompt"
    store.forget(session.id, messages=[only], dry_run=False)
    assert store.list_sessions()[0].title == "second"
    assert store.list_sessions()[0].messages == 1
    assert hits(tmp_path, "wombatglyph") == []


def test_a_shared_content_stays(tmp_path: Path) -> None:
    store = Store(tmp_path / ".sage")
    with store.create(workspace=tmp_path, durability="fast") as session:
        session.user("go")
        one = session.assistant("one")
        write(session, tmp_path, {"same.txt": "twinned\n"})
        session.assistant("two")
        write(session, tmp_path, {"copy.txt": "twinned\n"})
    store.forget(session.id, messages=[one], dry_run=False)
    assert {word for word, _ in hits(tmp_path / ".sage", "twinned", "same.txt")} == {"twinned"}
    with store.open() as session:
        assert session.check(read_data=True) == []


# paths


def test_an_erased_path_is_in_no_byte_of_the_file_history(tmp_path: Path) -> None:
    it = made(tmp_path)
    report = it.store.forget(it.id, paths=["zanthor.txt", "a.txt"], dry_run=False)
    root = it.work / ".sage"
    assert hits(root, "zanthor.txt", "vermiqual", "a.txt", "one\n", "two\n", "three\n") == []
    assert report.paths == ("a.txt", "zanthor.txt")
    assert (it.work / "a.txt").read_text() == "three\n"
    assert_valid(it)
    with it.store.open(it.id) as session:
        for path in ("a.txt", "zanthor.txt"):
            with pytest.raises(NotUndoable, match=f"the content of {path} was erased"):
                session.undo(paths=[path])
        undo = session.undo()
        assert "the content of this file was erased" in {why for _, why in undo.plan().uncovered}
        assert undo.apply().exit_code == 0
    assert not (it.work / "c.txt").exists()
    assert (it.work / "a.txt").read_text() == "three\n"


def test_a_folder_is_erased_with_what_is_in_it(tmp_path: Path) -> None:
    store = Store(tmp_path / ".sage")
    (tmp_path / "keys").mkdir()
    with store.create(workspace=tmp_path, durability="fast") as session:
        session.user("go")
        session.assistant("on")
        with session.step(watch=["."]):
            (tmp_path / "keys" / "snufflepin").write_text("grumbletide")
            (tmp_path / "other").write_text("stays")
    store.forget(session.id, paths=["keys"], dry_run=False)
    assert hits(tmp_path / ".sage", "snufflepin", "grumbletide", "keys") == []
    with store.open() as session:
        session.undo().apply()
    assert not (tmp_path / "other").exists()


def test_messages_that_mention_a_path_are_reported(tmp_path: Path) -> None:
    store = Store(tmp_path / ".sage")
    with store.create(workspace=tmp_path, durability="fast") as session:
        user = session.user("look at notes.md")
        write(session, tmp_path, {"notes.md": "text"})
    report = store.forget(session.id, paths=["notes.md"])
    assert user[:8] in " ".join(report.warnings)


# sessions


def test_an_erased_session_is_in_no_byte_of_the_store(tmp_path: Path) -> None:
    it = made(tmp_path)
    with it.store.open(it.id) as session:
        child = session.child(title="trundlesprout", agent="helper")
        child.user("yaffingale")
        child.close()
    with it.store.create(workspace=it.work, durability="fast") as other:
        other.user("I stay")
    report = it.store.forget(it.id, dry_run=False)
    assert set(report.sessions) == {it.id, child.id}
    words = (*SECRET, "frobnitz", "plumdozer", "trundlesprout", "yaffingale", it.id, child.id)
    assert hits(it.work / ".sage", *words) == []
    assert it.store.list_ids() == [other.id]
    assert said(it.store, other.id) == [("user", "I stay")]
    with pytest.raises(NotFound):
        it.store.open(it.id)


def test_a_parent_forgets_the_child_that_is_erased(tmp_path: Path) -> None:
    it = made(tmp_path)
    with it.store.open(it.id) as session:
        child = session.child(agent="yonderpickle")
        child.close()
    it.store.forget(child.id, dry_run=False)
    assert hits(it.work / ".sage", child.id, "yonderpickle") == []
    with it.store.open(it.id) as session:
        assert session.children() == []
    assert_valid(it)


# older layouts


@pytest.mark.parametrize("id", ["branched", "partial"])
def test_each_message_of_a_store_of_an_earlier_version(tmp_path: Path, id: str) -> None:
    log = NOTED / "sessions" / id / "messages.jsonl"
    values = [json.loads(line) for line in log.read_text().splitlines()]
    for number, value in enumerate(values):
        root = tmp_path / str(number)
        shutil.copytree(NOTED, root, copy_function=shutil.copyfile)
        store, target = Store(root), value["uuid"]
        if "operation" in value:
            with pytest.raises(UsageError):
                store.forget(id, messages=[target], dry_run=False)
            continue
        before = said(store, id)
        store.forget(id, messages=[target], dry_run=False)
        words = value["message"]["content"]
        assert hits(root / "sessions" / id, target) == []
        assert hits(root / "sessions" / id, f'(\\"{words}') == [], "a move quotes it"
        assert len(said(store, id)) >= len(before) - 2
        with store.open(id) as session:
            kinds = {each.kind for each in session.check(read_data=True)}
            assert kinds <= {"other-writer", "open-to-others"}
            session.user("on it goes")


def test_a_session_that_is_one_older_file(tmp_path: Path) -> None:
    (tmp_path / "sessions").mkdir()
    path = tmp_path / "sessions" / "bread.json"
    shutil.copyfile(LEGACY, path)
    store = Store(tmp_path)
    old = json.loads(path.read_text())
    report = store.forget("bread", messages=["@4"], dry_run=False)
    assert report.messages == ("@4", "@5")
    new = json.loads(path.read_text())
    assert new["messages"] == [*old["messages"][:2], *old["messages"][4:]]
    assert {**new, "messages": 0} == {**old, "messages": 0}
    assert talktree.check(path).codes == set()


def test_a_session_that_goes_on_from_an_older_file(tmp_path: Path) -> None:
    (tmp_path / "sessions").mkdir()
    shutil.copyfile(LEGACY, tmp_path / "sessions" / "bread.json")
    store = Store(tmp_path)
    with store.open("bread", workspace=tmp_path, durability="fast") as session:
        session.user("and salt?")
        before = [message.text for message in session.full_messages()]
    store.forget("bread", messages=["@6"], dry_run=False)
    assert hits(tmp_path, "350 g, that is 70 %.") == []
    with store.open("bread") as session:
        after = [message.text for message in session.full_messages()]
    before.remove("350 g, that is 70 %.")
    assert after == before
    store.forget("bread", dry_run=False)
    assert hits(tmp_path, "bread", "and salt") == []


def test_a_session_that_was_converted(tmp_path: Path) -> None:
    """Embedded source data is erased where it mentions an erased message."""
    folder = tmp_path / "sessions" / "session-5"
    demo = Path(__file__).parents[2] / "demo" / "claude-code.jsonl"
    folder.parent.mkdir()
    talktree.convert(talktree.read(demo), folder, to="sage")
    store = Store(tmp_path)
    with store.open("session-5", write=False) as session:
        prompt = session.full_messages()[0]
    report = store.forget("session-5", messages=[prompt.id], dry_run=False)
    assert hits(tmp_path, prompt.id, prompt.text.splitlines()[0]) == []
    assert "embedded" in " ".join(report.warnings)
    assert talktree.check(folder).codes == set()


# other processes, and accidents


def test_it_is_refused_while_a_handle_may_write(tmp_path: Path) -> None:
    it = made(tmp_path)
    with it.store.open(it.id) as session:
        for named in ({"messages": [it.caller]}, {"paths": ["a.txt"]}, {}):
            with pytest.raises(LockHeld):
                it.store.forget(it.id, dry_run=False, **named)
        session.user("still here")
    assert said(it.store, it.id)[-1] == ("user", "still here")
    it.store.forget(it.id, messages=[it.caller], dry_run=False)


def test_it_is_refused_while_another_process_records(tmp_path: Path) -> None:
    it = made(tmp_path)
    script = (
        "import sys; from talktree.session import Store\n"
        "session = Store(sys.argv[1]).open(); session.user('begun'); print(flush=True)\n"
        "sys.stdin.readline(); session.close()"
    )
    command = [sys.executable, "-c", script, str(it.work / ".sage")]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        other.stdout.readline()
        with pytest.raises(LockHeld):
            it.store.forget(it.id, messages=[it.caller], dry_run=False)
        other.communicate("\n")
    it.store.forget(it.id, messages=[it.caller], dry_run=False)
    assert hits(it.work / ".sage", *SECRET) == []


def test_a_reader_that_is_open_brings_nothing_back(tmp_path: Path) -> None:
    it = made(tmp_path)
    reader = it.store.open(it.id, write=False)
    assert "quibblefix" in [message.text for message in reader.full_messages()]
    reader.opened.index.find_touches(b"zanthor.txt")
    it.store.forget(it.id, messages=[it.caller], paths=["a.txt"], dry_run=False)
    assert hits(it.work / ".sage", *SECRET, "a.txt") == []
    assert "quibblefix" not in [message.text for message in reader.full_messages()]
    assert reader.opened.index.find_touches(b"zanthor.txt") == []
    reader.close()
    assert hits(it.work / ".sage", *SECRET, "a.txt") == []
    assert_valid(it)


def test_leftovers_of_dead_writers_go(tmp_path: Path) -> None:
    it = made(tmp_path)
    folder = it.work / ".sage" / "sessions" / it.id
    (folder / ".unfinished-00-messages.jsonl").write_text("quibblefix")
    (folder / "backups" / ".unfinished-01-").write_text("vermiqual")
    with (folder / "messages.jsonl").open("a") as log:
        log.write('{"type":"user","message":{"content":"quibblefix')
    it.store.forget(it.id, messages=[it.caller], dry_run=False)
    assert hits(it.work / ".sage", *SECRET) == []
    assert_valid(it)


KILLS = rotate(range(160), 12, SEED)


@pytest.mark.parametrize("call", KILLS)
def test_a_kill_leaves_it_whole_or_erased(tmp_path: Path, call: int) -> None:
    it = made(tmp_path)
    before = said(it.store, it.id)
    killed_at(call, lambda: it.store.forget(it.id, messages=[it.caller], dry_run=False))
    continues(it)
    now = said(it.store, it.id)
    if now == before:
        it.store.forget(it.id, messages=[it.caller], dry_run=False)
    assert hits(it.work / ".sage", *SECRET, it.caller) == []
    assert_valid(it)


@pytest.mark.parametrize("call", rotate(range(60), 6, SEED))
def test_a_kill_leaves_a_session_there_or_gone(tmp_path: Path, call: int) -> None:
    it = made(tmp_path)
    with it.store.create(workspace=it.work, durability="fast") as other:
        other.user("I stay")
    killed_at(call, lambda: it.store.forget(it.id, dry_run=False))
    it.store.open(other.id).close()
    if it.id in it.store.list_ids():
        assert_valid(it)
        it.store.forget(it.id, dry_run=False)
    assert hits(it.work / ".sage", *SECRET, it.id) == []
    assert said(it.store, other.id) == [("user", "I stay")]


def continues(made: Made) -> None:
    """Assert that the session opens without damage."""
    with made.store.open(made.id) as session:
        assert [
            each.kind for each in session.check(read_data=True) if each.severity == "error"
        ] == []


# the command line


def run(*arguments: str) -> Iterator[str]:
    """Return the output of a command."""
    done = subprocess.run(
        [Path(sys.executable).with_name("talktree"), *arguments],
        capture_output=True,
        text=True,
        check=True,
    )
    return iter((done.stdout + done.stderr).splitlines())


def test_the_command_line_says_what_goes(tmp_path: Path) -> None:
    it = made(tmp_path)
    root = str(it.work / ".sage")
    asked = ("session", "forget", it.id, "--message", it.caller[:8], "--root", root)
    reported = list(run(*asked))
    assert f"would erase message {it.caller}" in reported
    assert any(line.startswith("cannot be undone any more: what message") for line in reported)
    assert hits(Path(root), "quibblefix")
    assert f"erased message {it.caller}" in list(run(*asked, "--yes"))
    assert hits(Path(root), *SECRET) == []
    shape = json.loads("\n".join(run("session", "forget", it.id, "--root", root, "--json")))
    assert shape["sessions"] == [it.id]
    assert shape["dry_run"] is True


def test_names_that_are_not_text(tmp_path: Path) -> None:
    store = Store(tmp_path / ".sage")
    name = b"odd-\xff-%41.txt"
    with store.create(workspace=tmp_path, durability="fast") as session:
        session.user("go")
        with session.step(paths=[name]):
            (tmp_path / name.decode("utf-8", "surrogateescape")).write_text("bogglewand")
    store.forget(session.id, paths=[name], dry_run=False)
    assert hits(tmp_path / ".sage", "bogglewand", name_to_json(name)) == []
