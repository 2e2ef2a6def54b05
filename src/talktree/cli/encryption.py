"""`--encrypt-to`: write the files of an export as one age file, without a plain copy on disk."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from talktree.errors import UsageError
from talktree.files.age import ENDING, encrypt_pieces, parse_recipients
from talktree.files.outputs import OutputGate
from talktree.files.save import save

Pieces = Iterable[bytes]


class Encryption:
    """The recipients of an output, or none."""

    def __init__(self, given: Sequence[str], out: str) -> None:
        self._recipients: list[Any] = parse_recipients(given) if given else []
        if out.endswith(("/", os.sep)):
            self.refuse_folder()
        if self and out != "-" and not out.endswith(ENDING):
            raise UsageError(
                f"{out}: an encrypted file ends with {ENDING}", hint=f"write -o {out}{ENDING}"
            )

    def __bool__(self) -> bool:
        return bool(self._recipients)

    def inner_name(self, out: str) -> str:
        """The name inside the encrypted file."""
        return out.removesuffix(ENDING) if self else out

    def encrypt_pieces(self, pieces: Pieces) -> Iterator[bytes]:
        """Yield the bytes of a file, encrypted if there are recipients."""
        return encrypt_pieces(pieces, self._recipients) if self else iter(pieces)

    def refuse_folder(self) -> None:
        """Raise if the output consists of several files."""
        if self:
            raise UsageError(
                "--encrypt-to writes one file, and this becomes a folder",
                hint="export one conversation, or pipe a tar of the folder through age",
            )

    def make_saver(self, out: str, gate: OutputGate) -> Callable[[Pieces], None]:
        """Return a function that writes the bytes of a file encrypted."""

        def _save(pieces: Pieces) -> None:
            save({Path(out).name: self.encrypt_pieces(pieces)}, out, folder=False, gate=gate)

        return _save
