"""Images and files that go with a message: what they are by their bytes, how large, where."""

from __future__ import annotations

from typing import NamedTuple

from talktree.model.parts import Attachment
from talktree.text.escape import visible_line
from talktree.text.media import (
    ENOUGH,
    PICTURES,
    DataUrl,
    content,
    data_size,
    data_url,
    sniffed,
    usual,
)
from talktree.views.html.block import Block
from talktree.views.html.escaped import escape
from talktree.views.html.gate import PICTURE
from talktree.views.html.highlight import code
from talktree.views.html.languages import language_of
from talktree.views.html.look import Look
from talktree.views.html.markdown_tags import remote
from talktree.views.width import one_line, size

LARGEST = 1_500_000
"""Characters of a picture that is written into the page itself."""
_TEXTS = ("application/json", "application/xml", "application/x-yaml", "application/javascript")


class Facts(NamedTuple):
    """What is known of an attachment without looking at all of it."""

    media_type: str
    """What it is; what it says it is where bytes do not tell."""
    claimed: str
    size: int | None
    is_picture: bool
    """Whether it is here and a picture that browsers show without running anything."""
    head: DataUrl | None


def facts_of(part: Attachment) -> Facts:
    """Look at how an attachment begins."""
    url = part.url or ""
    head = data_url(url)
    claimed = one_line(usual(part.media_type or (head.media_type if head else "") or ""), 100)
    if head is None:
        return Facts(claimed, claimed, None, False, None)
    is_picture = False
    found = sniffed(content(url, head, most=ENOUGH))
    if found in PICTURES:
        is_picture = True
    return Facts(found or claimed, claimed, data_size(url, head), is_picture, head)


def attachment(part: Attachment, number: int, look: Look) -> Block:
    """An image or a file as a block."""
    known = facts_of(part)
    name = one_line(part.name or "", 200)
    address = (part.url or "") if known.head is None else ""
    common = {
        "title": name or ("image" if known.is_picture else "file"), "name": name,
        "detail": _told(known, address=address), "number": number, "size": known.size,
        "media_type": known.media_type, "remote": visible_line(address[:4000]),
    }  # fmt: skip
    if known.is_picture:
        html = _image(part, known, look, number)
        return Block(kind="image", html=html, open=True, **common)  # type: ignore[arg-type]
    if address and known.claimed.startswith("image/"):
        html = remote(escape(address[:2000]), escape(name))
        return Block(kind="image", html=html, open=True, **common)  # type: ignore[arg-type]
    html, cut = _preview(part, known, look) if known.head else ("", 0)
    if address:
        html = remote(escape(address[:2000]), escape(name))
    return Block(kind="file", html=html, cut=cut, **common)  # type: ignore[arg-type]


def picture(part: Attachment, look: Look, place: int) -> str:
    """An attachment within a result, as HTML alone."""
    known = facts_of(part)
    if known.is_picture:
        return _image(part, known, look, look.inside + place if look.inside else None)
    address = (part.url or "") if known.head is None else ""
    if address:
        return remote(escape(address[:2000]), escape(one_line(part.name or "", 200)))
    return _named(escape(one_line(part.name or "file", 200)), known)


def _image(part: Attachment, known: Facts, look: Look, number: int | None) -> str:
    alt = escape(one_line(part.name or "image", 200))
    if look.address is not None and number is not None:
        address = escape(look.address(number))
        shown = f'<img class="tt-image" src="{address}" alt="{alt}">'
        return shown if address else _named(alt, known)
    assert known.head is not None
    url = part.url or ""
    data = url[known.head.start :] if known.head.is_base64 else ""
    written = f"data:{known.media_type};base64,{data}"
    if data and len(written) <= LARGEST and PICTURE.fullmatch(written):
        return f'<img class="tt-image" src="{written}" alt="{alt}">'
    return _named(alt, known)


def _named(name: str, known: Facts) -> str:
    """The name of a file, escaped before, and what it is."""
    return f'<p class="tt-file">{name} <small>{escape(_told(known, address=""))}</small></p>'


def _told(known: Facts, *, address: str) -> str:
    """Type and size in words, and if it is not what it says it is."""
    told = [known.media_type] if known.media_type else []
    if known.claimed and known.claimed != known.media_type:
        told.append(f"said to be {one_line(known.claimed, 60)}")
    if known.size is not None:
        told.append(size(known.size))
    elif not address:
        told.append("content not here")
    return " · ".join(told)


def _preview(part: Attachment, known: Facts, look: Look) -> tuple[str, int]:
    """The words of a text file."""
    assert known.head is not None
    is_text = known.claimed.startswith("text/") or known.claimed in _TEXTS
    if not is_text or (known.claimed != known.media_type and known.media_type != "text/html"):
        return "", 0
    raw = content(part.url or "", known.head, most=4 * (look.limit or 200_000))
    text, cut = look.cut(raw.decode("utf-8", "replace"))
    return code(text, language_of(part.name or "") or known.claimed.rpartition("/")[2]), cut
