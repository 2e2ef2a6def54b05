"""Low-priority threads: those of the index and no others; and the check for free processors."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from contextlib import ExitStack
from pathlib import Path

import pytest

from talktree.library.fulltext.index import FullText
from talktree.parallel.priority import BEHIND, TASKS, has_free_processor, run_at_low_priority

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="elsewhere threads have no priority of their own"
)


def _priorities() -> dict[str, int]:
    return {name: os.getpriority(os.PRIO_PROCESS, int(name)) for name in os.listdir(TASKS)}


def test_the_threads_of_an_index_are_back_and_no_others(tmp_path: Path) -> None:
    index = FullText.open(tmp_path, write=True)
    before = _priorities()
    done = threading.Event()
    ours = threading.Thread(target=done.wait)

    def make() -> object:
        ours.start()
        return index.index.writer(30_000_000, 2)

    writer = run_at_low_priority(make)
    try:
        now = _priorities()
        assert all(now[name] == before[name] for name in before if name in now)
        assert now[str(ours.native_id)] == os.getpriority(os.PRIO_PROCESS, os.getpid())
        assert [now[name] for name in now if name not in before].count(BEHIND) >= 2
    finally:
        done.set()
        ours.join()
        del writer


BUSY = "print(flush=True)\nwhile True: pass"


def test_there_is_no_room_where_others_keep_all_processors_busy() -> None:
    with ExitStack() as stack:
        for _ in range((os.cpu_count() or 1) + 1):
            busy = subprocess.Popen([sys.executable, "-c", BUSY], stdout=subprocess.PIPE)
            stack.enter_context(busy)
            stack.callback(busy.kill)
            assert busy.stdout is not None
            busy.stdout.readline()
        # A single look could hit a process that waits for the first page of its code.
        assert not all(has_free_processor() for _ in range(20))
