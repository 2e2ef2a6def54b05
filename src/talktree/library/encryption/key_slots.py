"""Slots: the data key of a library, wrapped by a passphrase or by age recipients.

A slot and its passphrase or identity are enough to recover the data key. This module does not
access the disk.
"""

from __future__ import annotations

import base64
import hmac
import secrets
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from talktree.errors import MissingExtra, Unreadable, UsageError, WrongKey
from talktree.files.age import load_age_library

if TYPE_CHECKING:
    from collections.abc import Callable

KEY_SIZE = 32
ITERATIONS, THREADS, MEMORY = 3, 4, 64 << 10
"""Argon2id parameters of RFC 9106 for limited memory: 64 MiB, 3 passes, 4 threads."""
MOST_ITERATIONS, MOST_THREADS, MOST_MEMORY = 64, 64, 4 << 20
"""Maximum parameters of a slot; a damaged one must not use up all memory."""
_SALT, _NONCE = 16, 12
_ID = b"talktree library key id"


class PassphraseSlot(Struct, frozen=True, tag="passphrase"):
    """The data key, sealed with AES-256-GCM by a key that Argon2id derives from a passphrase."""

    salt: str
    nonce: str
    wrapped: str
    iterations: int = ITERATIONS
    threads: int = THREADS
    memory: int = MEMORY
    """In KiB."""


class AgeSlot(Struct, frozen=True, tag="age"):
    """The data key as an age file, for the identities of some recipients."""

    wrapped: str


Slot = PassphraseSlot | AgeSlot


def generate_key() -> bytes:
    """Return a random data key."""
    return secrets.token_bytes(KEY_SIZE)


def key_id(key: bytes) -> str:
    """Return the id of a key: it shows whether a key is the right one, and reveals nothing."""
    return hmac.digest(key, _ID, "sha256")[:16].hex()


def make_passphrase_slot(key: bytes, passphrase: str) -> PassphraseSlot:
    """Wrap the data key with a passphrase."""
    if not passphrase:
        raise UsageError("the passphrase is empty", hint="choose one of several words")
    salt, nonce = secrets.token_bytes(_SALT), secrets.token_bytes(_NONCE)
    slot = PassphraseSlot(_encode_base64(salt), _encode_base64(nonce), "")
    sealed = _make_cipher(slot, passphrase).encrypt(nonce, key, _ID)
    return PassphraseSlot(slot.salt, slot.nonce, _encode_base64(sealed))


def make_age_slot(key: bytes, recipients: Sequence[Any]) -> AgeSlot:
    """Wrap the data key for age recipients."""
    return AgeSlot(_encode_base64(load_age_library().encrypt(key, list(recipients))))


def unwrap_passphrase(slots: Sequence[Slot], passphrase: str, id: str) -> bytes:
    """Return the data key from the first slot that the passphrase opens."""
    mine = [slot for slot in slots if isinstance(slot, PassphraseSlot)]
    if not mine:
        raise WrongKey("this library has no passphrase", hint="use --identity FILE")
    for slot in mine:
        found = _decrypt_slot(slot, passphrase)
        if found is not None and hmac.compare_digest(key_id(found), id):
            return found
    raise WrongKey("wrong passphrase", hint="try again; nothing was changed")


def unwrap_age(slots: Sequence[Slot], identities: Sequence[Any], id: str) -> bytes:
    """Return the data key from the first slot that one of the identities opens."""
    mine = [slot for slot in slots if isinstance(slot, AgeSlot)]
    if not mine:
        raise WrongKey("this library has no age identity", hint="use its passphrase")
    library = load_age_library()
    for slot in mine:
        try:
            found = bytes(library.decrypt(_decode_base64(slot.wrapped), list(identities)))
        except library.DecryptError:
            continue
        if hmac.compare_digest(key_id(found), id):
            return found
    raise WrongKey("this identity does not open the library", hint="name another identity file")


def _decrypt_slot(slot: PassphraseSlot, passphrase: str) -> bytes | None:
    from cryptography.exceptions import InvalidTag

    cipher = _make_cipher(slot, passphrase)
    try:
        return bytes(cipher.decrypt(_decode_base64(slot.nonce), _decode_base64(slot.wrapped), _ID))
    except (InvalidTag, ValueError):
        return None


def _make_cipher(slot: PassphraseSlot, passphrase: str) -> Any:  # noqa: ANN401
    """Return the cipher that seals the data key of a slot."""
    if not (
        0 < slot.iterations <= MOST_ITERATIONS
        and 0 < slot.threads <= MOST_THREADS
        and 8 * slot.threads <= slot.memory <= MOST_MEMORY
    ):
        raise Unreadable(
            "the key file asks for more memory or time than any key needs",
            hint="put a copy of the key file back",
        )
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
    except ImportError:
        raise MissingExtra("encryption", "encryption") from None
    try:
        derive: Callable[[bytes], bytes] = Argon2id(
            salt=_decode_base64(slot.salt),
            length=KEY_SIZE,
            iterations=slot.iterations,
            lanes=slot.threads,
            memory_cost=slot.memory,
        ).derive
    except ValueError as error:
        raise Unreadable(
            f"the key file is damaged: {error}", hint="put a copy of the key file back"
        ) from None
    # Another keyboard may type the same letters as different characters.
    return AESGCM(derive(unicodedata.normalize("NFC", passphrase).encode("utf-8", "surrogatepass")))


def _encode_base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _decode_base64(text: str) -> bytes:
    return base64.b64decode(text)
