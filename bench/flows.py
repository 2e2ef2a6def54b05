"""`python -m bench.flows`: in how many files of the package a function runs, for six flows.

It measures how much of the code a newcomer has to follow. Each flow runs in a process of its own,
on a conversation of `demo/`; code that runs while a module is imported does not count.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import FrameType
from typing import Any

from talktree.cli.main import run
from talktree.session.store import Store

ROOT = Path(__file__).parent.parent
PACKAGE = str(ROOT / "src" / "talktree")
TALK = ROOT / "demo" / "claude-code.jsonl"
GOALS = {"convert": 80, "import": 55, "search": 35, "undo": 75, "check": 105, "branch page": 80}
"""The maximum number of files that each flow should need."""
Flow = Callable[[], object]


def _command(*words: str) -> Flow:
    def flow() -> None:
        if run(words) not in (0, 1):
            raise SystemExit(f"{' '.join(words)} failed")

    return flow


def _library(place: Path) -> str:
    library = str(place / "library")
    _command("import", str(TALK), "--library", library, "--quiet")()
    return library


def _convert(place: Path) -> Flow:
    return _command("convert", str(TALK), "-t", "muse", "-o", str(place / "out.json"), "--quiet")


def _import(place: Path) -> Flow:
    return _command("import", str(TALK), "--library", str(place / "library"), "--quiet")


def _search(place: Path) -> Flow:
    return _command("search", "the", "--library", _library(place))


def _check(place: Path) -> Flow:
    return _command("check", str(TALK))


def _undo(place: Path) -> Flow:
    work, store = place / "work", place / "store"
    work.mkdir()
    with Store(store).create(workspace=work) as session:
        session.user("change it")
        with session.step(paths=["a.txt"]):
            (work / "a.txt").write_text("new")
    return _command("session", "undo", session.id, "--root", str(store), "--yes")


def _branch_page(place: Path) -> Flow:
    from bench.studio import opened, screen

    cache = opened(Path(_library(place)))
    return lambda: screen(cache)


FLOWS = {
    "convert": _convert,
    "import": _import,
    "search": _search,
    "undo": _undo,
    "check": _check,
    "branch page": _branch_page,
}


def count_files(flow: Flow) -> int:
    """Return the number of files of the package in which a function runs."""
    seen: set[str] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:  # noqa: ANN401
        name = frame.f_code.co_filename
        if event != "call" or name in seen or not name.startswith(PACKAGE):
            return
        if not _is_importing(frame):
            seen.add(name)

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        flow()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return len(seen)


def _is_importing(frame: FrameType) -> bool:
    """Whether the body of a module or class runs, or something that it calls."""
    above: FrameType | None = frame
    while above is not None:
        if not above.f_code.co_flags & CO_OPTIMIZED and above.f_code.co_filename.startswith(
            PACKAGE
        ):
            return True
        above = above.f_back
    return False


def main() -> None:
    """Print the table, or the number of one flow."""
    if len(sys.argv) > 1:
        with tempfile.TemporaryDirectory() as place:
            print(count_files(FLOWS[sys.argv[1]](Path(place))), file=sys.stderr)
        return
    print("| flow | files | goal |\n|---|--:|--:|")
    for name in FLOWS:
        done = subprocess.run(
            [sys.executable, "-m", "bench.flows", name], capture_output=True, text=True, cwd=ROOT
        )
        print(f"| {name} | {done.stderr.split()[-1]} | {GOALS[name]} |")


if __name__ == "__main__":
    main()
