"""Searching: in a running process, and from the shell against ripgrep."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Sequence
from random import Random

import tantivy

import talktree
from bench.history import RARE
from bench.history.words import COMMON
from bench.library.stand import Stand
from bench.measure import Row
from bench.peers.install import RIPGREP, found
from bench.programs import Clock, in_turns, must, run, shown

EACH = 25
"""Queries of each kind."""
HITS = 10


def in_process(stand: Stand) -> list[Row]:
    """Compare five kinds of queries with their excerpts to bare hits of the bare index."""
    bare = _bare(stand)
    rows = []
    with talktree.open_library(stand.ours.root, write=False) as library:

        def ours(query: str) -> None:
            for hit in library.search(query, limit=HITS).hits:
                assert hit.excerpt is not None

        for kind, queries in queries_of(stand).items():
            mine, theirs = timed(ours, queries), timed(bare, queries)
            (middle, cpu), (other, _) = mine.medians(), theirs.medians()
            rows.append(
                Row(
                    f"search in process, {kind}: p50, its CPU, p95",
                    f"{shown(middle)}, {shown(cpu)}, {shown(mine.at(0.95))}",
                    f"bare tantivy without excerpts {shown(other)}",
                    f"{middle / other:.1f}×",
                    "p50 ≤ 5 ms",
                )
            )
    return rows


def _bare(stand: Stand) -> Callable[[str], None]:
    """Return a search of the bare index: the best hits, without their texts."""
    index = tantivy.Index.open(str(stand.bare))
    index.reload()
    searcher = index.searcher()

    def search(words: str) -> None:
        if words.endswith("*"):
            query = tantivy.Query.regex_query(index.schema, "body", f"{words[:-1]}.*")
        else:
            query = index.parse_query(words, ["body"], conjunction_by_default=True)
        for _, address in searcher.search(query, HITS).hits:
            searcher.doc(address)

    return search


def from_shell(stand: Stand) -> list[Row]:
    """Compare a new process for each query with ripgrep over the raw files."""
    rg = found(RIPGREP) or shutil.which("rg")
    program = [str(rg), "-c", "-F"] if rg else ["grep", "-rcF"]
    name = "rg" if rg else "ripgrep is NOT THERE; grep -F"
    rows = []
    for kind, word in (("a rare word", RARE), ("a common word", "function")):
        other, ours = in_turns(
            lambda word=word: run([*program, word, str(stand.projects)]),  # type: ignore[misc]
            lambda word=word: must(stand.ours.search(word)),  # type: ignore[misc]
            rounds=7,
        )
        rows.append(
            Row(
                f"`talktree search` from the shell, {kind}",
                ours.details(),
                f"{name} over the raw files {other.details()}",
                f"{ours.seconds / other.seconds:.2f}×, CPU {ours.cpu / other.cpu:.2f}×",
                "≤ 0.5×",
            )
        )
    return rows


def timed(search: Callable[[str], None], queries: list[str]) -> Clock:
    clock = Clock()
    for query in queries[:5]:
        search(query)
    for query in queries:
        with clock:
            search(query)
    return clock


def timed_in_turns(searches: Sequence[Callable[[str], None]], queries: list[str]) -> list[Clock]:
    """Time several searches of the same queries, query by query, so that all run under one load."""
    clocks = [Clock() for _ in searches]
    for query in queries[:5]:
        for search in searches:
            search(query)
    for query in queries:
        for search, clock in zip(searches, clocks, strict=True):
            with clock:
                search(query)
    return clocks


def queries_of(stand: Stand) -> dict[str, list[str]]:
    """Return queries of five kinds, the same for the same history."""
    random = Random("queries")
    text = stand.growing.read_bytes()[:2_000_000].decode(errors="replace")
    rare = sorted(set(re.findall(r"\b[a-z]{11,16}\b", text)) - set(COMMON))
    common = random.sample(COMMON[60:], EACH)
    phrases = sorted(set(re.findall(r"\b[a-z]{4,9} [a-z]{4,9}\b", text)))
    return {
        "a common word": common,
        "a rare word": [RARE, *random.sample(rare, EACH - 1)],
        "a phrase": [f'"{words}"' for words in random.sample(phrases, EACH)],
        "a prefix": [f"{word[:4]}*" for word in random.sample(rare, EACH)],
        "three words": [" ".join(random.sample(COMMON[60:], 3)) for _ in range(EACH)],
    }
