"""The output of results: stdout or a pager, with or without colour.

All text has passed the gate of `text.escape` in the views.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from typing import BinaryIO, NamedTuple

from talktree.cli.errors import ReaderGone, discard_pending_output
from talktree.errors import Unreadable, UsageError
from talktree.views.lines import Line
from talktree.views.terminal import to_text

PIECE = 1 << 15


def is_terminal() -> bool:
    """Whether results go to a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()


def use_color(choice: str) -> bool:
    """Whether to use colour: as requested, else on a terminal unless the environment disables
    it."""
    if choice != "auto":
        return choice == "always"
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return is_terminal() and not plain


def get_terminal_width() -> int | None:
    """Return the number of columns, or None if the output is not a terminal."""
    if not is_terminal():
        return None
    from shutil import get_terminal_size  # only here: it is slow to import

    return get_terminal_size().columns


def print_lines(
    lines: Iterable[Line], *, color: bool, paged: bool = False, at_once: bool = False
) -> None:
    """Print lines as they arrive, through the pager on a terminal."""
    text = _format_texts(lines, color=color)
    pager = _open_pager() if paged and is_terminal() else None
    if pager is None:
        print_text(text, at_once=at_once)
        return
    with pager as sink:
        for piece in _batch_text(text):
            sink.write(_encode_text(piece))


def _format_texts(lines: Iterable[Line], *, color: bool) -> Iterator[str]:
    """Yield the lines as text; the newline of a long one is separate, so that it need not be
    copied."""
    for each in lines:
        text = to_text(each, color=color)
        if len(text) < PIECE:
            yield f"{text}\n"
        else:
            yield text
            yield "\n"


def _open_pager() -> AbstractContextManager[BinaryIO] | None:
    from talktree.cli.pager import open_pager  # only here: it is slow to import

    return open_pager()


class OutputStyle(NamedTuple):
    """How to print a result."""

    color: str
    paged: bool

    def print(self, lines: Iterable[Line]) -> None:
        """Print lines in this style."""
        print_lines(lines, color=use_color(self.color), paged=self.paged)


def print_text(text: Iterable[str], *, at_once: bool = False) -> None:
    """Print text as it arrives; `at_once` flushes each piece."""
    with open_stdout() as sink:
        for piece in text if at_once else _batch_text(text):
            sink.write(_encode_text(piece))
            if at_once:
                sink.flush()
        sink.flush()


@contextmanager
def open_stdout() -> Iterator[BinaryIO]:
    """Open stdout for bytes; a closed pipe and a full disk get their own errors."""
    if sys.stdout is None:
        raise Unreadable("stdout is closed", hint="give the command somewhere to write to")
    try:
        sys.stdout.flush()
        yield sys.stdout.buffer
    except BrokenPipeError:
        raise ReaderGone from None
    except OSError as error:
        discard_pending_output()
        raise Unreadable(f"cannot write the result: {error.strerror or error}") from None


def write_file(files: Mapping[str, Iterable[bytes]], *, folder: bool) -> None:
    """Write the only file of a result to stdout; several, or a folder, are refused."""
    if folder or len(files) != 1:
        raise UsageError("a folder cannot go to stdout", hint="name a folder with -o")
    with open_stdout() as sink, ExitStack() as ends:
        for pieces in files.values():
            if isinstance(pieces, Generator):
                ends.enter_context(closing(pieces))  # it may run a thread
            for piece in pieces:
                sink.write(piece)
        sink.flush()


def _encode_text(text: str) -> bytes:
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace")


def _batch_text(text: Iterable[str]) -> Iterator[str]:
    """Combine small texts into larger writes, which are faster."""
    held: list[str] = []
    size = 0
    for each in text:
        if len(each) >= PIECE:
            # A long one is written in parts, so that it is not held again as bytes.
            yield "".join(held)
            held, size = [], 0
            yield from (each[at : at + PIECE] for at in range(0, len(each), PIECE))
            continue
        held.append(each)
        size += len(each)
        if size >= PIECE:
            yield "".join(held)
            held, size = [], 0
    if held:
        yield "".join(held)
