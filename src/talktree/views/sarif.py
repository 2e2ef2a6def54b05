"""Findings as SARIF 2.1.0, which code hosts and editors read from linters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple
from urllib.parse import quote

from talktree.model.findings import Finding
from talktree.text.json.value import Json
from talktree.views.findings import ExcerptLike
from talktree.views.shapes import Object

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS: dict[str, Json] = {"error": "error", "warning": "warning", "note": "note"}


class SarifRule(NamedTuple):
    """The SARIF description of a rule."""

    code: str
    name: str
    severity: str
    what: str
    help: str


class LocatedFinding(NamedTuple):
    """A finding in a file, with its location if known."""

    finding: Finding
    path: str
    place: ExcerptLike | None = None


def build_sarif(
    rules: Sequence[SarifRule], found: Iterable[LocatedFinding], *, version: str
) -> Object:
    """Return a whole SARIF document."""
    places = {rule.code: number for number, rule in enumerate(rules)}
    driver: Object = {
        "name": "talktree",
        "version": version,
        "rules": [_build_rule(rule) for rule in rules],
    }
    run: Object = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_build_result(each, places) for each in found],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _build_rule(rule: SarifRule) -> Json:
    return {
        "id": rule.code,
        "name": "".join(part.capitalize() for part in rule.name.split("-")),
        "shortDescription": {"text": rule.what},
        "help": {"text": rule.help},
        "defaultConfiguration": {"level": LEVELS[rule.severity]},
    }


def _build_result(each: LocatedFinding, places: dict[str, int]) -> Json:
    found = each.finding
    result: Object = {
        "ruleId": found.code,
        "level": LEVELS[found.severity],
        "message": {"text": found.message},
        "locations": [{"physicalLocation": _build_location(each)}],
    }
    if found.code in places:
        result["ruleIndex"] = places[found.code]
    if found.entry:
        result["partialFingerprints"] = {"entry/v1": found.entry}
    return result


def _build_location(each: LocatedFinding) -> Json:
    location: Object = {"artifactLocation": {"uri": quote(each.path)}}
    if each.place is not None:
        location["region"] = {"startLine": each.place.line, "startColumn": each.place.column}
    elif each.finding.line:
        location["region"] = {"startLine": each.finding.line}
    return location
