"""Values as a reader of their text sees them: surrogates and tokens may differ."""

from __future__ import annotations

import msgspec

from talktree.model.message import Message
from talktree.model.parts import Part, Text, Thinking, ToolCall, ToolResult
from talktree.text.json.decode import decode
from talktree.text.json.encode import encode_json, is_plain
from talktree.text.json.value import Json, Token


def _encode_token(value: object) -> str:
    if type(value) is Token:
        raise TypeError("a token may be read as another value")
    return value.text if isinstance(value, Token) else repr(value)


_plain = msgspec.json.Encoder(enc_hook=_encode_token).encode


_packed = msgspec.msgpack.Encoder().encode


def is_whole(text: str) -> bool:
    """Whether a text has no unpaired surrogate, which text files cannot hold."""
    if text.isascii():
        return True
    try:
        # Unlike `encode_json`, this leaves encoding the text as UTF-8 to the caller.
        _packed(text)
    except UnicodeEncodeError:
        return False
    return True


def shows_as_written(message: Message) -> bool:
    """Whether the visible content is certainly read as it is written; False for unusual parts."""
    return all(map(_is_read_as_written, message.parts))


def _is_read_as_written(part: Part) -> bool:
    match part:
        case Text(text=text) | Thinking(text=text):
            return is_whole(text)
        case ToolCall(name=name, input=value):
            return is_whole(name) and is_plain(value)
        case ToolResult(output=output):
            return all(map(_is_read_as_written, output))
        case _:
            return False


def join_surrogates(value: Json) -> Json:
    """Return the value that is read: a surrogate pair becomes one character."""
    try:
        # Fails for an unpaired surrogate or a token, which is rare.
        _plain(value)
    except (UnicodeEncodeError, OverflowError, RecursionError, TypeError):
        if isinstance(value, str):
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
        return decode(encode_json(value)).value
    return value
