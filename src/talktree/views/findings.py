"""Findings as text: where, what, the place in the source with a caret, and the fix."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from talktree.model.findings import Finding
from talktree.views.lines import EMPTY, Line, line
from talktree.views.width import clip_text, count_cells, format_count

STYLES = {"error": "error", "warning": "mark", "note": "faint"}
FIXES = {"safe": "a safe fix", "unsafe": "an unsafe fix"}


class ExcerptLike(Protocol):
    """A piece of a line of the source."""

    @property
    def line(self) -> int: ...
    @property
    def column(self) -> int: ...
    @property
    def text(self) -> str: ...
    @property
    def start(self) -> int: ...
    @property
    def length(self) -> int: ...
    @property
    def cut(self) -> bool: ...


def format_finding_lines(found: Finding, place: ExcerptLike | None, *, path: str) -> Iterator[Line]:
    """Yield the lines of one finding: its head, its place in the source, and its fix."""
    if place is not None:
        where = f"{path}:{place.line}:{place.column}"
    else:
        where = f"{path}:{found.line}" if found.line else path
    fix = f" [{FIXES[found.fix]}]" if found.fix else ""
    head = (
        (f"{where}: ", "title"),
        (found.code, STYLES[found.severity]),
        f" {found.name}: {found.message}",
    )
    yield line(*head, (fix, "faint"))
    if place is not None and place.text.strip():
        yield from _format_excerpt_lines(place)


def _format_excerpt_lines(place: ExcerptLike) -> Iterator[Line]:
    number = str(place.line)
    margin = " " * len(number)
    lead = "…" if place.cut else ""
    yield line((f"{margin} |", "graph"))
    yield line((f"{number} | ", "graph"), lead, clip_text(place.text, 120))
    if place.length:
        before = count_cells(clip_text(place.text[: place.start], 200)) + len(lead)
        carets = max(1, count_cells(clip_text(place.text[place.start :][: place.length], 200)))
        yield line((f"{margin} | ", "graph"), " " * before, ("^" * carets, "mark"))


def format_statistics_lines(
    counts: Mapping[str, int], names: Mapping[str, tuple[str, str, str | None]]
) -> Iterator[Line]:
    """Yield how often each rule is broken, most frequent first."""
    widest = max((len(f"{count:,}") for count in counts.values()), default=1)
    for code, count in sorted(counts.items(), key=lambda each: (-each[1], each[0])):
        name, severity, fix = names.get(code, ("", "note", None))
        repaired = f" [{FIXES[fix]}]" if fix else ""
        yield line(
            f"{count:>{widest},}  ", (code, STYLES[severity]), f"  {name}", (repaired, "faint")
        )


def format_summary_line(counts: Mapping[str, int], sources: int) -> Line:
    """Return the number of findings by severity."""
    words = [
        (format_count(counts[severity], severity), STYLES[severity])
        for severity in STYLES
        if counts.get(severity)
    ]
    if not words:
        return line(("no findings", "added"), f" in {format_count(sources, 'source')}")
    spans: list[tuple[str, str]] = []
    for each in words:
        spans += [(", " if spans else "", ""), each]
    return line(*spans, f" in {format_count(sources, 'source')}")


def format_reach_line(messages: int, reachable: int) -> Line:
    """Return how many messages are reachable."""
    if reachable == messages:
        return EMPTY
    share = 100 * reachable / messages if messages else 100.0
    return line(
        (f"{reachable:,} of {format_count(messages, 'message')} reachable ({share:.1f} %)", "mark")
    )


def format_omitted(findings: Sequence[Finding], counts: Mapping[str, int]) -> Iterator[Line]:
    """Return what is not shown individually."""
    shown: dict[str, int] = {}
    for each in findings:
        shown[each.code] = shown.get(each.code, 0) + 1
    for code, count in counts.items():
        if count > shown.get(code, 0):
            yield line((f"… {count - shown.get(code, 0):,} more {code}", "faint"))
