"""How fast a session is read, against the bare decoder on the same lines, and its memory."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec
from msgspec import Struct

from bench.corpus import MEGABYTE, session
from bench.measure import Row, peak_memory, side_by_side
from talktree import api


class _Usage(Struct):
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_input_tokens: int = 0
    cache_creation_input_tokens: int = 0


class _Message(Struct):
    id: str | None = None
    model: str | None = None
    usage: _Usage | None = None


class _Envelope(Struct):
    type: str = ""
    uuid: str | None = None
    parentUuid: str | None = None
    timestamp: str | None = None
    isSidechain: bool = False
    sessionId: str | None = None
    message: _Message | None = None


def speed(megabytes: int) -> list[Row]:
    """Measure reading into the model, and the pass over envelopes only."""
    path = session(megabytes)
    model, bare = side_by_side(lambda: _model(path), lambda: _untyped(path))
    envelopes, typed = side_by_side(lambda: _envelopes(path), lambda: _typed(path))
    skeleton, again = side_by_side(
        lambda: api.read(path, format="claude-code"), lambda: _typed(path)
    )
    return [
        Row(
            f"{megabytes} MB session into the model",
            f"{model:.2f} s",
            f"bare msgspec decode {bare:.2f} s",
            f"{model / bare:.2f}×",
            "≤ 4×",
        ),
        Row(
            f"{megabytes} MB session, envelopes only",
            f"{envelopes:.2f} s",
            f"msgspec into a small struct {typed:.2f} s",
            f"{envelopes / typed:.2f}×",
            "≤ 1.5×",
        ),
        Row(
            f"{megabytes} MB session, skeleton of the tree",
            f"{skeleton:.2f} s",
            f"msgspec into a small struct {again:.2f} s",
            f"{skeleton / again:.2f}×",
            "",
        ),
    ]


def _model(path: Path) -> None:
    for _ in api.read(path, format="claude-code").conversation.entries:
        pass


def _envelopes(path: Path) -> None:
    for _ in api.skim(path, format="claude-code"):
        pass


def _untyped(path: Path) -> None:
    decode = msgspec.json.Decoder().decode
    with open(path, "rb", buffering=1 << 20) as file:
        for line in file:
            decode(line)


def _typed(path: Path) -> None:
    decode = msgspec.json.Decoder(_Envelope).decode
    with open(path, "rb", buffering=1 << 20) as file:
        for line in file:
            decode(line)


_READ = """
import sys
from talktree import api
for _ in api.read(sys.argv[1]).conversation.entries:
    pass
"""
_CLI = """
import sys
from talktree.cli.main import run
run(sys.argv[1:])
"""


def memory(megabytes: int) -> list[Row]:
    """Measure the peak memory of reading, stats and conversion, against the size of the lines."""
    path = session(megabytes)
    longest, count = _shape(path)
    out = path.with_suffix(".copy")
    rows = []
    for what, code, arguments in (
        ("read", _READ, [str(path)]),
        ("stats", _CLI, ["stats", "--json", str(path)]),
        (
            "convert to the same format",
            _CLI,
            ["convert", str(path), "-t", "claude-code", "-o", str(out)],
        ),
        ("check with all rules", _CLI, ["check", "--statistics", str(path)]),
        ("convert to native", _CLI, ["convert", str(path), "-t", "native", "-o", str(out)]),
    ):
        peak = peak_memory(code, *arguments)
        allowed = 100 * MEGABYTE + 4 * longest + _skeleton(count)
        rows.append(
            Row(
                f"{what}, {megabytes} MB, peak memory",
                f"{peak / MEGABYTE:.0f} MB",
                f"100 MB + 4 × {longest / MEGABYTE:.1f} MB (longest line)"
                f" + a skeleton of {count:,} entries",
                f"{peak / allowed:.2f}×",
                "≤ 1×",
            )
        )
        out.unlink(missing_ok=True)
    return rows


def _skeleton(lines: int) -> int:
    """Return the bytes for ids, parents and offsets: two texts of 36 letters, a slot, numbers."""
    return lines * (2 * 85 + 100 + 60)


def _shape(path: Path) -> tuple[int, int]:
    longest = count = 0
    with open(path, "rb", buffering=1 << 20) as file:
        for line in file:
            longest = max(longest, len(line))
            count += 1
    return longest, count


if __name__ == "__main__":
    for row in speed(int(sys.argv[1]) if len(sys.argv) > 1 else 100):
        print(row)
