"""The log of a session, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from talktree.text.json.value import Json
from talktree.views.lines import Line, line
from talktree.views.width import format_count, format_moment, format_stamp, to_one_line

WIDTH = 80
SHORT = 8
MOST_PATHS = 12
MARKS = {
    "created": ("A", "added"),
    "changed": ("M", "mark"),
    "deleted": ("D", "removed"),
    "mode": ("m", "mark"),
    "unfinished": ("?", "error"),
    "unknown": ("?", "error"),
}
STYLES = {"prompt": "user", "step": "tool", "begin": "faint", "name": "faint", "unname": "faint"}


class PathChangeLike(Protocol):
    """A path and its change, in one word."""

    @property
    def path(self) -> bytes: ...
    @property
    def word(self) -> str: ...


class LogEntryLike(Protocol):
    """An entry of the log."""

    @property
    def kind(self) -> str: ...
    @property
    def time_ns(self) -> int | None: ...
    @property
    def id(self) -> str: ...
    @property
    def message(self) -> str | None: ...
    @property
    def text(self) -> str: ...
    @property
    def state(self) -> str: ...
    @property
    def touched(self) -> Sequence[PathChangeLike]: ...
    @property
    def uncovered(self) -> Sequence[tuple[str, str]]: ...


def format_path(path: bytes) -> str:
    """Return a path as text; bytes that are not text are escaped."""
    return path.decode("utf-8", "backslashreplace")


def format_log_lines(entries: Iterable[LogEntryLike], *, all_paths: bool = False) -> Iterator[Line]:
    """Yield each entry with the paths it changed."""
    for entry in entries:
        shown = entry.message if entry.kind in ("prompt", "step") else entry.id
        yield line(
            (f"{format_moment(entry.time_ns) or '?':19}", "faint"),
            "  ",
            (f"{entry.kind:8}", STYLES.get(entry.kind, "active")),
            (f"{(shown or '')[:SHORT]:8}", "mark"),
            f"  {_describe_entry(entry)}".rstrip(),
        )
        yield from (
            (("    ", ""), *each) for each in format_path_change_lines(entry.touched, all=all_paths)
        )
        for path, why in entry.uncovered:
            yield line((f"    not covered: {to_one_line(f'{path}: {why}', WIDTH)}", "error"))


def _describe_entry(entry: LogEntryLike) -> str:
    words = [to_one_line(entry.text, WIDTH)] if entry.text else []
    if entry.kind == "name":
        words.append(f"for {(entry.message or '')[:SHORT]}")
    if entry.kind == "step" and not entry.touched:
        words.append("changed no file")
    if entry.state in ("unfinished", "open", "withdrawn"):
        words.append(f"({entry.state})")
    return " ".join(words)


def format_path_change_lines(
    touched: Sequence[PathChangeLike], *, all: bool = False
) -> Iterator[Line]:
    """Yield one line for each path, with a letter for its change."""
    shown = touched if all else touched[:MOST_PATHS]
    for each in shown:
        mark, style = MARKS[each.word]
        yield line((mark, style), f" {format_path(each.path)}")
    if len(shown) < len(touched):
        rest = format_count(len(touched) - len(shown), "more path")
        yield line((f"… {rest}", "faint"))


def build_entry_shape(entry: LogEntryLike) -> dict[str, Json]:
    """Return an entry as JSON values."""
    return {
        "kind": entry.kind,
        "id": entry.id,
        "time": format_stamp(entry.time_ns) or None,
        "message": entry.message,
        "text": entry.text,
        "state": entry.state or None,
        "paths": [build_path_change_shape(each) for each in entry.touched],
        "uncovered": [{"path": path, "why": why} for path, why in entry.uncovered],
    }


def build_path_change_shape(touched: PathChangeLike) -> dict[str, Json]:
    """Return a path and its change as JSON values."""
    return {"path": format_path(touched.path), "change": touched.word}
