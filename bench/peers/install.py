"""Installs the other programs from the package registries, below this folder, once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent


class Package(NamedTuple):
    """One program and where it comes from."""

    name: str
    program: str
    """Its path in its environment."""
    npm: str = ""
    pip: str = ""


CCUSAGE = Package(
    "ccusage", "node_modules/@ccusage/ccusage-linux-x64/bin/ccusage", npm="ccusage@20.0.24"
)
AGENTSVIEW = Package("agentsview", "bin/agentsview", pip="agentsview")
AICHAT = Package("claude-code-tools", "bin/aichat", pip="claude-code-tools")
CLAUDE_CODE_LOG = Package("claude-code-log", "bin/claude-code-log", pip="claude-code-log")
TRANSCRIPTS = Package(
    "claude-code-transcripts", "bin/claude-code-transcripts", pip="claude-code-transcripts"
)
RIPGREP = Package("ripgrep", "bin/rg", pip="ripgrep")
ALL = (CCUSAGE, AGENTSVIEW, AICHAT, CLAUDE_CODE_LOG, TRANSCRIPTS, RIPGREP)


def found(package: Package) -> Path | None:
    """Return the program, if it is installed."""
    path = _folder(package) / package.program
    return path if path.exists() else None


def installed(package: Package) -> Path | None:
    """Return the program, after installing it if needed; None if the registries do not have it."""
    if found(package) is None:
        print(f"installing {package.name}", file=sys.stderr)
        for command in _commands(package):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                print(done.stderr[-500:], file=sys.stderr)
                return None
    program = found(package)
    if program is not None and not os.access(program, os.X_OK):
        # Some are made executable by a script of their package, which npm may not run.
        program.chmod(0o755)
    return program


def _folder(package: Package) -> Path:
    return HERE / f".env-{package.name}"


def _commands(package: Package) -> list[list[str]]:
    folder = str(_folder(package))
    if package.npm:
        return [["npm", "install", "--prefix", folder, "--no-fund", "--no-audit", package.npm]]
    pip = [f"{folder}/bin/python", "-m", "pip", "install", "--quiet"]
    # Packages that would have to be compiled are not installed.
    return [
        [sys.executable, "-m", "venv", folder],
        [*pip, "--prefer-binary", "--only-binary", package.name, package.pip],
    ]
