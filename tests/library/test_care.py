"""Maintaining a library: damage is found and named, faults lose nothing that was committed."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from talktree.errors import NotSaved, Unreadable
from talktree.library.archive.chunks import CHUNK
from talktree.library.care import check_storage
from talktree.library.database.connection import PAGE
from talktree.library.erasure.row_deletion import delete_sources
from tests.library.archives import Keeper, flipped, keeper, lines
from tests.session.faults import small_disk

ROOT = Path(__file__).parents[2]

# damage


def test_a_flipped_bit_is_found_and_named(tmp_path: Path) -> None:
    data = lines(1, 3 * CHUNK)
    with keeper(tmp_path) as kept:
        kept.put(kept.file(b"/home/ana/a.jsonl"), data)
        kept.put(kept.file(b"/home/ana/fork.jsonl"), data.replace(b"a" * 36, b"b" * 36))
        kept.put(kept.file(b"/home/ana/other.jsonl"), lines(2, CHUNK))
        kept.archive.flush()
        packed = kept.db.read("SELECT data FROM chunks WHERE id = 2")[0][0]
        assert kept.db.read("SELECT count(*) FROM chunks WHERE base = 2") == [(1,)]
        kept.db.checkpoint()
    flipped(tmp_path / "library.sqlite", packed[1000:1100])
    with keeper(tmp_path, write=False) as kept:
        assert kept.troubles(read_data=False) == []
        (reported,) = kept.troubles()
        assert reported == (
            "damaged: chunk 2 is damaged: it is part of /home/ana/a.jsonl, /home/ana/fork.jsonl"
        )
        assert all(each.hint for each in check_storage(kept, read_data=True))


@pytest.mark.parametrize("seed", range(12))
def test_a_flipped_bit_anywhere_is_found_or_harmless(tmp_path: Path, seed: int) -> None:
    held = {b"/a": lines(1, CHUNK), b"/b": lines(2, 5000)}
    with keeper(tmp_path, threads=0) as kept:
        for path, data in held.items():
            kept.put(kept.file(path), data)
        kept.archive.flush()
        kept.db.checkpoint()
    damaged = bytearray((tmp_path / "library.sqlite").read_bytes())
    at = random.Random(seed).randrange(len(damaged))
    damaged[at] ^= 1 << seed % 8
    (tmp_path / "library.sqlite").write_bytes(damaged)
    with suppress(Unreadable), keeper(tmp_path, write=False, threads=0) as kept:
        if not kept.troubles():
            assert {path: whole_file(kept, path) for path in held} == held


# repairing


def test_a_damaged_chunk_is_taken_from_its_file_again(tmp_path: Path) -> None:
    path, fork = tmp_path / "a.jsonl", tmp_path / "fork.jsonl"
    path.write_bytes(lines(1, 3 * CHUNK))
    fork.write_bytes(lines(1, 3 * CHUNK).replace(b"a" * 36, b"b" * 36))
    with keeper(tmp_path) as kept:
        for each in (path, fork):
            kept.put(kept.file(os.fsencode(each)), each.read_bytes())
        kept.archive.flush()
        damage(kept, "base IS NULL")
        assert kept.troubles() != []
        assert kept.archive.repair() > 0
        assert kept.troubles() == []
        damage(kept, "base IS NULL")
        path.unlink()
        assert kept.archive.repair() > 0, "the fork has bytes of its own then"
        assert whole_file(kept, os.fsencode(fork)) == fork.read_bytes()
        reported = kept.troubles()
        assert reported
        assert all("a.jsonl" in each and "fork" not in each for each in reported)
        fork.write_bytes(b"another")
        assert kept.archive.repair() == 0
        assert kept.troubles() == reported


def damage(kept: Keeper, which: str) -> None:
    """Shorten the data of chunks."""
    kept.db.run(f"UPDATE chunks SET data = substr(data, 1, length(data) - 9) WHERE {which}")


def test_unreferenced_data_is_dropped(tmp_path: Path) -> None:
    with keeper(tmp_path) as kept:
        kept.put(kept.file(b"/a"), lines(1, CHUNK))
        kept.archive.flush()
        kept.db.run("DELETE FROM generations")
        kept.db.run("DELETE FROM files")
        assert kept.troubles() != []
        kept.archive.repair()
        assert kept.troubles() == []
        assert kept.chunks() == 0


def whole_file(kept: Keeper, path: bytes) -> bytes:
    """Return the content of a file, by its path."""
    found = kept.db.read("SELECT generation FROM files WHERE path = ?", (path,))
    return kept.whole(found[0][0])


BROKEN = {
    "DELETE FROM extents WHERE start = 0": "bytes 0 to .* fail",
    "UPDATE generations SET length = length + 1": "of .* bytes are kept",
    "UPDATE extents SET size = size - 1, start = start": "is missing or of another size",
    "UPDATE versions SET length = length * 2": "is longer than what is kept",
    "UPDATE files SET generation = 99": "generation 99 is missing",
    "UPDATE chunks SET base = 77 WHERE id = 1": "needs chunk 77, which is no base",
    "DELETE FROM generations": "belongs to nothing",
    "INSERT INTO chunks (hash, size, data) VALUES (x'00', 1, x'00')": "1 chunks belong to nothing",
}


@pytest.mark.parametrize("statement", BROKEN)
def test_inconsistent_rows_are_reported(tmp_path: Path, statement: str) -> None:
    with keeper(tmp_path) as kept:
        kept.put(kept.file(b"/a"), lines(1, 3 * CHUNK))
        kept.archive.flush()
        assert kept.troubles() == []
        kept.db.run(statement)
        assert any(
            re.search(BROKEN[statement], reported) for reported in kept.troubles(read_data=False)
        )


def test_a_broken_database_is_a_trouble_not_the_end(tmp_path: Path) -> None:
    with keeper(tmp_path) as kept:
        with kept.db.transaction():
            for number in range(400):
                kept.put(kept.file(b"/%d" % number), b"%d" % number)
            kept.archive.flush()
        kept.db.checkpoint()
        root = kept.db.read("SELECT rootpage FROM sqlite_master WHERE name = 'extents'")[0][0]
    with open(tmp_path / "library.sqlite", "r+b") as file:
        os.pwrite(file.fileno(), b"\xff" * 4000, (root - 1) * PAGE)
    with keeper(tmp_path, write=False) as kept:
        reported = check_storage(kept)
    assert {each.kind for each in reported} == {"database"}
    assert "is damaged" in reported[0].what
    assert "import again" in reported[0].hint


# forgetting


def forget(kept: Keeper, path: bytes) -> None:
    with kept.db.transaction():
        delete_sources(kept, [kept.source(path)])


def test_forgetting_leaves_data_that_others_need(tmp_path: Path) -> None:
    data = lines(1, 3 * CHUNK)
    fork = data.replace(b"a" * 36, b"b" * 36)
    with keeper(tmp_path) as kept:
        kept.put(kept.file(b"/a"), data)
        kept.put(kept.file(b"/fork"), fork)
        kept.put(kept.file(b"/c"), lines(3, 8 * CHUNK))
        kept.archive.flush()
        kept.db.checkpoint()
        before = (tmp_path / "library.sqlite").stat().st_size
        forget(kept, b"/a")
        assert kept.troubles() == []
        assert whole_file(kept, b"/fork") == fork
        forget(kept, b"/c")
        kept.db.shrink()
        assert (tmp_path / "library.sqlite").stat().st_size <= before - CHUNK
        forget(kept, b"/fork")
        assert kept.chunks() == 0
        assert kept.db.read("SELECT count(*) FROM landmarks") == [(0,)]
        assert kept.troubles() == []


def test_forgotten_documents_are_not_in_the_file_any_more(tmp_path: Path) -> None:
    with keeper(tmp_path, threads=0) as kept:
        kept.put(kept.file(b"/secret-place"), b"hunter2 is incompressible")
        kept.archive.flush()
        kept.db.checkpoint()
        assert b"hunter2" in (tmp_path / "library.sqlite").read_bytes()
        forget(kept, b"/secret-place")
        kept.db.shrink()
    for file in tmp_path.iterdir():
        assert b"hunter2" not in file.read_bytes()
        assert b"secret-place" not in file.read_bytes()


# faults

WORK = """if True:
    import random, sys
    from pathlib import Path
    from tests.library.archives import Keeper, lines
    from talktree.library.erasure.row_deletion import delete_sources
    kept = Keeper(Path(sys.argv[1]))
    chosen = random.Random(int(sys.argv[2]))
    print("ready", flush=True)
    for step in range(10_000):
        with kept.db.transaction(durable=step % 5 == 0):
            path = b"/%d" % chosen.randrange(6)
            row = kept.db.read_one("SELECT id, generation FROM files WHERE path = ?", (path,))
            file, generation = row or (kept.file(path), None)
            seed, size = chosen.randrange(40), chosen.choice([300, 900, 5000, 300_000])
            what = chosen.randrange(12)
            if generation is None or what == 0:
                kept.put(file, lines(seed, size))
            elif what == 1:
                delete_sources(kept, [kept.source(path)])
            else:
                kept.grow(generation, lines(seed, size), seen=step)
            kept.archive.flush()
"""


@contextmanager
def at_work(path: Path, seed: int) -> Iterator[None]:
    """Run another process that works on a library and is killed at the end."""
    command = [sys.executable, "-c", WORK, str(path), str(seed)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        try:
            yield
        finally:
            child.send_signal(signal.SIGKILL)


MANY = [pytest.param(seed, marks=pytest.mark.torture) for seed in range(2, 100)]


@pytest.mark.parametrize("seed", [0, 1, *MANY])
def test_a_kill_at_any_point_leaves_a_library_that_is_whole(tmp_path: Path, seed: int) -> None:
    for again in range(2):
        with at_work(tmp_path / "library.sqlite", seed * 10 + again):
            time.sleep(random.Random(seed + again).random() * 0.25)
        with keeper(tmp_path, write=again == 0) as kept:
            assert kept.troubles() == []
            for generation, length in kept.db.read("SELECT generation, length FROM versions"):
                data = b"".join(kept.archive.read(generation, 0, length, verify=True))
                assert len(data) == length


def test_readers_see_a_whole_library_while_another_process_writes(tmp_path: Path) -> None:
    with at_work(tmp_path / "library.sqlite", 1), keeper(tmp_path, write=False) as kept:
        for _ in range(8):
            assert kept.troubles() == []
            time.sleep(0.02)


def test_a_full_disk_is_reported_and_loses_nothing(tmp_path: Path) -> None:
    with small_disk(tmp_path / "small", 3 << 20) as place:
        with keeper(place / "library") as kept:
            first = kept.put(kept.file(b"/a"), lines(1, CHUNK))
            kept.archive.flush()
            with pytest.raises(NotSaved, match="the disk is full") as reported:
                fill(kept)
            assert "what was kept before is whole" in str(reported.value.hint)
            held = kept.db.read("SELECT generation, length FROM versions")
            assert kept.whole(first) == lines(1, CHUNK)
        with keeper(place / "library", write=False) as kept:
            assert kept.troubles() == []
            assert kept.db.read("SELECT generation, length FROM versions") == held


def fill(kept: Keeper) -> None:
    """Store more and more data."""
    for number in range(100):
        with kept.db.transaction():
            kept.put(kept.file(b"/more/%d" % number), lines(number, 2 * CHUNK))
            kept.archive.flush()


def test_a_file_that_may_not_grow_is_reported_and_loses_nothing(tmp_path: Path) -> None:
    code = """if True:
        import resource, sys
        from pathlib import Path
        from talktree.errors import NotSaved
        from tests.library.archives import Keeper, lines
        from tests.library.test_care import fill
        kept = Keeper(Path(sys.argv[1]))
        kept.put(kept.file(b"/a"), lines(1, 5000))
        kept.archive.flush()
        resource.setrlimit(resource.RLIMIT_FSIZE, (2 << 20, 2 << 20))
        try:
            fill(kept)
        except NotSaved as told:
            print(told.message)
    """
    path = tmp_path / "library.sqlite"
    command = [sys.executable, "-c", code, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert "library.sqlite: " in done.stdout, done.stderr
    with keeper(tmp_path) as kept:
        assert kept.troubles() == []
        assert whole_file(kept, b"/a") == lines(1, 5000)
