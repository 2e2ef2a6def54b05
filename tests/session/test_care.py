"""Care: every kind of damage is reported by name, nothing raises, and no named blob is removed."""

from __future__ import annotations

import json
import os
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.errors import LockHeld
from talktree.files.locking import folder_lock
from talktree.files.sandbox import Anchor
from talktree.session.capture.file_state import ABSENT, FileContentState
from talktree.session.capture.snapshots import FileChange, format_snapshot_line
from talktree.session.care import care
from talktree.session.handle import SessionHandle
from tests.cases import examples
from tests.session.made import folder_of, opened, said

DAY = 86_400


def kept(session: SessionHandle, data: bytes) -> FileContentState:
    """Return the hash of a content that the session stores."""
    hash = session.contents.keep_bytes(data)
    session.contents.flush()
    return FileContentState(hash=hash, size=len(data), mode=0o644)


def recorded(root: Path) -> dict[str, FileContentState]:
    """Record a valid session with two messages, a step, a move and three contents."""
    with opened(root) as session:
        files = {name: kept(session, name.encode()) for name in ("one", "two", "moved")}
        session.journal.append("messages", said("a"), said("b", "a"))
        change = FileChange(b"f", files["one"], files["two"])
        session.journal.append("snapshots", format_snapshot_line("b", "s", False, [change], [], 0))
        states = {"f": {"before": {"kind": "file", "hash": files["moved"].hash, "size": 5,
                                   "mode": "0644"}}}  # fmt: skip
        at = {"files": None, "conversation": None, "todos": None}
        move = {"id": "o", "kind": "move", "verb": "undo", "note": "n", "scopes": [], "from": at,
                "to": at, "at": at, "paths": states}  # fmt: skip
        session.journal.append("operations", json.dumps(move).encode())
        session.journal.append("operations", b'{"kind":"moved","move":"o"}')
    folder_of(root).chmod(0o700)
    return files


def kinds(root: Path, *, read_data: bool = False) -> set[str]:
    """Return the kinds of problems in the session below a root."""
    with Anchor(folder_of(root)) as folder:
        return {each.kind for each in care.check_session(folder, read_data=read_data)}


def backup(root: Path, file: FileContentState) -> Path:
    """Return the path of a stored content."""
    return folder_of(root) / "backups" / f"{file.hash}.backup"


def edit(root: Path, log: str, old: bytes, new: bytes) -> None:
    """Change the bytes of a log."""
    path = folder_of(root) / f"{log}.jsonl"
    data = path.read_bytes()
    assert old in data
    path.write_bytes(data.replace(old, new, 1))


def test_a_valid_session_has_no_problems(tmp_path: Path) -> None:
    recorded(tmp_path)
    assert kinds(tmp_path, read_data=True) == set()
    with opened(tmp_path) as session:
        assert care.check_session(session) == []


def test_an_empty_folder_is_not_a_problem(tmp_path: Path) -> None:
    folder_of(tmp_path).chmod(0o700)
    assert kinds(tmp_path, read_data=True) == set()


def test_damage_in_logs_is_reported_by_its_kind(tmp_path: Path) -> None:
    for number, (log, old, new, wanted) in enumerate(
        [
            ("messages", b"I am a", b"I am A", "broken-seal"),
            ("snapshots", b'"step":"s"', b'"step":"t"', "broken-seal"),
            ("messages", said("a").splitlines()[0][:-1], b"{", "broken-seal"),
            ("operations", b'{"id": "o"', b'"id": "o"', "unreadable-line"),
            ("operations", b'"kind":"moved"', b'"kind":"other"', "unfinished-move"),
        ]
    ):
        root = tmp_path / str(number)
        recorded(root)
        edit(root, log, old, new)
        assert wanted in kinds(root)


def test_lines_that_are_gone_or_moved_leave_a_gap(tmp_path: Path) -> None:
    recorded(tmp_path)
    path = folder_of(tmp_path) / "messages.jsonl"
    first, second = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(second)
    assert kinds(tmp_path) == {"gap"}
    path.write_bytes(second + first)
    assert kinds(tmp_path) == {"gap"}


def test_lines_of_other_programs_are_a_note_and_no_gap(tmp_path: Path) -> None:
    recorded(tmp_path)
    with (folder_of(tmp_path) / "messages.jsonl").open("ab") as file:
        file.write(said("c", "b") + b"\n")
    with opened(tmp_path) as session:
        session.journal.append("messages", said("d", "c"))
    (one,) = _troubles(tmp_path)
    assert (one.kind, one.severity, one.line) == ("other-writer", "note", 3)


def test_a_truncated_tail_is_reported_until_it_is_in_quarantine(tmp_path: Path) -> None:
    recorded(tmp_path)
    with (folder_of(tmp_path) / "messages.jsonl").open("ab") as file:
        file.write(b'{"type":"user","uu')
    assert kinds(tmp_path) == {"torn-tail"}
    with opened(tmp_path) as session:
        session.journal.append("messages", said("c", "b"))
    assert kinds(tmp_path) == {"quarantined"}


def test_contents_that_are_missing_damaged_or_unnamed(tmp_path: Path) -> None:
    files = recorded(tmp_path)
    backup(tmp_path, files["one"]).write_bytes(b"eno")
    assert kinds(tmp_path) == set()
    assert kinds(tmp_path, read_data=True) == {"damaged-content"}
    for file in files.values():
        backup(tmp_path, file).unlink()
    reported = _troubles(tmp_path)
    assert {each.kind for each in reported} == {"missing-content"}
    assert len(reported) == 3
    hash = sha256(b"x").hexdigest()
    (folder_of(tmp_path) / "backups" / f"{hash}.backup").write_bytes(b"x")
    assert kinds(tmp_path) == {"missing-content", "unnamed-content"}


def test_links_and_pipes_in_the_place_of_files_are_reported(tmp_path: Path) -> None:
    for number, name in enumerate(("messages.jsonl", "operations.jsonl", "backups")):
        root = tmp_path / str(number)
        recorded(root)
        path = folder_of(root) / name
        path.rename(path.with_suffix(".old"))
        path.symlink_to(path.with_suffix(".old"))
        assert "unreadable-file" in kinds(root, read_data=True)
        path.unlink()
        os.mkfifo(path)
        assert "unreadable-file" in kinds(root, read_data=True)


def test_rights_of_others_are_reported(tmp_path: Path) -> None:
    recorded(tmp_path)
    (folder_of(tmp_path) / "snapshots.jsonl").chmod(0o644)
    assert kinds(tmp_path) == {"open-to-others"}


def test_of_a_flood_of_troubles_some_are_reported_and_the_rest_counted(tmp_path: Path) -> None:
    recorded(tmp_path)
    with (folder_of(tmp_path) / "messages.jsonl").open("ab") as file:
        file.write((said("x", "b") + b"\n") * 1500)
    reported = _troubles(tmp_path)
    assert len(reported) == 1001
    assert reported[-1].message == "and 500 more"


@examples(60)
@given(data=st.data())
def test_check_never_raises_and_a_flipped_bit_is_always_found(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    root = tmp_path_factory.mktemp("store")
    recorded(root)
    paths = sorted(
        path for path in folder_of(root).rglob("*") if path.is_file() and path.name != "lock"
    )
    path = data.draw(st.sampled_from(paths))
    raw = bytearray(path.read_bytes())
    place = data.draw(st.integers(0, 8 * len(raw) - 1))
    raw[place // 8] ^= 1 << place % 8
    path.write_bytes(raw)
    assert kinds(root, read_data=True)


@examples(40)
@given(
    log=st.sampled_from(["messages", "snapshots", "operations"]),
    junk=st.binary(max_size=200)
    | st.sampled_from([b'{"kind":"move"}', b'{"snapshot":{"paths":[1]}}', b"[" * 5000, b"\0" * 99]),
    at=st.integers(0, 400),
)
def test_check_never_raises_on_anything(
    tmp_path_factory: pytest.TempPathFactory, log: str, junk: bytes, at: int
) -> None:
    root = tmp_path_factory.mktemp("store")
    recorded(root)
    path = folder_of(root) / f"{log}.jsonl"
    raw = path.read_bytes()
    path.write_bytes(raw[:at] + junk + raw[at:])
    kinds(root, read_data=True)
    with opened(root) as session:
        care.gc(session)
        care.measure_usage(session)


# gc


def age(root: Path) -> None:
    """Make every file among the backups two days old."""
    for path in (folder_of(root) / "backups").iterdir():
        before = path.stat().st_mtime - 2 * DAY
        os.utime(path, (before, before))


def test_gc_removes_what_no_one_names_when_it_is_old_and_asked_to(tmp_path: Path) -> None:
    files = recorded(tmp_path)
    with opened(tmp_path) as session:
        spare = kept(session, b"nobody wants me")
        assert care.gc(session) == care.CleanupResult((), (), 1, True)
        age(tmp_path)
        young = kept(session, b"somebody may want me soon")
        reported = care.gc(session)
        assert reported == care.CleanupResult(((spare.hash, spare.size),), (), 1, True)
        assert reported.bytes == spare.size
        assert backup(tmp_path, spare).exists()
        assert care.gc(session, dry_run=False) == reported._replace(dry_run=False)
        assert not backup(tmp_path, spare).exists()
        for file in (*files.values(), young):
            assert session.contents.find_problem(file) is None
    assert kinds(tmp_path, read_data=True) == {"unnamed-content"}


def test_gc_keeps_what_a_damaged_line_names(tmp_path: Path) -> None:
    files = recorded(tmp_path)
    edit(tmp_path, "snapshots", b'{"type"', b'["type"')
    edit(tmp_path, "operations", b'"kind"', b"kind")
    age(tmp_path)
    with opened(tmp_path) as session:
        assert not care.gc(session, dry_run=False).contents
    assert all(backup(tmp_path, file).exists() for file in files.values())


def test_gc_is_refused_while_a_step_is_open(tmp_path: Path) -> None:
    recorded(tmp_path)
    (tmp_path / "work").mkdir()
    with opened(tmp_path) as session, Anchor(tmp_path / "work") as other:
        session.workspace = Anchor(tmp_path / "work")
        with folder_lock(other.fd, exclusive=False):
            care.gc(session)
            with pytest.raises(LockHeld):
                care.gc(session, dry_run=False)
        care.gc(session, dry_run=False)


def test_usage_counts_what_is_there(tmp_path: Path) -> None:
    recorded(tmp_path)
    with opened(tmp_path) as session:
        kept(session, b"1234567")
        session.index.count_messages()
        used = care.measure_usage(session)
    assert used.contents == len("one" + "two" + "moved") + 7
    assert (used.kept, used.unnamed, used.quarantine) == (4, 7, 0)
    assert used.cache > 0
    assert used.logs["messages"] == (folder_of(tmp_path) / "messages.jsonl").stat().st_size
    assert used.total == sum(used.logs.values()) + used.contents + used.cache


def test_absent_states_name_no_content(tmp_path: Path) -> None:
    with opened(tmp_path) as session:
        line = format_snapshot_line("b", "s", False, [FileChange(b"f", ABSENT, ABSENT)], [], 0)
        session.journal.append("snapshots", line)
    folder_of(tmp_path).chmod(0o700)
    assert kinds(tmp_path) == set()


def _troubles(root: Path) -> list[care.SessionProblem]:
    with Anchor(folder_of(root)) as folder:
        return care.check_session(folder)
