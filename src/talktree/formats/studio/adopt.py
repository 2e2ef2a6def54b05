"""Messages from elsewhere as comments that the document's schema accepts.

Everything the document requires is there and of the type it demands; what a source did not say is
made up from what is known, the same each time. Members that another encoding of the same comment
held in a form the document does not know give way.
"""

from __future__ import annotations

from hashlib import blake2b

from msgspec.structs import replace

from talktree.formats.format import About
from talktree.formats.studio.ids import RANDOM_BYTES, new_id
from talktree.formats.studio.required import whole_artifact, whole_attachment
from talktree.model.message import Author, Message
from talktree.model.parts import Artifact, Attachment, Part, Text
from talktree.text.times import MILLI, from_number, to_millis

MEMBERS = (
    "id",
    "userId",
    "type",
    "timestamp",
    "content",
    "contentHash",
    "attachments",
    "children",
    "parentId",
    "deleted",
    "artifacts",
)
"""Every member of a comment that the document names."""


def adopted(message: Message, about: About, *, moment: int) -> Message:
    """A message with all that the document requires of a comment."""
    time = _whole_millis(message.time_ns, moment)
    name = message.id or made_id(time, about.id, message.text)
    author = message.authors[0].name if message.authors else message.role
    return replace(
        message,
        id=name,
        authors=(Author(author),),
        time_ns=time,
        parts=_parts(message.parts, name, time),
        # Under these names stands only what is not of the type the document demands.
        extra={key: item for key, item in message.extra.items() if key not in MEMBERS},
    )


def _parts(parts: tuple[Part, ...], name: str, time: int) -> tuple[Part, ...]:
    """All words in one text, then attachments, then artifacts."""
    match parts:
        case (Text(extra=extra),) if not extra:
            return parts
    said = [part.text for part in parts if isinstance(part, Text)]
    attachments = (part for part in parts if isinstance(part, Attachment))
    artifacts = (part for part in parts if isinstance(part, Artifact))
    return (
        Text("\n\n".join(said)),
        *(whole_attachment(part, number) for number, part in enumerate(attachments, 1)),
        *(
            whole_artifact(part, made_id(time, name, str(number)))
            for number, part in enumerate(artifacts, 1)
        ),
    )


def _whole_millis(*times: int | None) -> int:
    """The first of some times that a number of milliseconds can name."""
    for time in times:
        if time is not None and from_number(to_millis(time)) is not None:
            return to_millis(time) * MILLI
    return 0


def made_id(time: int, *names: str) -> str:
    """An id as the document makes them, with a checksum in the place of chance."""
    seed = "\0".join(names).encode("utf-8", "surrogatepass")
    return new_id(to_millis(time), blake2b(seed, digest_size=RANDOM_BYTES).digest())
