"""The age format: recipients and identities as people give them, and streams to recipients.

What is written goes through one pipe into the cipher, so no plain copy is ever on the disk and
memory does not depend on how much it is.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from talktree.errors import MissingExtra, Unreadable, UsageError

ENDING = ".age"
_LONGEST = 1 << 20
_FORMS = "age1…, ssh-ed25519 …, ssh-rsa … or a file with one of them on each line"


def age_library() -> Any:  # noqa: ANN401
    """The library that reads and writes age files."""
    try:
        import pyrage  # type: ignore[import-untyped]
    except ImportError:
        raise MissingExtra("age encryption", "encryption") from None
    return pyrage


def parse_recipients(given: Iterable[str]) -> list[Any]:
    """The recipients that some texts or files name."""
    found: list[Any] = []
    for text in given:
        if _is_recipient(text):
            found.append(_recipient(text, text))
            continue
        found += [_recipient(line, f"{text}: {line[:40]}") for line in _lines(text, _FORMS)]
    if not found:
        raise UsageError("no recipient was given", hint=f"write {_FORMS}")
    return found


def read_identities(path: str) -> list[Any]:
    """The identities in a file: those of age, or one SSH key."""
    library = age_library()
    try:
        data = Path(path).read_bytes()[:_LONGEST]
    except OSError as error:
        raise Unreadable(f"{path}: {error.strerror or error}", hint="check the path") from None
    try:
        if data.lstrip().startswith(b"-----BEGIN"):
            return [library.ssh.Identity.from_buffer(data)]
        lines = [line.strip() for line in data.decode().splitlines()]
        found = [
            library.x25519.Identity.from_str(line)
            for line in lines
            if line and not line.startswith("#")
        ]
    except (library.IdentityError, UnicodeDecodeError) as error:
        raise Unreadable(
            f"{path}: not an age identity: {error}", hint="make one with age-keygen -o FILE"
        ) from None
    if not found:
        raise Unreadable(f"{path}: no identity in it", hint="make one with age-keygen -o FILE")
    return found


def public_parts(identities: Sequence[Any], path: str) -> list[Any]:
    """The recipients that identities belong to; SSH identities do not say theirs."""
    try:
        return [identity.to_public() for identity in identities]
    except AttributeError:
        raise UsageError(
            f"{path}: an SSH key does not say its recipient", hint="use an age identity file"
        ) from None


def encrypt_pieces(pieces: Iterable[bytes], recipients: Sequence[Any]) -> Iterator[bytes]:
    """The pieces as one age file, piece by piece."""
    stream = _Stream(recipients)
    return stream.run(pieces)


def encrypt_into(sink: BinaryIO, recipients: Sequence[Any], source: BinaryIO) -> None:
    """Write what a stream holds to another one as an age file."""
    library = age_library()
    try:
        library.encrypt_io(source, sink, list(recipients))
    except library.EncryptError as error:
        raise Unreadable(f"cannot encrypt: {error}", hint="check the recipients") from None


class _Stream:
    """Two pipes with the cipher between them, which runs in a thread of its own."""

    def __init__(self, recipients: Sequence[Any]) -> None:
        self._recipients = list(recipients)
        self._error: BaseException | None = None

    def run(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Feed the cipher in one thread, run it in another, and give what comes out."""
        plain_out, plain_in = os.pipe()
        sealed_out, sealed_in = os.pipe()
        feeder = threading.Thread(target=self._feed, args=(pieces, plain_in), daemon=True)
        cipher = threading.Thread(target=self._encrypt, args=(plain_out, sealed_in), daemon=True)
        feeder.start()
        cipher.start()
        with open(sealed_out, "rb", buffering=0) as sealed:
            while data := sealed.read(1 << 16):
                yield data
        cipher.join()
        feeder.join()
        if self._error is not None:
            raise self._error

    def _feed(self, pieces: Iterable[bytes], into: int) -> None:
        try:
            with open(into, "wb", buffering=1 << 16) as file:
                for piece in pieces:
                    file.write(piece)
        except BrokenPipeError:
            pass  # whoever reads has stopped, or the cipher has failed and says so
        except BaseException as error:  # raised again by whoever reads
            self._error = self._error or error

    def _encrypt(self, plain: int, sealed: int) -> None:
        try:
            with open(plain, "rb", buffering=0) as source, open(sealed, "wb", buffering=0) as sink:
                encrypt_into(sink, self._recipients, source)
        except BrokenPipeError:
            pass
        except BaseException as error:
            self._error = self._error or error


def _is_recipient(text: str) -> bool:
    return text.startswith(("age1", "ssh-"))


def _recipient(text: str, shown: str) -> Any:  # noqa: ANN401
    library = age_library()
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
            why = str(error)
    raise UsageError(f"{shown}: not a recipient: {why}", hint=f"write {_FORMS}")


def _lines(path: str, forms: str) -> list[str]:
    """The lines of a file that name recipients."""
    try:
        text = Path(path).read_bytes()[:_LONGEST].decode()
    except (OSError, UnicodeDecodeError):
        raise UsageError(f"{path}: neither a recipient nor a file", hint=f"write {forms}") from None
    lines = [line.strip() for line in text.splitlines()]
    return [line for line in lines if line and not line.startswith("#")]
