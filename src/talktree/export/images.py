"""Images in a page: only real images, as data URLs."""

from __future__ import annotations

from collections.abc import Callable

from talktree.model.message import Message
from talktree.model.parts import Attachment
from talktree.text.media import ENOUGH, PICTURES, decode_data_url, detect_media_type, parse_data_url

NOTHING = "data:,"
"""An empty image, which shows only its name."""
MOST_BYTES = 32 << 20
"""A larger image is only named."""


def find_image_urls(message: Message) -> Callable[[int], str] | None:
    """Return a function that gives each image of a message as a data URL; None if there is none."""
    parts = message.parts
    if not any(type(part) is Attachment for part in parts):
        return None

    def _address(number: int) -> str:
        part = parts[number] if number < len(parts) else None
        return (isinstance(part, Attachment) and safe_image(part.url or "")) or NOTHING

    return _address


def safe_image(url: str) -> str:
    """Return the data URL of an image with its actual media type; empty if it is not an image."""
    head = parse_data_url(url)
    if head is None or not head.is_base64 or len(url) > MOST_BYTES * 4 // 3:
        return ""
    kind = detect_media_type(decode_data_url(url, head, most=ENOUGH))
    if kind not in PICTURES:
        return ""
    body = url[head.start :].translate(_NO_SPACE)
    return f"data:{kind};base64,{body}" if _is_base64(body) else ""


_NO_SPACE = {ord(each): None for each in " \t\r\n"}
_BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="


def _is_base64(text: str) -> bool:
    return text.isascii() and not text.encode().translate(None, _BASE64)
