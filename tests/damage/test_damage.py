"""Every pattern of damage, in every format it can occur in: found, repaired, nothing else lost."""

from __future__ import annotations

import os
import time
from pathlib import Path
from random import Random

import pytest

from talktree import api
from talktree.checks.reachability import measure_reach
from talktree.checks.report import make_report
from talktree.files import save
from talktree.model.document import Document
from talktree.repairs.run import Repair, repair_document
from tests.cases import TORTURE
from tests.damage import byte_damage, link_damage, store_damage, tool_damage, value_damage
from tests.damage.clean import clean
from tests.damage.lines import ALL, numbers_of
from tests.damage.patterns import PATTERNS, Case, Pattern

CATALOGUE = [
    *(f"L{number:02d}" for number in range(1, 13)),
    *(f"E{number:02d}" for number in range(1, 9)),
    *(f"N{number:02d}" for number in range(1, 5)),
    *(f"S{number:02d}" for number in range(1, 6)),
    *(f"I{number:02d}" for number in range(1, 11)),
    *(f"T{number:02d}" for number in range(1, 6)),
    *("C01", "C02"),
    *(f"X{number:02d}" for number in range(1, 7)),
    *("V01", "V02", "V03", "M01", "M02", "M03"),
    *("R01", "R02", "R03", "R04"),
]
NOT_OURS = {"R02": "a database as a store", "R04": "the export of another vendor"}
"""Patterns that occur in none of the formats."""
DAY = 86_400
SEEDS = 200 if TORTURE else 6
MODULES = (byte_damage, value_damage, link_damage, tool_damage, store_damage)
KINDS = [
    pytest.param(pattern, slug, id=f"{pattern.code}-{pattern.name}-{slug}")
    for pattern in PATTERNS
    for slug in pattern.formats
]


def test_the_whole_catalogue_is_here() -> None:
    assert len(CATALOGUE) == 62
    assert {pattern.code for pattern in PATTERNS} == set(CATALOGUE) - set(NOT_OURS)


@pytest.mark.parametrize("slug", ALL)
def test_sources_are_clean_before_they_are_damaged(slug: str) -> None:
    for seed in range(SEEDS):
        found = make_report(clean(slug, seed).read_as(slug)).findings
        assert found == [], found


@pytest.mark.parametrize(("pattern", "slug"), KINDS)
def test_damage_is_found_and_repaired(
    pattern: Pattern, slug: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = 0
    for seed in range(SEEDS):
        case = pattern.apply(clean(slug, seed), slug, Random(seed))
        if case is None:
            continue
        done += 1
        with monkeypatch.context() as lowered:
            for limit, value in case.limits.items():
                lowered.setattr(limit, value)
            _check(case, slug, seed, tmp_path / str(seed))
    assert done >= SEEDS // 2, "hardly ever applied"


def _check(case: Case, slug: str, seed: int, place: Path) -> None:
    document = _read(case, slug, place)
    found = make_report(document).findings
    codes = {each.code for each in found}
    if not case.codes:
        assert not found, found
        return
    wanted = tuple(case.codes)
    assert any(code.startswith(wanted) for code in codes), f"seed {seed}: {codes or 'nothing'}"
    everything = numbers_of(_read_clean(slug, seed)) - case.touched
    _repaired(repair_document(document), everything, unsafe=False)
    # The call of a result may be gone; then the result may be removed, too, but only on request.
    answers = {number + 1 for number in case.touched}
    _repaired(repair_document(document, unsafe=True), everything - answers, unsafe=True)


def _repaired(done: Repair, everything: set[int], *, unsafe: bool) -> None:
    left = [
        each
        for each in make_report(done.after).findings
        if each.fix == "safe" or (each.fix and unsafe)
    ]
    assert left == [], left
    missing = everything - numbers_of(done.after)
    assert not missing, f"lost {missing}: {done.plan}"
    again = repair_document(done.after, unsafe=unsafe)
    assert not again.changed, again.plan
    reached = measure_reach(done.after.conversations)
    assert reached.reachable == reached.messages
    kept, quarantined = done.bytes
    files = done.before.origin.source.files  # type: ignore[attr-defined]
    assert kept + quarantined == sum(content.size for content in files.values())


def _read(case: Case, slug: str, place: Path) -> Document:
    """Read damaged files from disk, as a user would have them."""
    place /= case.under
    name = place if case.files.folder else place / next(iter(case.files.files))
    save({path: [data] for path, data in case.files.files.items()}, name, folder=case.files.folder)
    if case.days_old:
        then = time.time() - case.days_old * DAY
        os.utime(name, (then, then))
    return api.read(name, format=slug)


def _read_clean(slug: str, seed: int) -> Document:
    return clean(slug, seed).read_as(slug)
