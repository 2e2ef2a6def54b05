"""`talktree library`: maintain the library.

The commands are in `library_care`, `library_keep`, `library_find`, `library_forget`,
`library_scrub`, `library_retention` and `library_encryption`.
"""

from __future__ import annotations

import click

from talktree.cli.group import CommandInfo, LazyGroup

_HERE = "talktree.cli.commands"
_CARE = f"{_HERE}.library_care"
_KEEP = f"{_HERE}.library_keep"
_FORGET = f"{_HERE}.library_forget"
_FIND = f"{_HERE}.library_find"
_SCRUB = f"{_HERE}.library_scrub"
_RETENTION = f"{_HERE}.library_retention"
_ENCRYPTION = f"{_HERE}.library_encryption"


@click.group("library", cls=LazyGroup, no_args_is_help=False, invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Look after the library: every conversation, kept byte for byte, found and counted.

    `talktree import` fills it, `list`, `search` and `stats` read it. It never changes a source.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


assert isinstance(command, LazyGroup)
command.listed = {
    "info": CommandInfo(
        _CARE, "Tell where it is, how much it holds, and what configures it.", "info"
    ),
    "check": CommandInfo(_CARE, "Look for damage in the archive and the index.", "check"),
    "reindex": CommandInfo(
        _CARE, "Make the full text and the facts again from the archive.", "reindex"
    ),
    "versions": CommandInfo(
        _KEEP, "List the versions of a conversation that are kept.", "versions"
    ),
    "restore": CommandInfo(_KEEP, "Write a conversation's files as they were.", "restore"),
    "find": CommandInfo(_FIND, "Find a text in everything that is kept.", "find"),
    "forget": CommandInfo(_FORGET, "Erase a conversation and keep it away.", "forget"),
    "forgotten": CommandInfo(_FORGET, "List what was forgotten.", "forgotten"),
    "readmit": CommandInfo(_FORGET, "Let the next import take in what was forgotten.", "readmit"),
    "scrub": CommandInfo(_SCRUB, "Take a secret out of everything that is kept.", "scrub"),
    "retention": CommandInfo(_RETENTION, "Forget what your retention rules let go.", "retention"),
    "encrypt": CommandInfo(_ENCRYPTION, "Encrypt archive, database and full text.", "encrypt"),
    "decrypt": CommandInfo(_ENCRYPTION, "Make an encrypted library a plain one again.", "decrypt"),
    "unlock": CommandInfo(_ENCRYPTION, "Unlock an encrypted library for a while.", "unlock"),
    "lock": CommandInfo(_ENCRYPTION, "Lock an encrypted library.", "lock"),
    "places": CommandInfo(_KEEP, "List, add or remove the places that are looked at.", "places"),
}
command.examples = (
    "talktree library info",
    "talktree library check --read-data",
    "talktree library restore 3f2a --into was",
    "talktree library places add ~/exports",
)
