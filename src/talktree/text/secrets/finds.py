"""Secrets that are known by names and places, from the stems that the prefilter finds."""

from __future__ import annotations

import re
from collections.abc import Iterator

from talktree.text.secrets.calls import called_at
from talktree.text.secrets.contexts import (
    azure_secrets,
    hash_at,
    may_take_password,
    option_at,
    signed_at,
)
from talktree.text.secrets.json_objects import is_typed, values_around
from talktree.text.secrets.languages import is_name_at
from talktree.text.secrets.manifests import is_kind, is_secure, manifest, parameter
from talktree.text.secrets.named_values import is_name, named_at
from talktree.text.secrets.patterns import Found
from talktree.text.secrets.stem_prefilter import stems
from talktree.text.secrets.stems import (
    AUTH,
    BY_NUMBER,
    CALL,
    COLOUR,
    FOREIGN,
    HASH,
    KEY,
    OPTION,
    SIGNED,
    is_stem,
)

_NAMES = 0xFF & ~(OPTION | SIGNED | HASH)
_NUMBER = re.compile(rb"%(?:25)?[2357][0-9A-Fa-f]")


def by_name(data: bytes) -> Iterator[Found]:
    """The secrets in a text that are known by what is written around them."""
    yield from azure_secrets(data)
    at = seen = 0
    for hit, bits in stems(data):
        if bits & OPTION and may_take_password(data, hit):
            yield from option_at(data, hit)
        if bits & SIGNED:
            yield from signed_at(data, hit)
        if bits & HASH:
            yield from hash_at(data, hit)
        if bits & AUTH and is_secure(data, hit):
            yield from parameter(data, hit)
        if bits & KEY and hit >= seen and is_kind(data, hit):
            seen, found = manifest(data, hit)
            yield from found
        if bits & KEY and is_typed(data, hit):
            yield from values_around(data, hit)
        if bits & CALL:
            yield from called_at(data, hit)
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
            or (bits & AUTH and is_secure(data, hit))
            or (bits & KEY and (is_kind(data, hit) or is_typed(data, hit)))
            or bits & COLOUR
            or (bits & BY_NUMBER and _NUMBER.match(data, hit))
            or (bits & FOREIGN and is_name_at(data, hit))
            or (bits & CALL and any(called_at(data, hit)))
        ):
            yield hit
        elif bits & _NAMES and hit >= at and is_stem(data, hit, bits):
            at, known = is_name(data, hit)
            if known:
                yield hit
