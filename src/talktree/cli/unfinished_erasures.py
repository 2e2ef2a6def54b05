"""Unfinished erasures: what is left, and what finishes them."""

from __future__ import annotations

from collections.abc import Sequence

from talktree.cli.errors import print_stderr

FINISH = "talktree library forget --finish"


def report_unfinished(left: Sequence[str]) -> None:
    """Print which files still contain forgotten words, and what erases them."""
    if not left:
        return
    from talktree.library.erasure.finish import NOT_WRITTEN  # not for --help

    is_full = any(each.startswith(NOT_WRITTEN) for each in left)
    first = "make room on the disk" if is_full else "end that program"
    print_stderr(f"talktree: not finished; some of its words are still in {', '.join(left)}")
    print_stderr(f"hint: {first}, then run `{FINISH}`; an import or a check finishes it, too")
