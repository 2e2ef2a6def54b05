"""Compressing chunks: alone, or against the bytes of another one that they resemble.

Compressors are kept for each thread. While they work, other threads run.

What a chunk is known by: the hash of its bytes.
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
"""As quick as level 1 and, for chunks of conversations, nearly as small as level 3."""
_AGAINST = zstandard.ZstdCompressionParameters(
    window_log=19,
    chain_log=13,
    hash_log=17,
    search_log=1,
    min_match=6,
    strategy=zstandard.STRATEGY_FAST,
    write_checksum=True,
)
"""For copies: what repeats is in the chunk that is copied, and long enough to be found soon."""
_WORTH = 8
"""A chunk that shrinks to less than this part of itself against another is not tried alone."""


class _ThreadCodecs(threading.local):
    """The compressor and the decompressor of a thread, each made when it is needed."""

    @cached_property
    def compressor(self) -> zstandard.ZstdCompressor:
        """Compresses chunks alone."""
        return zstandard.ZstdCompressor(compression_params=_ALONE)

    @cached_property
    def decompressor(self) -> zstandard.ZstdDecompressor:
        """Unpacks them."""
        return zstandard.ZstdDecompressor()


_kept = _ThreadCodecs()


def compress_chunk(data: bytes) -> bytes:
    """The data, compressed."""
    return _kept.compressor.compress(data)


def compress_chunks(datas: Sequence[bytes]) -> list[bytes]:
    """Each of them compressed, as `compress_chunk` does it.

    In one call where that can be had: whoever comes back from each takes the interpreter from all
    others each time.
    """
    compressor = _kept.compressor
    together = getattr(compressor, "multi_compress_to_buffer", None)
    if together is None or len(datas) == 1:
        return [compressor.compress(data) for data in datas]
    return [segment.tobytes() for segment in together(datas, threads=0)]


def compress_against(data: bytes, base: bytes) -> tuple[bytes, bool]:
    """The data, compressed against other data if that pays, and whether it did."""
    dictionary = zstandard.ZstdCompressionDict(base, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
    compressor = zstandard.ZstdCompressor(compression_params=_AGAINST, dict_data=dictionary)
    against = compressor.compress(data)
    if len(against) * _WORTH <= len(data):
        return against, True
    alone = compress_chunk(data)
    return (against, True) if len(against) * 2 <= len(alone) else (alone, False)


def decompress_chunk(data: bytes, base: bytes | None = None) -> bytes:
    """What was compressed; `ValueError` if that is no longer what it was."""
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
