"""Messages by role: the library's counts equal those of the files, however they were imported."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from talktree import api
from talktree.library.library import Library
from talktree.model.statistics import Tally
from talktree.views.library_shapes import build_library_stats_shape
from talktree.views.statistics import build_statistics_shape
from tests.library import made


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Library]:
    monkeypatch.setenv("TALKTREE_HOME", str(tmp_path / "home"))
    with Library.open(write=True) as opened:
        yield opened


def counted(paths: Iterable[Path]) -> Tally:
    """Count in the files themselves."""
    tally = Tally()
    for path in paths:
        for conversation in api.read(path, alone=True).conversations:
            tally.add_conversation(conversation)
    return tally


def test_roles_are_those_of_the_files(library: Library, tmp_path: Path) -> None:
    paths = made.history(tmp_path / "made").files
    paths = [*paths, *(other.path for other in made.others(tmp_path / "others"))]
    library.import_([tmp_path / "made", tmp_path / "others"])
    tally = counted(paths)
    found = library.stats()
    assert dict(found.roles) == dict(tally.roles)
    reported, known = (
        build_library_stats_shape(found)["by_role"],
        build_statistics_shape(tally)["by_role"],
    )
    assert isinstance(reported, list)
    assert isinstance(known, list)
    assert sorted(reported, key=repr) == sorted(known, key=repr)
    assert [count for _, count in found.roles] == sorted(tally.roles.values(), reverse=True)
    assert "by_role" not in build_library_stats_shape(found, "day")


def test_roles_are_of_the_sources_that_are_asked_for(library: Library, tmp_path: Path) -> None:
    made.history(tmp_path / "made")
    others = made.others(tmp_path / "others")
    library.import_([tmp_path / "made", tmp_path / "others"])
    sage = counted(other.path for other in others if other.slug == "sage")
    assert dict(library.stats(format="sage").roles) == dict(sage.roles)


def test_appended_reindexed_and_forgotten_messages_are_counted(
    library: Library, tmp_path: Path
) -> None:
    path = made.history(tmp_path / "made").files[0]
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    path.write_bytes(b"".join(lines[: len(lines) // 2]))
    library.import_([path])
    path.write_bytes(whole)
    library.import_([path])
    roles = dict(counted([path]).roles)
    assert dict(library.stats().roles) == roles
    library.reindex()
    assert dict(library.stats().roles) == roles
    library.forget(library.conversation(str(path)))
    assert library.stats().roles == ()


def test_a_library_of_before_counts_them_after_the_next_import(
    library: Library, tmp_path: Path
) -> None:
    from talktree.library.database.migrations import v3_roles

    paths = made.history(tmp_path / "made").files
    library.import_([tmp_path / "made"])
    library.db.run("DROP TABLE roles")
    v3_roles.step(library.db)
    assert library.stats().roles == ()
    library.import_([tmp_path / "made"])
    assert dict(library.stats().roles) == dict(counted(paths).roles)
