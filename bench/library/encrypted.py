"""An encrypted library against a plain one of the same history: importing and searching."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import talktree
from bench.history import RARE
from bench.library.ours import Talktree
from bench.library.searching import HITS, queries_of, timed_in_turns
from bench.library.stand import Stand
from bench.measure import Row
from bench.programs import in_turns, must, shown
from talktree.home import HOME
from talktree.library.encryption.agent_client import drop_keys, store_key
from talktree.library.encryption.key_file import LibraryKey, write_key_file
from talktree.library.encryption.key_slots import generate_key, key_id, make_passphrase_slot
from talktree.library.library import Library

HOUR = 3600.0


def rows(stand: Stand) -> list[Row]:
    """Return all rows; the key is held by an agent of its own."""
    with _unlocked(stand) as encrypted:
        return [*_importing(stand, encrypted), *_searching(stand, encrypted)]


@contextmanager
def _unlocked(stand: Stand) -> Iterator[Talktree]:
    """Provide a folder for an encrypted library, with a key that commands get from an agent."""
    before = os.environ.get(HOME)
    os.environ[HOME] = str(stand.work / "home")
    key = generate_key()
    store_key(key_id(key), key, HOUR)
    encrypted = Talktree(stand.work / "encrypted")
    encrypted.about = LibraryKey(key_id(key), (make_passphrase_slot(key, "bench"),))
    try:
        yield encrypted
    finally:
        drop_keys()
        os.environ.pop(HOME)
        if before is not None:
            os.environ[HOME] = before


def _importing(stand: Stand, encrypted: Talktree) -> list[Row]:
    def cold() -> list[str]:
        """Return the command that recreates the encrypted library."""
        shutil.rmtree(encrypted.root, ignore_errors=True)
        encrypted.root.mkdir(mode=0o700)
        assert encrypted.about is not None
        write_key_file(encrypted.root, encrypted.about)
        return encrypted.import_(stand.projects)

    plain, ours = in_turns(
        lambda: must(stand.import_cold()),
        lambda: must(cold()),
        rounds=3 if stand.size < 500 else 2,
    )
    return [
        Row(
            f"import of {stand.size} MB into an encrypted library",
            f"{ours.details()}, {ours.peak >> 20} MiB",
            f"plain library {plain.details()}, {plain.peak >> 20} MiB",
            f"{ours.seconds / plain.seconds:.2f}×, CPU {ours.cpu / plain.cpu:.2f}×",
            "≤ 1.3×",
        )
    ]


def _search(library: Library, query: str) -> None:
    for hit in library.search(query, limit=HITS).hits:
        assert hit.excerpt is not None


def _searching(stand: Stand, encrypted: Talktree) -> Iterator[Row]:
    with (
        talktree.open_library(stand.ours.root, write=False) as plain,
        talktree.open_library(encrypted.root, write=False) as ours,
    ):
        for kind, queries in queries_of(stand).items():
            clocks = timed_in_turns([partial(_search, kept) for kept in (plain, ours)], queries)
            (one, _), (two, cpu) = (clock.medians() for clock in clocks)
            yield Row(
                f"search of an encrypted library in process, {kind}: p50, its CPU, p95",
                f"{shown(two)}, {shown(cpu)}, {shown(clocks[1].at(0.95))}",
                f"plain library {shown(one)}, p95 {shown(clocks[0].at(0.95))}",
                f"{two / one:.2f}×",
                "≤ 2×",
            )
    for kind, word in (("a rare word", RARE), ("a common word", "function")):
        before, after = in_turns(
            lambda word=word: must(stand.ours.search(word)),  # type: ignore[misc]
            lambda word=word: must(encrypted.search(word)),  # type: ignore[misc]
            rounds=7,
        )
        yield Row(
            f"`talktree search` of an encrypted library from the shell, {kind}",
            after.details(),
            f"plain library {before.details()}",
            f"{after.seconds / before.seconds:.2f}×, CPU {after.cpu / before.cpu:.2f}×",
            "",
        )
