"""Words that are not those of this field, and their replacements.

`python -m tests.wordlist` (part of `make check`) searches for them in everything people read: code,
docstrings, messages, the studio's strings and the docs. Files that still have some are listed in
`wordlist.json` with a number that may only fall; `python -m tests.wordlist --lower` lowers it.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
ALLOWED = Path(__file__).with_suffix(".json")
READ = ("*.py", "*.ts", "*.tsx", "*.css", "*.md", "*.toml", "Makefile")
NOT_READ = (
    "tests/data/", "tests/cli/", "docs/reference/", "demo/", "tests/wordlist.py",
    "frontend/src/data/api/types.ts",
)  # fmt: skip
"""Data, generated pages, and this list."""
WORDS = {
    "told": "reported, known, given",
    "mend(?:s|ed|ing|er)?": "repair, fix",
    "nobody|somebody|whoever|whomever": "no one in particular: name the reader or the program",
    "so many": "a maximum of, as many as",
    "(?<!there )is no (?!longer|more)": "is not a",
    "stands|stood": "is, was",
    "hangs|hung": "is a child of, is attached to",
    "ledgers?": "loss report",
    "crews?": "process pool",
    "lanes?": "numpy scan",
    "desks?": "document cache",
    "deeds?": "edit operation",
    "stretch(?:es)?": "batch, span, range",
    "torn": "truncated",
    "minted": "new",
    "strangers?": "foreign files",
    "riders?": "unattached records",
    "bones": "skeleton",
    "look(?:s|ed|ing)? after": "maintain",
    "(?:take|takes|taken|taking|took) in": "import",
    "(?:give|gives|given|giving|gave) back": "restore, return",
    "by itself|of itself": "automatically, alone",
}
_PATTERN = re.compile(
    r"(?<![A-Za-z])(?:"
    + "|".join(f"(?P<w{number}>{word})" for number, word in enumerate(WORDS))
    + r")(?![a-z])",
    re.IGNORECASE,
)
_INSTEAD = tuple(WORDS.values())


class Use(NamedTuple):
    """One of the words, in a line of a file."""

    path: str
    line: int
    word: str
    instead: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.word!r}: write {self.instead}"


def find_uses(path: str) -> Iterator[Use]:
    """Yield the words of the list in a file."""
    text = (ROOT / path).read_text("utf-8")
    for found in _PATTERN.finditer(text.replace("_", " ")):
        instead = _INSTEAD[int((found.lastgroup or "w0")[1:])]
        yield Use(path, text.count("\n", 0, found.start()) + 1, found.group().strip(), instead)


def read_files() -> list[str]:
    """Return every file of the project that people read."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *READ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    names = [name for name in listed.stdout.splitlines() if not name.startswith(NOT_READ)]
    return [name for name in names if (ROOT / name).is_file()]


def allowed() -> dict[str, int]:
    """Return how many uses a file may still have."""
    numbers: dict[str, int] = json.loads(ALLOWED.read_text())
    return numbers


def main() -> int:
    """Print the uses above the limits; with --lower, lower the limits."""
    uses = {path: list(find_uses(path)) for path in read_files()}
    limits = allowed() if ALLOWED.exists() else {}
    if "--lower" in sys.argv or not limits:
        counts = {path: len(found) for path, found in uses.items() if found}
        lowered = {path: min(count, limits.get(path, count)) for path, count in counts.items()}
        ALLOWED.write_text(json.dumps(lowered, indent=0, sort_keys=True) + "\n")
        return 0
    wrong = [
        use for path, found in uses.items() if len(found) > limits.get(path, 0) for use in found
    ]
    sys.stdout.writelines(f"{use}\n" for use in wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
