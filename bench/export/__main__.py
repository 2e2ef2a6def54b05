"""`python -m bench.export [--size MB] [--write]`: pages of the same history, in one run."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.export.contestants import PEERS, talktree
from bench.history import FOLDER, history
from bench.page import measured
from bench.peers.install import installed
from bench.programs import Ran, as_installed, run, shown, size_of

PATIENCE = 1800
SECTION = "Pages of a history"
INTRODUCTION = (
    "Written by `python -m bench.export`: HTML of the same history of {size} MB, one program\n"
    "after the other. The pages of Talktree have colours, sub-agents, branches and an index, and "
    "secrets are replaced."
)
HEAD = ("program", "time", "CPU", "memory", "pages", "written", "our share", "bar")


def main() -> None:
    """Measure and print."""
    measured("bench.export", SECTION, INTRODUCTION, _lines, size=100)


def _lines(size: int) -> Iterator[str]:
    yield _line(HEAD)
    yield f"|{'---|' * len(HEAD)}"
    as_installed()
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
        work = Path(folder)
        source = history(size)
        for path in source.rglob("*.jsonl"):
            path.read_bytes()
        ours = run(talktree(source / "projects", work / "ours"))
        yield _line(("talktree", *_describe(ours, work / "ours"), "", ""))
        for kind, bar in PEERS:
            program = installed(kind.package)
            if program is None:
                yield _line((kind.package.name, "NOT RUN: not in the registries", *[""] * 6))
                continue
            peer = kind(program, work / kind.package.name)
            shutil.copytree(source, peer.history, copy_function=_shared)
            out = work / f"{kind.package.name}-pages"
            theirs = run(peer.pages(out), env=peer.env, timeout=PATIENCE)
            share = f"{ours.seconds / theirs.seconds:.3f}"
            yield _line((kind.package.name, *_describe(theirs, out), share, f"{bar:.2f}"))


def _shared(source: str, copy: str) -> None:
    """Copy by hard link: a program may add its own files next to it."""
    Path(copy).hardlink_to(source)


def _describe(ran: Ran, out: Path) -> tuple[str, ...]:
    if ran.status != 0:
        details = (ran.errors or ran.output).strip().splitlines()
        return (f"NOT RUN: {details[-1][:60] if details else ran.status}", "", "", "", "")
    pages = sum(1 for _ in out.rglob("*.html"))
    memory = f"{ran.peak >> 20} MiB"
    written_bytes = f"{size_of(out) / 1e6:.0f} MB"
    return shown(ran.seconds), shown(ran.cpu), memory, f"{pages:,}", written_bytes


def _line(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
