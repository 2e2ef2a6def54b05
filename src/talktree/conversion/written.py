"""A value as a reader of its text will see it."""

from __future__ import annotations

import msgspec

from talktree.text.json_read import decode
from talktree.text.json_value import Json, Token
from talktree.text.json_write import encode

_plain = msgspec.json.Encoder(
    enc_hook=lambda value: value.text if isinstance(value, Token) else repr(value)
).encode


def as_written(value: Json) -> Json:
    """The value that is read: two halves of a character side by side are one."""
    try:
        # Fails where there is half a character, which is rare.
        _plain(value)
    except (UnicodeEncodeError, OverflowError, RecursionError):
        if isinstance(value, str):
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
        return decode(encode(value)).value
    return value
