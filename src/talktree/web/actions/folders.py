"""A folder that is brought in as one body: a line that names its files, then all their bytes.

The line is JSON, `[["messages.jsonl", 120], …]`: where each file was in the folder, and its size. A
path is kept as data; on the disk the files have numbers.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import BinaryIO

import msgspec

from talktree.errors import UsageError
from talktree.text.file_names import wrong_with_name
from talktree.web.actions.scratch import created

MOST_FILES = 10_000
LONGEST_LIST = 4 << 20
LONGEST_PATH = 1000
Listed = list[tuple[str, int]]
"""Files of a folder: where they were in it, and their sizes."""


async def unpacked(chunks: AsyncIterator[bytes], folder: Path) -> tuple[str, ...]:
    """Write the files of a body into a folder, under their numbers; gives where they were."""
    listed: Listed | None = None
    writer: _Writer | None = None
    head = b""
    async for chunk in chunks:
        if writer is None:
            head += chunk
            line, end, rest = head.partition(b"\n")
            if len(line) > LONGEST_LIST:
                raise _wrong("the list of its files is too long")
            if not end:
                continue
            listed = _listed(line)
            writer = _Writer(folder, [size for _, size in listed])
            chunk = rest
        writer.write(chunk)
    if writer is None or listed is None:
        raise _wrong("it does not say which files it has")
    writer.close()
    return tuple(path for path, _ in listed)


class _Writer:
    """Bytes, cut into files of given sizes."""

    def __init__(self, folder: Path, sizes: Iterable[int]) -> None:
        self._places = iter([(folder / str(at), size) for at, size in enumerate(sizes)])
        self._file: BinaryIO | None = None
        self._left = 0
        self._next()

    def write(self, data: bytes) -> None:
        """The next bytes; they may end in the middle of a file, or belong to several."""
        while data:
            if self._file is None:
                raise _wrong("it has more bytes than it said")
            self._file.write(data[: self._left])
            written = min(len(data), self._left)
            data, self._left = data[written:], self._left - written
            if self._left == 0:
                self._next()

    def close(self) -> None:
        """Nothing more comes; then all files must be whole."""
        if self._file is not None:
            self._file.close()
            raise _wrong("it ended before it was whole")

    def _next(self) -> None:
        """Begin the next file that has bytes; those without any are made on the way."""
        if self._file is not None:
            self._file.close()
            self._file = None
        for place, size in self._places:
            file = created(place)
            if size:
                self._file, self._left = file, size
                return
            file.close()


def _listed(line: bytes) -> Listed:
    try:
        listed = msgspec.json.decode(line, type=Listed)
    except msgspec.MsgspecError:
        raise _wrong("it does not say which files it has") from None
    if not 0 < len(listed) <= MOST_FILES:
        raise _wrong(f"it may have {MOST_FILES} files")
    if len({path for path, _ in listed}) < len(listed):
        raise _wrong("it has two files of one name")
    if any(size < 0 or not _may_be(path) for path, size in listed):
        raise _wrong("a file of it leads elsewhere")
    return listed


def _may_be(path: str) -> bool:
    steps = path.split("/")
    strange = "\\" in path or len(path) > LONGEST_PATH
    return not strange and all(
        step not in ("", ".", "..") and wrong_with_name(step) is None for step in steps
    )


def _wrong(why: str) -> UsageError:
    return UsageError(
        f"this folder cannot be taken in: {why}", hint="import it by its path instead"
    )
