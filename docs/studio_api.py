"""Writes the reference of the studio's API from its route table."""

from __future__ import annotations

from msgspec import Struct
from msgspec import inspect as described

from talktree.web.routes import NOUNS
from talktree.web.routes.route import Route
from talktree.web.typescript import MODULES, format_type, list_structs

HEAD = """# The studio's API

Written by `make docs` from the route table. `GET /api/v1/openapi.json` gives the same as OpenAPI
3.1.

A studio answers on 127.0.0.1 only. `POST /login` exchanges the token in the printed address for a
cookie and a key. Every other request needs both: the cookie, and the key in the header
`X-Talktree-Key`. Where a browser sends no header (images, downloads, frames), the last parameter
`ticket` takes its place: the base64url HMAC-SHA-256, made with the key, of the path and query
before it. Requests other than GET also need the header `X-Talktree: 1`, and `Origin` or
`Sec-Fetch-Site: same-origin`. GET has no effects. Bodies are JSON. Times are milliseconds since
1970.

```console
$ talktree studio --no-open --port 8080 demo &
http://127.0.0.1:8080/#token=TOKEN
$ curl -c jar -H 'X-Talktree: 1' -H 'Origin: http://127.0.0.1:8080' \\
    -H 'Content-Type: application/json' -d '{"token": "TOKEN"}' http://127.0.0.1:8080/api/v1/login
{"key":"KEY"}
$ curl -b jar -H 'X-Talktree-Key: KEY' http://127.0.0.1:8080/api/v1/conversations
```

Every error is a `Failure`, with status 400 (wrong usage, foreign host), 401 (no cookie or key), 403
(foreign, or read-only), 404, 405, 409 (changed meanwhile, locked, not undoable; `stamp` is the
current one), 413 (too large), 422 (unreadable, would lose), 500.

"""


def page() -> str:
    """The whole page."""
    routes = [_route(route) for noun in NOUNS for route in noun.ROUTES]
    shapes = [_shape(shape) for module in MODULES for shape in list_structs(module)]
    return HEAD + "## Routes\n\n" + "\n".join(routes) + "\n## Shapes\n\n" + "\n".join(shapes)


def _route(route: Route) -> str:
    lines = [f"### {route.method} {route.address}", "", route.about]
    if route.effects:
        lines[-1] += " Refused by a read-only studio."
    facts = []
    if route.query is not None:
        facts.append(f"- takes {', '.join(_parameters(route.query))}")
    if route.body is not None:
        facts.append(f"- body {_linked(route.body)}")
    facts.append(f"- gives {_given(route)}")
    return "\n".join([*lines, "", *facts, ""])


def _parameters(query: type) -> list[str]:
    info = described.type_info(query)
    assert isinstance(info, described.StructType)
    return [f"`{field.encode_name}: {format_type(field.type)}`" for field in info.fields]


def _given(route: Route) -> str:
    given = [] if route.gives is None else [_linked(route.gives)]
    given += [] if route.media is None else [f"`{route.media}`"]
    return ", ".join(given) or "nothing (204)"


def _linked(shape: type) -> str:
    return f"[{shape.__name__}](#{shape.__name__.lower()})"


def _shape(shape: type[Struct]) -> str:
    info = described.type_info(shape)
    assert isinstance(info, described.StructType)
    fields = [f"- `{field.encode_name}: {format_type(field.type)}`" for field in info.fields]
    if info.tag_field is not None:
        fields.insert(0, f'- `{info.tag_field}: "{info.tag}"`')
    about = " ".join((shape.__doc__ or "").split())
    return "\n".join([f"### {shape.__name__}", "", about, "", *fields, ""])
