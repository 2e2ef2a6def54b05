"""The entry point: one verb is run, and whatever happens becomes an exit code.

Nothing is imported here that only some commands need, not even what parses options.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence

from talktree.cli.errors import INTERRUPTED, ReaderGone, let_go, report, show_warning, tell
from talktree.cli.fast_start import Plain, collect_seldom, leave, plain


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; errors have been told on stderr."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    if arguments is None:
        warnings.showwarning = show_warning
    try:
        found = plain(given)
        if found is None or arguments is not None:
            return _flushed(_done(given, found))
        return _as_a_program(found)
    except ReaderGone:
        let_go()
        return 0
    except KeyboardInterrupt:
        tell("")  # the line on which a terminal shows ^C ends
        return INTERRUPTED
    except Exception as error:
        if os.environ.get("TALKTREE_DEBUG"):
            raise
        return report(error, as_json=_wants_json(given))


def _as_a_program(found: Plain) -> int:
    """Run a plain command in a process that does nothing else."""
    collect_seldom()
    code = _flushed(found.run())
    return leave(code) if found.only_reads else code


def _done(given: Sequence[str], found: Plain | None) -> int:
    if found is not None:
        return found.run()
    from talktree.cli.group import parsed

    return parsed(given or ["--help"])


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
