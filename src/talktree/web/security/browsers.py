"""The browsers that a user lets the studio remember: their public keys, in the user's data folder.

The browser stores the private key in the storage of its origin, marked as not extractable; to log
in, it signs a challenge. A foreign server that listens on the studio's port while the studio is not
running can have challenges signed, but not those of a studio: a key is valid only for the port it
was made on, and each challenge for one start, one minute and one use.
"""

from __future__ import annotations

import os
import secrets
import threading
import time
from base64 import urlsafe_b64decode
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from talktree.errors import NotSaved, Unreadable
from talktree.files.private import PRIVATE_FILE, make_private
from talktree.home import data_home
from talktree.text.escape import escape_line

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric import ec

NAME = "browsers.json"
MOST = 50
"""Maximum number of remembered browsers; a new one replaces the oldest."""
LONGEST_LABEL = 120
POINT = 65
"""Size of an uncompressed point of the curve P-256 in bytes."""
SIGNATURE = 64
LIFETIME = 60.0
"""Seconds in which a challenge must be answered."""
MOST_CHALLENGES = 64
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_PURPOSE = "talktree remembered browser 1"
_CHANGES = threading.Lock()


class RememberedBrowser(Struct, frozen=True, kw_only=True):
    """A remembered browser and its public key."""

    id: str
    port: int
    public_key: str
    """A point of the curve P-256, base64url."""
    label: str
    added: str


class _Stored(Struct, frozen=True, kw_only=True):
    version: int = 1
    browsers: tuple[RememberedBrowser, ...] = ()


def get_browsers_file() -> Path:
    """Return the file of this user's remembered browsers."""
    return data_home() / NAME


def read_remembered_browsers() -> tuple[RememberedBrowser, ...]:
    """Return all remembered browsers, oldest first."""
    path = get_browsers_file()
    try:
        return msgspec.json.decode(path.read_bytes(), type=_Stored).browsers
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise Unreadable(
            f"{path}: {error.strerror or error}", hint="check its permissions"
        ) from None
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise Unreadable(
            f"{path}: this is not a list of browsers",
            hint="talktree studio --forget-browsers removes it",
        ) from None


def remember_browser(port: int, public_key: str, label: str) -> RememberedBrowser:
    """Remember a browser by its public key; raise `ValueError` if the key is invalid."""
    load_public_key(public_key)
    shown = escape_line(label)[:LONGEST_LABEL] or "a browser"
    added = datetime.now(UTC).isoformat(timespec="seconds")
    made = RememberedBrowser(
        id=secrets.token_hex(16), port=port, public_key=public_key, label=shown, added=added
    )
    with _CHANGES:
        _write_browsers((*read_remembered_browsers()[1 - MOST :], made))
    return made


def forget_browser(id: str) -> bool:
    """Forget one browser, and return whether it was remembered."""
    with _CHANGES:
        before = read_remembered_browsers()
        after = tuple(each for each in before if each.id != id)
        if len(after) < len(before):
            _write_browsers(after)
    return len(after) < len(before)


def forget_browsers() -> int:
    """Forget all browsers, and return how many there were. An unreadable list is removed, too."""
    try:
        count = len(read_remembered_browsers())
    except Unreadable:
        count = 0
    get_browsers_file().unlink(missing_ok=True)
    return count


def find_usual_port() -> int | None:
    """Return the port on which a browser was remembered last; None if there is none."""
    try:
        found = read_remembered_browsers()
    except Unreadable:
        return None
    return found[-1].port if found else None


def _write_browsers(browsers: Sequence[RememberedBrowser]) -> None:
    path = get_browsers_file()
    fresh = path.with_name(f".{NAME}.{secrets.token_hex(8)}")
    try:
        make_private(path.parent)
        with os.fdopen(os.open(fresh, _NEW, PRIVATE_FILE), "wb") as file:
            file.write(msgspec.json.encode(_Stored(browsers=tuple(browsers))))
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise NotSaved(
            f"{path}: {error.strerror or error}", hint="check the permissions of its folder"
        ) from None


class Challenges:
    """The challenges of one studio on one port; each can be answered once."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._open: dict[str, float] = {}
        self._lock = threading.Lock()

    def issue(self) -> str:
        """Return a new challenge."""
        nonce = secrets.token_urlsafe(32)
        with self._lock:
            self._open[nonce] = time.monotonic() + LIFETIME
            while len(self._open) > MOST_CHALLENGES:
                del self._open[next(iter(self._open))]
        return nonce

    def is_accepted(self, id: str, nonce: str, proof: str) -> bool:
        """Whether a browser remembered on this port has signed an open challenge."""
        with self._lock:
            end = self._open.pop(nonce, None)
        if end is None or time.monotonic() > end:
            return False
        known = [
            each for each in read_remembered_browsers() if each.id == id and each.port == self.port
        ]
        return bool(known) and is_signed(known[0], nonce, proof)


def build_signed_text(port: int, id: str, nonce: str) -> bytes:
    """Return what a browser signs: the studio, the browser and the challenge."""
    return "\n".join((_PURPOSE, f"http://127.0.0.1:{port}", id, nonce)).encode()


def is_signed(browser: RememberedBrowser, nonce: str, proof: str) -> bool:
    """Whether a proof is the browser's signature of a challenge."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric import ec, utils
    from cryptography.hazmat.primitives.hashes import SHA256

    try:
        raw = _decode_base64(proof, SIGNATURE)
        half = SIGNATURE // 2
        pair = (int.from_bytes(raw[:half], "big"), int.from_bytes(raw[half:], "big"))
        load_public_key(browser.public_key).verify(
            utils.encode_dss_signature(*pair),
            build_signed_text(browser.port, browser.id, nonce),
            ec.ECDSA(SHA256()),
        )
    except (InvalidSignature, ValueError):
        return False
    return True


def load_public_key(text: str) -> ec.EllipticCurvePublicKey:
    """Return the public key in a text; raise `ValueError` if there is none."""
    from cryptography.hazmat.primitives.asymmetric import ec

    return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), _decode_base64(text, POINT))


def _decode_base64(text: str, length: int) -> bytes:
    raw = urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
    if len(raw) != length:
        raise ValueError(f"{len(raw)} bytes instead of {length}")
    return raw
