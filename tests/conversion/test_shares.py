"""Conversions in several processes: the same bytes and losses as in one, also if processes fail.

Each test runs in a separate process: a process with threads does not fork.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree import api
from talktree.conversion.batch import Batch
from talktree.conversion.embed_write import WORTH_SHARING
from talktree.conversion.forward_chunks import (
    A_CHUNK,
    ConvertedChunk,
    pack_chunk,
    split_positions,
    unpack_chunk,
)
from talktree.conversion.losses import Loss
from talktree.conversion.options import Options
from talktree.parallel.schedule import count_shared_jobs
from talktree.text.json.value import EncodedValue, Token
from tests.cli.transcript import environment
from tests.conversion.trips import SLUGS

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data" / "claude-code"


def alone(code: str, *arguments: str) -> str:
    """Return what some code prints."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_shares_come_in_their_order_and_all_processes_are_used() -> None:
    reported = alone(
        """
        import os, time
        from talktree.parallel.ordered_map import map_in_order

        def make(number):
            time.sleep(0.02 if number % 5 == 0 else 0)
            return b"%d %d " % (number, os.getpid()) + b"." * (number * 5000)

        found = [share.split() for share in map_in_order(make, 50, 3)]
        print([int(each[0]) for each in found] == list(range(50)))
        print([len(each[2]) for each in found[1:]] == [number * 5000 for number in range(1, 50)])
        processes = {int(each[1]) for each in found}
        print(len(processes) > 1, os.getpid() in processes)
        """
    )
    assert reported.split() == ["True", "True", "True", "False"]


def test_the_work_of_a_killed_process_is_done_in_the_parent() -> None:
    reported = alone(
        """
        import os, signal
        from talktree.parallel.ordered_map import map_in_order

        here = os.getpid()

        def make(number):
            if number in (3, 7) and os.getpid() != here:
                os.kill(os.getpid(), signal.SIGKILL)
            return b"%d" % number

        print([int(share) for share in map_in_order(make, 40, 2)] == list(range(40)))
        """
    )
    assert reported.split() == ["True"]


def test_failures_are_reported_by_the_caller() -> None:
    reported = alone(
        """
        from talktree.parallel.ordered_map import map_in_order

        def make(number):
            if number == 5:
                raise ValueError("number five")
            return b"%d" % number

        given = []
        try:
            for share in map_in_order(make, 20, 2):
                given.append(int(share))
        except ValueError as error:
            print(given, error)
        """
    )
    assert reported.strip() == "[0, 1, 2, 3, 4] number five"


def test_stopping_leaves_no_process_running() -> None:
    reported = alone(
        """
        import os
        from talktree.parallel.ordered_map import map_in_order

        shares = map_in_order(lambda number: b"." * 100_000, 1000, 2)
        next(shares)
        shares.close()
        try:
            os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            print("none")
        """
    )
    assert reported.strip() == "none"


SAME = """
import sys
from pathlib import Path
from talktree import api
from talktree.conversion import embed_write, forward_chunks
from talktree.conversion.losses import LossReport
from talktree.conversion.options import Options

embed_write.WORTH_SHARING = 1
forward_chunks.A_CHUNK = 2000
assert embed_write.may_fork()


def made(path, to, carry, processes):
    ledger = LossReport()
    found = api.convert_document(
        api.read(path, format="claude-code"),
        to=to,
        options=Options(carry=carry),
        loss_report=ledger,
        processes=processes,
    )
    files = {name: b"".join(pieces) for name, pieces in found.files.items()}
    return files, found.folder, ledger.losses, ledger.counts, ledger.carried_bytes


to, carry, *paths = sys.argv[1:]
for path in paths:
    one, several = (made(path, to, bool(carry), count) for count in (1, 3))
    print("same" if one == several else f"{path} differs")
"""


@pytest.mark.parametrize("carry", ["carry", ""])
@pytest.mark.parametrize("to", [slug for slug in SLUGS if slug != "claude-code"])
def test_several_processes_make_what_one_makes(to: str, carry: str) -> None:
    paths = sorted(path for kind in ("good", "bad") for path in (DATA / kind).glob("*.jsonl"))
    chosen = [str(path) for path in paths if path.stat().st_size < 200_000][:: 1 if carry else 5]
    assert set(alone(SAME, to, carry, *chosen).splitlines()) == {"same"}


@given(st.lists(st.integers(0, 3 * A_CHUNK), max_size=300))
def test_chunks_are_the_whole_in_order_and_none_is_too_large(sizes: list[int]) -> None:
    chunks = split_positions(range(len(sizes)), sizes)
    assert [place for chunk in chunks for place in chunk] == list(range(len(sizes)))
    for chunk in chunks:
        assert len(chunk) < 2 or sum(sizes[place] for place in chunk) <= A_CHUNK


def test_received_results_equal_the_sent_ones() -> None:
    values = [{"a": [1, 2.5, None, True, "ü"]}, EncodedValue(b'{"b":1}')]
    again = unpack_chunk(
        pack_chunk(ConvertedChunk(values, [Loss("id", "m", "what", "carried")], 7))
    )
    assert again.values[0] == values[0]
    assert again.values[1].text == '{"b":1}'
    assert (again.losses, again.carried_bytes) == ([Loss("id", "m", "what", "carried")], 7)


@pytest.mark.parametrize("odd", ["\ud800", Token("NaN"), 1 << 70])
def test_objects_that_cannot_be_pickled_are_not_sent(odd: object) -> None:
    assert pack_chunk(ConvertedChunk([{"a": odd}], [], 0)) == b""


MEGABYTES = 1_000_000


@pytest.mark.parametrize(
    ("sizes", "processes", "expected"),
    [
        ([], 2, 0),
        ([300], 1, 0),
        ([300], 2, 1),
        ([5], 2, 0),
        ([300, 300], 2, 0),
        ([25] * 40, 2, 0),
        ([300, 300, 300, 100], 2, 1),
        ([900, *[10] * 10], 2, 1),
    ],
)
def test_only_what_would_leave_processes_idle_is_done_together(
    sizes: list[int], processes: int, expected: int
) -> None:
    assert count_shared_jobs([size * MEGABYTES for size in sizes], processes) == expected


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a session that is large enough for several processes."""
    path = tmp_path_factory.mktemp("large") / "session.jsonl"
    with path.open("w") as file:
        for number in range(600):
            said = {"role": "user", "content": f"{number} is a number. " * 900}
            uuid = f"00000000-0000-4000-8000-{number:012}"
            file.write(json.dumps({"type": "user", "uuid": uuid, "message": said}) + "\n")
    assert path.stat().st_size > WORTH_SHARING
    return path


def at_work(large: Path, out: Path) -> tuple[subprocess.Popen[bytes], list[int]]:
    """Start a conversion, wait for its worker processes and stop the first; return all of them."""
    while True:
        process = subprocess.Popen(
            ["talktree", "convert", str(large), "-t", "studio", "-o", str(out), "-q", "-j", "2"],
            stderr=subprocess.PIPE,
            env=environment(),
            start_new_session=True,
        )
        while process.poll() is None:
            found = children(process)
            if len(found) == 2:
                os.kill(found[0], signal.SIGSTOP)
                return process, found
            time.sleep(0.002)
        # It ended before the test looked.
        process.communicate()
        out.unlink()


def children(process: subprocess.Popen[bytes]) -> list[int]:
    """Return the worker processes."""
    try:
        found = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
    except OSError:
        return []
    return [int(each) for each in found.split()]


def test_ctrl_c_leaves_neither_files_nor_processes(large: Path, tmp_path: Path) -> None:
    process, others = at_work(large, tmp_path / "out.json")
    os.killpg(process.pid, signal.SIGINT)
    # The output ends when the last process that may write to it ends.
    _, reported = process.communicate(timeout=300)
    assert process.returncode == 130, reported
    assert not list(tmp_path.iterdir())
    assert not any(Path(f"/proc/{each}").exists() for each in others)


def test_processes_end_when_the_one_they_work_for_is_killed(large: Path, tmp_path: Path) -> None:
    process, others = at_work(large, tmp_path / "out.json")
    process.kill()
    os.kill(others[0], signal.SIGCONT)
    process.communicate(timeout=300)
    assert not (tmp_path / "out.json").exists()


def test_a_killed_process_costs_nothing_but_time(large: Path, tmp_path: Path) -> None:
    process, others = at_work(large, tmp_path / "out.json")
    os.kill(others[0], signal.SIGKILL)
    _, reported = process.communicate(timeout=300)
    assert (process.returncode, reported) == (0, b"")
    api.convert(api.read(large), tmp_path / "alone.json", to="studio")
    assert (tmp_path / "out.json").read_bytes() == (tmp_path / "alone.json").read_bytes()


def test_a_batch_does_a_large_source_together(large: Path, tmp_path: Path) -> None:
    with Batch([str(large)], to="sage", out=str(tmp_path), options=Options(), jobs=2) as batch:
        (outcome,) = batch.outcomes()
    made = api.convert_document(api.read(large), to="sage")
    for name, pieces in made.files.items():
        assert (tmp_path / "session" / name).read_bytes() == b"".join(pieces)
    assert dict(made.loss_report.counts) == {
        (kind, kept): count for kind, kept, count in outcome.counts
    }
    assert outcome.carried_bytes == made.loss_report.carried_bytes
