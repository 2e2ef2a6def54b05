"""The entry point: one verb is run, and whatever happens becomes an exit code.

Nothing is imported here that only some commands need, not even what parses options.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from talktree.cli.failures import INTERRUPTED, ReaderGone, let_go, report, tell
from talktree.cli.plain import plain


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; errors have been told on stderr."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    try:
        return _flushed(_done(given))
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


def _done(given: Sequence[str]) -> int:
    found = plain(given)
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
