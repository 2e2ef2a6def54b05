"""The description of the API is valid, complete and true: every route answers as it declares."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from talktree.web.openapi import EVENTS, build_openapi, encode_openapi
from talktree.web.routes import TABLE
from talktree.web.routes.route import Route
from talktree.web.schemas.general import ErrorBody
from talktree.web.typescript import format_types
from tests.web.every_route import Question, questions
from tests.web.running import Running, running

ROOT = Path(__file__).parent.parent.parent
MAY_LACK = {"/jobs/{job}/file", "/c/{cid}/session", "/c/{cid}/messages/{id}/blobs/{number}",
            "//artifact/{cid}/{id}/{number}", "//img/{cid}/{id}/{number}", "/c/{cid}/files/diff",
            "/c/{cid}/compare"}  # fmt: skip
"""Data that a conversation may lack; then the answer is an error that says so."""
SPECIFIED = re.compile(r"^\| `(GET|POST|DELETE) (/[^`]*)`(?:, `(/[^`]*)`)?", re.MULTILINE)


@pytest.fixture(scope="module")
def served(demo: Path) -> Iterator[Running]:
    with running([demo]) as studio:
        yield studio


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from ([value["$ref"]] if isinstance(value.get("$ref"), str) else [])
        for each in value.values():
            yield from references(each)
    elif isinstance(value, list):
        for each in value:
            yield from references(each)


def test_the_document_is_valid() -> None:
    document = build_openapi()
    assert document["openapi"] == "3.1.0"
    schemas = document["components"]["schemas"]
    for schema in schemas.values():
        Draft202012Validator.check_schema(schema)
    known = {f"#/components/schemas/{name}" for name in schemas}
    assert set(references(document)) <= known
    operations = [
        (path, operation) for path, each in document["paths"].items() for operation in each.values()
    ]
    names = [operation["operationId"] for _, operation in operations]
    assert len(names) == len(set(names)) == len(TABLE)
    for path, operation in operations:
        declared = [each["name"] for each in operation["parameters"] if each["in"] == "path"]
        assert declared == re.findall(r"\{(\w+)\}", path)


def test_the_document_is_what_is_served(served: Running) -> None:
    assert served.client.get("/api/v1/openapi.json").content == encode_openapi()


def test_the_table_is_what_the_specification_says() -> None:
    text = (ROOT / "docs" / "design" / "studio.md").read_text()
    said = set()
    for method, path, more in SPECIFIED.findall(text):
        path = path.split("?")[0]
        said.add((method, path))
        if more:
            said.add((method, path.rpartition("/")[0] + more))
    assert {(route.method, route.path.replace("//", "/")) for route in TABLE} == said


def test_the_types_of_the_page_are_up_to_date() -> None:
    assert (
        ROOT / "frontend" / "src" / "data" / "api" / "types.ts"
    ).read_text() == format_types(), "run `make docs`"


def test_every_route_that_reads_answers_as_it_declares(served: Running) -> None:
    document = build_openapi()
    answered: set[str] = set()
    for question in questions(served):
        if question.route.media == EVENTS:
            answered.add(question.route.path)
            continue
        answer = served.client.get(question.path, params=question.query)
        if answer.status_code != 200:
            assert question.route.path in MAY_LACK, (question, answer.text)
            assert answer.status_code in {404, 400, 422}, (question, answer.text)
            msgspec.json.decode(answer.content, type=ErrorBody)
            continue
        answered.add(question.route.path)
        assert_declared(document, question, answer.headers["content-type"], answer.content)
    asked = {route.path for route in TABLE if route.method == "GET"}
    assert asked - answered <= MAY_LACK


def assert_declared(document: Any, question: Question, media: str, content: bytes) -> None:
    """Assert that the bytes match the description of the route."""
    route: Route = question.route
    operation = document["paths"][route.address][route.method.lower()]
    declared = operation["responses"]["200"]["content"]
    if route.gives is None:
        (wanted,) = declared
        assert re.fullmatch(wanted.replace("*", ".*"), media.split(";")[0]), (question, media)
        return
    assert media == "application/json"
    msgspec.json.decode(content, type=route.gives)
    schema = {**declared["application/json"]["schema"], "components": document["components"]}
    Draft202012Validator(schema).validate(msgspec.json.decode(content))
