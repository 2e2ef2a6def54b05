"""Importing: cold, unchanged, with one line more; memory and size."""

from __future__ import annotations

import json
import sys

import talktree
from bench.history import huge_lines
from bench.library.ours import PROGRAM, Talktree
from bench.library.stand import Stand
from bench.measure import Row
from bench.programs import Clock, in_turns, must, shown
from bench.walk import stat_scan

_SCAN = """
import sys
from bench.walk import stat_scan
stat_scan(sys.argv[1])
"""
LONGEST = 26
"""Megabytes of the longest lines of the file with huge lines."""


def cold(stand: Stand) -> list[Row]:
    """Compare importing a history with only indexing its words."""
    bare, ours = in_turns(
        lambda: must(stand.build_bare()),
        lambda: must(stand.import_cold()),
        rounds=3 if stand.size < 500 else 2,
    )
    what = f"import of {stand.size} MB, cold"
    against = "bare words into tantivy, two threads"
    return [
        Row(
            f"{what}: time",
            shown(ours.seconds),
            f"{against} {shown(bare.seconds)}",
            f"{ours.seconds / bare.seconds:.2f}×",
            "≤ 1.6×",
        ),
        Row(
            f"{what}: CPU",
            shown(ours.cpu),
            f"{against} {shown(bare.cpu)}",
            f"{ours.cpu / bare.cpu:.2f}×",
            "≤ 1.6×",
        ),
        Row(
            f"{what}: memory",
            f"{ours.peak >> 20} MiB",
            f"bare {bare.peak >> 20} MiB",
            f"{ours.peak / bare.peak:.2f}×",
            "≤ 400 MB",
        ),
    ]


def again(stand: Stand) -> list[Row]:
    """Compare an unchanged import with a process that stats every file."""
    folder = str(stand.projects)
    scan, start, ours = in_turns(
        lambda: must([sys.executable, "-c", _SCAN, folder]),
        lambda: must([PROGRAM, "--version"]),
        lambda: must(stand.ours.import_(stand.projects)),
        rounds=7,
    )
    records = json.loads(ours.output).get("records")
    return [
        Row(
            f"import again, nothing changed, {records} records parsed",
            f"{ours.details()}",
            f"Python that looks at every file {scan.details()}; "
            f"`talktree --version` {start.details()}",
            f"{ours.seconds / scan.seconds:.2f}×, CPU {ours.cpu / scan.cpu:.2f}×",
            "≤ 2×",
        )
    ]


def grown(stand: Stand) -> list[Row]:
    """Compare importing one more line, in a running process, with a stat of all files."""
    taken, scans, read = Clock(), Clock(), 0
    with talktree.open_library(stand.ours.root) as library:
        for number in range(9):
            with stand.growing.open("ab") as file:
                file.write(_line(number))
            with scans:
                stat_scan(stand.projects)
            with taken:
                read = library.import_([stand.projects]).bytes_read
            found = library.search(_word(number))
            assert found.total == 1, f"{found.total} hits for what was just appended"
    (ours, our_cpu), (scan, scan_cpu) = taken.medians(), scans.medians()
    return [
        Row(
            f"one line appended to one of {stand.truth.files:,} files, {read:,} bytes read",
            f"{shown(ours)}, {shown(our_cpu)} CPU",
            f"looking at every file {shown(scan)}, {shown(scan_cpu)} CPU",
            f"{ours / scan:.2f}×, CPU {our_cpu / scan_cpu:.2f}×",
            "≤ 4×",
        )
    ]


def size(stand: Stand) -> list[Row]:
    """Measure the size of the library on the disk."""
    with talktree.open_library(stand.ours.root) as library:
        info = library.info()
    raw = stand.truth.size
    rest = info.database - info.archive + info.index
    return [
        Row(
            "archive on disk",
            f"{info.archive / 1e6:.0f} MB",
            f"raw {raw / 1e6:.0f} MB",
            f"{info.archive / raw:.3f}×",
            "≤ 0.3×",
        ),
        Row(
            "metadata and index on disk",
            f"{rest / 1e6:.0f} MB (index {info.index / 1e6:.0f})",
            f"raw {raw / 1e6:.0f} MB",
            f"{rest / raw:.3f}×",
            "≤ 0.22×",
        ),
    ]


def huge(stand: Stand) -> list[Row]:
    """Measure the memory for a file with very long lines, beyond the longest of them."""
    folder = huge_lines(300, LONGEST) / "projects"
    ran = must(Talktree(stand.work / "huge").import_(folder))
    bar = (100 + 4 * LONGEST) * 1_000_000
    return [
        Row(
            f"memory of importing 300 MB with lines of {LONGEST} MB",
            f"{ran.peak / 1e6:.0f} MB",
            "100 MB and four longest lines",
            f"{ran.peak / bar:.2f}×",
            "≤ 1×",
        )
    ]


def _word(number: int) -> str:
    return f"quizzaciously{number}"


def _line(number: int) -> bytes:
    line = {
        "parentUuid": None,
        "isSidechain": False,
        "userType": "external",
        "cwd": "/home/ana/later",
        "sessionId": "5f1d1a5e-0000-4000-8000-000000000000",
        "version": "2.1.29",
        "gitBranch": "main",
        "type": "user",
        "message": {"role": "user", "content": f"And now {_word(number)}, please"},
        "uuid": f"5f1d1a5e-0000-4000-8000-{number:012x}",
        "timestamp": "2026-06-01T09:00:00.000Z",
    }
    return json.dumps(line, separators=(",", ":")).encode() + b"\n"
