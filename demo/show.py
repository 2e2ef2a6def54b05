"""Shows the bundled conversations in the terminal: what they are, their trees, a transcript."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
CONVERSATIONS = sorted(path for path in HERE.iterdir() if path.name != Path(__file__).name)


def talktree(*arguments: str) -> None:
    """Run a command as a person would."""
    print(f"\n$ talktree {' '.join(arguments)}", flush=True)
    subprocess.run([sys.executable, "-m", "talktree.cli.main", *arguments], check=True, cwd=HERE)


def main() -> None:
    """All formats, one after the other."""
    talktree("formats")
    names = [path.name for path in CONVERSATIONS]
    talktree("detect", *names)
    for name in names:
        talktree("tree", name)
    for name in names:
        talktree("show", name, "--no-pager")
    talktree("stats", "claude-code.jsonl")


if __name__ == "__main__":
    main()
