"""Restoring: any version byte for byte, below one folder, never over existing files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.errors import NotFound, NotSaved, PathEscapes, Unreadable, UsageError
from talktree.files.durable import UNFINISHED
from talktree.library.archive.chunks import CHUNK
from talktree.library.archive.restore import restore_source
from talktree.library.archive.source_versions import list_versions
from tests.cases import examples
from tests.library.archives import Keeper, flipped, keeper, lines
from tests.session.faults import small_disk, unwritable


def found(folder: Path) -> dict[bytes, bytes]:
    """Return all files below a folder."""
    top = os.fsencode(folder)
    return {
        os.path.relpath(os.path.join(above, name), top): Path(
            os.fsdecode(os.path.join(above, name))
        ).read_bytes()
        for above, _, names in os.walk(top)
        for name in names
    }


def test_any_version_of_a_file_comes_back(tmp_path: Path) -> None:
    said = [lines(1, 2 * CHUNK), lines(2, 500), lines(3, 100_000), b"torn"]
    path = b"/home/ana/projects/a/session.jsonl"
    with keeper(tmp_path) as kept:
        file = kept.file(path)
        generation = kept.put(file, said[0], seen=1)
        for seen, part in enumerate(said[1:], 2):
            kept.grow(generation, part, seen=seen)
            kept.archive.flush()
        kept.put(file, b"another\n", seen=9)
        kept.archive.flush()
        source = kept.source(path)
        reported = list_versions(kept.db, source)
        assert [version.seen_ns for version in reported] == [1, 2, 3, 4, 9]
        assert [version.number for version in reported] == [1, 2, 3, 4, 5]
        for version in reported[:4]:
            into = tmp_path / f"{version.number}"
            (written,) = restore_source(kept, source, into, version.number)
            assert written == into / "session.jsonl"
            assert written.read_bytes() == b"".join(said[: version.number])
            assert written.stat().st_size == version.length
            assert written.stat().st_mtime_ns == version.modified_ns
            assert written.stat().st_mode & 0o777 == 0o600
        (written,) = restore_source(kept, source, tmp_path / "now")
        assert written.read_bytes() == b"another\n"


def test_a_folder_comes_back_as_it_was_at_a_moment(tmp_path: Path) -> None:
    top = b"/home/ana/.sage/sessions/s1"
    with keeper(tmp_path) as kept:
        notes = kept.file(top + b"/session.json", top)
        kept.put(notes, b"{}", seen=1)
        kept.put(kept.file(top + b"/messages/1.json", top), b"one", seen=1)
        kept.put(kept.file(top + b"/messages/2.json", top), b"two", seen=2)
        kept.put(notes, b"{1}", seen=3)
        kept.archive.flush()
        source = kept.source(top)
        moments = [found(_into(kept, source, tmp_path / f"{n}", n)) for n in (1, 2, 3)]
    first = {b"s1/session.json": b"{}", b"s1/messages/1.json": b"one"}
    second = {**first, b"s1/messages/2.json": b"two"}
    assert moments == [first, second, {**second, b"s1/session.json": b"{1}"}]


def _into(kept: Keeper, source: int, into: Path, version: int | None) -> Path:
    restore_source(kept, source, into, version)
    return into


def test_a_file_that_left_a_folder_is_not_part_of_it_any_more(tmp_path: Path) -> None:
    top = b"/home/ana/s1"
    with keeper(tmp_path) as kept:
        kept.put(kept.file(top + b"/a", top), b"a")
        gone = kept.file(top + b"/b", top)
        kept.put(gone, b"b")
        kept.archive.flush()
        source = kept.source(top)
        kept.db.run("UPDATE files SET state = 'gone' WHERE id = ?", (gone,))
        assert found(_into(kept, source, tmp_path / "1", None)) == {b"s1/a": b"a"}
        kept.db.run("UPDATE sources SET state = 'gone' WHERE id = ?", (source,))
        both = {b"s1/a": b"a", b"s1/b": b"b"}
        assert found(_into(kept, source, tmp_path / "2", None)) == both


def test_whole_paths_keep_sources_apart(tmp_path: Path) -> None:
    with keeper(tmp_path) as kept:
        for path in (b"/a/x.jsonl", b"/b/x.jsonl"):
            kept.put(kept.file(path), path)
        kept.archive.flush()
        for path in (b"/a/x.jsonl", b"/b/x.jsonl"):
            restore_source(kept, kept.source(path), tmp_path / "into", whole_paths=True)
    assert found(tmp_path / "into") == {b"a/x.jsonl": b"/a/x.jsonl", b"b/x.jsonl": b"/b/x.jsonl"}


NAMES = st.binary(min_size=1, max_size=40).filter(
    lambda name: not {0, 47} & set(name) and name not in (b".", b"..")
)


@given(NAMES, NAMES)
@examples(15)
def test_names_of_any_bytes_come_back(
    tmp_path_factory: pytest.TempPathFactory, folder: bytes, name: bytes
) -> None:
    place = tmp_path_factory.mktemp("odd")
    top = b"/home/" + folder
    with keeper(place, threads=0) as kept:
        kept.put(kept.file(top + b"/" + name, top), b"said")
        kept.archive.flush()
        restore_source(kept, kept.source(top), place / "into")
    assert found(place / "into") == {folder + b"/" + name: b"said"}


# refusals


def test_nothing_that_is_there_is_overwritten(tmp_path: Path) -> None:
    top = b"/home/s1"
    with keeper(tmp_path) as kept:
        kept.put(kept.file(top + b"/a", top), b"kept a")
        kept.put(kept.file(top + b"/b", top), b"kept b")
        kept.archive.flush()
        into = tmp_path / "into"
        (into / "s1").mkdir(parents=True)
        (into / "s1" / "b").write_bytes(b"mine")
        with pytest.raises(UsageError, match="s1/b: already exists"):
            restore_source(kept, kept.source(top), into)
        assert found(into) == {b"s1/b": b"mine"}
        restore_source(kept, kept.source(top), into, replace=True)
        assert found(into) == {b"s1/a": b"kept a", b"s1/b": b"kept b"}


@pytest.mark.parametrize("path", [b"/home/s1/../../../evil", b"/home/s1/./x", b"/home/s1//x"])
def test_a_path_that_leads_out_is_refused(tmp_path: Path, path: bytes) -> None:
    with keeper(tmp_path) as kept:
        kept.put(kept.file(path, b"/home/s1"), b"evil")
        kept.archive.flush()
        with pytest.raises(PathEscapes):
            restore_source(kept, kept.source(b"/home/s1"), tmp_path / "a" / "b" / "into")
    assert found(tmp_path / "a") == {}


def test_a_link_on_the_way_is_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    into = tmp_path / "into"
    into.mkdir()
    (into / "s1").symlink_to(outside)
    with keeper(tmp_path) as kept:
        kept.put(kept.file(b"/home/s1/a", b"/home/s1"), b"said")
        kept.archive.flush()
        with pytest.raises(PathEscapes):
            restore_source(kept, kept.source(b"/home/s1"), into)
    assert not list(outside.iterdir())


def test_contents_that_are_not_kept_are_reported(tmp_path: Path) -> None:
    with keeper(tmp_path) as kept:
        with pytest.raises(NotFound, match="nothing is kept"):
            restore_source(kept, 7, tmp_path / "into")
        kept.put(kept.file(b"/a"), b"said")
        kept.archive.flush()
        with pytest.raises(NotFound, match="no version 2"):
            restore_source(kept, kept.source(b"/a"), tmp_path / "into", 2)
    assert not (tmp_path / "into").exists()


def test_damage_is_reported_and_nothing_appears(tmp_path: Path) -> None:
    with keeper(tmp_path) as kept:
        kept.put(kept.file(b"/s/a", b"/s"), b"whole")
        kept.put(kept.file(b"/s/b", b"/s"), lines(1, 2 * CHUNK))
        kept.archive.flush()
        packed = kept.db.read("SELECT data FROM chunks WHERE id = 2")[0][0]
        kept.db.checkpoint()
    flipped(tmp_path / "library.sqlite", packed[2000:2100])
    reported = pytest.raises(Unreadable, match="chunk 2 of the archive is damaged")
    with keeper(tmp_path, write=False) as kept, reported:
        restore_source(kept, kept.source(b"/s"), tmp_path / "into")
    assert found(tmp_path / "into") == {}


def test_a_disk_that_is_full_or_closed_is_reported(tmp_path: Path) -> None:
    with keeper(tmp_path) as kept:
        kept.put(kept.file(b"/a"), lines(1, 2 * CHUNK))
        kept.archive.flush()
        source = kept.source(b"/a")
        with small_disk(tmp_path / "small", 64 << 10) as place:
            with pytest.raises(NotSaved, match="No space left"):
                restore_source(kept, source, place / "into")
            assert found(place) == {}
        with unwritable(tmp_path / "closed"), pytest.raises(NotSaved, match="cannot be made"):
            restore_source(kept, source, tmp_path / "closed" / "into")


def test_a_kill_leaves_the_whole_file_or_none(tmp_path: Path) -> None:
    data = lines(1, 6 * CHUNK)
    with keeper(tmp_path) as kept:
        kept.put(kept.file(b"/a"), data)
        kept.archive.flush()
    code = """if True:
        import resource, signal, sys
        from pathlib import Path
        from tests.library.archives import keeper
        from talktree.library.archive.restore import restore_source
        # The kernel ends the process in the middle of a write.
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]),) * 2)
        with keeper(Path(sys.argv[1]), write=False) as kept:
            restore_source(kept, kept.source(b"/a"), Path(sys.argv[2]))
    """
    for number, most in enumerate((1, 5000, len(data) - 1, len(data))):
        into = tmp_path / f"into-{number}"
        command = [sys.executable, "-c", code, str(tmp_path), str(into), str(most)]
        done = subprocess.run(command, capture_output=True, cwd=Path(__file__).parents[2])
        names = found(into)
        assert (done.returncode == 0) == (most == len(data)), done.stderr
        assert names.get(b"a") == (data if most == len(data) else None)
        assert all(name == b"a" or name.startswith(UNFINISHED.encode()) for name in names)


def test_a_path_that_is_not_utf8_names_its_conversation(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    from talktree.cli.main import run

    place = os.fsencode(tmp_path / "in")
    os.mkdir(place)
    line = b'{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","content":"x"}}\n'
    name = os.path.join(place, b"caf\xe9.jsonl")
    Path(os.fsdecode(name)).write_bytes(line)
    library = ["--library", str(tmp_path / "library")]
    assert run(["import", os.fsdecode(place), *library]) == 0
    into = str(tmp_path / "out")
    assert run(["library", "restore", os.fsdecode(name), "--into", into, *library]) == 0
    assert (tmp_path / "out" / os.fsdecode(b"caf\xe9.jsonl")).read_bytes() == line
    gone = os.fsdecode(b"/tmp/gone-\xff.jsonl")
    assert run(["library", "restore", gone, "--into", into, *library]) == 2
    assert "no such conversation" in capfd.readouterr().err
