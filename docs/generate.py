"""Writes the pages that come out of the program itself: `python docs/generate.py`.

The command reference from `--help`, the rules from their docstrings, the studio's API from its
route table, the statements of the five documents from `documents.toml`, the pictures from what the
commands print on the demo. A test compares them with what is kept here.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).parent
ROOT = DOCS.parent
PICTURES = {
    "tree": ["tree", "demo/claude-code.jsonl"],
    "show": ["show", "demo/claude-code.jsonl"],
    "stats": ["stats", "demo/claude-code.jsonl"],
}
WIDTH = 100
MOST_LINES = 46


def output(*arguments: str, color: bool = False) -> str:
    """What a command prints, run from the root of the repository."""
    environment = {**os.environ, "COLUMNS": str(WIDTH), "PYTHONUTF8": "1", "TZ": "UTC"}
    environment.pop("NO_COLOR", None)
    call = [sys.executable, "-m", "talktree.cli.main", *arguments]
    if color:
        call += ["--color", "always"]
    done = subprocess.run(call, cwd=ROOT, env=environment, capture_output=True, check=True)
    return done.stdout.decode()


def commands() -> str:
    """The command reference."""
    from talktree.cli.commands.library import command as library
    from talktree.cli.commands.session import command as session
    from talktree.cli.group import COMMANDS

    verbs = [[verb] for verb in COMMANDS]
    verbs += [["library", verb] for verb in library.listed]
    verbs += [["session", verb] for verb in session.listed]
    pages = [
        ("talktree", ["--help"]),
        *((f"talktree {' '.join(verb)}", [*verb, "--help"]) for verb in verbs),
    ]
    blocks = [f"## {name}\n\n```text\n{output(*call).rstrip()}\n```\n" for name, call in pages]
    return (
        "# Commands\n\nWritten by `make docs` from `--help`.\n\n" + "\n".join(blocks) + EXIT_CODES
    )


EXIT_CODES = """
## Exit codes

| code | meaning |
|---:|---|
| 0 | done |
| 1 | findings, differences or no hit |
| 2 | wrong usage, or no such path |
| 3 | unreadable or unknown format |
| 4 | would lose data |
| 5 | locked, or changed meanwhile |
| 6 | an optional extra is missing |
| 70 | a bug in Talktree |
| 130 | interrupted |

`import` and `export` end with 3 if a source could not be read; the others are taken in. `list` and
`search` end with 1 if they find nothing, `library check` if something is wrong.

`session undo`, `redo`, `restore` and `switch` end with 0 if all is as planned, 1 if something was
left (a conflict, a skip, something that cannot be restored), 2 if they were refused, 3 if they
failed. `session step` ends with the exit code of the command it runs.
"""


def rules() -> dict[Path, str]:
    """The pages of rules: a list of all, and a page a family."""
    sys.path.insert(0, str(DOCS))
    from rules import pages as written

    return {DOCS / "reference" / "rules" / name: text for name, text in written().items()}


def conversions() -> str:
    """What each pair of formats holds."""
    sys.path.insert(0, str(DOCS))
    from conversions import conversions as written

    return str(written())


def documents() -> str:
    """What the five documents state, where it is implemented, and what proves it."""
    sys.path.insert(0, str(DOCS))
    from documents import page as written

    return str(written())


def studio() -> dict[Path, str]:
    """The studio's API as a page, and its shapes as the types of the page's source."""
    sys.path.insert(0, str(DOCS))
    from studio_api import page
    from studio_edits import page as edits

    from talktree.web.typescript import format_types

    return {
        DOCS / "reference" / "studio-api.md": str(page()),
        DOCS / "reference" / "studio-edits.md": str(edits()),
        ROOT / "frontend" / "src" / "data" / "api" / "types.ts": format_types(),
    }


def picture(name: str) -> str:
    """A picture of what a command prints."""
    from rich.console import Console
    from rich.text import Text

    call = PICTURES[name]
    lines = output(*call, color=True).splitlines()
    shown = "\n".join(lines[:MOST_LINES] + (["…"] if len(lines) > MOST_LINES else []))
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        console = Console(record=True, width=WIDTH, file=nowhere, force_terminal=True)
        console.print(Text.from_ansi(shown), soft_wrap=False)
        drawn = console.export_svg(title=f"talktree {' '.join(call)}", unique_id=name)
    # The fonts it names would be fetched from elsewhere; any monospaced one will do.
    return re.sub(r"\s*@font-face \{.*?\}\n", "\n", drawn, flags=re.DOTALL)


def pages() -> dict[Path, str]:
    """Every generated page with its text."""
    return {
        DOCS / "reference" / "commands.md": commands(),
        **rules(),
        DOCS / "reference" / "conversions.md": conversions(),
        DOCS / "reference" / "documents.md": documents(),
        **studio(),
        **{DOCS / "pictures" / f"{name}.svg": picture(name) for name in PICTURES},
    }


if __name__ == "__main__":
    for path, text in pages().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
