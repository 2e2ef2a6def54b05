"""Problems and disk usage of a session, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from talktree.text.json.value import Json
from talktree.views.lines import Line, line
from talktree.views.width import format_count

STYLES = {"error": "error", "warning": "mark", "note": "faint"}
MOST_SHOWN = 20
UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")


class ProblemLike(Protocol):
    """One problem."""

    @property
    def kind(self) -> str: ...
    @property
    def severity(self) -> str: ...
    @property
    def message(self) -> str: ...
    @property
    def path(self) -> str: ...
    @property
    def line(self) -> int | None: ...


class CleanupResultLike(Protocol):
    """What was removed, or would be."""

    @property
    def contents(self) -> Sequence[tuple[str, int]]: ...
    @property
    def unfinished(self) -> Sequence[tuple[str, int]]: ...
    @property
    def waiting(self) -> int: ...
    @property
    def dry_run(self) -> bool: ...
    @property
    def bytes(self) -> int: ...


class DiskUsageLike(Protocol):
    """The disk usage of a session."""

    @property
    def logs(self) -> Mapping[str, int]: ...
    @property
    def contents(self) -> int: ...
    @property
    def kept(self) -> int: ...
    @property
    def quarantine(self) -> int: ...
    @property
    def cache(self) -> int: ...
    @property
    def total(self) -> int: ...


def format_problem_line(trouble: ProblemLike) -> Line:
    """Return a problem: where, how severe, and what."""
    where = trouble.path if trouble.line is None else f"{trouble.path}:{trouble.line}"
    return line(
        (f"{where}: ", "title"),
        (trouble.severity, STYLES[trouble.severity]),
        f" {trouble.kind}: {trouble.message}",
    )


def build_problem_shape(trouble: ProblemLike) -> dict[str, Json]:
    """Return a problem as JSON values."""
    return {
        "kind": trouble.kind,
        "severity": trouble.severity,
        "message": trouble.message,
        "path": trouble.path,
        "line": trouble.line,
    }


def format_gc_lines(freed: CleanupResultLike, used: DiskUsageLike) -> Iterator[Line]:
    """Yield what is unreferenced, and the disk usage of the session."""
    found = (*freed.contents, *freed.unfinished)
    for name, size in found[:MOST_SHOWN]:
        yield line(f"{name[:16]}  {format_space(size)}")
    if len(found) > MOST_SHOWN:
        yield line((f"… {len(found) - MOST_SHOWN:,} more", "faint"))
    verb = "could be removed" if freed.dry_run else "removed"
    yield line(f"{format_count(len(found), 'content')} {verb}, {format_space(freed.bytes)}")
    if freed.waiting:
        yield line(f"{freed.waiting:,} more not old enough")
    logs = sum(used.logs.values())
    yield line(
        (
            f"the session takes {format_space(used.total)}: logs {format_space(logs)}, "
            f"{format_count(used.kept, 'content')} {format_space(used.contents)}, "
            f"quarantine {format_space(used.quarantine)}, cache {format_space(used.cache)}",
            "faint",
        )
    )


def format_space(size: int) -> str:
    """Return a number of bytes as text."""
    amount, unit = float(size), 0
    while amount >= 1024 and unit < len(UNITS) - 1:
        amount, unit = amount / 1024, unit + 1
    return f"{amount:.1f} {UNITS[unit]}" if unit else f"{size:,} {UNITS[0]}"


def build_cleanup_shape(freed: CleanupResultLike) -> dict[str, Json]:
    """Return what was removed as JSON values."""
    return {
        "dry_run": freed.dry_run,
        "contents": [{"hash": name, "bytes": size} for name, size in freed.contents],
        "unfinished": [{"name": name, "bytes": size} for name, size in freed.unfinished],
        "waiting": freed.waiting,
        "bytes": freed.bytes,
    }


def build_usage_shape(used: DiskUsageLike) -> dict[str, Json]:
    """Return the disk usage as JSON values."""
    return {
        "logs": dict(used.logs),
        "contents": used.contents,
        "kept": used.kept,
        "quarantine": used.quarantine,
        "cache": used.cache,
        "total": used.total,
    }
