"""Show the bundled conversations in the terminal: information, trees and a transcript."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from talktree import read

HERE = Path(__file__).parent.parent / "demo"
CONVERSATIONS = sorted(HERE.iterdir())


def talktree(*arguments: str) -> None:
    """Run a command as a user would."""
    print(f"\n$ talktree {' '.join(arguments)}", flush=True)
    subprocess.run([sys.executable, "-m", "talktree.cli.main", *arguments], check=True, cwd=HERE)


def main() -> None:
    """Show all formats, one after the other."""
    talktree("formats")
    names = [path.name for path in CONVERSATIONS]
    talktree("detect", *names)
    for name in names:
        talktree("tree", name)
    for name in names:
        ids = [each.native_id for each in read(HERE / name).conversations]
        for id in ids:
            one = ("--conversation", id) if len(ids) > 1 else ()
            talktree("show", name, "--no-pager", *one)
    talktree("stats", "claude-code.jsonl")


if __name__ == "__main__":
    main()
