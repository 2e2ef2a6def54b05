"""The index: the same answers as a plain read of the log, whatever log and cache hold."""

from __future__ import annotations

import json
import multiprocessing
import os
import sqlite3
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from talktree.errors import NotFound, UsageError
from talktree.model.message import Message
from talktree.session.index.index import IndexedMessage, SessionIndex
from tests.cases import examples
from tests.session.faults import unwritable
from tests.session.made import SESSION, aside, folder_of, note, opened, said


def ids(nodes: list[IndexedMessage]) -> list[str]:
    """Return the ids of the nodes."""
    return [node.id for node in nodes]


def fill(root: Path, *lines: bytes) -> None:
    """Append lines to the messages."""
    with opened(root) as session:
        session.journal.append("messages", *lines)


# the head


def test_the_leaf_is_the_last_message_on_no_sidechain(tmp_path: Path) -> None:
    fill(tmp_path, said("a"), said("b", "a"), aside("c", "b"))
    with opened(tmp_path) as session:
        leaf = session.index.leaf()
        assert leaf is not None
        assert leaf.id == "b"
        assert leaf == session.index.node("b")


def test_a_session_without_lines_has_no_leaf(tmp_path: Path) -> None:
    with opened(tmp_path) as session:
        assert session.index.leaf() is None
        assert session.index.last_messages(5) == []
        assert session.index.count_messages() == 0
        assert session.index.operations() == []


def test_the_head_needs_no_cache(tmp_path: Path) -> None:
    fill(tmp_path, said("a"), *(said(f"m{n}", f"m{n - 1}" if n else "a") for n in range(50)))
    with opened(tmp_path) as session:
        assert ids(session.index.last_messages(20)) == [f"m{n}" for n in range(30, 50)]
    assert not (tmp_path / "cache").exists()


def test_a_line_without_an_id_is_never_the_leaf(tmp_path: Path) -> None:
    fill(tmp_path, said("a"), said(None, "a"))
    with opened(tmp_path) as session:
        leaf = session.index.leaf()
        assert leaf is not None
        assert leaf.id == "a"
        (child,) = session.index.children("a")
        assert child.id == f"@{child.start}"


# any log


names = st.sampled_from(["a", "b", "c", "d", "e", "f", "\ud800", ""])
logs = st.lists(
    st.tuples(names, st.none() | names, st.sampled_from(["said", "note", "aside", "broken"])),
    max_size=14,
)


def line_of(id: str, parent: str | None, kind: str) -> bytes:
    """Return a line of some kind."""
    match kind:
        case "note":
            return note(id, parent)
        case "aside":
            return aside(id, parent)
        case "broken":
            return said(id, parent)[: -5 - len(id)]
        case _:
            return said(id, parent)


class Plain:
    """The content of a log, read in the simplest way."""

    def __init__(self, log: list[tuple[str, str | None, str]]) -> None:
        self.nodes = [(id, parent) for id, parent, kind in log if kind != "broken"]
        self.up: list[int | None] = []
        for at, (id, parent) in enumerate(self.nodes):
            before = [
                n for n, (other, _) in enumerate(self.nodes[:at]) if other and other == parent
            ]
            self.up.append(before[-1] if before else None)
            for child in range(at):
                wants = self.nodes[child][1]
                if self.up[child] is None and wants and wants == id and child not in self.way(at):
                    self.up[child] = at

    def way(self, at: int | None) -> list[int]:
        found = []
        while at is not None:
            found.append(at)
            at = self.up[at]
        return found


@examples(60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(log=logs, cut=st.integers(0, 14))
def test_any_log_gives_the_tree_a_plain_reading_gives(
    tmp_path_factory: pytest.TempPathFactory, log: list[tuple[str, str | None, str]], cut: int
) -> None:
    root = tmp_path_factory.mktemp("store")
    path = folder_of(root) / "messages.jsonl"
    raw = [line_of(*each) + b"\n" for each in log]
    path.write_bytes(b"".join(raw[:cut]))
    with opened(root) as session:
        session.index.count_messages()
        with path.open("ab") as file:
            file.write(b"".join(raw[cut:]))
        plain = Plain(log)
        nodes = sorted([*session.index.leaves(), *_inner(session.index)], key=lambda n: n.start)
        assert session.index.count_messages() == len(plain.nodes) == len(nodes)
        starts = [node.start for node in nodes]
        ups, _ = session.index.read_tree_shape()
        wanted = [None if up is None else starts[up] for up in plain.up]
        assert [ups[start] for start in starts] == wanted
        for id in {id for id, _ in plain.nodes if id}:
            last = max(at for at, (other, _) in enumerate(plain.nodes) if other == id)
            way = [starts[at] for at in reversed(plain.way(last))]
            assert [node.start for node in session.index.chain(id)] == way
        roots = [starts[at] for at, up in enumerate(plain.up) if up is None]
        assert [node.start for node in session.index.children(None)] == roots


def _inner(index: SessionIndex) -> list[IndexedMessage]:
    ups, _ = index.read_tree_shape()
    return [index.node_at(start) for start in {up for up in ups.values() if up is not None}]


def test_of_a_duplicate_id_the_later_line_has_the_children_written_after_it(tmp_path: Path) -> None:
    fill(tmp_path, said("a"), said("x", "a"), said("old", "x"), said("x", None), said("new", "x"))
    with opened(tmp_path) as session:
        assert ids(session.index.chain("old")) == ["a", "x", "old"]
        assert ids(session.index.chain("new")) == ["x", "new"]
        assert ids(session.index.children("x")) == ["old", "new"]


def test_circles_are_cut_and_long_chains_are_walked(tmp_path: Path) -> None:
    deep = [said(f"n{n}", f"n{n - 1}" if n else "z") for n in range(20_000)]
    fill(tmp_path, said("p", "q"), said("q", "p"), said("self", "self"), *deep, said("z", "n19999"))
    with opened(tmp_path) as session:
        assert ids(session.index.chain("p")) in (["q", "p"], ["p"])
        assert ids(session.index.chain("self")) == ["self"]
        assert len(session.index.chain("n19999")) == 20_000
        assert ids(session.index.last_messages(3)) == ["n19998", "n19999", "z"]


def test_far_parents_are_found_through_the_index(tmp_path: Path) -> None:
    wide = b"x" * 200_000
    far = [said(f"w{n}", None, pad=wide.decode()) for n in range(100)]
    fill(tmp_path, said("a"), said("b", "a"), *far, said("c", "b"))
    with opened(tmp_path) as session:
        assert ids(session.index.last_messages(20)) == ["a", "b", "c"]
        assert ids(session.index.last_messages(2)) == ["b", "c"]


# queries


def test_find_takes_the_beginning_of_an_id(tmp_path: Path) -> None:
    fill(tmp_path, said("abc1"), said("abc2", "abc1"), said("abc", "abc2"), said("xyz", "abc"))
    with opened(tmp_path) as session:
        assert session.index.find_by_prefix("x").id == "xyz"
        assert session.index.find_by_prefix("abc").id == "abc"
        with pytest.raises(UsageError):
            session.index.find_by_prefix("ab")
        for nothing in ("q", "", "\ud800"):
            with pytest.raises(NotFound):
                session.index.find_by_prefix(nothing)


def test_values_and_messages_are_read_from_the_log(tmp_path: Path) -> None:
    fill(tmp_path, said("a"), note("n", "a"))
    with opened(tmp_path) as session:
        node = session.index.find_by_prefix("n")
        assert node.note
        assert session.index.value(node)["operation"]["verb"] == "undo"
        message = session.index.message(node)
        assert isinstance(message, Message)
        assert (message.id, message.parent, message.text) == ("n", "a", "undone")


def test_work_since_looks_through_notes_and_sidechains(tmp_path: Path) -> None:
    fill(tmp_path, said("a"), note("n", "a"), aside("s", "a"))
    with opened(tmp_path) as session:
        start = session.index.find_by_prefix("a").number
        assert not session.index.has_work_since(start)
        session.journal.append("messages", said("b", "n"))
        assert session.index.has_work_since(start)


def test_snapshots_follow_their_messages_and_paths(tmp_path: Path) -> None:
    def snapshot(message: str, *paths: str) -> bytes:
        states = {path: {"before": {"kind": "absent"}} for path in paths}
        held = {"trackedFiles": {}, "fileBackups": {}, "paths": states}
        line = {"type": "file_history_snapshot", "messageId": message, "snapshot": held}
        return json.dumps(line).encode()

    with opened(tmp_path) as session:
        lines = [snapshot("m1", "a"), snapshot("m2", "b"), snapshot("m1", "b", "%FF"), b"[1]"]
        session.journal.append("snapshots", *lines[:3])
        with (folder_of(tmp_path) / "snapshots.jsonl").open("ab") as file:
            file.write(lines[3] + b"\n")
        found = session.index.snapshots(["m1", "m1", "nobody"])
        assert [[change.path for change in each.changes] for each in found] == [
            [b"a"],
            [b"b", b"\xff"],
        ]
        assert [message for message, _ in session.index.find_touches(b"b")] == ["m2", "m1"]
        every = session.index.find_touches_of([b"a", b"b", b"never"])
        last = session.index.find_last_touches([b"a", b"b", b"never"])
        assert last == {path: each[-1][1] if each else None for path, each in every.items()}
        many = [f"x{n}" for n in range(2000)]
        assert len(session.index.snapshots([*many, "m1", "m2"])) == 3


def test_operations_are_read_as_they_grow(tmp_path: Path) -> None:
    with opened(tmp_path) as session:
        session.journal.append("operations", b'{"kind":"begin"}')
        assert [each["kind"] for each in session.index.operations()] == ["begin"]
        session.journal.append("operations", b'{"kind":"name"}')
        assert [each["kind"] for each in session.index.operations()] == ["begin", "name"]


# the cache


def cache_of(root: Path) -> Path:
    """Return the cache file of the session."""
    return root / "cache" / f"{SESSION}.sqlite"


def test_only_new_bytes_are_read(tmp_path: Path) -> None:
    fill(tmp_path, said("a"), said("b", "a"))
    with opened(tmp_path) as session:
        assert session.index.count_messages() == 2
    # Bytes that were read before may even have changed: they are not read again.
    path = folder_of(tmp_path) / "messages.jsonl"
    wide = said("w", "b", pad="x" * 5000)
    with opened(tmp_path) as session:
        session.journal.append("messages", wide)
        assert session.index.count_messages() == 3
    with path.open("r+b") as file:
        file.write(b"!")
    with opened(tmp_path) as session:
        session.journal.append("messages", said("c", "w"))
        assert ids(session.index.chain("c")) == ["a", "b", "w", "c"]


@pytest.mark.parametrize("damage", ["noise", "empty", "cut", "other", "middle", "folder", "link"])
def test_a_damaged_cache_is_made_again(tmp_path: Path, damage: str) -> None:
    fill(tmp_path, *(said(f"m{n}", f"m{n - 1}" if n else None) for n in range(300)))
    with opened(tmp_path) as session:
        assert session.index.count_messages() == 300
    path = cache_of(tmp_path)
    data = path.read_bytes()
    path.unlink()
    match damage:
        case "noise":
            path.write_bytes(os.urandom(5000))
        case "empty":
            path.write_bytes(b"")
        case "cut":
            path.write_bytes(data[: len(data) // 2])
        case "middle":
            path.write_bytes(data[:4096] + os.urandom(len(data) - 8192) + data[-4096:])
        case "other":
            with sqlite3.connect(path) as other:
                other.execute("CREATE TABLE nodes (a)")
        case "folder":
            path.mkdir()
        case "link":
            path.symlink_to(tmp_path / "elsewhere")
    with opened(tmp_path) as session:
        assert session.index.count_messages() == 300
        assert len(session.index.chain("m299")) == 300
    assert not (tmp_path / "elsewhere").exists()


def test_a_log_that_was_replaced_or_rewritten_is_indexed_again(tmp_path: Path) -> None:
    fill(tmp_path, said("a"), said("b", "a"))
    path = folder_of(tmp_path) / "messages.jsonl"
    with opened(tmp_path) as session:
        assert session.index.count_messages() == 2
        path.rename(path.with_suffix(".old"))
        path.write_bytes(said("c") + b"\n")
        assert ids(session.index.leaves()) == ["c"]
        path.write_bytes(said("d") + b"\n" + said("e", "d") + b"\n")
        assert ids(session.index.chain("e")) == ["d", "e"]
        path.write_bytes(said("f") + b"\n")
        assert ids(session.index.leaves()) == ["f"]


def test_a_message_that_was_rewritten_in_place_is_not_given_for_another(tmp_path: Path) -> None:
    fill(tmp_path, said("a"), said("b", "a", pad="x" * 5000))
    path = folder_of(tmp_path) / "messages.jsonl"
    with opened(tmp_path) as session:
        node = session.index.find_by_prefix("a")
        path.write_bytes(path.read_bytes().replace(b'"uuid": "a"', b'"uuid": "z"'))
        with pytest.raises(NotFound):
            session.index.value(node)
        assert session.index.node("a") is None
        assert session.index.find_by_prefix("z").start == 0


def test_a_read_only_place_is_not_a_problem(tmp_path: Path) -> None:
    fill(tmp_path, said("a"))
    with unwritable(tmp_path / "cache"), opened(tmp_path) as session:
        assert session.index.count_messages() == 1


def test_without_a_place_for_a_cache_it_is_in_memory(tmp_path: Path) -> None:
    fill(tmp_path, said("a"))
    (tmp_path / "cache").write_bytes(b"a file")
    for cached in (True, False):
        with opened(tmp_path, cached=cached) as session:
            assert session.index.count_messages() == 1


def test_only_the_owner_can_read_the_cache(tmp_path: Path) -> None:
    fill(tmp_path, said("a"))
    with opened(tmp_path) as session:
        session.index.count_messages()
        modes = {each.stat().st_mode & 0o777 for each in (tmp_path / "cache").iterdir()}
    assert modes == {0o600}
    assert (tmp_path / "cache").stat().st_mode & 0o777 == 0o700


def _write_and_read(root: Path, name: str, wrong: multiprocessing.Queue[str]) -> None:
    try:
        with opened(root) as session:
            parent = None
            for number in range(30):
                id = f"{name}{number}"
                session.journal.append("messages", said(id, parent))
                parent = id
                if len(session.index.chain(id)) != number + 1:
                    wrong.put(f"{id}: a wrong chain")
    except Exception as error:
        wrong.put(f"{name}: {error!r}")


@pytest.mark.parametrize("damaged", [False, True])
def test_processes_share_a_cache(tmp_path: Path, damaged: bool) -> None:
    folder_of(tmp_path)
    if damaged:
        (tmp_path / "cache").mkdir()
        cache_of(tmp_path).write_bytes(os.urandom(9000))
    context = multiprocessing.get_context("fork")
    wrong: multiprocessing.Queue[str] = context.Queue()
    workers = [
        context.Process(target=_write_and_read, args=(tmp_path, name, wrong)) for name in "abcd"
    ]
    for each in workers:
        each.start()
    for each in workers:
        each.join()
    assert wrong.empty(), wrong.get()
    with opened(tmp_path) as session:
        assert session.index.count_messages() == 120
        assert len(session.index.leaves()) == 4
