"""`talktree session`: sessions that agents record, and moving through them.

The commands are in `session_record`, `session_show`, `session_undo` and `session_care`.
"""

from __future__ import annotations

import click

from talktree.cli.group import CommandInfo, LazyGroup

_HERE = "talktree.cli.commands"
_RECORD = f"{_HERE}.session_record"
_LOOK = f"{_HERE}.session_show"
_MOVE = f"{_HERE}.session_undo"
_CARE = f"{_HERE}.session_care"


@click.group("session", cls=LazyGroup, no_args_is_help=False, invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Record sessions, and go back and forth in them without losing work.

    A session holds what was said and what was done to files. Undo, redo and restore show a plan
    first, touch nothing the session did not do, and leave files alone that somebody else changed
    since.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


assert isinstance(command, LazyGroup)
command.listed = {
    "new": CommandInfo(_RECORD, "Make a session and print its id.", "new"),
    "append": CommandInfo(_RECORD, "Add a message to a session.", "append"),
    "step": CommandInfo(_RECORD, "Run a command and record what it does to files.", "step"),
    "list": CommandInfo(_LOOK, "List the sessions of a store.", "list_"),
    "log": CommandInfo(_LOOK, "Tell what happened in a session: prompts, steps, moves.", "log"),
    "show": CommandInfo(_LOOK, "Tell where a session stands, and what is different now.", "show"),
    "diff": CommandInfo(_LOOK, "Compare files and todos between two points.", "diff"),
    "todos": CommandInfo(_LOOK, "The todos at a message, and how they got there.", "todos"),
    "undo": CommandInfo(_MOVE, "Go back: to before the last step, a turn, or any message.", "undo"),
    "redo": CommandInfo(_MOVE, "Take back the last undo.", "redo"),
    "restore": CommandInfo(
        _MOVE, "Go to any message; also from Claude Code's file history.", "restore"
    ),
    "branch": CommandInfo(
        _CARE, "List branches, give one a name, or take the name away.", "branch"
    ),
    "switch": CommandInfo(_MOVE, "Go to another branch.", "switch"),
    "check": CommandInfo(_CARE, "Look for damage in a session.", "check"),
    "gc": CommandInfo(_CARE, "Tell, or remove, contents that no line names.", "gc"),
    "forget": CommandInfo(_CARE, "Erase a session, a message or a file's history.", "forget"),
}
command.examples = (
    "talktree session new --title 'Tidy up'",
    "talktree session append --role user 'Rename the module'",
    "talktree session step -- make format",
    "talktree session undo --dry-run",
    "talktree session undo --yes",
    "talktree session redo --yes",
    "talktree session restore ~/.claude/projects/app/SESSION.jsonl --to MESSAGE --into was",
)
