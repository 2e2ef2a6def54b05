"""Mutated files by the hundred thousand: `python -m tests.torture.fuzz COUNT [FORMAT...]`.

Each is read, shown as a tree, checked and repaired, safely and unsafely. An uncaught exception, a
hang, a repair that does not rest or a byte without account is a failure, told by the number that
makes it again.
"""

from __future__ import annotations

import signal
import sys
import traceback
from collections.abc import Sequence
from multiprocessing import Pool
from types import FrameType

from talktree.checking.report import report
from talktree.errors import TalktreeError
from talktree.mending.repair import repaired
from talktree.model.document import Document
from tests.damage.lines import ALL
from tests.torture.mutants import mutant

PATIENCE = 20
"""Seconds after which a file counts as a hang."""
SHARE = 200
"""How many files a process takes at a time."""


class Hang(Exception):
    """It took too long."""


def _hang(number: int, frame: FrameType | None) -> None:
    raise Hang


def torture(slug: str, number: int) -> str | None:
    """What went wrong with one mutant; None if nothing did."""
    signal.signal(signal.SIGALRM, _hang)
    signal.alarm(PATIENCE)
    try:
        _go_through(slug, number)
    except TalktreeError:
        return None
    except Exception:
        return f"{slug} {number}: {traceback.format_exc(limit=-4)}"
    finally:
        signal.alarm(0)
    return None


def _go_through(slug: str, number: int) -> None:
    files = mutant(slug, number)
    document = files.read_as(slug)
    for conversation in document.conversations:
        conversation.path()
        conversation.branches()
    report(document)
    for unsafe in (False, True):
        _repair(document, unsafe=unsafe, size=sum(map(len, files.files.values())))


def _repair(document: Document, *, unsafe: bool, size: int) -> None:
    done = repaired(document, unsafe=unsafe)
    kept, quarantined = done.bytes
    withheld = document.origin.source.withheld  # type: ignore[attr-defined]
    assert withheld or kept + quarantined == size, "bytes without account"
    assert not repaired(done.after, unsafe=unsafe).changed, "a second repair changes something"


def _stretch(order: tuple[str, int, int]) -> list[str]:
    slug, start, stop = order
    return [found for number in range(start, stop) if (found := torture(slug, number))]


def run(count: int, slugs: Sequence[str]) -> int:
    """Go through so many mutants of each format, and tell how many went wrong."""
    wrong = 0
    with Pool() as pool:
        for slug in slugs:
            orders = [(slug, start, min(start + SHARE, count)) for start in range(0, count, SHARE)]
            failures = [each for found in pool.imap(_stretch, orders) for each in found]
            wrong += len(failures)
            print(f"{slug}: {count:,} mutants, {len(failures):,} failures", flush=True)
            for each in failures[:5]:
                print(each, flush=True)
    return wrong


if __name__ == "__main__":
    sys.exit(min(1, run(int(sys.argv[1]), sys.argv[2:] or ALL)))
