"""The age format: recipients and identities as users give them, and encrypted streams.

No plain copy is ever on disk, and memory does not depend on how much is encrypted.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from talktree.errors import MissingExtra, Unreadable, UsageError

ENDING = ".age"
BLOCK = 1 << 16
_LONGEST = 1 << 20
_FORMS = "age1…, ssh-ed25519 …, ssh-rsa … or a file with one of them on each line"


def load_age_library() -> Any:  # noqa: ANN401
    """Import the library that reads and writes age files."""
    try:
        import pyrage  # type: ignore[import-untyped]
    except ImportError:
        raise MissingExtra("age encryption", "encryption") from None
    return pyrage


def parse_recipients(given: Iterable[str]) -> list[Any]:
    """Return the recipients in some texts or files."""
    found: list[Any] = []
    for text in given:
        if not text.strip():
            raise UsageError("an empty recipient", hint=f"write {_FORMS}")
        _refuse_secret(text, "")
        if _is_recipient(text):
            found.append(_parse_recipient(text, text))
            continue
        lines = _read_lines(text, _FORMS)
        if not lines:
            raise UsageError(f"{text}: no recipient in it", hint=f"write {_FORMS}")
        for line in lines:
            _refuse_secret(line, f"{text}: ")
            found.append(_parse_recipient(line, f"{text}: {line[:40]}"))
    return found


def _refuse_secret(text: str, name: str) -> None:
    """Refuse an identity given as a recipient, without showing it."""
    if text.upper().startswith("AGE-SECRET-KEY-") or "PRIVATE KEY-----" in text:
        raise UsageError(
            f"{name}a secret key was given, not a recipient",
            hint="name its public part: age-keygen -y FILE shows it",
        )


def read_identities(path: str) -> list[Any]:
    """Return the identities in a file: those of age, or one SSH key."""
    try:
        data = Path(path).read_bytes()[:_LONGEST]
    except OSError as error:
        raise Unreadable(f"{path}: {error.strerror or error}", hint="check the path") from None
    found = parse_identities(data, path)
    if not found:
        raise Unreadable(f"{path}: no identity in it", hint="make one with age-keygen -o FILE")
    return found


def parse_identities(data: bytes, path: str) -> list[Any]:
    """Return the identities in the content of such a file; empty if there are none."""
    if not data:
        return []
    library = load_age_library()
    try:
        if data.lstrip().startswith(b"-----BEGIN"):
            return [library.ssh.Identity.from_buffer(data)]
        lines = [line.strip() for line in data.decode().splitlines()]
        return [
            library.x25519.Identity.from_str(line)
            for line in lines
            if line and not line.startswith("#")
        ]
    except (library.IdentityError, UnicodeDecodeError) as error:
        raise Unreadable(
            f"{path}: not an age identity: {error}",
            hint="name a file of age-keygen -o FILE, or an SSH key (ed25519, RSA) without a "
            "passphrase",
        ) from None


def find_public_recipients(identities: Sequence[Any], path: str) -> list[Any]:
    """Return the recipients of identities; SSH identities do not contain theirs."""
    try:
        return [identity.to_public() for identity in identities]
    except AttributeError:
        raise UsageError(
            f"{path}: an SSH key does not say its recipient", hint="use an age identity file"
        ) from None


def encrypt_pieces(pieces: Iterable[bytes], recipients: Sequence[Any]) -> Iterator[bytes]:
    """Yield the pieces as one age file, streaming.

    The cipher runs in a thread of its own and requests the pieces; its output comes through a pipe.
    If a piece cannot be made, the file has no valid end. The thread ends with the iterator.
    """
    library = load_age_library()
    source = _Pieces(pieces)
    sealed_out, sealed_in = os.pipe()
    errors: list[BaseException] = []

    def _encrypt() -> None:
        with open(sealed_in, "wb", buffering=0) as sink:
            try:
                library.encrypt_io(source, sink, list(recipients))
            except BrokenPipeError:
                pass  # the reader has stopped
            except BaseException as error:
                errors.append(source.error or error)

    cipher = threading.Thread(target=_encrypt, name="age", daemon=True)
    cipher.start()
    try:
        with open(sealed_out, "rb", buffering=0) as sealed:
            while data := sealed.read(BLOCK):
                yield data
    finally:
        # A thread that still runs the cipher when the interpreter exits aborts the process.
        source.is_stopped = True
        cipher.join()
    if errors:
        raise errors[0]


class _Pieces:
    """Pieces as a file that can only be read forward."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = iter(pieces)
        self._held = memoryview(b"")
        self.error: BaseException | None = None
        self.is_stopped = False
        """Whether the encrypted bytes are no longer read."""

    def read(self, size: int = -1) -> bytes:
        """Return some more bytes; empty at the end."""
        if self.is_stopped:
            return b""
        try:
            while not self._held:
                self._held = memoryview(next(self._pieces))
        except StopIteration:
            return b""
        except BaseException as error:
            self.error = error
            raise
        size = BLOCK if size < 0 else size
        data, self._held = self._held[:size], self._held[size:]
        return bytes(data)


def _is_recipient(text: str) -> bool:
    return text.startswith(("age1", "ssh-"))


def _parse_recipient(text: str, shown: str) -> Any:  # noqa: ANN401
    library = load_age_library()
    kinds = (
        (library.ssh.Recipient,)
        if text.startswith("ssh-")
        else (library.tagpq.Recipient, library.tag.Recipient, library.x25519.Recipient)
    )
    why = ""
    for kind in kinds:
        try:
            return kind.from_str(text)
        except (library.RecipientError, ValueError) as error:
            # From here on, as the library would write its own value.
            why = str(error).partition(": Invalid(")[0]
    raise UsageError(f"{shown}: not a recipient: {why}", hint=f"write {_FORMS}")


def _read_lines(path: str, forms: str) -> list[str]:
    """Return the lines of a file that name recipients."""
    try:
        text = Path(path).read_bytes()[:_LONGEST].decode()
    except FileNotFoundError:
        raise UsageError(f"{path}: neither a recipient nor a file", hint=f"write {forms}") from None
    except OSError as error:
        raise Unreadable(f"{path}: {error.strerror or error}", hint=f"write {forms}") from None
    except (UnicodeDecodeError, ValueError):
        raise UsageError(f"{path}: not a list of recipients", hint=f"write {forms}") from None
    lines = [line.strip() for line in text.splitlines()]
    return [line for line in lines if line and not line.startswith("#")]
