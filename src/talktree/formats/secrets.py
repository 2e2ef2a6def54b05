"""Files with keys and passwords, removed from a source before anything of it is read."""

from __future__ import annotations

from collections.abc import Iterable

from talktree.errors import RefusedInput
from talktree.files import Source
from talktree.formats.format import Format


def without_secrets(source: Source, formats: Iterable[Format]) -> Source:
    """Return a source without the files that one of the formats calls secret."""
    left = source
    for format in formats:
        left = left.without(format.find_withheld_files(source))
    if source.files and not left.files:
        raise RefusedInput(
            f"{source.shown}: settings that may hold keys, not a conversation",
            hint="such files are never opened; name the folder with the sessions instead",
        )
    return left
