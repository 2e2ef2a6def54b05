"""Secrets that are known by names and context, from the stems that the prefilter finds."""

from __future__ import annotations

import re
from collections.abc import Iterator

from talktree.text.secrets.calls import find_call_secrets
from talktree.text.secrets.contexts import (
    can_take_password,
    find_azure_secrets,
    find_option_passwords,
    find_signatures,
    hash_at,
)
from talktree.text.secrets.json_objects import find_values_around, is_typed
from talktree.text.secrets.languages import is_name_at
from talktree.text.secrets.manifests import (
    find_manifest_values,
    find_parameter_value,
    is_kind,
    is_secure,
)
from talktree.text.secrets.named_values import find_named_secrets, is_name
from talktree.text.secrets.patterns import Found
from talktree.text.secrets.stem_prefilter import find_stems
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


def find_by_name(data: bytes) -> Iterator[Found]:
    """Return the secrets in a text that are known by the text around them."""
    yield from find_azure_secrets(data)
    at = seen = 0
    for hit, bits in find_stems(data):
        if bits & OPTION and can_take_password(data, hit):
            yield from find_option_passwords(data, hit)
        if bits & SIGNED:
            yield from find_signatures(data, hit)
        if bits & HASH:
            yield from hash_at(data, hit)
        if bits & AUTH and is_secure(data, hit):
            yield from find_parameter_value(data, hit)
        if bits & KEY and hit >= seen and is_kind(data, hit):
            seen, found = find_manifest_values(data, hit)
            yield from found
        if bits & KEY and is_typed(data, hit):
            yield from find_values_around(data, hit)
        if bits & CALL:
            yield from find_call_secrets(data, hit)
        if bits & _NAMES and hit >= at and is_stem(data, hit, bits):
            at, found = find_named_secrets(data, hit)
            yield from found


def find_suspects(data: bytes) -> Iterator[int]:
    """Return where bytes of JSON contain a name or context that may indicate a secret.

    This runs before strings are decoded, so a letter of an escape before a name does not count as
    part of the name.
    """
    yield from (start for _, start, _, _ in find_azure_secrets(data))
    at = 0
    for hit, bits in find_stems(data):
        if (
            (bits & OPTION and can_take_password(data, hit))
            or (bits & SIGNED and any(find_signatures(data, hit)))
            or (bits & HASH and any(hash_at(data, hit)))
            or (bits & AUTH and is_secure(data, hit))
            or (bits & KEY and (is_kind(data, hit) or is_typed(data, hit)))
            or bits & COLOUR
            or (bits & BY_NUMBER and _NUMBER.match(data, hit))
            or (bits & FOREIGN and is_name_at(data, hit))
            or (bits & CALL and any(find_call_secrets(data, hit)))
        ):
            yield hit
        elif bits & _NAMES and hit >= at and is_stem(data, hit, bits):
            at, known = is_name(data, hit)
            if known:
                yield hit
