"""`python -m bench.peers [--size MB]`: the other programs on the same history, in one run."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from bench.history import FOLDER, history, truth
from bench.history.truth import Sum
from bench.library.counting import of_library
from bench.library.ours import Talktree
from bench.page import measured
from bench.peers.contestants import COMMON, PEERS, Agentsview, Peer
from bench.peers.install import installed
from bench.programs import Ran, run, shown, size_of

PATIENCE = 900
SECTION = "Other programs"
INTRODUCTION = (
    "Written by `make bench-peers`: what package registries have, each in an environment of its\n"
    "own, on the same history of {size} MB. Tokens are compared with what was spent."
)
HEAD = ("program", "first index", "again", "search", "totals", "tokens", "memory", "on disk")


def main() -> None:
    """Measure and print."""
    measured("bench.peers", SECTION, INTRODUCTION, _lines, size=1000)


def _lines(size: int) -> Iterator[str]:
    yield f"| {' | '.join(HEAD)} |"
    yield f"|{'---|' * len(HEAD)}"
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
        yield _line(_ours("talktree", Path(folder) / "before", size))
        for kind in PEERS:
            yield _line(_cells(kind, Path(folder) / kind.package.name, size))
        # A machine may be slower for minutes, so it is measured again after all others.
        yield _line(_ours("talktree, once more", Path(folder) / "after", size))


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _ours(name: str, work: Path, size: int) -> list[str]:
    ours = Talktree(work)
    folder = history(size) / "projects"
    # Load all files into memory first, so that no contestant has to wait for the disk.
    for path in folder.rglob("*.jsonl"):
        path.read_bytes()
    first, again = run(ours.import_(folder)), run(ours.import_(folder))
    search, count = run(ours.search(COMMON)), run(ours.count())
    cells = [_describe(ran) for ran in (first, again, search, count)]
    exact = _judged(count, of_library, truth(size).total)
    disk = f"{size_of(ours.root) / 1e6:.0f} MB"
    return [name, *cells, exact, f"{first.peak >> 20} MiB", disk]


def _cells(kind: type[Peer], work: Path, size: int) -> list[str]:
    name = kind.package.name
    program = installed(kind.package)
    if program is None:
        return [name, "NOT RUN: not in the registries", *[""] * (len(HEAD) - 2)]
    if kind.largest is not None and size > kind.largest:
        size = kind.largest
        name += f" ({size} MB only)"
    peer = kind(program, work)
    _linked(history(size), peer.history)
    peer.forget()
    runs = [_asked(peer, command) for command in (peer.index(), peer.index())]
    search = _searched(peer)
    count = _asked(peer, peer.count())
    peak = max((ran.peak for ran in (*runs, count) if ran is not None), default=0)
    kept = sum(size_of(path) if path.is_dir() else path.stat().st_size for path in peer.kept())
    return [
        name,
        *(_describe(ran) for ran in (*runs, search, count)),
        _judged(count, peer.tokens, truth(size).total),
        f"{peak >> 20} MiB",
        f"{kept / 1e6:.0f} MB" if kept else "",
    ]


def _linked(source: Path, copy: Path) -> None:
    """Copy by hard links: a program may add its own files next to them."""
    shutil.copytree(source, copy, copy_function=lambda a, b: Path(b).hardlink_to(a))


def _asked(peer: Peer, command: Sequence[str] | None) -> Ran | None:
    return run(command, env=peer.env, timeout=PATIENCE) if command else None


def _searched(peer: Peer) -> Ran | None:
    command = peer.search(COMMON)
    if command is None:
        return None
    if not isinstance(peer, Agentsview):
        return _asked(peer, command)
    env = {**peer.env, "AGENTSVIEW_NO_DAEMON": "0"}
    run([peer.program, "daemon", "start"], env=env, timeout=PATIENCE)
    try:
        return run(command, env=env, timeout=PATIENCE)
    finally:
        run([peer.program, "daemon", "stop"], env=env, timeout=PATIENCE)


def _describe(ran: Ran | None) -> str:
    if ran is None:
        return "–"
    details = (ran.errors or ran.output).strip()
    if ran.status != 0 or details.startswith("Error"):
        return f"NOT RUN: {details.splitlines()[0][:60] if details else ran.status}"
    return f"{shown(ran.seconds)} ({shown(ran.cpu)} CPU)"


def _judged(ran: Ran | None, tokens: Callable[[str], dict[str, int]], total: Sum) -> str:
    """Return whether its tokens are the true ones, as text."""
    if ran is None or ran.status != 0:
        return "–"
    off = [
        f"{name} {count / getattr(total, name):.2f}×"
        for name, count in tokens(ran.output).items()
        if count != getattr(total, name)
    ]
    return ", ".join(off) or "exact"


if __name__ == "__main__":
    main()
