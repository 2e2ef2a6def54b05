"""Where results go: stdout or a pager, with or without colour.

Everything is text that has passed the gate of `text.visible`; views see to that.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from shutil import get_terminal_size
from typing import BinaryIO

from talktree.cli.failures import ReaderGone, let_go
from talktree.cli.pager import open_pager
from talktree.errors import Unreadable
from talktree.views.lines import Line
from talktree.views.terminal import as_text

PIECE = 1 << 15


def is_terminal() -> bool:
    """Whether results are seen by a person."""
    return sys.stdout is not None and sys.stdout.isatty()


def use_color(choice: str) -> bool:
    """Whether to colour: as asked, else on a terminal that has not been told otherwise."""
    if choice != "auto":
        return choice == "always"
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return is_terminal() and not plain


def width() -> int | None:
    """The columns there are, or None if nobody looks at columns."""
    return get_terminal_size().columns if is_terminal() else None


def print_lines(lines: Iterable[Line], *, color: bool, paged: bool = False) -> None:
    """Print lines as they come, through the pager if a person is reading."""
    text = (f"{as_text(each, color=color)}\n" for each in lines)
    pager = open_pager() if paged and is_terminal() else None
    if pager is None:
        print_text(text)
        return
    with pager as sink:
        for piece in _pieces(text):
            sink.write(_encoded(piece))


def print_text(text: Iterable[str]) -> None:
    """Print text as it comes."""
    with stdout() as sink:
        for piece in _pieces(text):
            sink.write(_encoded(piece))
        sink.flush()


@contextmanager
def stdout() -> Iterator[BinaryIO]:
    """The bytes of stdout; a reader that has gone away and a full disk get their own errors."""
    if sys.stdout is None:
        raise Unreadable("stdout is closed", hint="give the command somewhere to write to")
    try:
        sys.stdout.flush()
        yield sys.stdout.buffer
    except BrokenPipeError:
        raise ReaderGone from None
    except OSError as error:
        let_go()
        raise Unreadable(f"cannot write the result: {error.strerror or error}") from None


def _encoded(text: str) -> bytes:
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace")


def _pieces(text: Iterable[str]) -> Iterator[str]:
    """Small texts put together, so that writing is not what takes the time."""
    held: list[str] = []
    size = 0
    for each in text:
        held.append(each)
        size += len(each)
        if size >= PIECE:
            yield "".join(held)
            held, size = [], 0
    if held:
        yield "".join(held)
