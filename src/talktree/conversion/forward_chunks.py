"""Converted records in transit between processes: values, losses and embedded data."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.msgpack import Ext

from talktree.conversion.losses import Loss
from talktree.text.json.value import EncodedValue, Json

A_CHUNK = 1 << 20
"""Bytes of the source in one message between processes; a longer record is sent alone."""
MOST_RECORDS = 512
MOST_CHUNKS = 1 << 12
_WRITTEN = 1


class ConvertedChunk(Struct, array_like=True, gc=False):
    """The result of converting some records."""

    values: Sequence[Any]
    losses: list[Loss]
    carried_bytes: int
    digests: tuple[bytes, bytes] = (b"", b"")
    """The digests of the messages among them."""


def _encode_written(value: object) -> Ext:
    if isinstance(value, EncodedValue):
        return Ext(_WRITTEN, memoryview(value.raw))
    raise TypeError(type(value).__name__)


def _decode_written(code: int, data: memoryview) -> Json:
    return EncodedValue(bytes(data))


_encoder = msgspec.msgpack.Encoder(enc_hook=_encode_written)
_decoder = msgspec.msgpack.Decoder(ConvertedChunk, ext_hook=_decode_written)


def pack_chunk(chunk: ConvertedChunk) -> bytes:
    """Return a chunk as bytes; empty if a value in it cannot be sent."""
    try:
        return _encoder.encode(chunk)
    except (TypeError, ValueError, OverflowError, RecursionError):
        # An unpaired surrogate, a number beyond floats, a huge or a too deep value.
        return b""


def unpack_chunk(data: bytes) -> ConvertedChunk:
    """Return the chunk that was packed."""
    return _decoder.decode(data)


def split_positions(positions: Sequence[int], sizes: Sequence[int]) -> list[array[int]]:
    """Split positions into chunks, given the size of each record."""
    enough = max(A_CHUNK, 4 * sum(sizes) // MOST_CHUNKS)
    many = max(MOST_RECORDS, 4 * len(positions) // MOST_CHUNKS)
    chunks = [array("q")]
    size = 0
    for position, own in zip(positions, sizes, strict=True):
        if size and (size + own > enough or len(chunks[-1]) == many):
            chunks.append(array("q"))
            size = 0
        chunks[-1].append(position)
        size += own
    return chunks
