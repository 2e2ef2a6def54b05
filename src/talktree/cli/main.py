"""The entry point: runs one command and returns its exit code.

It imports nothing that only some commands need, not even the option parser.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence

from talktree.cli.errors import (
    INTERRUPTED,
    ReaderGone,
    discard_pending_output,
    print_stderr,
    report_error,
    show_warning,
)
from talktree.cli.fast_start import FastCommand, collect_garbage_rarely, exit_now, find_fast_command


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; errors are already reported on stderr."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    if arguments is None:
        warnings.showwarning = show_warning
    try:
        found = find_fast_command(given)
        if found is None or arguments is not None:
            return _flush_stdout(_run_fast(given, found))
        return _run_in_own_process(found)
    except ReaderGone:
        discard_pending_output()
        return 0
    except KeyboardInterrupt:
        print_stderr("")  # end the line on which a terminal shows ^C
        return INTERRUPTED
    except Exception as error:
        if os.environ.get("TALKTREE_DEBUG"):
            raise
        return report_error(error, as_json=_wants_json(given))


def _run_in_own_process(found: FastCommand) -> int:
    """Run a simple command as the only work of this process."""
    collect_garbage_rarely()
    code = _flush_stdout(found.run())
    return exit_now(code) if found.only_reads else code


def _run_fast(given: Sequence[str], found: FastCommand | None) -> int:
    if found is not None:
        return found.run()
    from talktree.cli.group import run_with_click

    return run_with_click(given or ["--help"])


def _wants_json(arguments: Sequence[str]) -> bool:
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return "--json" in options


def _flush_stdout(code: int) -> int:
    try:
        sys.stdout.flush()
    except OSError:
        discard_pending_output()
        return 0
    return code


if __name__ == "__main__":
    sys.exit(run())
