"""Answers as bytes: structs as JSON, failures as the one body that every error has."""

from __future__ import annotations

from typing import Any

import msgspec
from starlette.responses import Response

from talktree.web.errors import fault_of, notice, status_of
from talktree.web.schemas.general import Failure

JSON = "application/json"


def answered(value: Any) -> Response:  # noqa: ANN401 - whatever a route gives
    """What a route gave, as a response."""
    if isinstance(value, Response):
        return value
    return Response(status_code=204) if value is None else Response(encoded(value), media_type=JSON)


def failed(error: Exception) -> Response:
    """A failure as a response."""
    notice(error)
    return Response(
        encoded(Failure(fault_of(error))), status_code=status_of(error), media_type=JSON
    )


def encoded(value: Any) -> bytes:  # noqa: ANN401 - whatever a route gives
    """A value as JSON; halves of characters, which UTF-8 cannot hold, become question marks."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return msgspec.json.encode(_whole(msgspec.to_builtins(value)))


def _whole(value: Any) -> Any:  # noqa: ANN401 - JSON
    """The same without halves of characters; shapes are flat, so this does not go deep."""
    match value:
        case str():
            return value.encode("utf-8", "replace").decode()
        case dict():
            return {_whole(key): _whole(each) for key, each in value.items()}
        case list() | tuple():
            return [_whole(each) for each in value]
        case _:
            return value
