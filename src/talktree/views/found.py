"""What a search found: excerpts with the words asked for, where they are, how to go there."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from talktree.text.visible import visible_line
from talktree.views.lines import EMPTY, Line, Span, line
from talktree.views.when import moment, stamp

if TYPE_CHECKING:
    from talktree.text.json_value import Json

STYLES = {"user": "user", "assistant": "agent"}
TITLE = 60


class Found(Protocol):
    """One hit."""

    @property
    def conversation(self) -> str: ...
    @property
    def path(self) -> bytes: ...
    @property
    def format(self) -> str: ...
    @property
    def message(self) -> str | None: ...
    @property
    def role(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def time(self) -> int | None: ...
    @property
    def excerpt(self) -> str: ...
    @property
    def marks(self) -> Sequence[tuple[int, int]]: ...
    @property
    def score(self) -> float: ...
    @property
    def state(self) -> str: ...
    @property
    def sidechain(self) -> bool: ...
    @property
    def here(self) -> bool: ...
    @property
    def title(self) -> str | None: ...
    @property
    def project(self) -> str | None: ...


def hit_lines(hits: Iterable[Found]) -> Iterator[Line]:
    """Three lines a hit: what and where it is, the words, the command that shows it."""
    for number, hit in enumerate(hits):
        if number:
            yield EMPTY
        yield _head(hit)
        yield ("  ", ""), *_excerpt(hit.excerpt, hit.marks)
        yield line(("  " + show_command(hit), "faint"))


def hit_shape(hit: Found) -> dict[str, Json]:
    """The same for scripts."""
    return {
        "conversation": hit.conversation,
        "message": hit.message,
        "role": hit.role,
        "excerpt": hit.excerpt,
        "path": os.fsdecode(hit.path),
        "score": round(hit.score, 4),
        "format": hit.format,
        "kind": hit.kind,
        "time": stamp(hit.time) or None,
        "marks": [[start, stop] for start, stop in hit.marks],
        "state": hit.state,
        "sidechain": hit.sidechain,
        "here": hit.here,
        "title": hit.title,
        "project": hit.project,
    }


def show_command(hit: Found) -> str:
    """The command that shows the branch with the message; by its id if the file is gone."""
    where = os.fsdecode(hit.path) if hit.here else hit.conversation
    words = ["talktree", "show", where]
    if hit.message is not None:
        words += ["--branch", hit.message]
    return " ".join(map(shlex.quote, words))


def _head(hit: Found) -> Line:
    from talktree.views.measure import one_line

    where = [] if hit.state == "current" else [hit.state]
    where += ["sidechain"] if hit.sidechain else []
    where += [] if hit.here else ["gone"]
    what = hit.role if hit.kind == "text" else f"{hit.role} {hit.kind}"
    return line(
        (f"{moment(hit.time)[:16] or '?':16}  ", "faint"),
        (what, STYLES.get(hit.role, "other")),
        (f"  {', '.join(where)}" if where else "", "mark"),
        (f"  {one_line(hit.title, TITLE)}" if hit.title else f"  {hit.conversation[:40]}", "title"),
    )


def _excerpt(text: str, marks: Sequence[tuple[int, int]]) -> Iterator[Span]:
    """The excerpt on one line, in stretches: what was asked for has a style of its own."""
    at = 0
    for start, stop in marks:
        if start > at:
            yield _joined(text[at:start]), ""
        yield _joined(text[max(start, at) : stop]), "found"
        at = max(at, stop)
    yield _joined(text[at:]), ""


def _joined(text: str) -> str:
    """New lines and tabs as spaces, so that an excerpt is one line without odd signs."""
    return visible_line(text.replace("\r\n", " ").replace("\n", " ").replace("\t", " "))
