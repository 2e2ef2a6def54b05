"""Following files as they grow."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from talktree.library.library import Library
from tests.library import made

PROGRAM = """
import sys
from pathlib import Path
from talktree.library.library import Library
with Library.open(Path(sys.argv[1]), write=True) as library:
    print("ready", flush=True)
    try:
        for done in library.watch([sys.argv[2]], every=0.05):
            print(done.new, done.grown, done.gone, flush=True)
    except KeyboardInterrupt:
        print("ended", flush=True)
"""


def test_growing_files_are_followed(tmp_path: Path) -> None:
    session = made.small(tmp_path)
    path = session.save(tmp_path)
    with Library.open(tmp_path / "library", write=True) as library:
        following = library.watch([tmp_path / "projects"], every=0.01)
        assert next(following).new == 1
        session.say("a turnstone")
        made.append(path, session.lines[-1])
        assert next(following).grown == 1
        assert len(list(library.search("turnstone"))) == 1
        path.unlink()
        assert next(following).gone == 1
        following.close()  # type: ignore[attr-defined]


def test_another_can_import_meanwhile(tmp_path: Path) -> None:
    made.small(tmp_path, 1)
    with Library.open(tmp_path / "library", write=True) as library:
        following = library.watch([tmp_path / "projects"], every=0.01)
        assert next(following).new == 1
        made.small(tmp_path, 2)
        with Library.open(tmp_path / "library", write=True) as other:
            assert other.import_().new == 1
        path = made.small(tmp_path, 3).save(tmp_path)
        done = next(following)
        assert (done.new, done.seen) == (1, 3)
        assert library.conversation(str(path)).messages == 4


def test_a_watching_process_ends_with_control_c(tmp_path: Path) -> None:
    path = made.small(tmp_path).save(tmp_path)
    words = [sys.executable, "-c", PROGRAM, str(tmp_path / "library"), str(tmp_path / "projects")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        assert process.stdout.readline() == "1 0 0\n"
        made.append(path, made.small(tmp_path / "x", 2, words="a plover").lines[0])
        assert process.stdout.readline() == "0 1 0\n"
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        assert process.stdout.read() == "ended\n"
        assert process.wait() == 0
    with Library.open(tmp_path / "library", write=True) as library:
        assert library.check(read_data=True) == []
        assert [hit.raw_path for hit in library.search("plover")] == [os.fsencode(path)]


def test_a_failure_is_reported_once(tmp_path: Path) -> None:
    made.small(tmp_path)
    with Library.open(tmp_path / "library", write=True) as library:
        library.import_([tmp_path / "projects"])
        gone = tmp_path / "away"
        gone.mkdir()
        library.add_place(gone)
        gone.rmdir()
        following = library.watch(every=0.01)
        first = next(following)
        assert [path for path, _ in first.failed] == [os.fsencode(gone)]
        made.small(tmp_path, 2)
        second = next(following)
        assert (second.new, second.failed) == (1, [])
