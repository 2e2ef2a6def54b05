"""Exporting many conversations to a folder: a page each, an index, no partial output."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from talktree.errors import UsageError
from talktree.export.batch import export_many
from talktree.export.choice import ExportOptions
from talktree.home import HOME
from tests.export.planted import KINDS, Dice
from tests.export.talks import forked, lines, said

KEY = KINDS["openai project"](Dice(2))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a history of two projects: four sessions, one of them with a sub-agent in its own
    file."""
    root = tmp_path / "projects"
    for number in range(4):
        project = root / f"-home-ida-{'pears' if number % 2 else 'plums'}"
        project.mkdir(parents=True, exist_ok=True)
        session = f"0000000{number}-0000-4000-8000-000000000000"
        each = [{**line, "sessionId": session} for line in forked()]
        (project / f"{session}.jsonl").write_bytes(lines(*each, said("user", "k", "a4", KEY)))
    agents = root / "-home-ida-plums" / "00000000-0000-4000-8000-000000000000" / "subagents"
    agents.mkdir(parents=True)
    line = said("user", "g1", None, "Dig deeper", isSidechain=True, agentId="7")
    line["sessionId"] = "00000000-0000-4000-8000-000000000000"
    (agents / "agent-7.jsonl").write_bytes(lines(line))
    return root


@pytest.mark.parametrize("processes", [1, 2])
def test_each_session_gets_a_page_that_the_index_leads_to(
    folder: Path, tmp_path: Path, processes: int
) -> None:
    out = tmp_path / "out"
    outcomes = export_many([str(folder)], out, ExportOptions(), processes=processes)
    assert [outcome.failure for outcome in outcomes] == [None] * 4
    index = (out / "index.html").read_text()
    pages = {unquote(link) for link in re.findall(r'href="([^"#]+)"', index)}
    assert pages == {str(path.relative_to(out)) for path in out.rglob("*.html")} - {"index.html"}
    assert len(pages) == 4
    text = "".join(path.read_text() for path in out.rglob("*.html"))
    assert "Dig deeper" in text
    assert KEY not in text
    # One secret has the same placeholder in all pages.
    assert len(set(re.findall(r"\[redacted: [^\]]+\]", text))) == 1


def test_one_bad_source_does_not_stop_the_others(folder: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_bytes(b"\xff\xfe nothing")
    reported: list[tuple[int, int]] = []
    outcomes = export_many(
        [str(folder), str(bad)],
        tmp_path / "out",
        ExportOptions(to="md"),
        facts=lambda outcome, done, total: reported.append((done, total)),
    )
    assert sum(outcome.failure is not None for outcome in outcomes) == 1
    assert sum(bool(outcome.page) for outcome in outcomes) == 4
    assert reported == [(number, 5) for number in range(1, 6)]


def test_nothing_that_is_there_is_touched(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "mine.txt").write_text("mine")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(UsageError):
        export_many([str(folder)], out, ExportOptions())
    assert sorted(tmp_path.rglob("*")) == before


def test_an_interrupted_export_leaves_nothing(folder: Path, tmp_path: Path) -> None:
    class Enough(Exception):
        pass

    def stop(*_: object) -> None:
        raise Enough

    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(Enough):
        export_many([str(folder)], tmp_path / "out", ExportOptions(), facts=stop)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize("to", ["html", "md", "text"])
def test_words_and_patterns_are_redacted_in_all_pages(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, to: str, processes: int
) -> None:
    (folder / "notes.jsonl").write_bytes(
        lines(said("user", "n1", None, "Ask Quincegarden about ticket QG-4711"))
    )
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    monkeypatch.setenv(HOME, str(home))
    (home / "config.toml").write_text("[redaction]\npatterns = ['QG-[0-9]+']\n")
    choice = ExportOptions(to=to, words=("quincegarden", "dig deeper"))
    out = tmp_path / "out"
    assert not any(
        each.failure for each in export_many([str(folder)], out, choice, processes=processes)
    )
    pages = "".join(path.read_text() for path in out.rglob("*") if path.is_file())
    for word in ("Quincegarden", "QG-4711", "Dig deeper"):
        assert word not in pages
    assert pages.count("[redacted: word") >= 2


def test_names_of_pages_hold_no_secrets(folder: Path, tmp_path: Path) -> None:
    project = folder / f"key-{KEY}"
    project.mkdir()
    for number in range(2):
        line = said("user", f"n{number}", None, f"number {number}")
        (project / f"{KEY}-{number % 1}{'x' * number}-rosehip.jsonl").write_bytes(lines(line))
    (folder / "rosehip index.jsonl").write_bytes(lines(said("user", "i1", None, "index?")))
    out = tmp_path / "out"
    outcomes = export_many([str(folder)], out, ExportOptions(words=("rosehip",)), processes=1)
    assert [each.failure for each in outcomes] == [None] * len(outcomes)
    assert len({each.page for each in outcomes}) == len(outcomes) == 7
    names = " ".join(str(path.relative_to(out)) for path in out.rglob("*"))
    everything = names + "".join(path.read_text() for path in out.rglob("*.html"))
    assert KEY not in everything
    assert "rosehip" not in everything
    index = (out / "index.html").read_text()
    linked = {unquote(link) for link in re.findall(r'href="([^"#]+)"', index)}
    assert linked == {each.page for each in outcomes}
