"""Messages of custom types: they keep their name everywhere, and a package can show them.

The plug-in, its entry point and the conversation are those of the how-to.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from talktree import api
from talktree.cli.main import run
from talktree.views.html.registry import load_registry
from tests.web.running import running

PAGE = Path(__file__).parent.parent / "docs" / "how-to" / "custom-message-types.md"
BLOCKS = dict(re.findall(r"```(json|python|toml)\n(.*?)```", PAGE.read_text(), re.DOTALL))


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    path = tmp_path / "plan.json"
    path.write_text(BLOCKS["json"])
    return path


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Return the package of the how-to, as pip leaves it in a folder of packages."""
    project = tomllib.loads(BLOCKS["toml"])["project"]
    folder = tmp_path / "packages"
    info = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir(parents=True)
    (folder / BLOCKS["python"].split("\n")[0].removeprefix("# ")).write_text(BLOCKS["python"])
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    points = project["entry-points"]["talktree.renderers"]
    lines = [f"{name} = {target}" for name, target in points.items()]
    (info / "entry_points.txt").write_text("\n".join(["[talktree.renderers]", *lines]) + "\n")
    return folder


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert run([*words]) == 0
    return capsys.readouterr().out


def test_a_type_shows_under_its_own_name(talk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert api.check(talk).findings == []
    assert "Reviewer (rita)" in printed(capsys, "show", str(talk))
    assert "2 Reviewer" in printed(capsys, "tree", str(talk))
    shown = printed(capsys, "show", "--json", str(talk))
    assert re.search(r'"role": ?"reviewer","speaker": ?"Reviewer"', shown)
    assert "## Reviewer" in printed(capsys, "export", str(talk), "--to", "md", "-o", "-")
    assert ">Reviewer<" in printed(capsys, "export", str(talk), "--to", "html", "-o", "-")


@pytest.mark.parametrize("to", ["native", "studio-xml", "studio-text", "claude-code", "muse"])
def test_a_type_survives_the_way_to_another_format_and_back(
    talk: Path, tmp_path: Path, to: str
) -> None:
    there = tmp_path / "there"
    api.convert(api.read(talk), there, to=to)
    api.convert(api.read(there), tmp_path / "back.json", to="studio")
    assert (tmp_path / "back.json").read_bytes() == talk.read_bytes()


def test_a_message_becomes_and_is_written_as_one(talk: Path, tmp_path: Path) -> None:
    reply = ["--reply", "2", "--role", "build-status", "--text", "passed"]
    assert run(["edit", str(talk), *reply, "-o", str(tmp_path / "a.json")]) == 0
    assert (
        run(["edit", str(tmp_path / "a.json"), "--retype", "1", "--role", "author", "--save"]) == 0
    )
    roles = [each.role for each in api.read(tmp_path / "a.json").conversations[0].messages()]
    assert roles == ["author", "reviewer", "build-status"]


def test_a_rendering_rule_is_used_in_an_export(talk: Path, package: Path) -> None:
    path = os.pathsep.join([str(package), os.environ.get("PYTHONPATH", "")])
    words = ["export", str(talk), "--to", "html", "-o", "-"]
    pages = [
        subprocess.run(
            [sys.executable, "-m", "talktree.cli.main", *words],
            env={**os.environ, "PYTHONPATH": each},
            capture_output=True,
            check=True,
        ).stdout.decode()
        for each in (path, os.environ.get("PYTHONPATH", ""))
    ]
    assert '<p class="tt-review"><strong>APPROVED</strong> with one note</p>' in pages[0]
    assert "tt-review" not in pages[1]
    assert "approved: with one note" in pages[1]


def test_a_rendering_rule_is_used_in_the_studio(
    talk: Path, package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(package)
    load_registry.cache_clear()
    try:
        with running([talk]) as studio:
            rows = studio.get("/c/1/rows")["rows"]
    finally:
        load_registry.cache_clear()
    assert [(row["role"], row["speaker"]) for row in rows] == [
        ("user", "User"),
        ("reviewer", "Reviewer"),
    ]
    (block,) = rows[1]["blocks"]
    assert block["html"] == '<p class="tt-review"><strong>APPROVED</strong> with one note</p>'
