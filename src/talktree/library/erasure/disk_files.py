"""Secrets in files on the disk: found in any file, masked with stars in Talktree's own copies."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from talktree.files.outputs import OutputGate
from talktree.files.save import save
from talktree.library.erasure.masking import Span, mask_spans
from talktree.library.erasure.packed_members import is_packed, mask_packed
from talktree.library.erasure.readings import detect_encoding, is_json
from talktree.library.erasure.scrubs import HEAD
from talktree.library.erasure.secret_forms import (
    KnownSecrets,
    SecretFinder,
    find_secrets,
    reach_of,
)

_BLOCK = 1 << 20


def iter_windows(pieces: Iterable[bytes], reach: int) -> Iterator[tuple[bytes, int]]:
    """Yield each piece with the end of the pieces before it, and the length of that end.

    Each begins at an even offset, so that UTF-16 stays readable.
    """
    held, at = b"", 0
    for piece in pieces:
        data = held + piece
        yield data, len(held)
        cut = max(0, len(data) - reach)
        cut -= (at + cut) % 2
        held, at = data[max(0, cut) :], at + max(0, cut)


def holds_secret(path: bytes, known: SecretFinder) -> bool:
    """Whether a file on the disk still holds the secret."""
    try:
        with open(path, "rb") as file:
            head = file.read(HEAD)
            file.seek(0)
            if not is_packed(head):
                blocks = iter_windows(iter(lambda: file.read(1 << 20), b""), reach_of(known))
                encoding, json = detect_encoding(head), is_json(head)
                return any(find_secrets(known, data, encoding, json=json) for data, _ in blocks)
            return _is_in_members(file.read(), known)
    except OSError:
        return False


def _is_in_members(data: bytes, known: SecretFinder) -> bool:
    found: list[Span] = []

    def look(text: bytes) -> list[Span]:
        """Record the matches, and mask nothing."""
        found.extend(find_secrets(known, text, detect_encoding(text), json=is_json(text[:HEAD])))
        return []

    mask_packed(data, look)
    return bool(found)


def mask_file(path: bytes, known: KnownSecrets) -> bool:
    """Mask the secrets in a file with stars, whole or not at all; return whether there were any."""
    if not holds_secret(path, known):
        return False
    place = Path(os.fsdecode(path))
    pieces = _mask_pieces(path, known)
    save(
        {place.name: pieces},
        place,
        folder=False,
        gate=OutputGate(force=True),
        agreed=lambda built: built.chmod(0o600),
    )
    return True


def _mask_pieces(path: bytes, known: KnownSecrets) -> Iterator[bytes]:
    """Yield the content of a file with secrets masked."""
    with open(path, "rb") as file:
        head = file.read(HEAD)
        if is_packed(head):
            file.seek(0)
            yield mask_packed(file.read(), lambda text: _find_spans(text, text[:HEAD], known)).data
            return
        reach = reach_of(known)
        for start in range(0, os.fstat(file.fileno()).st_size, _BLOCK):
            first = max(0, start - reach) & ~1
            file.seek(first)
            around = file.read(start - first + _BLOCK + reach)
            yield mask_spans(around, _find_spans(around, head, known))[start - first :][:_BLOCK]


def _find_spans(data: bytes, head: bytes, known: KnownSecrets) -> list[Span]:
    return find_secrets(known, data, detect_encoding(head), json=is_json(head))
