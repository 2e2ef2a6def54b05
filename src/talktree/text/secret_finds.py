"""Secrets that are known by names and places, from the stems that the prefilter finds."""

from __future__ import annotations

from collections.abc import Iterator

from talktree.text.secret_kinds import Found
from talktree.text.secret_named import is_name, named_at
from talktree.text.secret_places import (
    azure_secrets,
    hash_at,
    may_take_password,
    option_at,
    signed_at,
)
from talktree.text.secret_stems import HASH, OPTION, SIGNED, is_stem, stems

_NAMES = 0xFF & ~(OPTION | SIGNED | HASH)


def by_name(data: bytes) -> Iterator[Found]:
    """The secrets in a text that are known by what is written around them."""
    yield from azure_secrets(data)
    at = 0
    for hit, bits in stems(data):
        if bits & OPTION and may_take_password(data, hit):
            yield from option_at(data, hit)
        if bits & SIGNED:
            yield from signed_at(data, hit)
        if bits & HASH:
            yield from hash_at(data, hit)
        if bits & _NAMES and hit >= at and is_stem(data, hit, bits):
            at, found = named_at(data, hit)
            yield from found


def suspects(data: bytes) -> Iterator[int]:
    """Where in bytes of JSON a name or a place is that may make something secret.

    It is asked before strings are decoded, so a letter that belongs to an escape before a name is
    not taken for a part of it.
    """
    yield from (start for _, start, _, _ in azure_secrets(data))
    at = 0
    for hit, bits in stems(data):
        if (
            (bits & OPTION and may_take_password(data, hit))
            or (bits & SIGNED and any(signed_at(data, hit)))
            or (bits & HASH and any(hash_at(data, hit)))
        ):
            yield hit
        elif bits & _NAMES and hit >= at and is_stem(data, hit, bits):
            at, known = is_name(data, hit)
            if known:
                yield hit
