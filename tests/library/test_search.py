"""Searching an imported library: results, their form, and what a search loads."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from talktree.errors import UsageError
from talktree.library.archive.line_reader import LinePlace, read_lines_at
from talktree.library.extract.record import read_line_at
from talktree.library.library import Library
from talktree.library.search.backend import get_backend
from talktree.library.search.match import matches
from talktree.library.search.parse import parse
from talktree.library.search.run import Candidate, Hit
from tests.library.made import OTHERS, append, history, others, small


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("library")
    history(folder / "home")
    others(folder / "others")
    with Library.open(folder / "kept", write=True) as library:
        library.import_([folder / "home", folder / "others"])
    return folder / "kept"


@pytest.fixture
def library(root: Path) -> Iterator[Library]:
    with Library.open(root) as opened:
        yield opened


def _texts(library: Library, query: str) -> set[str]:
    return {hit.excerpt for hit in library.search(query, limit=None)}


QUERIES = [
    *("lamp", "filament", '"burns again"', "wir*", "*iring*", 'has:"lamp = "', "lamp -wiring"),
    *("潮汐", "東京の", "neap OR almanac", "role:user", "role:tool is:error", "kind:thinking"),
    *("tool:bash", 'tool:bash has:"KeyError: \'"', "file:lamp.py", "file:neap.csv tool:write"),
    *("model:opus", "project:tide-tables", "branch:dates -role:user", "format:sage", "is:error"),
    *("is:sidechain", "is:abandoned", "is:compacted", "is:abandoned OR is:error", "after:2020"),
    *("before:2030 kind:todo", "session:00000003 tides", "session:a1", "session:conv-"),
    *('has:"_" role:assistant', "kind:text -is:compacted -has:a", "(lamp OR tides) -(is:error)"),
]


@pytest.mark.parametrize("query", QUERIES)
def test_a_library_finds_what_is_meant(library: Library, query: str) -> None:
    shelf = get_backend(library)
    meant = {
        place
        for place, _ in library.fulltext.documents()
        if matches(parse(query), Candidate(shelf, place))
    }
    results = library.search(query, limit=None)
    found = [(hit.source, hit.at, hit.part) for hit in results]
    assert set(found) == meant
    assert len(found) == len(meant) == results.total > 0


def test_pieces_read_again_are_the_ones_that_were_indexed(library: Library) -> None:
    shelf = get_backend(library)
    for place, kind in library.fulltext.documents():
        assert Candidate(shelf, place).piece.kind == kind


_LINES = """
SELECT s.id, f.generation FROM sources AS s JOIN files AS f ON f.source = s.id WHERE s.lines
"""


def test_lines_in_the_short_way_are_the_lines(library: Library) -> None:
    generations: dict[int, int] = {row[0]: row[1] for row in library.db.read(_LINES)}
    places = sorted(
        {
            LinePlace(generations[place.source], place.at)
            for place, _ in library.fulltext.documents()
            if place.source in generations
        }
    )
    found = read_lines_at(library.db, places)
    assert found
    for place, line in found.items():
        read = partial(library.archive.slice, place.generation)
        assert line == read_line_at(read, place.at)
    assert read_lines_at(library.db, [LinePlace(9999, 0)]) == {}


def test_a_hit_has_its_position(library: Library) -> None:
    (hit,) = library.search("session:00000003 almanac")
    assert hit.format == "claude-code"
    assert hit.conversation.startswith("00000003-")
    assert hit.raw_path.endswith(b".jsonl")
    assert hit.message == "00030000-0000-4000-8000-000000000002"
    assert (hit.role, hit.kind, hit.state) == ("assistant", "text", "abandoned")
    assert hit.title == "潮汐表"
    assert hit.project == "/home/ana/tide-tables"
    assert hit.seconds is not None
    assert hit.score > 0
    assert [hit.excerpt[start:end] for start, end in hit.marks] == ["almanac"]


def test_abandoned_or_compacted_messages_are_found_and_marked(library: Library) -> None:
    states = {hit.excerpt: hit.state for hit in library.search("session:00000003", limit=None)}
    assert states["An almanac in French?"] == "abandoned"
    assert states["東京の潮汐表を作りました。"] == "compacted"
    assert states["Now the neap tides"] == "current"


@pytest.mark.parametrize("other", OTHERS, ids=lambda other: other.slug)
def test_every_format_is_found(library: Library, other: object) -> None:
    slug, word = other.slug, other.word  # type: ignore[attr-defined]
    hits = list(library.search(word, limit=None))
    assert hits
    assert {hit.format for hit in hits} == {slug}
    assert all(hit.marks for hit in hits)


def test_conversations_of_one_file_are_distinguished(library: Library) -> None:
    names = {hit.conversation for hit in library.search("format:muse", limit=None)}
    assert len(names) > 1
    for name in names:
        assert {hit.conversation for hit in library.search(f'session:"{name}"', limit=None)} == {
            each for each in names if each.startswith(name)
        }


def test_better_hits_come_first_and_newer_ones_if_asked(library: Library) -> None:
    scores = [hit.score for hit in library.search("lamp OR wiring", limit=None)]
    assert scores == sorted(scores, reverse=True)
    times = [hit.seconds or 0 for hit in library.search("lamp", limit=None, sort="new")]
    assert times == sorted(times, reverse=True)
    assert library.search("role:user").sort == "new", "nothing is ranked"


def test_hits_come_as_they_are_asked_for(library: Library) -> None:
    hits = library.search("lamp", limit=None).hits
    assert isinstance(next(hits), Hit)
    assert len(list(library.search("lamp", limit=3))) == 3
    assert list(library.search("lamp", limit=0)) == []
    everything = list(library.search("lamp", limit=None))
    assert list(library.search("lamp", limit=4, offset=2)) == everything[2:6]


def test_invalid_search_options_are_refused(library: Library) -> None:
    for wrong in ({"sort": "odd"}, {"limit": -1}, {"offset": -1}):
        with pytest.raises(UsageError):
            library.search("lamp", **wrong)


@pytest.mark.parametrize(
    "query",
    ["'; DROP TABLE sources; --", 'has:"%_%"', "body:x*", '"a" }{ [1 TO 2]', "a^2 ~b", "*.*+?*"],
)
def test_queries_are_never_more_than_text(library: Library, query: str) -> None:
    try:
        list(library.search(query))
    except UsageError as error:
        assert error.hint  # noqa: PT017
    assert library.search("lamp").total


def test_an_added_line_is_found_immediately(tmp_path: Path) -> None:
    session = small(tmp_path / "home", words="the first words")
    with Library.open(tmp_path / "kept", write=True) as library:
        library.import_([tmp_path / "home"])
        with Library.open(tmp_path / "kept") as reader:
            assert reader.search("zebra").total == 0
            (path,) = (tmp_path / "home").rglob("*.jsonl")
            session.say("a zebra in the harbour")
            append(path, session.lines[-1])
            library.import_()
            (hit,) = reader.search("zebra")
            assert hit.excerpt == "a zebra in the harbour"
            assert _texts(reader, "first") == {"the first words"}


ALONE = """
import sys, json
from pathlib import Path
from talktree.library.library import Library
with Library.open(Path(sys.argv[1])) as library:
    hits = list(library.search("lamp"))
assert hits
print(json.dumps(sorted(sys.modules)))
"""


def test_searching_loads_little(root: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ALONE, str(root)], capture_output=True, text=True, check=True
    )
    loaded = set(json.loads(done.stdout))
    unwanted = ("rich", "numpy", "pyarrow", "click", "asyncio", "difflib", "unittest")
    assert not loaded & set(unwanted)
    parts = (
        "conversion",
        "checks",
        "repairs",
        "session",
        "views",
        "cli",
        "library.importing.import_run",
    )
    assert not [name for name in loaded if name.startswith(tuple(f"talktree.{x}" for x in parts))]
    assert "talktree.library.fulltext.writer" not in loaded
