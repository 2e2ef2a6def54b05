"""Selecting rules: by code, by name, by configuration, and rules of plug-ins."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from talktree.checks.config import find_nearest_config, read_config
from talktree.checks.registry import all_rules, choose_rules, find_rule, refuse_unknown
from talktree.errors import UsageError


def _codes(*select: str, ignore: tuple[str, ...] = ()) -> set[str]:
    return {rule.code for rule in choose_rules(all_rules(), select=select, ignore=ignore)}


def test_a_longer_match_counts_more() -> None:
    everything = {rule.code for rule in all_rules()}
    trees = {code for code in everything if code.startswith("TRE")}
    assert _codes() == everything
    assert _codes("TRE") == trees
    assert _codes("TRE", ignore=("TRE101",)) == trees - {"TRE101"}
    assert _codes("TRE101", ignore=("TRE",)) == {"TRE101"}
    assert _codes(ignore=("tre",)) == everything - trees
    assert _codes("dangling-parent") == {"TRE101"}
    assert _codes("ALL", ignore=("SEC",)) == {c for c in everything if not c.startswith("SEC")}


def test_unknown_names_get_a_suggestion() -> None:
    assert find_rule("tre101").name == "dangling-parent"
    assert find_rule("dangling-parent").code == "TRE101"
    with pytest.raises(UsageError) as reported:
        find_rule("dangling-parents")
    assert reported.value.hint == "did you mean TRE101?"
    refuse_unknown(["TRE", "SYN1", "torn-record"])
    with pytest.raises(UsageError):
        refuse_unknown(["TRE", "XYZ"])


def test_the_nearest_configuration_counts(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    (tmp_path / "talktree.toml").write_text('[check]\nselect = ["TRE"]\njobs = 2\n')
    assert find_nearest_config(deep).select == ("TRE",)
    assert find_nearest_config(deep).jobs == 2
    (tmp_path / "a" / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert find_nearest_config(deep).select == ("TRE",), (
        "a project without settings settles nothing"
    )
    (tmp_path / "a" / "pyproject.toml").write_text('[tool.talktree.check]\nignore = ["SEC"]\n')
    assert find_nearest_config(deep).ignore == ("SEC",)
    assert find_nearest_config(deep / "session.jsonl").select == ()


@pytest.mark.parametrize(
    "text",
    [
        "[check",
        "[check]\nselect = 'TRE'",
        "[check]\nselects = []",
        "check = 1",
        "[check]\njobs = 0",
    ],
)
def test_a_setting_that_does_nothing_is_an_error(text: str, tmp_path: Path) -> None:
    path = tmp_path / "talktree.toml"
    path.write_text(text)
    with pytest.raises(UsageError):
        read_config(path)


PLUGIN = '''
from talktree.formats.rule import Diagnostic, rule

@rule("XXX101", "shouting", "warning", on="message")
def shouting(seen):
    """A message is all capitals.

    Why: nobody likes to be shouted at.

    Bad:
        WHAT?

    Fix: none, because only its author can say it kindly.
    """
    text = seen.entry.text
    return [Diagnostic("it is all capitals")] if text.isupper() else ()
'''


def test_packages_add_rules_of_their_own(tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "kindly-1.0.dist-info").mkdir(parents=True)
    (site / "kindly-1.0.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: kindly\nVersion: 1.0\n"
    )
    (site / "kindly-1.0.dist-info" / "entry_points.txt").write_text(
        "[talktree.rules]\nkindly = kindly\n"
    )
    (site / "kindly.py").write_text(PLUGIN)
    (tmp_path / "1.md").write_text("; role: user\n\n\nWHAT ARE YOU DOING?\n")
    done = subprocess.run(
        [sys.executable, "-m", "talktree.cli.main", "check", "1.md", "--select", "XXX"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(site), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "XXX101 shouting: it is all capitals" in done.stdout, done.stderr
    assert done.returncode == 0
