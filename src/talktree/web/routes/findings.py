"""The findings of all rules in a conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, field

from talktree.model.counts import count_findings
from talktree.model.findings import Finding
from talktree.web.documents.diagnostics import get_report, select_findings
from talktree.web.routes.route import Route, RouteCall
from talktree.web.routes.rows import clamp_range
from talktree.web.schemas.transcript import Findings, FindingShape, Severities

if TYPE_CHECKING:
    from talktree.web.studio import StudioContext

MOST = 500


class FindingsQuery(Struct, frozen=True, kw_only=True):
    """Which range."""

    start: int = field(default=0, name="from")
    limit: int = 100


def _findings(studio: StudioContext, call: RouteCall) -> Findings:
    query: FindingsQuery = call.query
    opened = studio.cache.open(call.path["cid"])
    report = get_report(opened)
    found = select_findings(opened, report)
    start, limit = clamp_range(query.start, query.limit, MOST)
    count = count_findings(found)
    return Findings(
        stamp=opened.stamp,
        counts=Severities(errors=count.errors, warnings=count.warnings, notes=count.notes),
        total=len(found),
        findings=tuple(map(_to_shape, found[start : start + limit])),
        reachable=report.reach.reachable,
        messages=report.reach.messages,
        fixable=sum(each.fix == "safe" and each.fixable for each in found),
    )


def _to_shape(found: Finding) -> FindingShape:
    return FindingShape(
        code=found.code,
        name=found.name,
        severity=found.severity,
        message=found.message[:2000],
        entry=found.entry,
        path=found.path or "",
        line=found.line,
        fix=found.fix if found.fixable else None,
    )


ROUTES = (
    Route(
        "GET", "/c/{cid}/findings", _findings, "What is wrong with it, by all rules.",
        query=FindingsQuery, gives=Findings,
    ),
)  # fmt: skip
