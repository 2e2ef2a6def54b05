"""The documentation is complete, correct, and in step with the program."""

from __future__ import annotations

import importlib.util
import re
import shutil
from pathlib import Path
from types import ModuleType

import pytest

from talktree import errors
from talktree.checks.registry import all_rules
from talktree.cli.group import COMMANDS
from talktree.errors import TalktreeError
from talktree.formats import slugs
from talktree.model.findings import READING

ROOT = Path(__file__).parent.parent
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]


def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_generated_pages_are_up_to_date() -> None:
    stale = [path.name for path, text in generator().pages().items() if path.read_text() != text]
    assert stale == [], "run `make docs`"


@pytest.mark.parametrize("slug", slugs())
def test_every_format_has_a_page_and_a_demo(slug: str) -> None:
    page = (ROOT / "docs" / "formats" / f"{slug}.md").read_text()
    assert "|" in page, "a table of names"
    assert f"docs/formats/{slug}.md" in (ROOT / "README.md").read_text()
    assert list((ROOT / "demo").glob(f"{slug}*")), "a conversation in demo/"


@pytest.mark.parametrize("verb", COMMANDS)
def test_every_command_has_a_reference_and_a_transcript(verb: str) -> None:
    assert f"## talktree {verb}" in (ROOT / "docs" / "reference" / "commands.md").read_text()
    assert (ROOT / "tests" / "cli" / f"{verb}.md").exists()
    assert f"talktree {verb}" in (ROOT / "README.md").read_text()


def test_every_rule_has_its_place_in_the_reference() -> None:
    listed = (ROOT / "docs" / "reference" / "rules" / "index.md").read_text()
    for rule in all_rules():
        page = ROOT / "docs" / "reference" / "rules" / f"{rule.code[:3]}.md"
        assert f"## {rule.code} {rule.name}" in page.read_text()
        assert f"[{rule.code}]" in listed


def test_notices_from_reading_have_a_rule_of_the_same_severity() -> None:
    known = {rule.code: (rule.name, rule.severity) for rule in all_rules()}
    for code in READING.values():
        assert known[code.code] == (code.name, code.severity), code


def test_every_error_has_an_exit_code_in_the_reference() -> None:
    listed = (ROOT / "docs" / "reference" / "commands.md").read_text()
    public = [kind for kind in vars(errors).values() if isinstance(kind, type)]
    kinds = [kind for kind in public if issubclass(kind, TalktreeError)]
    assert len(kinds) > 5
    for kind in kinds:
        assert kind.__doc__
        assert f"| {kind.exit_code} |" in listed


def test_links_between_pages_lead_somewhere() -> None:
    for page in PAGES:
        text = re.sub(r"```.*?```|`[^`\n]+`", "", page.read_text(), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)#:]+)\)", text):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


@pytest.mark.parametrize(
    "page", ["README.md", "docs/python.md", "docs/checking.md", "docs/sessions.md"]
)
def test_python_examples_run(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(ROOT / "demo", tmp_path / "demo")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    assert blocks
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)
    assert capsys.readouterr().out
