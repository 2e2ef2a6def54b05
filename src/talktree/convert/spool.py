"""Files that are made once and read again: small ones in memory, large ones on disk for a while."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping

from talktree.files import Content, Memory, Source, load_stream
from talktree.files.content import OnDisk

HELD = 16 << 20
"""Files up to this size stay in memory."""


def spooled(files: Mapping[str, Iterable[bytes]], *, name: str, folder: bool) -> Source:
    """A source with the content of these files."""
    contents: dict[str, Content] = {path: _content(pieces) for path, pieces in files.items()}
    return Source(name, contents, folder=folder)


def _content(pieces: Iterable[bytes]) -> Content:
    parked = tempfile.SpooledTemporaryFile(max_size=HELD)  # noqa: SIM115
    for piece in pieces:
        parked.write(piece)
    parked.seek(0)
    source = load_stream(parked)  # type: ignore[arg-type]
    (content,) = source.files.values()
    assert isinstance(content, Memory | OnDisk)
    return content
