"""The shared setup of the measurements: a history that can be extended, a library, a bare index."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from bench.history import FOLDER, Truth, history, truth
from bench.library.ours import Talktree
from bench.programs import as_installed
from bench.walk import files


class Stand(NamedTuple):
    """The setup; everything is in one temporary folder."""

    size: int
    """Megabytes."""
    truth: Truth
    work: Path
    history: Path
    """Links to the files of the history, except for `growing`, which is a copy."""
    growing: Path
    ours: Talktree
    bare: Path
    """The folder of the bare index."""

    @property
    def projects(self) -> Path:
        """The folder that is imported."""
        return self.history / "projects"

    def build_bare(self) -> list[str]:
        """Return the command that rebuilds the bare index."""
        shutil.rmtree(self.bare, ignore_errors=True)
        return [sys.executable, "-m", "bench.bare", str(self.projects), str(self.bare)]

    def import_cold(self) -> list[str]:
        """Return the command that recreates the library."""
        shutil.rmtree(self.ours.root, ignore_errors=True)
        return self.ours.import_(self.projects)


@contextmanager
def stand(size: int) -> Iterator[Stand]:
    """Provide the setup for a history of this many megabytes, and remove it at the end."""
    as_installed()
    source = history(size)
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
        work = Path(folder)
        shutil.copytree(source, work / "history", copy_function=_link)
        growing = Path(sorted(files(work / "history" / "projects"))[size // 3])
        _unlinked(growing)
        yield Stand(
            size=size,
            truth=truth(size),
            work=work,
            history=work / "history",
            growing=growing,
            ours=Talktree(work / "library"),
            bare=work / "bare",
        )


def _link(source: str, copy: str) -> None:
    Path(copy).hardlink_to(source)


def _unlinked(path: Path) -> None:
    data = path.read_bytes()
    path.unlink()
    path.write_bytes(data)
