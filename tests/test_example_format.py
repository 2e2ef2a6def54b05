"""The example package of a format, installed as a user would install it, works everywhere.

It was written from CONTRIBUTING.md; this test uses only its command line and its files.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.web.running import until
from tests.web.test_launch import started

PROJECT = Path(__file__).parents[1]
PACKAGE = PROJECT / "examples" / "talktree-example-format"
SAMPLES = PACKAGE / "tests" / "samples"
SAMPLE = PROJECT / "tests" / "data" / "claude-messages" / "good" / "tools-and-branches.jsonl"
MOST_LINES = 120


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the installed package."""
    folder = tmp_path_factory.mktemp("example")
    copy = folder / "package"
    shutil.copytree(PACKAGE, copy)
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps"]
    command += ["--no-build-isolation", "--target", str(folder / "site"), str(copy)]
    subprocess.run(command, check=True)
    return folder / "site"


class Home:
    """A home in which the package is installed."""

    def __init__(self, path: Path, site: Path) -> None:
        self.path = path
        self.environment = {
            **os.environ, "HOME": str(path), "PYTHONPATH": str(site),
            "TALKTREE_HOME": str(path / "data"), "XDG_CONFIG_HOME": str(path / "config"),
        }  # fmt: skip
        shutil.copytree(SAMPLES, path / "sharegpt")

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [Path(sys.executable).with_name("talktree"), *arguments],
            env=self.environment, cwd=self.path, capture_output=True, text=True,
        )  # fmt: skip

    def said(self, *arguments: str) -> str:
        """Run a command that must succeed without a warning, and return its output."""
        done = self.run(*arguments)
        assert done.returncode == 0, done.stderr
        assert "warning" not in done.stderr
        return done.stdout


@pytest.fixture
def home(tmp_path: Path, site: Path) -> Home:
    (tmp_path / "home").mkdir()
    return Home(tmp_path / "home", site)


def test_the_package_is_short() -> None:
    files = sorted((PACKAGE / "src").rglob("*.py"))
    lines = [line for path in files for line in path.read_text().splitlines()]
    code = re.sub(r'"""[\s\S]*?"""', "", "\n".join(lines))
    assert len([line for line in code.splitlines() if line.strip()]) <= MOST_LINES


def test_it_passes_the_shipped_contract(site: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(PACKAGE / "tests")],
        env={**os.environ, "PYTHONPATH": str(site)}, cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:]


def test_files_are_recognized_shown_and_checked(home: Home) -> None:
    for name in ("two.json", "lines.jsonl", "broken.json"):
        assert "sharegpt (" in home.said("detect", f"sharegpt/{name}")
    assert "It pulls the sea." in home.said("show", "sharegpt/two.json", "--conversation", "two#2")
    assert "Assistant (active)" in home.said("tree", "sharegpt/two.json")
    assert "sharegpt" in home.said("formats")
    assert "SGP101 unknown-speaker" in home.said("rule", "SGP101")
    checked = home.run("check", "sharegpt/broken.json")
    assert checked.returncode == 1
    assert "SGP101 unknown-speaker: the speaker is robot" in checked.stdout


def test_a_broken_file_is_repaired(home: Home) -> None:
    home.run("repair", "sharegpt/broken.json", "-o", "repaired.json")
    repaired = json.loads((home.path / "repaired.json").read_text())
    assert repaired["conversations"][-1] == {"from": "gpt", "value": "cut off"}
    again = home.run("repair", "repaired.json", "-o", "again.json")
    assert again.returncode == 0
    assert json.loads((home.path / "again.json").read_text()) == repaired


def test_conversions_lead_there_and_back(home: Home) -> None:
    home.said("convert", str(SAMPLE), "-t", "sharegpt", "-o", "there.json")
    there = json.loads((home.path / "there.json").read_text())
    assert there["conversations"][0]["from"] == "human"
    home.said("convert", "there.json", "-t", "claude-messages", "-o", "back.jsonl")
    assert (home.path / "back.jsonl").read_bytes() == SAMPLE.read_bytes()
    for name in ("two.json", "lines.jsonl"):
        home.said("convert", f"sharegpt/{name}", "-t", "native", "-o", f"{name}.native")
        home.said("convert", f"{name}.native", "-t", "sharegpt", "-o", f"back-{name}")
        assert (home.path / f"back-{name}").read_bytes() == (SAMPLES / name).read_bytes()


def test_the_library_takes_it_in(home: Home) -> None:
    assert "3 new" in home.said("import", "--known")
    assert "3 unchanged" in home.said("import")
    with (home.path / "sharegpt" / "lines.jsonl").open("a") as file:
        file.write('{"conversations": [{"from": "human", "value": "Of quinces"}]}\n')
    assert "1 grown" in home.said("import") + home.run("list").stdout
    found = json.loads(home.said("search", "quinces", "--json"))
    assert [hit["excerpt"] for hit in found["hits"]] == ["Of quinces"]
    stats = json.loads(home.said("stats", "--json", "--from", "sharegpt"))
    assert stats["totals"]["sources"] == 3
    listed = json.loads(home.said("list", "--json"))
    assert {each["format"] for each in listed["conversations"]} == {"sharegpt"}
    assert home.run("library", "check", "--read-data").returncode == 0


def test_the_studio_shows_and_edits_it(
    home: Home, site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(site))
    path = home.path / "sharegpt" / "two.json"
    with started(tmp_path, str(path)) as studio:
        until(lambda: studio.client.get("/conversations").json()["total"] == 2)
        cards = studio.client.get("/conversations").json()["cards"]
        assert {card["format"] for card in cards} == {"sharegpt"}
        card = next(card for card in cards if card["title"] == "What is the tide?")
        rows = studio.client.get(f"/c/{card['cid']}/rows").text
        assert "The rise and fall of the sea." in rows
        assert '"Assistant"' in rows
