"""Errors on stderr: one line with a hint, or one JSON object."""

from __future__ import annotations

import os
import sys

from talktree.errors import INTERNAL, TalktreeError, Unreadable

INTERRUPTED = 130
"""Exit code after Ctrl-C."""


class ReaderGone(Exception):
    """The program that reads our output has closed it."""


def discard_pending_output() -> None:
    """Discard pending output, so that it cannot fail again at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)


def report_error(error: Exception, *, as_json: bool) -> int:
    """Print an error on stderr and return its exit code."""
    known = _to_talktree_error(error)
    if as_json:
        print_stderr(_format_json(known), raw=True)
    else:
        print_stderr(f"talktree: {known.message}")
        if known.hint:
            print_stderr(f"hint: {known.hint}")
    return known.exit_code


def print_stderr(text: str, *, raw: bool = False) -> None:
    """Print a line on stderr; a closed stderr is ignored."""
    from talktree.text.escape import escape_line

    try:
        print(text if raw else escape_line(text), file=sys.stderr, flush=True)
    except (OSError, ValueError, AttributeError):
        pass


def show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: object = None,
    line: object = None,
) -> None:
    """Print a warning on one line, without the place in the code where it was raised."""
    print_stderr(f"talktree: warning: {message}")


class _Internal(TalktreeError):
    exit_code = INTERNAL
    kind = "internal"


def _to_talktree_error(error: Exception) -> TalktreeError:
    match error:
        case TalktreeError():
            return error
        case OSError():
            where = f"{str(error.filename)[:200]}: " if error.filename else ""
            return Unreadable(f"{where}{error.strerror or error}", hint="check the path")
        case MemoryError():
            return _Internal("out of memory", hint="try a smaller source, or --json")
        case _:
            return _Internal(
                f"internal error: {type(error).__name__}: {error}",
                hint="this is a mistake in talktree; run it again with TALKTREE_DEBUG=1 and "
                "report what that prints, with the command",
            )


def _format_json(error: TalktreeError) -> str:
    from talktree.views.shapes import format_json

    return format_json(
        {
            "error": {
                "kind": error.kind,
                "message": error.message,
                "hint": error.hint,
                "exit_code": error.exit_code,
            }
        }
    )
