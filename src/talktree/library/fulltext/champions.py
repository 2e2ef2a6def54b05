"""Champion lists: the best documents of each common word, kept by the encrypted index.

FTS5 scores every document that has a word before it knows the best ten. For a word that most
conversations have, that takes longer than everything else a search does. So the index keeps, for
each of these words, the documents that come first, with what their scores are made of: how often
the word occurs in them, and how long they are. A list also has a bound that no older document
outside of it exceeds. A search takes the first documents from the list and from what was added
since, and falls back to FTS5 if the bound does not prove that nothing else can come before them.

Scores are those of FTS5's `bm25`, which are the same in both ways.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

from msgspec import Struct, msgpack

from talktree.library.database.connection import Database

COMMON, SHARE = 2000, 20
"""How many documents must have a word before it gets a list: a number, and one in this many of all.

Below, FTS5 is fast enough, or a longer list of words would cost too much to make.
"""
LENGTH = 128
"""Documents in a list."""
BEHIND, BEHIND_AT_END = 2, 5
"""The share of all documents that may be missing in a list: between batches, and after a commit.

Every extension counts all documents of the word for its weight.
"""
STEP = 150_000
"""Documents that are scored at once between two batches."""
CREATE = """
CREATE TABLE IF NOT EXISTS champions (word TEXT PRIMARY KEY, list BLOB NOT NULL) WITHOUT ROWID
"""
VOCABULARY = """
CREATE VIRTUAL TABLE IF NOT EXISTS temp.body_words USING fts5vocab('main', 'body', 'row')
"""
_K1, _B = 1.2, 0.75
"""The parameters of `bm25`."""
_LEAST_WEIGHT = 1e-6
"""The weight that `bm25` gives to a word that more than half of all texts have."""
_ROUNDING = 1 + 1e-12
_AVERAGES = "SELECT block FROM body_data WHERE id = 1"
_BEST_SINCE = """
SELECT json_group_array(json_array(
  (SELECT count(*) FROM body WHERE body MATCH word.value ->> 0),
  json((SELECT json_group_array(json_array(s.rowid, s.score, hex(z.sz))) FROM
    (SELECT rowid, rank AS score FROM body
     WHERE body MATCH word.value ->> 0 AND rowid > word.value ->> 1
     ORDER BY score, rowid LIMIT ?2) AS s
    CROSS JOIN body_docsize AS z ON z.id = s.rowid))))
FROM json_each(?1) AS word
"""
"""One row for many words: a thread waits for Python's interpreter lock after every row."""
_COMMON_WORDS = "SELECT json_group_array(json_array(term, doc)) FROM body_words WHERE doc >= ?"
_HAS_TABLE = "SELECT count(*) FROM sqlite_master WHERE name = 'champions'"
_LISTS = "SELECT word, list FROM champions"
_LIST = "SELECT list FROM champions WHERE word = ?"
_SAVE = "INSERT OR REPLACE INTO champions (word, list) VALUES (?, ?)"
_DROP = "DELETE FROM champions WHERE word = ?"
_PLACES = """
SELECT id, source, at, part FROM documents WHERE id IN (SELECT value FROM json_each(?))
"""


class Champion(Struct, frozen=True, array_like=True, gc=False):
    """A document of a word, and what its score is made of."""

    id: int
    frequency: int
    """How often the word is in it."""
    length: int
    """The length of the document in words."""


class ChampionList(Struct, frozen=True, array_like=True):
    """The first documents of a word, of all documents up to `last`."""

    last: int
    average: float
    """The average length of a document when the list was made."""
    bound: float
    """No document outside of the list has a higher density with that average; 0 if all are in."""
    champions: list[Champion]


class Totals(Struct, frozen=True):
    """How many documents the index has, and their average length."""

    documents: int
    average: float

    def weight(self, hits: int) -> float:
        """Compute the weight of a word that this number of documents has."""
        found = math.log((self.documents - hits + 0.5) / (hits + 0.5))
        return found if found > 0 else _LEAST_WEIGHT

    def norm(self, length: int) -> float:
        """Compute how much a document's length counts against it."""
        return _K1 * (1 - _B + _B * length / self.average)

    def density(self, champion: Champion) -> float:
        """Compute what orders the documents of one word: scores grow with it."""
        return champion.frequency / self.norm(champion.length)

    def score(self, champion: Champion, weight: float) -> float:
        """Compute the score of a document as `bm25` does; lower scores are better."""
        frequency = champion.frequency
        share = frequency * (_K1 + 1.0) / (frequency + self.norm(champion.length))
        return -1.0 * (weight * share)

    def champion(self, id: int, score: float, length: int, weight: float) -> Champion:
        """Compute how often a word is in a document that has this score."""
        share = -score / weight
        return Champion(id, round(share * self.norm(length) / (_K1 + 1.0 - share)), length)

    def bound(self, listed: ChampionList) -> float:
        """Convert the bound of a list to the average of today.

        A norm changes at most as much as the average, and in the other direction.
        """
        return listed.bound * max(1.0, self.average / listed.average)


def find_best(db: Database, word: str, count: int) -> list[tuple[float, Sequence[int]]] | None:
    """Return scores and places of a word's first documents; None if only FTS5 can compute them."""
    if not 0 < count <= LENGTH or not db.read(_HAS_TABLE)[0][0]:
        return None
    with db.snapshot():
        row = db.read_one(_LIST, (word,))
        if row is None:
            return None
        listed = msgpack.decode(row[0], type=ChampionList)
        totals = _read_totals(db)
        ((weight, newer),) = _read_best(db, [(word, listed.last)], count, totals)
        champions = [*listed.champions, *newer]
        champions.sort(key=lambda each: (-totals.density(each), each.id))
        found = _read_places(db, champions, count)
    if listed.bound:
        is_proven = len(found) == count and _is_proven(found[-1][0], listed, totals)
        if not is_proven:
            return None
    return [(totals.score(champion, weight), place) for champion, place in found]


def _read_places(
    db: Database, champions: Sequence[Champion], count: int
) -> list[tuple[Champion, Sequence[int]]]:
    """Read where the first documents are that were not deleted since."""
    found: list[tuple[Champion, Sequence[int]]] = []
    start = 0
    while len(found) < count and start < len(champions):
        some = champions[start : start + count]
        ids = json.dumps([each.id for each in some])
        places = {id: place for id, *place in db.read(_PLACES, (ids,))}
        found += [(each, places[each.id]) for each in some if each.id in places]
        start += count
    return found[:count]


def _is_proven(last: Champion, listed: ChampionList, totals: Totals) -> bool:
    """Whether no document outside of the list can come before the last that was found."""
    density = totals.density(last)
    # A list is cut by score and id: with the same average, what was cut off comes later if equal.
    if totals.average == listed.average and density == listed.bound:
        return True
    return density > totals.bound(listed) * _ROUNDING


class ChampionWriter:
    """The champion lists while the index is written, in the thread that writes it."""

    def __init__(self, db: Database) -> None:
        self._db = db
        db.run(CREATE)
        self._lists = {
            word: msgpack.decode(data, type=ChampionList) for word, data in db.read(_LISTS)
        }
        self._counts: dict[str, int] = {}
        self._looked_at = 0

    def advance(self, last: int) -> None:
        """Extend some lists up to the last document, as much as one gap between batches allows."""
        if last < COMMON:
            return
        if last >= 2 * self._looked_at:
            self._counts = self._read_common()
            self._looked_at = last
        behind = self._find_behind(last, last // BEHIND)
        chosen: list[str] = []
        work = 0
        for word in behind:
            missing = 1 - self._last_of(word) / last
            work += int(self._counts[word] * missing * last / self._looked_at)
            if chosen and work > STEP:
                break
            chosen.append(word)
        self._extend(chosen, last)

    def finish(self, last: int) -> None:
        """Extend all lists that lack many documents, drop those of other words, and write them."""
        if 4 * last > 5 * self._looked_at:
            self._counts = self._read_common()
        self._extend(self._find_behind(last, last // BEHIND_AT_END), last)
        old = {word for (word,) in self._db.read("SELECT word FROM champions")}
        self._db.run_many(_DROP, [(word,) for word in old - self._counts.keys()])
        rows = [(word, msgpack.encode(self._lists[word])) for word in self._counts]
        self._db.run_many(_SAVE, rows)

    def _read_common(self) -> dict[str, int]:
        """Read the words that have lists, with the numbers of their documents."""
        self._db.run(VOCABULARY)
        documents = _read_totals(self._db).documents
        least = max(COMMON, documents // SHARE)
        return dict(json.loads(self._db.read(_COMMON_WORDS, (least,))[0][0]))

    def _last_of(self, word: str) -> int:
        listed = self._lists.get(word)
        return listed.last if listed else 0

    def _find_behind(self, last: int, least: int) -> list[str]:
        """Find the lists that lack some of the last documents, those that lack most first."""
        found = [word for word in self._counts if last - self._last_of(word) > least]
        return sorted(found, key=lambda word: (self._last_of(word), word))

    def _extend(self, words: Sequence[str], last: int) -> None:
        if not words:
            return
        totals = _read_totals(self._db)
        since = [(word, self._last_of(word)) for word in words]
        found = _read_best(self._db, since, LENGTH, totals)
        for word, (_, new) in zip(words, found, strict=True):
            self._lists[word] = _extended(self._lists.get(word), new, totals, last)


def drop_lists(db: Database) -> None:
    """Drop all lists."""
    db.run(CREATE)
    db.run("DELETE FROM champions")


def _extended(
    old: ChampionList | None, new: Sequence[Champion], totals: Totals, last: int
) -> ChampionList:
    """Return a list with the best of the documents that were added since it was made."""
    champions = [*(old.champions if old else ()), *new]
    champions.sort(key=lambda each: (-totals.density(each), each.id))
    bounds = [totals.bound(old) if old else 0.0]
    # Neither what is cut off here nor what FTS5 cut off comes before these.
    bounds += [totals.density(each) for each in champions[LENGTH : LENGTH + 1]]
    bounds += [min(map(totals.density, new))] if len(new) == LENGTH else []
    return ChampionList(last, totals.average, max(bounds), champions[:LENGTH])


def _read_totals(db: Database) -> Totals:
    """Read what FTS5 keeps for `bm25`: the number of documents and of their words."""
    documents, words = [*_varints(db.read(_AVERAGES)[0][0]), 0, 0][:2]
    return Totals(documents, words / max(1, documents))


def _read_best(
    db: Database, since: Sequence[tuple[str, int]], count: int, totals: Totals
) -> list[tuple[float, list[Champion]]]:
    """Read the weights of words and their best documents, each after an id."""
    words = json.dumps([(f'"{word}"', id) for word, id in since])
    found = []
    for hits, rows in json.loads(db.read(_BEST_SINCE, (words, count))[0][0]):
        weight = totals.weight(hits)
        best = [
            totals.champion(id, score, _varints(bytes.fromhex(sizes))[0], weight)
            for id, score, sizes in rows
        ]
        found.append((weight, best))
    return found


def _varints(data: bytes) -> list[int]:
    """Read numbers as SQLite writes them: seven bits in a byte, the highest first."""
    found: list[int] = []
    value = 0
    for byte in data:
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            found.append(value)
            value = 0
    return found
