"""A broken plug-in is reported once and skipped; everything else works as without it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

SAMPLE = Path(__file__).parent / "data" / "claude-messages" / "good" / "tools-and-branches.jsonl"
RAISING = """
from talktree.formats.format import FormatCapabilities, Format, FormatInfo, Lens

class Raising(Format):
    info = FormatInfo(slug="raising", title="Raises", layout="file", suffixes=(".r",))
    can = FormatCapabilities()
    lens = Lens(lambda record: record, lambda entry, base: None)

    def detect(self, probe):
        raise RuntimeError("detect is broken")

    def split(self, source):
        raise RuntimeError("split is broken")

FORMAT = Raising()
"""
UNFINISHED = RAISING.replace("    can = FormatCapabilities()\n", "")
ABSTRACT = RAISING.replace("def split", "def another")
BROKEN = {
    "import-error": ("import no_such_module\n", "ModuleNotFoundError: No module named"),
    "syntax-error": ("FORMAT = (\n", "SyntaxError"),
    "no-such-name": ("OTHER = 1\n", "AttributeError"),
    "no-format": ("FORMAT = 5\n", "it is int, not a Format"),
    "unfinished": (UNFINISHED.replace('"raising"', '"unfinished"'), "it has no can"),
    "abstract": (ABSTRACT, "TypeError"),
    "other-slug": (RAISING, "its slug is 'raising', its entry point 'other-slug'"),
    "raising": (RAISING, "RuntimeError: detect is broken"),
    "exiting": ("raise SystemError('stop')\n", "SystemError: stop"),
}


def install(site: Path, group: str, name: str, code: str, what: str = ":FORMAT") -> None:
    """Put a package with a plug-in where Python finds it."""
    module = f"plugin_{name.replace('-', '_')}"
    info = site / f"{module}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{group}]\n{name} = {module}{what}\n")
    (site / f"{module}.py").write_text(code)


def run(site: Path, home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "talktree.cli.main", *arguments],
        env={**os.environ, "PYTHONPATH": str(site), "TALKTREE_HOME": str(home)},
        cwd=home.parent, capture_output=True, text=True,
    )  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with every kind of broken plug-in."""
    site = tmp_path_factory.mktemp("site")
    for name, (code, _) in BROKEN.items():
        install(site, "talktree.formats", name, code)
    install(site, "talktree.rules", "rules", "import no_such_module\n", "")
    install(site, "talktree.renderers", "renderers", "raise ValueError\n", ":add")
    return site


def warnings(text: str, names: Iterable[str]) -> list[str]:
    """Return the names of the plug-ins in warnings."""
    lines = [line for line in text.splitlines() if line.startswith("talktree: warning: plug-in ")]
    assert len(lines) == len(set(lines)), "each once"
    return [name for name in names if any(f"plug-in {name} (plugin_" in line for line in lines)]


COMMANDS = [
    ("detect", str(SAMPLE)),
    ("show", str(SAMPLE), "--ids", "m1"),
    ("tree", str(SAMPLE)),
    ("check", str(SAMPLE), "--jobs", "2"),
    ("convert", str(SAMPLE), "-t", "native", "-o", "-"),
    ("export", str(SAMPLE), "--to", "html", "-o", "-"),
    ("formats",),
    ("rule",),
    ("import", str(SAMPLE.parent), "-q"),
    ("list", "--json"),
]


def test_broken_plugins_change_no_answer(site: Path, tmp_path: Path) -> None:
    for arguments in COMMANDS:
        one = run(tmp_path / "none", tmp_path / "plain", *arguments)
        two = run(site, tmp_path / "broken", *arguments)
        assert two.returncode == one.returncode, (arguments, two.stderr)
        if arguments[0] == "formats":
            assert set(one.stdout.splitlines()) <= set(two.stdout.splitlines())
        elif arguments[0] not in ("export", "list"):
            assert two.stdout == one.stdout, arguments
        assert "Traceback" not in two.stderr
        assert "internal error" not in two.stderr


def test_each_broken_plugin_is_reported_with_its_package(site: Path, tmp_path: Path) -> None:
    done = run(site, tmp_path / "home", "detect", str(SAMPLE))
    assert done.returncode == 0
    assert warnings(done.stderr, BROKEN) == [*BROKEN]
    for name, (_, why) in BROKEN.items():
        line = next(line for line in done.stderr.splitlines() if f"plug-in {name} (" in line)
        assert f"(plugin_{name.replace('-', '_')} 1.0)" in line
        assert why in line
    rules = run(site, tmp_path / "home", "rule")
    assert warnings(rules.stderr, ["rules"]) == ["rules"]


@pytest.mark.parametrize("name", [name for name in BROKEN if name != "raising"])
def test_a_broken_plugin_that_is_asked_for_is_an_error(
    site: Path, tmp_path: Path, name: str
) -> None:
    out = tmp_path / "out"
    done = run(site, tmp_path / "home", "convert", str(SAMPLE), "-t", name, "-o", str(out))
    assert done.returncode == 3, done.stderr
    assert f"plug-in {name}" in done.stderr
    assert BROKEN[name][1] in done.stderr
    assert "hint: update it, or remove it: pip uninstall plugin_" in done.stderr
    assert not out.exists()


def test_a_plugin_never_takes_the_place_of_a_built_in_format(tmp_path: Path) -> None:
    code = RAISING.replace('"raising"', '"muse"')
    install(tmp_path / "site", "talktree.formats", "muse", code)
    done = run(
        tmp_path / "site", tmp_path / "home", "convert", str(SAMPLE), "-t", "muse", "-o", "-"
    )
    assert done.returncode == 0, done.stderr
    assert "a format of this name is built in" in done.stderr
