"""Talktree measured like the other programs: by its commands, in processes of their own."""

from __future__ import annotations

import sys
from pathlib import Path

from talktree.library.encryption.key_file import LibraryKey

PROGRAM = str(Path(sys.executable).with_name("talktree"))
_FILES = """
import json, sys
from talktree.library.stats.from_files import total_usage
from bench.walk import files
print(json.dumps(total_usage(files(sys.argv[1])).total._asdict()))
"""


class Talktree:
    """The commands over one library."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.about: LibraryKey | None = None
        """The key file of an encrypted library."""

    def import_(self, folder: Path) -> list[str]:
        """Return the command that imports a folder, or scans it again."""
        return [PROGRAM, "import", str(folder), "--json", "--library", str(self.root)]

    def search(self, words: str) -> list[str]:
        """Return the command for the best twenty hits, with excerpts."""
        return [PROGRAM, "search", words, "--library", str(self.root), "--color", "never"]

    def count(self) -> list[str]:
        """Return the command for the tokens of all sessions, from the library."""
        return [PROGRAM, "stats", "--json", "--library", str(self.root)]

    @staticmethod
    def count_files(folder: Path) -> list[str]:
        """Return the command for the tokens of all sessions, directly from their files."""
        return [sys.executable, "-c", _FILES, str(folder)]
