"""The entry point: one verb is run, and whatever happens becomes an exit code.

Nothing is imported here that a mere `--help` does not need.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

from talktree import __version__
from talktree.cli.failures import ReaderGone, let_go, report
from talktree.cli.verbs import LazyGroup, Listed

SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
INTERRUPTED = 130
_HERE = "talktree.cli.commands"
COMMANDS = {
    "formats": Listed(f"{_HERE}.formats", "List the formats and what each can hold."),
    "detect": Listed(f"{_HERE}.detect", "Say which format files are in, and why."),
    "show": Listed(f"{_HERE}.show", "Print the transcript of a branch."),
    "tree": Listed(f"{_HERE}.tree", "Draw the branches of a conversation."),
    "stats": Listed(f"{_HERE}.stats", "Count messages, tools, tokens and days."),
    "edit": Listed(f"{_HERE}.edit", "Reply, replace, move, delete: as a new branch."),
    "diff": Listed(f"{_HERE}.diff", "Tell what differs between two conversations."),
    "convert": Listed(f"{_HERE}.convert", "Write conversations in any format."),
    "check": Listed(f"{_HERE}.check", "Find what is wrong with conversations."),
    "repair": Listed(f"{_HERE}.repair", "Mend what is wrong; the input stays as it is."),
    "rule": Listed(f"{_HERE}.rule", "Explain a rule, or list them all."),
    "migrate": Listed(f"{_HERE}.migrate", "Bring older files of a format up to date, and back."),
    "import": Listed(f"{_HERE}.import_", "Take conversations into the library, and keep them."),
    "list": Listed(f"{_HERE}.list_", "List the conversations of the library."),
    "search": Listed(f"{_HERE}.search", "Find anything in the library."),
    "studio": Listed(f"{_HERE}.studio", "See, edit and share conversations in the browser."),
    "watch": Listed(f"{_HERE}.watch", "Follow growing files."),
    "export": Listed(
        f"{_HERE}.export", "Share conversations as pages; write tables of the library."
    ),
    "library": Listed(f"{_HERE}.library", "Look after the library: info, check, restore, places."),
    "session": Listed(f"{_HERE}.session", "Record sessions; undo, redo and restore work in them."),
}


@click.group(cls=LazyGroup, context_settings=SETTINGS, no_args_is_help=False)
@click.version_option(__version__, prog_name="talktree", message="%(prog)s %(version)s")
def commands() -> None:
    """The pandoc and the git of AI conversations: reads any history and loses nothing."""


assert isinstance(commands, LazyGroup)
commands.listed = COMMANDS
commands.examples = (
    "talktree show session.jsonl",
    "talktree tree session.jsonl",
    "talktree import --known && talktree search 'KeyError tool:bash after:4w'",
    "talktree convert session.jsonl -t muse -o session.json",
    'eval "$(_TALKTREE_COMPLETE=bash_source talktree)"    completion; also zsh_, fish_source',
)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; errors have been told on stderr."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    try:
        code = commands.main(given or ["--help"], prog_name="talktree", standalone_mode=False)
        return _flushed(code if isinstance(code, int) else 0)
    except ReaderGone:
        let_go()
        return 0
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except Exception as error:
        if os.environ.get("TALKTREE_DEBUG"):
            raise
        return report(error, as_json=_wants_json(given))


def _wants_json(arguments: Sequence[str]) -> bool:
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return "--json" in options


def _flushed(code: int) -> int:
    try:
        sys.stdout.flush()
    except OSError:
        let_go()
        return 0
    return code


if __name__ == "__main__":
    sys.exit(run())
