"""The table of known files: its entries are right for the next process, or missing."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from talktree.session.capture.file_cache import (
    SPARE,
    FileCacheFile,
    KnownFileRow,
    KnownFiles,
    KnownState,
)
from talktree.session.capture.file_state import ABSENT, FileContentState, LinkState
from tests.cases import examples
from tests.session.trees import CASES, paths

stamps = st.tuples(st.integers(0, 9), st.integers(0, 2**62))
states = st.sampled_from(
    [ABSENT, LinkState(target=b"\xff%"), FileContentState(hash="a" * 64, size=1, mode=0o644)]
)
rows = st.lists(st.builds(KnownFileRow, paths, stamps, states), max_size=6)


@examples(2 * CASES)
@given(rows, rows, st.integers(0, 10_000), st.integers(0, 255))
def test_damage_takes_lines_away_and_changes_none(
    first: list[KnownFileRow], second: list[KnownFileRow], place: int, byte: int
) -> None:
    with tempfile.TemporaryDirectory() as top:
        path = Path(top) / "cache" / "s.files"
        for some in (first, second):
            FileCacheFile(path).add(some, 0, list)
        assert list(FileCacheFile(path).read_rows()) == [*first, *second]
        if path.exists() and (data := bytearray(path.read_bytes())):
            data[place % len(data)] = byte
            path.write_bytes(data)
            assert set(FileCacheFile(path).read_rows()) <= {*first, *second}
            path.write_bytes(data[: place % len(data)])
            assert set(FileCacheFile(path).read_rows()) <= {*first, *second}


def test_only_what_is_certain_named_and_kept_is_handed_on(tmp_path: Path) -> None:
    place = tmp_path / "cache" / "s.files"
    known = KnownFiles()
    assert known.load(place, ())
    kept, lost = (FileContentState(hash=letter * 64, size=1, mode=0o644) for letter in "ab")
    known.put(b"kept", KnownState((1,), kept, sure=True, details=True))
    known.put(b"lost", KnownState((1,), lost, sure=True, details=True))
    known.put(b"young", KnownState((1,), kept, sure=False, details=True))
    known.put(b"untold", KnownState((1,), kept, sure=True, details=False))
    known.save()
    assert place.stat().st_mode & 0o777 == 0o600
    other = KnownFiles()
    assert other.load(place, [kept.hash])
    assert not other.load(place, [kept.hash])
    assert other.paths() == [b"kept"]


def test_the_file_does_not_grow_for_ever(tmp_path: Path) -> None:
    place = tmp_path / "s.files"
    known = KnownFiles()
    known.load(place, ())
    for number in range(SPARE * 3):
        known.put(b"f", KnownState((number,), ABSENT, sure=True, details=True))
        known.save()
    assert len(place.read_bytes().splitlines()) <= SPARE + 2
    assert os.listdir(tmp_path) == ["s.files"]
    other = KnownFiles()
    other.load(place, ())
    assert other.get(b"f") == KnownState((SPARE * 3 - 1,), ABSENT, sure=True, details=True)


def test_a_place_that_cannot_be_written_costs_nothing(tmp_path: Path) -> None:
    (tmp_path / "cache").write_bytes(b"in the way")
    known = KnownFiles()
    known.load(tmp_path / "cache" / "s.files", ())
    known.put(b"f", KnownState((1,), ABSENT, sure=True, details=True))
    known.save()
    (tmp_path / "s.files").symlink_to("/etc/passwd")
    other = KnownFiles()
    other.load(tmp_path / "s.files", ())
    other.put(b"f", KnownState((1,), ABSENT, sure=True, details=True))
    other.save()
    assert other.get(b"f") is not None
