"""Every rule: its samples, its text, its fix."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from talktree.checks.registry import all_rules
from talktree.checks.report import make_report
from talktree.formats.rule import Rule
from talktree.repairs.run import repair_document
from tests.checks.generated import CONFIGURED, LIMITS
from tests.checks.samples import RULES, sample, samples

BY_CODE = {rule.code: rule for rule in all_rules()}
every_rule = pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)


def folders(rule: Rule) -> Iterator[Path]:
    """Return the samples of a rule, bad and good."""
    for kind in ("bad", "good"):
        yield from samples(rule.code, kind)


@pytest.fixture(autouse=True)
def _small_limits(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Test rules about sizes with small limits, and rules about settings with settings."""
    given = getattr(request.node, "callspec", None)
    rule = None if given is None else given.params.get("rule")
    if rule is not None and rule.code in LIMITS:
        monkeypatch.setattr(*LIMITS[rule.code])
    if rule is not None and rule.code in CONFIGURED:
        (tmp_path / "config.toml").write_text(CONFIGURED[rule.code])
        monkeypatch.setenv("TALKTREE_HOME", str(tmp_path))


@every_rule
def test_a_rule_has_samples_and_a_text(rule: Rule) -> None:
    assert samples(rule.code, "bad"), f"{rule.code} needs tests/data/rules/{rule.code}/bad"
    assert samples(rule.code, "good"), f"{rule.code} needs tests/data/rules/{rule.code}/good"
    what, why, bad, fix = rule.explanation
    assert all((what, why, bad, fix)), f"{rule.code} needs What, Why, Bad and Fix"
    assert re.fullmatch(r"[A-Z]{3}[0-9]{3}", rule.code)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.name)
    wanted = "Fix: none" if rule.fix is None else f"Fix ({rule.fix.safety}):"
    assert fix.startswith(wanted), f"{rule.code} should say {wanted}"
    assert len(fix) > len(wanted) + 10


@every_rule
def test_a_bad_sample_breaks_just_its_rule_and_a_good_one_none(rule: Rule) -> None:
    for folder in folders(rule):
        wanted = {rule.code} if folder.name.startswith("bad") else set()
        found = make_report(sample(folder)).findings
        assert {each.code for each in found} == wanted, (folder.name, found)


@every_rule
def test_a_fix_repairs_and_changes_nothing_when_repeated(rule: Rule) -> None:
    for folder in folders(rule):
        check_fix(rule, folder)


def check_fix(rule: Rule, folder: Path) -> None:
    """Repair one sample of a rule, twice."""
    document = sample(folder)
    done = repair_document(document, unsafe=True)
    if folder.name.startswith("good"):
        assert not done.changed, folder.name
        return
    left = make_report(done.after).findings
    if rule.fix is not None:
        fixable = any(each.fix for each in make_report(document).findings)
        assert not fixable or rule.code not in {each.code for each in left}, (folder.name, left)
    assert not [each for each in left if each.fix], f"{folder.name}: a fix is left"
    assert not repair_document(done.after, unsafe=True).changed, folder.name
    kept, quarantined = done.bytes
    sizes = [content.size for content in document.origin.source.files.values()]  # type: ignore[attr-defined]
    assert kept + quarantined == sum(sizes), folder.name


def test_codes_and_names_are_unique() -> None:
    names = [rule.name for rule in all_rules()]
    assert len(set(names)) == len(names)


def test_every_folder_of_samples_has_a_rule() -> None:
    assert {folder.name for folder in RULES.iterdir()} <= set(BY_CODE)
