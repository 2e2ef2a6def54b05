"""A file that goes with a message: what it is by its bytes, and it as a data URL."""

from __future__ import annotations

from talktree.errors import UsageError
from talktree.formats.attaching import data_url, media_type_of
from talktree.web.errors import TooLarge
from talktree.web.work.uploads import Brought

LARGEST = 10 << 20
"""How many bytes may go with a message."""


def attached(file: Brought) -> tuple[str, str, str]:
    """Name, media type and content of a file; what it says of itself is not believed."""
    if file.files is not None:
        raise UsageError("a folder cannot go with a message", hint="attach its files")
    if file.size > LARGEST:
        raise TooLarge(
            f"{file.name[:100]}: a file with a message may have {LARGEST >> 20} MB",
            hint="put it elsewhere, and name it in the message",
        )
    data = file.path.read_bytes()
    media_type = media_type_of(data)
    return file.plain_name, media_type, data_url(data, media_type)
