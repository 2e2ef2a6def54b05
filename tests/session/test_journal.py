"""The journal as its callers see it: positions, order, threads, forks, files that move."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from talktree.errors import NotSaved, UsageError
from talktree.session.journal.journal import LOGS, Durability, Journal
from talktree.session.journal.lines import read_lines, seal_line, verify_seal
from tests.session.journals import ROOT, opened, quarantined, served

MODES: list[Durability] = ["safe", "fast"]
both = pytest.mark.parametrize("mode", MODES)


def numbers(folder: Path, log: str = "messages") -> list[int | None]:
    return [verify_seal(line.raw).number for line in served(folder, log)]


@both
def test_places_lead_to_lines(tmp_path: Path, mode: Durability) -> None:
    journal = opened(tmp_path, mode)
    places = [
        *journal.append("messages", b'{"a":1}'),
        *journal.append("messages", b"{}", b'{"b":"\xc3\xa9"}', b"{ }"),
        *journal.append("messages", b'{"c":3}'),
    ]
    fd = journal.descriptor("messages")
    found = [os.pread(fd, place.length, place.start) for place in places]
    assert [place.number for place in places] == [1, 2, 3, 4, 5]
    assert found == [line.raw for line in read_lines(fd)]
    assert all(
        verify_seal(raw) == (place.number, "good") for raw, place in zip(found, places, strict=True)
    )
    assert journal.length("messages") == sum(place.length + 1 for place in places)
    assert journal.problems == []


@both
def test_logs_are_numbered_apart_and_go_on_when_opened_again(
    tmp_path: Path, mode: Durability
) -> None:
    for _ in range(3):
        journal = opened(tmp_path, mode)
        for log in LOGS:
            journal.append(log, b'{"log":"%s"}' % log.encode())
        journal.append("messages", b'{"more":true}')
        journal.close()
    assert numbers(tmp_path) == [1, 2, 3, 4, 5, 6]
    assert numbers(tmp_path, "snapshots") == numbers(tmp_path, "operations") == [1, 2, 3]


def test_only_the_owner_may_read(tmp_path: Path) -> None:
    journal = opened(tmp_path / "session", "safe")
    journal.append("messages", b"{}")
    assert (tmp_path / "session").stat().st_mode & 0o777 == 0o700
    for name in ("messages.jsonl", "lock"):
        assert (tmp_path / "session" / name).stat().st_mode & 0o777 == 0o600


@both
def test_two_handles_take_turns(tmp_path: Path, mode: Durability) -> None:
    one, two = opened(tmp_path, mode), opened(tmp_path, "fast")
    for at in range(20):
        [first] = one.append("messages", b'{"one":%d}' % at)
        [second] = two.append("messages", b'{"two":%d}' % at)
        assert (first.number, second.number) == (2 * at + 1, 2 * at + 2)
    assert numbers(tmp_path) == [*range(1, 41)]
    assert one.problems == two.problems == []


@both
def test_alone_keeps_others_out_and_nests(tmp_path: Path, mode: Durability) -> None:
    one, two = opened(tmp_path, mode), opened(tmp_path, mode)
    done = threading.Event()

    def other() -> None:
        two.append("messages", b'{"other":1}')
        done.set()

    with one.append_lock() as journal:
        thread = threading.Thread(target=other)
        thread.start()
        journal.append("messages", b'{"first":1}')
        with journal.append_lock():
            assert len([*read_lines(journal.descriptor("messages"))]) == 1
            journal.append("operations", b'{"second":1}')
        journal.append("messages", b'{"third":1}')
        journal.sync()
        assert not done.is_set()
    thread.join()
    assert [next(iter(json.loads(line.raw))) for line in served(tmp_path)] == [
        "first",
        "third",
        "other",
    ]


def test_an_error_inside_of_alone_frees_the_lock(tmp_path: Path) -> None:
    one, two = opened(tmp_path, "safe"), opened(tmp_path, "safe")

    def work() -> None:
        with one.append_lock():
            one.append("messages", b'{"a":1}')
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        work()
    two.append("messages", b'{"b":1}')
    assert numbers(tmp_path) == [1, 2]


@both
def test_threads_share_a_journal(tmp_path: Path, mode: Durability) -> None:
    journal = opened(tmp_path, mode)
    acknowledged: list[tuple[int, int, int]] = []

    def work(name: int) -> None:
        for at in range(40):
            [place] = journal.append("messages", b'{"writer":%d,"at":%d}' % (name, at))
            acknowledged.append((place.number, name, at))

    threads = [threading.Thread(target=work, args=(name,)) for name in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = [json.loads(line.raw) for line in served(tmp_path)]
    assert numbers(tmp_path) == [*range(1, 241)]
    assert sorted(acknowledged) == [
        (at + 1, value["writer"], value["at"]) for at, value in enumerate(found)
    ]


FORKS = """
import os, sys
from tests.session.journals import opened
from pathlib import Path
journal = opened(Path(sys.argv[1]), sys.argv[2])
journal.append("messages", b'{"writer":"parent"}')
for child in range(4):
    if os.fork() == 0:
        for at in range(25):
            journal.append("messages", b'{"writer":%d,"at":%d}' % (child, at))
        os._exit(0)
for at in range(25):
    journal.append("messages", b'{"writer":"parent","at":%d}' % at)
assert all(os.wait()[1] == 0 for child in range(4))
"""


def script(text: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", text, *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stdin=subprocess.PIPE,
        text=True,
    )


@both
def test_forked_children_exclude_each_other(tmp_path: Path, mode: Durability) -> None:
    parent = script(FORKS, str(tmp_path), mode)
    parent.communicate()
    assert parent.returncode == 0
    assert numbers(tmp_path) == [*range(1, 127)]


HOLDS_AND_FORKS = """
import os, sys, time
from tests.session.journals import opened
from pathlib import Path
journal = opened(Path(sys.argv[1]))
with journal.append_lock():
    journal.append("messages", b'{"held":true}')
    child = os.fork()
    if child == 0:
        time.sleep(60)
        os._exit(0)
    print(child, flush=True)
    time.sleep(60)
"""


def test_a_dead_holder_s_child_does_not_keep_the_lock(tmp_path: Path) -> None:
    holder = script(HOLDS_AND_FORKS, str(tmp_path))
    assert holder.stdout is not None
    child = int(holder.stdout.readline())
    try:
        holder.kill()
        holder.wait()
        opened(tmp_path, "safe").append("messages", b'{"next":true}')
        assert numbers(tmp_path) == [1, 2]
    finally:
        os.kill(child, signal.SIGKILL)
        holder.communicate()


@both
def test_a_log_that_is_moved_away_is_found_again(tmp_path: Path, mode: Durability) -> None:
    journal = opened(tmp_path, mode)
    journal.append("messages", b'{"a":1}')
    path = tmp_path / "messages.jsonl"
    path.rename(tmp_path / "old")
    path.write_bytes((tmp_path / "old").read_bytes() + b'{"theirs":1}\n')
    reader = journal.descriptor("messages")
    [place] = journal.append("messages", b'{"b":1}')
    assert place.number == 3
    assert len((tmp_path / "old").read_bytes().splitlines()) == 1
    assert [verify_seal(line.raw).state for line in served(tmp_path)] == ["good", "none", "good"]
    assert journal.descriptor("messages") == reader
    assert len([*read_lines(reader)]) == 3


@both
def test_a_log_that_is_gone_begins_anew(tmp_path: Path, mode: Durability) -> None:
    journal = opened(tmp_path, mode)
    journal.append("messages", b'{"a":1}')
    (tmp_path / "messages.jsonl").unlink()
    assert [*read_lines(journal.descriptor("messages"))] == []
    assert journal.append("messages", b'{"b":1}')[0].number == 1
    assert len([*read_lines(journal.descriptor("messages"))]) == 1


@both
def test_a_log_that_others_cut_is_synced_again(tmp_path: Path, mode: Durability) -> None:
    journal = opened(tmp_path, mode)
    places = [journal.append("messages", b'{"a":%d}' % at)[0] for at in range(9)]
    os.truncate(tmp_path / "messages.jsonl", places[5].start)
    assert journal.append("messages", b'{"b":1}')[0].number == 6
    assert numbers(tmp_path) == [1, 2, 3, 4, 5, 6]


@both
def test_a_lock_that_is_gone_is_made_again(tmp_path: Path, mode: Durability) -> None:
    one = opened(tmp_path, mode)
    one.append("messages", b'{"a":1}')
    (tmp_path / "lock").unlink()
    two = opened(tmp_path, mode)
    for at in range(5):
        two.append("messages", b'{"b":%d}' % at)
        one.append("messages", b'{"c":%d}' % at)
    assert numbers(tmp_path) == [*range(1, 12)]


@pytest.mark.parametrize("data", [b"", b"x", b"\xff" * 4096, b"\0" * 9000])
@both
def test_a_lock_that_holds_anything(tmp_path: Path, mode: Durability, data: bytes) -> None:
    opened(tmp_path, mode).append("messages", b'{"a":1}')
    (tmp_path / "lock").write_bytes(data)
    opened(tmp_path, mode).append("messages", b'{"a":2}')
    assert numbers(tmp_path) == [1, 2]


@both
def test_a_copied_session_goes_on(tmp_path: Path, mode: Durability) -> None:
    opened(tmp_path / "one", mode).append("messages", b'{"a":1}')
    subprocess.run(["cp", "-r", tmp_path / "one", tmp_path / "two"], check=True)
    opened(tmp_path / "two", mode).append("messages", b'{"a":2}')
    assert (numbers(tmp_path / "one"), numbers(tmp_path / "two")) == ([1], [1, 2])


def test_lines_of_others_count(tmp_path: Path) -> None:
    theirs = b'{"theirs":1}\r\n\n{"theirs":2}\nnonsense\n'
    (tmp_path / "messages.jsonl").write_bytes(theirs)
    journal = opened(tmp_path)
    assert journal.append("messages", b'{"a":1}')[0].number == 4
    assert journal.problems == []
    with open(tmp_path / "messages.jsonl", "ab") as file:
        file.write(b'{"theirs":3}\n')
    assert journal.append("messages", b'{"a":2}')[0].number == 6
    assert (tmp_path / "messages.jsonl").read_bytes().startswith(theirs)
    assert quarantined(tmp_path) == []


def test_a_broken_seal_at_the_end_does_not_confuse_the_numbers(tmp_path: Path) -> None:
    good = [seal_line(b'{"a":%d}' % at, at) for at in (1, 2, 3)]
    broken = good[2].replace(b'"3-', b'"9-')
    data = b"\n".join([*good[:2], broken, b""])
    (tmp_path / "messages.jsonl").write_bytes(data)
    assert opened(tmp_path).append("messages", b"{}")[0].number == 4


@pytest.mark.parametrize("value", [b"", b"[]", b'{"a":\n1}', b"null"])
def test_invalid_lines_are_refused_and_change_nothing(tmp_path: Path, value: bytes) -> None:
    journal = opened(tmp_path, "safe")
    journal.append("messages", b'{"a":1}')
    before = (tmp_path / "messages.jsonl").read_bytes()
    with pytest.raises(ValueError, match="one JSON object"):
        journal.append("messages", b'{"b":1}', value)
    assert (tmp_path / "messages.jsonl").read_bytes() == before
    assert journal.append("messages", b'{"c":1}')[0].number == 2


def test_nothing_to_append_is_nothing(tmp_path: Path) -> None:
    journal = opened(tmp_path, "safe")
    assert journal.append("messages") == []
    assert journal.append("messages", b"{}")[0].number == 1


def test_a_closed_journal_says_so(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    journal.append("messages", b"{}")
    journal.close()
    journal.close()
    with pytest.raises(UsageError, match="closed"):
        journal.append("messages", b"{}")


@pytest.mark.parametrize("kind", ["link", "fifo", "folder"])
def test_a_log_that_is_not_a_file_is_refused(tmp_path: Path, kind: str) -> None:
    folder, outside = tmp_path / "session", tmp_path / "outside"
    folder.mkdir()
    outside.write_bytes(b"mine\n")
    path = folder / "messages.jsonl"
    if kind == "link":
        path.symlink_to(outside)
    elif kind == "fifo":
        os.mkfifo(path)
    else:
        path.mkdir()
    with pytest.raises(NotSaved):
        opened(folder).append("messages", b"{}")
    assert outside.read_bytes() == b"mine\n"


def test_a_reader_needs_no_right_to_write(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    journal.append("messages", b"{}")
    before = sorted(path.name for path in tmp_path.iterdir())
    reader = Journal(journal.folder, "safe")
    assert len([*read_lines(reader.descriptor("messages"))]) == 1
    assert reader.length("snapshots") == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == before


@both
def test_a_writer_that_fails_to_look_cuts_nothing(tmp_path: Path, mode: Durability) -> None:
    """What another writer has added since is not mistaken for a partial line of its own."""
    one, two = opened(tmp_path, mode), opened(tmp_path, mode)
    one.append("messages", b'{"a":1}')
    two.append("messages", b'{"b":1}')
    before = (tmp_path / "messages.jsonl").read_bytes()
    (tmp_path / "lock").unlink()
    (tmp_path / "lock").mkdir()
    with pytest.raises(NotSaved):
        one.append("messages", b'{"c":1}')
    assert (tmp_path / "messages.jsonl").read_bytes() == before
    (tmp_path / "lock").rmdir()
    assert one.append("messages", b'{"c":1}')[0].number == 3
    assert two.append("messages", b'{"d":1}')[0].number == 4
    assert numbers(tmp_path) == [1, 2, 3, 4]


FORK_INSIDE = """
import os, sys
from tests.session.journals import opened
from pathlib import Path
journal = opened(Path(sys.argv[1]), "safe")
with journal.append_lock():
    journal.append("messages", b'{"writer":"parent"}')
    child = os.fork()
if child == 0:
    journal.append("messages", b'{"writer":"child"}')
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
journal.append("messages", b'{"writer":"parent"}')
"""


def test_a_fork_inside_of_alone(tmp_path: Path) -> None:
    parent = script(FORK_INSIDE, str(tmp_path))
    parent.communicate()
    assert parent.returncode == 0
    assert numbers(tmp_path) == [1, 2, 3]
