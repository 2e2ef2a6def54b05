"""How each program is asked for pages of a history."""

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
        """A folder of pages."""
        source = str(self.history / "projects")
        return [self.program, "all", "--source", source, "--output", str(out), "--quiet"]


class Log(ClaudeCodeLog):
    """Writes one page a project; what it keeps beside the sessions is new each time."""

    def pages(self, out: Path) -> Sequence[str]:
        """A folder of pages."""
        projects = str(self.history / "projects")
        return [
            self.program, projects, "--all-projects", "--no-individual-sessions",
            "--output", str(out), "--no-cache",
        ]  # fmt: skip


def talktree(projects: Path, out: Path) -> Sequence[str]:
    """A page a session with its sub-agents, coloured, secrets looked for, and an index."""
    command = [sys.executable, "-m", "talktree.cli.main", "export", str(projects)]
    return [*command, "--to", "html", "-o", f"{out}/", "--quiet"]


PEERS = ((Transcripts, 1 / 4), (Log, 1 / 10))
"""Who is compared with, and the part of their time that we may take."""
