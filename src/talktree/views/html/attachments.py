"""Images and files of a message: their type by content, their size, their address."""

from __future__ import annotations

from typing import NamedTuple

from talktree.model.parts import Attachment
from talktree.text.escape import escape_line
from talktree.text.media import (
    ENOUGH,
    PICTURES,
    DataUrl,
    data_size,
    decode_data_url,
    detect_media_type,
    normalize_media_type,
    parse_data_url,
)
from talktree.views.html.block import MessageBlock
from talktree.views.html.escaped import escape
from talktree.views.html.gate import PICTURE
from talktree.views.html.highlight import render_code
from talktree.views.html.languages import find_language
from talktree.views.html.look import RenderOptions
from talktree.views.html.markdown_tags import render_remote
from talktree.views.width import format_size, to_one_line

LARGEST = 1_500_000
"""Maximum number of characters of an image that is embedded in the page."""
_TEXTS = ("application/json", "application/xml", "application/x-yaml", "application/javascript")


class AttachmentFacts(NamedTuple):
    """What the beginning of an attachment shows."""

    media_type: str
    """The detected media type, or the declared one where the bytes are not conclusive."""
    claimed: str
    size: int | None
    is_picture: bool
    """Whether it is embedded and an image that browsers show without running anything."""
    head: DataUrl | None


def read_facts(part: Attachment) -> AttachmentFacts:
    """Read the beginning of an attachment."""
    url = part.url or ""
    head = parse_data_url(url)
    claimed = to_one_line(
        normalize_media_type(part.media_type or (head.media_type if head else "") or ""), 100
    )
    if head is None:
        return AttachmentFacts(claimed, claimed, None, False, None)
    is_picture = False
    found = detect_media_type(decode_data_url(url, head, most=ENOUGH))
    if found in PICTURES:
        is_picture = True
    return AttachmentFacts(found or claimed, claimed, data_size(url, head), is_picture, head)


def render_attachment(part: Attachment, number: int, look: RenderOptions) -> MessageBlock:
    """Return an image or a file as a block."""
    known = read_facts(part)
    name = to_one_line(part.name or "", 200)
    address = (part.url or "") if known.head is None else ""
    common = {
        "title": name or ("image" if known.is_picture else "file"), "name": name,
        "detail": _describe_attachment(known, address=address), "number": number,
        "size": known.size,
        "media_type": known.media_type, "remote": escape_line(address[:4000]),
    }  # fmt: skip
    if known.is_picture:
        html = _render_image(part, known, look, number)
        return MessageBlock(kind="image", html=html, open=True, **common)  # type: ignore[arg-type]
    if address and known.claimed.startswith("image/"):
        html = render_remote(escape(address[:2000]), escape(name))
        return MessageBlock(kind="image", html=html, open=True, **common)  # type: ignore[arg-type]
    html, cut = _render_preview(part, known, look) if known.head else ("", 0)
    if address:
        html = render_remote(escape(address[:2000]), escape(name))
    return MessageBlock(kind="file", html=html, cut=cut, **common)  # type: ignore[arg-type]


def render_picture(part: Attachment, look: RenderOptions, place: int) -> str:
    """Return an attachment within a result, as HTML only."""
    known = read_facts(part)
    if known.is_picture:
        return _render_image(part, known, look, look.inside + place if look.inside else None)
    address = (part.url or "") if known.head is None else ""
    if address:
        return render_remote(escape(address[:2000]), escape(to_one_line(part.name or "", 200)))
    return _render_name(escape(to_one_line(part.name or "file", 200)), known)


def _render_image(
    part: Attachment, known: AttachmentFacts, look: RenderOptions, number: int | None
) -> str:
    alt = escape(to_one_line(part.name or "image", 200))
    if look.address is not None and number is not None:
        address = escape(look.address(number))
        shown = f'<img class="tt-image" src="{address}" alt="{alt}">'
        return shown if address else _render_name(alt, known)
    assert known.head is not None
    url = part.url or ""
    data = url[known.head.start :] if known.head.is_base64 else ""
    written = f"data:{known.media_type};base64,{data}"
    if data and len(written) <= LARGEST and PICTURE.fullmatch(written):
        return f'<img class="tt-image" src="{written}" alt="{alt}">'
    return _render_name(alt, known)


def _render_name(name: str, known: AttachmentFacts) -> str:
    """Return the name of a file, already escaped, with its description."""
    details = escape(_describe_attachment(known, address=""))
    return f'<p class="tt-file">{name} <small>{details}</small></p>'


def _describe_attachment(known: AttachmentFacts, *, address: str) -> str:
    """Return type and size in words, and whether the declared type is wrong."""
    words = [known.media_type] if known.media_type else []
    if known.claimed and known.claimed != known.media_type:
        words.append(f"said to be {to_one_line(known.claimed, 60)}")
    if known.size is not None:
        words.append(format_size(known.size))
    elif not address:
        words.append("content not here")
    return " · ".join(words)


def _render_preview(
    part: Attachment, known: AttachmentFacts, look: RenderOptions
) -> tuple[str, int]:
    """Return the text of a text file."""
    assert known.head is not None
    is_text = known.claimed.startswith("text/") or known.claimed in _TEXTS
    if not is_text or (known.claimed != known.media_type and known.media_type != "text/html"):
        return "", 0
    raw = decode_data_url(part.url or "", known.head, most=4 * (look.limit or 200_000))
    text, cut = look.cut(raw.decode("utf-8", "replace"))
    return render_code(
        text, find_language(part.name or "") or known.claimed.rpartition("/")[2]
    ), cut
