"""The output of results: stdout or a pager, with or without colour.

All text has passed the gate of `text.escape` in the views. Findings from reading are reported in
one line on stderr.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from typing import BinaryIO, NamedTuple

from talktree.cli.errors import ReaderGone, discard_pending_output, print_stderr
from talktree.errors import Unreadable, UsageError
from talktree.formats.collection import Collection
from talktree.formats.engine import DocumentOrigin
from talktree.formats.engine.notices import select_findings
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.findings import Finding, Severity
from talktree.model.link_repair import find_inferred_links
from talktree.text.json.value import Json
from talktree.views.lines import Line
from talktree.views.terminal import to_text
from talktree.views.width import format_count

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
            # A long text is written in parts, so that it is not held again as bytes.
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


MOST = 3
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


def report_findings(
    document: Document,
    shown: Sequence[Conversation] = (),
    *,
    chosen: Sequence[Conversation] | None = None,
) -> None:
    """Print one line about serious findings, and one if links of the shown messages were inferred.

    Findings in conversations that are neither shown nor selected are left out, if some are
    selected.
    """
    report_damage(document)
    found = select_findings(document, chosen or shown or document.conversations)
    _report_serious(document.shown, found)
    links = sum(len(find_inferred_links(each)) for each in shown)
    if links:
        what = format_count(links, "link was", "links were")
        print_stderr(f"talktree: {document.shown}: {what} inferred; the file is as it was")


def report_damage(document: Document) -> None:
    """Warn about each file of which only a part could be read."""
    for source in document.sources if isinstance(document, Collection) else (document,):
        origin = source.origin
        assert isinstance(origin, DocumentOrigin)
        for path, why in origin.damaged_files.items():
            folder = source.shown if origin.source.folder else os.path.dirname(source.shown)
            name = source.shown if path == source.name else os.path.join(folder, path)
            print_stderr(f"talktree: {name}: {why}; the rest is missing")


def report_unrecognized(paths: Sequence[str]) -> None:
    """Print one line about files of a folder that no format matches."""
    if paths:
        some = ", ".join(paths[:MOST]) + (", …" if len(paths) > MOST else "")
        print_stderr(
            f"talktree: {format_count(len(paths), 'file')} in no known format left out: {some}"
        )


def _report_serious(name: str, found: Sequence[Finding]) -> None:
    """Print findings of higher severity; notes alone are not reported."""
    serious = [each for each in found if each.severity != "note"]
    if not serious:
        return
    serious.sort(key=lambda each: SEVERITIES.index(each.severity))
    counts = Counter(each.severity for each in serious)
    details = " and ".join(
        f"{counts[kind]:,} {kind}{'' if counts[kind] == 1 else 's'}"
        for kind in SEVERITIES
        if counts[kind]
    )
    first = "; ".join(_summarize_finding(each) for each in serious[:MOST])
    more = "; …" if len(serious) > MOST else ""
    print_stderr(f"talktree: {name}: {details}: {first}{more}")


def _summarize_finding(found: Finding) -> str:
    where = f"line {found.line} " if found.line else f"{found.entry[:40]} " if found.entry else ""
    return f"{where}{found.name}"


def build_findings_shape(found: Sequence[Finding]) -> Json:
    """Return the number of findings by severity."""
    counts = Counter(each.severity for each in found)
    return {kind: counts[kind] for kind in SEVERITIES}
