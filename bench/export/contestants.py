"""The commands of each program for the pages of a history."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from bench.peers.contestants import ClaudeCodeLog, Peer
from bench.peers.install import TRANSCRIPTS


class Transcripts(Peer):
    """Writes pages of a few prompts each, without colours; sub-agents are left out."""

    package = TRANSCRIPTS

    def pages(self, out: Path) -> Sequence[str]:
        """Return the command for a folder of pages."""
        source = str(self.history / "projects")
        return [self.program, "all", "--source", source, "--output", str(out), "--quiet"]


class Log(ClaudeCodeLog):
    """Writes one page per project; its cache next to the sessions is new each time."""

    def pages(self, out: Path) -> Sequence[str]:
        """Return the command for a folder of pages."""
        projects = str(self.history / "projects")
        return [
            self.program, projects, "--all-projects", "--no-individual-sessions",
            "--output", str(out), "--no-cache",
        ]  # fmt: skip


def talktree(projects: Path, out: Path) -> Sequence[str]:
    """Return the command for a page per session with sub-agents, redaction, and an index."""
    command = [sys.executable, "-m", "talktree.cli.main", "export", str(projects)]
    return [*command, "--to", "html", "-o", f"{out}/", "--quiet"]


PEERS = ((Transcripts, 1 / 4), (Log, 1 / 10))
"""The programs to compare with, and the fraction of their time that Talktree may take."""
