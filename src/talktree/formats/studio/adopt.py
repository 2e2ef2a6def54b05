"""Messages of other formats as comments that the specification's schema accepts.

Everything that the specification requires is present and has the required type; missing values are
derived from known ones without a clock. Members that another encoding of the same comment held in
an undocumented form are replaced. Attachments and artifacts are completed in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from msgspec.structs import replace

from talktree.formats.format import ConversationInfo
from talktree.formats.lens import Object
from talktree.formats.studio.artifact_types import detect_type
from talktree.formats.studio.ids import RANDOM_BYTES, new_id
from talktree.model.message import Author, Message
from talktree.model.parts import Artifact, Attachment, Part, Text
from talktree.text.json.value import Json
from talktree.text.times import MILLI, from_number, to_millis

STATUSES = ("visible", "hidden")
NO_TITLE = "Untitled"
ENDINGS = {"jpeg": "jpg", "svg+xml": "svg", "plain": "txt", "markdown": "md"}
"""File extensions for media types with other names."""
_DATA = re.compile(r"data:([a-z]+/[a-z0-9.+-]+)[;,]", re.IGNORECASE)
_LAST_IN_LINK = re.compile(r"(?:https?|file)://[^?#]*/([\w.-]+\.\w{1,8})(?:[?#]|\Z)", re.ASCII)
_ENDING = re.compile(r"[a-z0-9]{1,8}")
LONGEST_LINK = 4096
"""Maximum length of links that are examined; longer ones hold their content themselves."""


def complete_attachment(part: Attachment, number: int) -> Attachment:
    """Return an attachment with a name, a URL and a `file`; the number is its index."""
    url = part.url or ""
    media_type = get_data_url_type(url) if part.media_type is None else part.media_type
    extra = _without_members(part.extra, ("name", "type", "url", "file"))
    return replace(
        part,
        name=_make_name(url, media_type, number) if part.name is None else part.name,
        media_type=media_type,
        url=url,
        extra={"file": _make_file(part.extra.get("file")), **extra},
    )


def find_linked_name(url: str) -> str | None:
    """Return the name of the file that a link leads to, if the link contains it."""
    found = _LAST_IN_LINK.match(url[:LONGEST_LINK])
    return None if found is None else found.group(1)


def get_data_url_type(url: str) -> str | None:
    """Return the media type that a data URL names, in lower case."""
    found = _DATA.match(url[:LONGEST_LINK])
    return None if found is None else found.group(1).lower()


def _make_name(url: str, media_type: str | None, number: int) -> str:
    linked = find_linked_name(url)
    if linked is not None:
        return linked
    kind = (media_type or "").rpartition("/")[2].lower()
    ending = ENDINGS.get(kind, kind)
    return f"attachment-{number}" + (f".{ending}" if _ENDING.fullmatch(ending) else "")


def _make_file(value: Json) -> Object:
    """Return what is known about a file, without invalid dimensions."""
    if not isinstance(value, dict):
        return {}
    return (
        value
        if _are_dimensions(value.get("dimensions", {}))
        else _without_members(value, ("dimensions",))
    )


def _are_dimensions(value: Json) -> bool:
    return isinstance(value, dict) and all(
        isinstance(value.get(side, 0), int | float) and not isinstance(value.get(side), bool)
        for side in ("width", "height")
    )


def complete_artifact(part: Artifact, id: str) -> Artifact:
    """Return an artifact with all its required members; the id is for one that has none."""
    given = part.extra
    status, command, info = (given.get(name) for name in ("status", "command", "info"))
    known: Object = {
        "status": status if status in STATUSES else STATUSES[0],
        "command": command if isinstance(command, str) else "create",
    }
    if isinstance(info, str):
        known["info"] = info
    odd = _without_members(given, ("id", "type", "title", "content", "status", "command", "info"))
    return replace(
        part,
        id=id if part.id is None else part.id,
        media_type=part.media_type or detect_type(part.title or "", part.content or ""),
        title=NO_TITLE if part.title is None else part.title,
        extra={**known, **odd},
    )


def _without_members(members: Mapping[str, Any], gone: tuple[str, ...]) -> Object:
    return {name: item for name, item in members.items() if name not in gone}


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
"""Every member of a comment that the specification names."""


def adopt_comment(message: Message, about: ConversationInfo, *, moment: int) -> Message:
    """Return a message with everything that the specification requires of a comment."""
    time = _choose_millis(message.time_ns, moment)
    name = message.id or make_id(time, about.id, message.text)
    author = message.authors[0].name if message.authors else message.role
    return replace(
        message,
        id=name,
        authors=(Author(author),),
        time_ns=time,
        parts=_adopt_parts(message.parts, name, time),
        # Under these names there are only values of the wrong type.
        extra={key: item for key, item in message.extra.items() if key not in MEMBERS},
    )


def _adopt_parts(parts: tuple[Part, ...], name: str, time: int) -> tuple[Part, ...]:
    """Return all text in one part, then attachments, then artifacts."""
    match parts:
        case (Text(extra=extra),) if not extra:
            return parts
    said = [part.text for part in parts if isinstance(part, Text)]
    attachments = (part for part in parts if isinstance(part, Attachment))
    artifacts = (part for part in parts if isinstance(part, Artifact))
    return (
        Text("\n\n".join(said)),
        *(complete_attachment(part, number) for number, part in enumerate(attachments, 1)),
        *(
            complete_artifact(part, make_id(time, name, str(number)))
            for number, part in enumerate(artifacts, 1)
        ),
    )


def _choose_millis(*times: int | None) -> int:
    """Return the first of some times that a number of milliseconds can represent."""
    for time in times:
        if time is not None and from_number(to_millis(time)) is not None:
            return to_millis(time) * MILLI
    return 0


def make_id(time: int, *names: str) -> str:
    """Return an id in the specification's form, with a checksum in place of random bytes."""
    seed = "\0".join(names).encode("utf-8", "surrogatepass")
    return new_id(to_millis(time), blake2b(seed, digest_size=RANDOM_BYTES).digest())
