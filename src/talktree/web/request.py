"""Parse and validate requests: the address, the parameters, the body."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_origin
from urllib.parse import unquote_to_bytes

import msgspec
from starlette.requests import ClientDisconnect, Request

from talktree.errors import UsageError
from talktree.text.json.value import REFUSALS
from talktree.web.errors import TooLarge
from talktree.web.response import JSON
from talktree.web.routes.route import Route, RouteCall

MOST_BYTES = 16 << 20
"""Maximum size of a JSON body in bytes; files are sent in another way."""
MANY = (tuple, list, frozenset, set)


async def parse_request(route: Route, path: Mapping[str, str], request: Request) -> RouteCall:
    """Parse a request for its route."""
    return RouteCall(
        path=path,
        query=None if route.query is None else _parse_query(route.query, request),
        body=None if route.body is None else await _parse_body(route.body, request),
        request=request,
    )


def split_path(path: bytes) -> tuple[str, ...]:
    """Split an address into parts and decode each separately, so that a part may contain a
    slash."""
    raw = path.split(b"?", 1)[0].removeprefix(b"/").split(b"/")
    return tuple(unquote_to_bytes(part).decode("utf-8", "replace") for part in raw)


def _parse_query(shape: type, request: Request) -> Any:  # noqa: ANN401 - an instance of `shape`
    fields = {field.encode_name: field for field in msgspec.structs.fields(shape)}
    given: dict[str, Any] = {}
    for name in request.query_params:
        if name not in fields:
            raise UsageError(f"no parameter {name[:100]}", hint=f"there are {', '.join(fields)}")
        values = request.query_params.getlist(name)
        many = (get_origin(fields[name].type) or fields[name].type) in MANY
        given[name] = values if many else values[-1]
    return _validate(lambda: msgspec.convert(given, shape, strict=False))


async def _parse_body(shape: type, request: Request) -> Any:  # noqa: ANN401 - an instance of `shape`
    if request.headers.get("content-type", "").split(";")[0].strip().lower() != JSON:
        raise UsageError("the body must be JSON", hint=f"send it as {JSON}")
    body = await _read_body(request)
    return _validate(lambda: msgspec.json.decode(body, type=shape))


async def _read_body(request: Request) -> bytes:
    body = bytearray()
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > MOST_BYTES:
                raise TooLarge(f"the body is larger than {MOST_BYTES >> 20} MB")
    except ClientDisconnect:
        raise UsageError("the question ended before it was whole") from None
    return bytes(body)


def _validate(read: Any) -> Any:  # noqa: ANN401
    try:
        return read()
    except (msgspec.ValidationError, *REFUSALS) as error:
        raise UsageError(f"{error}"[:500], hint="see /api/v1/openapi.json") from None
