"""What detection examines, and how a format answers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from typing import NamedTuple

from talktree.files import Source, read_plain_head, strip_compression_suffix
from talktree.formats.detect_sample import MOST, iterate_sample
from talktree.text.json.value import Json

CARRY = "x-talktree"
"""The member of a record that embeds the record of the source."""
_MARK = CARRY.encode()


class Detection(NamedTuple):
    """How sure a format is that a source is its own, from 0 to 1, and why.

    0 is a refusal: the records look like the format's own, but their messages do not, and the
    reason describes them. It is shown if no other format claims the source.
    """

    confidence: float
    reason: str


class Probe:
    """The data that detection may use: names, and the first part of each file."""

    HEAD = 1 << 16
    DEEP_HEAD = 1 << 20
    DEEP_RECORDS = 1000

    def __init__(self, source: Source) -> None:
        self.name = strip_compression_suffix(source.name)
        self.folder = source.folder
        self.names = list(source.files)
        self._source = source
        self._heads: dict[str, bytes] = {}
        self._seen: dict[str, tuple[list[dict[str, Json]], Iterator[dict[str, Json]]]] = {}

    def read_head(self, name: str | None = None) -> bytes:
        """Return the first 64 KiB of a file, by default of the only one."""
        name = self.names[0] if name is None else name
        if name not in self._heads:
            self._heads[name] = read_plain_head(name, self._source.files[name], self.HEAD)
        return self._heads[name]

    def sample(self, name: str | None = None, *, most: int = MOST) -> list[dict[str, Json]]:
        """Return the first JSON objects of a file, decoded once for all formats."""
        name = self.names[0] if name is None else name
        if name not in self._seen:
            self._seen[name] = [], iterate_sample(self.read_head(name))
        seen, more = self._seen[name]
        seen.extend(islice(more, max(0, most - len(seen))))
        return seen[:most]

    def deep_sample(self, name: str | None = None) -> list[dict[str, Json]]:
        """Return the JSON objects in a longer part of a file, for files that begin otherwise."""
        name = self.names[0] if name is None else name
        head = read_plain_head(name, self._source.files[name], self.DEEP_HEAD)
        # A record that fills the first part alone was examined already, and takes long to decode.
        lines = [line for line in head.split(b"\n") if len(line) < self.HEAD]
        return list(iterate_sample(b"\n".join(lines), most=self.DEEP_RECORDS))

    def find_embedded_format(self, name: str | None = None) -> str | None:
        """Return the format that the embedded source data of a JSONL file names as its own.

        The data is at the beginning or at the end of a file, and is independent of the current
        content: it may only decide between formats that both fit.
        """
        name = self.names[0] if name is None else name
        content = self._source.files[name]
        tail = content.read(max(0, content.size - self.HEAD)) if content.size > self.HEAD else b""
        lines = (line for part in (self.read_head(name), tail) for line in part.split(b"\n"))
        marked = (line for line in lines if _MARK in line and b'"origin"' in line)
        for value in chain.from_iterable(map(iterate_sample, marked)):
            embedded = value.get(CARRY)
            origin = embedded.get("origin") if isinstance(embedded, dict) else None
            written = origin.get("to") if isinstance(origin, dict) else None
            if isinstance(written, str):
                return written
        return None
