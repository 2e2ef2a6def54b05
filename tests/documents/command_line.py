"""One command line of Talktree, run in this process."""

from __future__ import annotations

import io
from contextlib import redirect_stderr, redirect_stdout
from typing import NamedTuple

from talktree.cli.main import run


class Done(NamedTuple):
    """The result of a command."""

    code: int
    out: str
    err: str


def command(*words: str) -> Done:
    """Run a command and return its exit code and what it printed."""
    out, err = io.BytesIO(), io.BytesIO()
    printed, errors = io.TextIOWrapper(out, "utf-8"), io.TextIOWrapper(err, "utf-8")
    with redirect_stdout(printed), redirect_stderr(errors):
        code = run(words)
    printed.flush()
    errors.flush()
    return Done(code, out.getvalue().decode(), err.getvalue().decode())
