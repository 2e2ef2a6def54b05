"""Search results: excerpts with matches marked, their place, and the command to open them."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from talktree.text.escape import escape_line
from talktree.text.times import SECOND
from talktree.views.lines import EMPTY, Line, Span, line
from talktree.views.width import format_moment, format_stamp

if TYPE_CHECKING:
    from talktree.library.search.run import Hit
    from talktree.text.json.value import Json

STYLES = {"user": "user", "assistant": "agent"}
TITLE = 60
BLANKS = str.maketrans("\r\n\t", "   ")


class HitCopies(NamedTuple):
    """A hit, and the number of files it is in: forks, resumes and copies repeat messages."""

    hit: Hit
    files: int


def group_copies(hits: Iterable[Hit]) -> Iterator[HitCopies]:
    """Group hits with their copies in other files, which have the same rank and thus are
    adjacent."""
    first: Hit | None = None
    paths: set[bytes] = set()
    for hit in hits:
        if (
            first is not None
            and _common_key(hit) == _common_key(first)
            and hit.raw_path not in paths
        ):
            paths.add(hit.raw_path)
            continue
        if first is not None:
            yield HitCopies(first, len(paths))
        first, paths = hit, {hit.raw_path}
    if first is not None:
        yield HitCopies(first, len(paths))


def _common_key(hit: Hit) -> object:
    """Return what copies of a hit have in common."""
    return hit.message, hit.part, hit.role, hit.kind, hit.seconds, hit.excerpt


def format_hit_lines(found: Iterable[HitCopies], library: str | None = None) -> Iterator[Line]:
    """Yield three lines for each hit: its place, the text, and the command that shows it."""
    for number, (hit, files) in enumerate(found):
        if number:
            yield EMPTY
        yield _format_head(hit, files)
        yield ("  ", ""), *_format_excerpt(hit.excerpt, hit.marks)
        yield line(("  " + format_show_command(hit, library), "faint"))


def build_hit_shape(hit: Hit) -> dict[str, Json]:
    """Return a hit as JSON values."""
    return {
        "conversation": hit.conversation,
        "message": hit.message,
        "role": hit.role,
        "excerpt": hit.excerpt,
        "path": os.fsdecode(hit.raw_path),
        "score": round(hit.score, 4),
        "format": hit.format,
        "kind": hit.kind,
        "time": format_stamp(_get_time(hit)) or None,
        "marks": [[start, stop] for start, stop in hit.marks],
        "state": hit.state,
        "sidechain": hit.sidechain,
        "deleted": hit.deleted,
        "here": hit.here,
        "title": hit.title,
        "project": hit.project,
    }


def format_show_command(hit: Hit, library: str | None = None) -> str:
    """Return the command that shows the branch with the message; by id if the file is missing."""
    where = os.fsdecode(hit.raw_path) if hit.here else hit.conversation
    words = ["talktree", "show", where]
    if hit.message:
        words += ["--branch", hit.message]
    if library is not None and not hit.here:
        words += ["--library", library]
    return " ".join(map(shlex.quote, words))


def _get_time(hit: Hit) -> int | None:
    return None if hit.seconds is None else hit.seconds * SECOND


def _format_head(hit: Hit, files: int) -> Line:
    from talktree.views.width import to_one_line

    where = [] if hit.state == "current" else [hit.state]
    where += ["sidechain"] if hit.sidechain else []
    where += ["deleted"] if hit.deleted else []
    where += [] if hit.here else ["gone"]
    where += [f"in {files:,} files"] if files > 1 else []
    what = hit.role if hit.kind == "text" else f"{hit.role} {hit.kind}".strip()
    return line(
        (f"{format_moment(_get_time(hit))[:16] or '?':16}  ", "faint"),
        (what, STYLES.get(hit.role, "other")),
        (f"  {', '.join(where)}" if where else "", "mark"),
        (
            f"  {to_one_line(hit.title, TITLE)}" if hit.title else f"  {hit.conversation[:40]}",
            "title",
        ),
    )


def _format_excerpt(text: str, marks: Sequence[tuple[int, int]]) -> Iterator[Span]:
    """Return the excerpt in one line of spans; matches have their own style."""
    at = 0
    for start, stop in marks:
        if start > at:
            yield _to_one_line(text[at:start]), ""
        yield _to_one_line(text[max(start, at) : stop]), "found"
        at = max(at, stop)
    yield _to_one_line(text[at:]), ""


def _to_one_line(text: str) -> str:
    """Replace newlines and tabs by spaces, so that an excerpt is one line without control
    characters."""
    return escape_line(text.translate(BLANKS))
