"""Compressing chunks: alone, or against the bytes of another chunk that they resemble.

Compressors are kept for each thread. While they work, other threads run.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property

import zstandard

from talktree.library.archive.chunk_hashes import chunk_hash

_ALONE = zstandard.ZstdCompressionParameters(
    window_log=18,
    chain_log=13,
    hash_log=15,
    search_log=1,
    min_match=6,
    strategy=zstandard.STRATEGY_FAST,
    write_checksum=True,
)
"""As fast as level 1 and, for chunks of conversations, nearly as small as level 3."""
_AGAINST = zstandard.ZstdCompressionParameters(
    window_log=19,
    chain_log=13,
    hash_log=17,
    search_log=1,
    min_match=6,
    strategy=zstandard.STRATEGY_FAST,
    write_checksum=True,
)
"""For copies: repeated parts are in the base chunk, and long enough to be found quickly."""
_WORTH = 8
"""A chunk that shrinks below this fraction against another one is not tried alone."""


class _ThreadCodecs(threading.local):
    """The compressor and the decompressor of a thread, made when first needed."""

    @cached_property
    def compressor(self) -> zstandard.ZstdCompressor:
        """The compressor for chunks without a base."""
        return zstandard.ZstdCompressor(compression_params=_ALONE)

    @cached_property
    def decompressor(self) -> zstandard.ZstdDecompressor:
        """The decompressor for chunks without a base."""
        return zstandard.ZstdDecompressor()


_kept = _ThreadCodecs()


def compress_chunk(data: bytes) -> bytes:
    """Return the compressed data."""
    return _kept.compressor.compress(data)


def compress_chunks(datas: Sequence[bytes]) -> list[bytes]:
    """Compress each chunk as `compress_chunk` does.

    Uses one call where that is possible: after each call, a thread has to take the interpreter lock
    from the others.
    """
    compressor = _kept.compressor
    together = getattr(compressor, "multi_compress_to_buffer", None)
    if together is None or len(datas) == 1:
        return [compressor.compress(data) for data in datas]
    return [segment.tobytes() for segment in together(datas, threads=0)]


def compress_against(data: bytes, base: bytes) -> tuple[bytes, bool]:
    """Return the data, compressed against other data if that pays, and whether it was."""
    dictionary = zstandard.ZstdCompressionDict(base, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
    compressor = zstandard.ZstdCompressor(compression_params=_AGAINST, dict_data=dictionary)
    against = compressor.compress(data)
    if len(against) * _WORTH <= len(data):
        return against, True
    alone = compress_chunk(data)
    return (against, True) if len(against) * 2 <= len(alone) else (alone, False)


def decompress_chunk(data: bytes, base: bytes | None = None) -> bytes:
    """Return the decompressed data; raise `ValueError` if it is damaged."""
    try:
        if base is None:
            return _kept.decompressor.decompress(data)
        dictionary = zstandard.ZstdCompressionDict(base, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
        return zstandard.ZstdDecompressor(dict_data=dictionary).decompress(data)
    except zstandard.ZstdError as error:
        raise ValueError(str(error)) from None


def is_whole(data: bytes, base: bytes | None, hash: bytes) -> bool:
    """Whether compressed data still gives the bytes that have this hash."""
    try:
        return chunk_hash(decompress_chunk(data, base)) == hash
    except ValueError:
        return False
