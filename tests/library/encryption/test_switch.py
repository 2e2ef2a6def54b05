"""Encrypting and decrypting: complete or not at all, whatever happens meanwhile."""

from __future__ import annotations

import os
import random
import resource
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from talktree.errors import LockHeld, NotSaved, TalktreeError
from talktree.files.age import load_age_library
from talktree.library.encryption.key_file import LibraryKey, write_key_file
from talktree.library.encryption.key_slots import generate_key, key_id, make_age_slot
from talktree.library.encryption.state import (
    DATABASE,
    DECRYPTING,
    ENCRYPTING,
    OLD_DATABASE,
    has_key_file,
    is_encrypted,
)
from talktree.library.encryption.switch import decrypt_library, encrypt_library
from talktree.library.encryption.unlocking import forget_key, remember_key
from talktree.library.library import Library
from tests.cases import SEED, TORTURE
from tests.library.made import history

ROUNDS = 100 if TORTURE else 5
"""Number for encrypting and for decrypting each."""
KEY = generate_key()
ABOUT = LibraryKey(
    key_id(KEY), (make_age_slot(KEY, [load_age_library().x25519.Identity.generate().to_public()]),)
)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a plain library."""
    folder = tmp_path_factory.mktemp("plain")
    history(folder / "home")
    with Library.open(folder / "library", write=True) as library:
        library.import_([folder / "home"])
    remember_key(ABOUT.id, KEY)
    yield folder / "library"
    forget_key(ABOUT.id)


def _picture(root: Path) -> object:
    """Return the content of a library: versions byte for byte, search results and counts."""
    with Library.open(root) as library:
        assert library.check(read_data=True) == []
        kept = [*library.conversations(agents=True)]
        contents = {
            (each.id, path): b"".join(content.blocks())
            for each in kept
            for path, content in library.content(each).files.items()
        }
        found = {
            query: {(hit.source, hit.at, hit.part) for hit in library.search(query, limit=None)}
            for query in ("the", "role:user", "is:error", "*arbo*", "lamp* OR kind:call")
        }
        usage = library.stats().spent
        return sorted(each.id for each in kept), contents, found, usage


def _left(root: Path) -> list[str]:
    names = {ENCRYPTING, DECRYPTING, OLD_DATABASE}
    return [name for name in os.listdir(root) if name in names]


def test_an_encrypted_library_is_the_same_library(plain: Path, tmp_path: Path) -> None:
    root = tmp_path / "library"
    shutil.copytree(plain, root)
    before = _picture(root)
    encrypt_library(root, KEY, ABOUT)
    assert is_encrypted(root)
    assert _picture(root) == before
    assert _left(root) == []
    assert {path.name for path in root.rglob("*") if path.suffix == ".term"} == set()
    decrypt_library(root, KEY)
    assert not is_encrypted(root)
    assert not has_key_file(root)
    assert _picture(root) == before
    assert _left(root) == []


def _killed(work: Callable[[], None], after: float) -> None:
    """Do work in a process that is killed after some seconds, if it is not finished before."""
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(0)
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def _rounds(start: Path, tmp_path: Path, work: Callable[[Path], None], picture: object) -> int:
    """Kill work at random moments and finish it; return how often it was interrupted."""
    draw = random.Random(SEED)
    began = time.monotonic()
    shutil.copytree(start, tmp_path / "timed")
    work(tmp_path / "timed")
    whole = time.monotonic() - began
    interrupted = 0
    for number in range(ROUNDS):
        root = tmp_path / f"{number}"
        shutil.copytree(start, root)
        was = is_encrypted(root)
        _killed(lambda root=root: work(root), draw.uniform(0, whole))  # type: ignore[misc]
        Library.open(root).close()
        assert _left(root) == []
        if is_encrypted(root) == was:
            interrupted += 1
            if number % 3 == 0:
                assert _picture(root) == picture
            work(root)
        assert is_encrypted(root) != was
        assert _picture(root) == picture
        shutil.rmtree(root)
    return interrupted


def test_a_kill_leaves_one_library_or_the_other(plain: Path, tmp_path: Path) -> None:
    picture = _picture(plain)
    encrypted = tmp_path / "encrypted"
    shutil.copytree(plain, encrypted)
    encrypt_library(encrypted, KEY, ABOUT)

    def encrypt(root: Path) -> None:
        encrypt_library(root, KEY, ABOUT)

    def decrypt(root: Path) -> None:
        decrypt_library(root, KEY)

    count = _rounds(plain, tmp_path / "a", encrypt, picture)
    count += _rounds(encrypted, tmp_path / "b", decrypt, picture)
    assert count or not TORTURE


def test_another_name_of_the_database_is_never_erased(plain: Path, tmp_path: Path) -> None:
    root = tmp_path / "library"
    shutil.copytree(plain, root)
    write_key_file(root, ABOUT)
    os.link(root / DATABASE, root / OLD_DATABASE)
    (root / ENCRYPTING).mkdir()
    assert _picture(root) == _picture(plain)
    assert _left(root) == []
    assert not has_key_file(root)


def test_a_library_in_use_is_not_encrypted(plain: Path, tmp_path: Path) -> None:
    root = tmp_path / "library"
    shutil.copytree(plain, root)
    for write in (False, True):
        with _in_use(root, write=write), pytest.raises(LockHeld):
            encrypt_library(root, KEY, ABOUT, wait=0.2)
        assert _left(root) == []
        assert not is_encrypted(root)
    encrypt_library(root, KEY, ABOUT, wait=0.2)
    with _in_use(root, write=False), pytest.raises(LockHeld):
        decrypt_library(root, KEY, wait=0.2)
    assert is_encrypted(root)


@contextmanager
def _in_use(root: Path, *, write: bool) -> Iterator[None]:
    """Start a process that has a library open for reading, or is importing."""
    ready, tell = os.pipe()
    child = os.fork()
    if child == 0:
        with Library.open(root, write=write) as library:
            library.info()
            if write:
                library.lock.try_acquire()
            os.write(tell, b"x")
            signal.pause()
    os.read(ready, 1)
    try:
        yield
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(ready)
        os.close(tell)


def test_a_full_disk_leaves_the_library_as_it_was(plain: Path, tmp_path: Path) -> None:
    root = tmp_path / "library"
    shutil.copytree(plain, root)
    before = (root / DATABASE).read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        for limit in (4096, 50_000, 150_000):
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limits[1]))
            with pytest.raises(TalktreeError) as caught:
                encrypt_library(root, KEY, ABOUT)
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
            assert isinstance(caught.value, NotSaved), caught.value
            assert caught.value.hint
            assert _left(root) == []
            assert not is_encrypted(root)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert len((root / DATABASE).read_bytes()) == len(before)
    assert _picture(root) == _picture(plain)


def test_a_damaged_library_is_not_encrypted(plain: Path, tmp_path: Path) -> None:
    root = tmp_path / "library"
    shutil.copytree(plain, root)
    with Library.open(root, write=True) as library:
        library.db.run("UPDATE chunks SET data = zeroblob(length(data))")
    with pytest.raises(TalktreeError) as caught:
        encrypt_library(root, KEY, ABOUT)
    assert caught.value.hint
    assert not is_encrypted(root)
    assert _left(root) == []


def test_forgotten_conversations_are_erased_from_an_encrypted_library(
    plain: Path, tmp_path: Path
) -> None:
    root = tmp_path / "library"
    shutil.copytree(plain, root)
    encrypt_library(root, KEY, ABOUT)
    with Library.open(root, write=True) as library:
        kept = next(iter(library.conversations()))
        assert library.check() == [], "this opens the full text"
        library.forget(kept)
        assert library.check(read_data=True) == []
        left = {hit.conversation for hit in library.search("role:user", limit=None)}
        assert kept.id not in left
        assert left
    decrypt_library(root, KEY)
    with Library.open(root) as library:
        assert library.check(read_data=True) == []
        assert {hit.conversation for hit in library.search("role:user", limit=None)} == left


def test_damage_to_an_encrypted_library_is_noticed_and_repaired(
    plain: Path, tmp_path: Path
) -> None:
    root = tmp_path / "library"
    shutil.copytree(plain, root)
    encrypt_library(root, KEY, ABOUT)
    index = root / "fulltext" / "1" / "encrypted.sqlite"
    data = bytearray(index.read_bytes())
    data[-3000:-2900] = bytes(100)
    index.write_bytes(data)
    with Library.open(root) as library:
        assert {each.kind for each in library.check()} == {"fulltext"}
    with Library.open(root, write=True) as library:
        library.reindex()
    with Library.open(root) as library:
        assert library.check(read_data=True) == []
