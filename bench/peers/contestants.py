"""The commands of each program to index, index again, search and count."""

from __future__ import annotations

import json
import shutil
from abc import ABC
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.peers.install import AGENTSVIEW, AICHAT, CCUSAGE, CLAUDE_CODE_LOG, Package

COMMON = "function"


class Peer(ABC):
    """A program with a home of its own and a copy of the history, which it may write to."""

    package: Package
    largest: int | None = None
    """Megabytes beyond which it is not run, because it takes too long."""

    def __init__(self, program: Path, work: Path) -> None:
        self.program = str(program)
        self.home = work / "home"
        self.history = work / "history"
        self.home.mkdir(parents=True, exist_ok=True)

    @property
    def env(self) -> Mapping[str, str]:
        """An environment in which nothing of the user is read, written or sent."""
        return {
            "HOME": str(self.home),
            "XDG_CONFIG_HOME": str(self.home / "config"),
            "XDG_CACHE_HOME": str(self.home / "cache"),
            "XDG_DATA_HOME": str(self.home / "data"),
            "CLAUDE_CONFIG_DIR": str(self.history),
            "CLAUDE_PROJECTS_DIR": str(self.history / "projects"),
            "AGENTSVIEW_DATA_DIR": str(self.home / "agentsview"),
            "AGENTSVIEW_NO_DAEMON": "1",
            "DO_NOT_TRACK": "1",
            "LOG_LEVEL": "0",
            "TZ": "UTC",
        }

    def index(self) -> Sequence[str] | None:
        """Return the command that indexes, the first time and again."""
        return None

    def search(self, word: str) -> Sequence[str] | None:
        """Return the command for a search from the shell."""
        return None

    def count(self) -> Sequence[str] | None:
        """Return the command for the tokens of all sessions."""
        return None

    def tokens(self, output: str) -> dict[str, int]:
        """Return the tokens in its output: input, output, cache_write, cache_read."""
        totals: dict[str, Any] = json.loads(output)["totals"]
        return {
            "input": totals["inputTokens"],
            "output": totals["outputTokens"],
            "cache_write": totals["cacheCreationTokens"],
            "cache_read": totals["cacheReadTokens"],
        }

    def kept(self) -> list[Path]:
        """Return the folders and files of its index."""
        return []

    def forget(self) -> None:
        """Remove its index."""
        for path in self.kept():
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


class Ccusage(Peer):
    """Counts tokens directly from the files; no index, no search."""

    package = CCUSAGE

    def count(self) -> Sequence[str]:
        return [self.program, "claude", "daily", "--json", "--offline", "--timezone", "UTC"]


class Agentsview(Peer):
    """SQLite with FTS5; a search goes through its server."""

    package = AGENTSVIEW

    def index(self) -> Sequence[str]:
        return [self.program, "sync"]

    def search(self, word: str) -> Sequence[str]:
        return [self.program, "session", "search", "--fts", "--limit", "20", "--json", word]

    def count(self) -> Sequence[str]:
        return [self.program, "usage", "daily", "--all", "--json", "--offline", "--no-sync"]

    def kept(self) -> list[Path]:
        return [self.home / "agentsview"]


class Aichat(Peer):
    """A tantivy index of sessions, without an archive; its search is a program of its own."""

    package = AICHAT

    def index(self) -> Sequence[str]:
        return [self.program, "build-index"]

    def search(self, word: str) -> Sequence[str]:
        return [self.program, "search", "--global", "--json", word]

    def kept(self) -> list[Path]:
        return [self.home / ".cctools"]


class ClaudeCodeLog(Peer):
    """Renders pages; its cache is next to the sessions."""

    package = CLAUDE_CODE_LOG
    largest = 100

    def index(self) -> Sequence[str]:
        projects = str(self.history / "projects")
        return [self.program, projects, "--all-projects", "--no-individual-sessions"]

    def kept(self) -> list[Path]:
        return [self.history / "projects" / "claude-code-log-cache.db"]


PEERS: tuple[type[Peer], ...] = (Ccusage, Agentsview, Aichat, ClaudeCodeLog)
