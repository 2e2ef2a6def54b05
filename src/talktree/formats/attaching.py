"""A file as a format wants it: with what its own records say of one, and nothing else."""

from __future__ import annotations

from base64 import b64encode
from uuid import UUID

from talktree.errors import WouldLose
from talktree.formats.format import About, Format
from talktree.model.message import Message
from talktree.model.operations import Attach
from talktree.model.parts import Attachment, Text
from talktree.text.media_types import media_type_of

_ANY = str(UUID(int=0, version=4))


def attach(format: Format, about: str, name: str, media_type: str, url: str) -> Attach:
    """The operation that puts a file with a message, if the format has a place for such a file."""
    part = Attachment(name, media_type, url)
    fitting = _fitted(format, part) if format.has_place(part) else None
    if fitting is None or fitting.url is None:
        raise WouldLose(
            f"{format.info.slug} has no place for a file of the type {media_type}",
            hint="write it to a format that has one, or name the file in the message",
        )
    return Attach(
        about=about,
        name=fitting.name,
        media_type=fitting.media_type or media_type,
        url=fitting.url,
        extra=dict(fitting.extra),
    )


def attach_file(
    format: Format, about: str, name: str, data: bytes, media_type: str | None = None
) -> Attach:
    """The operation that puts a file with a message; its type is what its bytes say, or given."""
    media_type = media_type or media_type_of(data, name)
    url = f"data:{media_type};base64,{b64encode(data).decode()}"
    return attach(format, about, name, media_type, url)


def _fitted(format: Format, part: Attachment) -> Attachment | None:
    """What a format makes of a file that comes from elsewhere."""
    message = Message(id=_ANY, parent=None, role="user", parts=(Text("-"), part), time_ns=0)
    adopted = format.adopt(message, About(id=_ANY, session=_ANY), moment=0)
    return next((each for each in adopted.parts if isinstance(each, Attachment)), None)
