"""The route table as an OpenAPI document."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import msgspec

from talktree import __version__
from talktree.web.routes import TABLE
from talktree.web.routes.route import Route
from talktree.web.schemas.general import ErrorBody

Schema = dict[str, Any]
REFERENCE = "#/components/schemas/{name}"
COOKIE = {"type": "apiKey", "in": "cookie", "name": "talktree-PORT"}
PAGE_KEY = {"type": "apiKey", "in": "header", "name": "X-Talktree-Key"}
TICKET = {"type": "apiKey", "in": "query", "name": "ticket"}
EVENTS = "text/event-stream"
OWN_HEADER = {
    "name": "X-Talktree",
    "in": "header",
    "required": True,
    "schema": {"const": "1"},
    "description": "Says that the studio's own page asks, or a program that means it.",
}


@cache
def encode_openapi() -> bytes:
    """Return the document as it is served."""
    return json.dumps(build_openapi(), indent=1).encode()


def build_openapi() -> Schema:
    """Return the document."""
    paths: dict[str, Schema] = {}
    for route in TABLE:
        paths.setdefault(route.address, {})[route.method.lower()] = _build_operation(route)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Talktree studio",
            "version": __version__,
            "description": "Conversations as trees, on loopback. GET has no effects.",
        },
        "security": [{"cookie": [], "key": []}, {"cookie": [], "ticket": []}],
        "paths": paths,
        "components": {
            "schemas": _build_schemas(),
            "securitySchemes": {"cookie": COOKIE, "key": PAGE_KEY, "ticket": TICKET},
        },
    }


def _build_schemas() -> Schema:
    shapes: list[type] = [ErrorBody]
    for route in TABLE:
        shapes += [each for each in (route.body, route.gives) if each is not None]
    _, found = msgspec.json.schema_components(dict.fromkeys(shapes), ref_template=REFERENCE)
    return found


def _build_operation(route: Route) -> Schema:
    operation: Schema = {
        "operationId": _make_operation_id(route),
        "summary": route.about,
        "parameters": _list_parameters(route),
        "responses": {
            **_describe_answer(route),
            "default": _describe_content("What went wrong.", ErrorBody),
        },
    }
    if route.body is not None:
        operation["requestBody"] = {"required": True, **_describe_json_body(route.body)}
    if route.path == "/login":
        operation["security"] = []
    return operation


def _make_operation_id(route: Route) -> str:
    noun = route.answer.__module__.rpartition(".")[2]
    return f"{noun}_{route.answer.__name__.strip('_')}"


def _list_parameters(route: Route) -> list[Schema]:
    names = [part[1:-1] for part in route.path.split("/") if part.startswith("{")]
    found: list[Schema] = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in names
    ]
    if route.query is not None:
        found += [
            {"name": name, "in": "query", "schema": schema}
            for name, schema in _describe_query(route.query).items()
        ]
    return found if route.method == "GET" else [*found, OWN_HEADER]


def _describe_query(query: type) -> Schema:
    """Return the parameters of a query; their types are plain, so there are no references."""
    (_,), shapes = msgspec.json.schema_components((query,))
    properties: Schema = shapes[query.__name__]["properties"]
    return properties


def _describe_answer(route: Route) -> Schema:
    if route.gives is None and route.media is None:
        return {"204": {"description": "Done."}}
    if route.gives is None:
        return {"200": {"description": "The bytes.", "content": {route.media: {}}}}
    answer = _describe_content(_get_summary(route.gives), route.gives)
    if route.media == EVENTS:
        answer["content"] = {EVENTS: {"schema": _make_reference(route.gives)}}
    elif route.media is not None:
        answer["content"][route.media] = {}
    return {"200": answer}


def _describe_content(description: str, shape: type) -> Schema:
    return {"description": description, **_describe_json_body(shape)}


def _describe_json_body(shape: type) -> Schema:
    return {"content": {"application/json": {"schema": _make_reference(shape)}}}


def _make_reference(shape: type) -> Schema:
    return {"$ref": REFERENCE.format(name=shape.__name__)}


def _get_summary(shape: type) -> str:
    return (shape.__doc__ or "").strip().split("\n")[0]
