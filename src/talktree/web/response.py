"""Answers as bytes: structs as JSON, errors in the same shape everywhere."""

from __future__ import annotations

from typing import Any

import msgspec
from starlette.responses import Response

from talktree.web.errors import describe_error, find_status, print_internal_error
from talktree.web.schemas.general import ErrorBody

JSON = "application/json"


def make_response(value: Any) -> Response:  # noqa: ANN401 - whatever a route gives
    """Return the result of a route as a response."""
    if isinstance(value, Response):
        return value
    return (
        Response(status_code=204)
        if value is None
        else Response(encode_json(value), media_type=JSON)
    )


def error_response(error: Exception) -> Response:
    """Return an error as a response."""
    print_internal_error(error)
    return Response(
        encode_json(ErrorBody(describe_error(error))),
        status_code=find_status(error),
        media_type=JSON,
    )


def encode_json(value: Any) -> bytes:  # noqa: ANN401 - whatever a route gives
    """Encode a value as JSON; lone surrogates, which UTF-8 cannot hold, become question marks."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return msgspec.json.encode(_replace_surrogates(msgspec.to_builtins(value)))


def _replace_surrogates(value: Any) -> Any:  # noqa: ANN401 - JSON
    """Return the value without lone surrogates; structs are flat, so the recursion is shallow."""
    match value:
        case str():
            return value.encode("utf-8", "replace").decode()
        case dict():
            return {
                _replace_surrogates(key): _replace_surrogates(each) for key, each in value.items()
            }
        case list() | tuple():
            return [_replace_surrogates(each) for each in value]
        case _:
            return value
