"""Requests arrive as they were sent; invalid ones are reported, and never break anything."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import quote

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct, field

from talktree.errors import (
    ChangedMeanwhile,
    DamagedRecord,
    LockHeld,
    NotFound,
    NotUndoable,
    PathEscapes,
    RefusedInput,
    TalktreeError,
    UnknownFormat,
    Unreadable,
    UsageError,
    WouldLose,
)
from talktree.web.errors import StaleState
from talktree.web.response import encode_json, error_response, make_response
from talktree.web.routes import entry
from talktree.web.routes.route import Route, RouteCall
from talktree.web.schemas.general import ErrorDetails
from talktree.web.studio import StudioContext
from tests.web.raw import Asker, Said
from tests.web.running import running

WHOLE_TEXT = st.text(st.characters(exclude_categories=["Cs"]))


class Query(Struct, frozen=True, kw_only=True):
    """All kinds of parameters."""

    start: int = field(default=0, name="from")
    text: str = ""
    ids: tuple[str, ...] = ()
    wide: bool = False


class Body(Struct, frozen=True, kw_only=True):
    """A request body."""

    name: str
    sizes: tuple[int, ...] = ()


class Heard(Struct, frozen=True, kw_only=True):
    """The parameters that arrived."""

    id: str
    query: Query | None = None
    body: Body | None = None


class Open(NamedTuple):
    """A studio that returns the parameters it received."""

    asker: Asker
    headers: dict[str, str]

    def ask(self, path: str, body: bytes | None = None, media: str = "application/json") -> Said:
        sent = {**self.headers, "Content-Type": media}
        verb = "GET" if body is None else "POST"
        return self.asker.ask(verb, f"/api/v1{path}", sent.items(), body or b"")


def hear(studio: StudioContext, call: RouteCall) -> Heard:
    """Return the received parameters."""
    return Heard(id=call.path["id"], query=call.query, body=call.body)


@pytest.fixture(scope="module")
def open_() -> Iterator[Open]:
    table = [
        *entry.ROUTES,
        Route("GET", "/hear/{id}/end", hear, "Hear.", query=Query, gives=Heard),
        Route("POST", "/hear/{id}/end", hear, "Hear.", body=Body, gives=Heard),
    ]
    with running([], table=table) as studio:
        asker = Asker(studio.keys.port)
        cookie = f"{studio.keys.name}={studio.client.cookies[studio.keys.name]}"
        host = f"127.0.0.1:{studio.keys.port}"
        own = {"Host": host, "Origin": f"http://{host}", "X-Talktree": "1", "Cookie": cookie}
        own["X-Talktree-Key"] = studio.keys.page_key
        yield Open(asker, own)
        asker.close()


@given(WHOLE_TEXT)
def test_a_part_of_an_address_arrives_as_it_is(open_: Open, id: str) -> None:
    said = open_.ask(f"/hear/{quote(id, safe='')}/end")
    assert said.status == 200
    assert msgspec.json.decode(said.body, type=Heard).id == id


@given(WHOLE_TEXT, st.lists(WHOLE_TEXT, max_size=5), st.integers(-(10**12), 10**12), st.booleans())
def test_parameters_arrive_as_they_are(
    open_: Open, text: str, ids: list[str], start: int, wide: bool
) -> None:
    pairs = [("text", text), ("from", str(start)), ("wide", str(wide).lower())]
    pairs += [("ids", each) for each in ids]
    query = "&".join(f"{name}={quote(value, safe='')}" for name, value in pairs)
    said = open_.ask(f"/hear/a/end?{query}")
    heard = msgspec.json.decode(said.body, type=Heard).query
    assert heard == Query(start=start, text=text, ids=tuple(ids), wide=wide)


@given(st.binary(max_size=200))
def test_any_body_is_taken_or_refused(open_: Open, body: bytes) -> None:
    said = open_.ask("/hear/a/end", body)
    assert said.status in {200, 400}
    if said.status == 400:
        assert json.loads(said.body)["error"]["kind"] == "usage"


@given(st.binary(max_size=100).map(lambda raw: quote(raw, safe="/&=%+;")))
def test_any_address_is_answered(open_: Open, rest: str) -> None:
    for path in (f"/{rest}", f"/hear/{rest}/end", f"/hear/a/end?{rest}"):
        said = open_.ask(path)
        assert said.status in {200, 400, 404, 405}
        json.loads(said.body)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/hear/a/end?nothing=1", "no parameter nothing"),
        ("/hear/a/end?from=x", "Expected `int`, got `str` - at `$.from`"),
        ("/hear/a/end?wide=perhaps", "Expected `bool`, got `str` - at `$.wide`"),
    ],
)
def test_parameters_that_make_no_sense_are_reported(open_: Open, path: str, message: str) -> None:
    said = open_.ask(path)
    assert (said.status, json.loads(said.body)["error"]["message"]) == (400, message)


@pytest.mark.parametrize(
    ("body", "media"),
    [
        (b"{}", "application/json"),
        (b'{"name": 1}', "application/json"),
        (b'{"name": "a"', "application/json"),
        (b'{"name": "a"}', "text/plain"),
        (b"name=a", "application/x-www-form-urlencoded"),
        (b"\xff", "application/json"),
        (b"", "application/json"),
    ],
)
def test_bodies_that_make_no_sense_are_reported(open_: Open, body: bytes, media: str) -> None:
    said = open_.ask("/hear/a/end", body, media)
    assert (said.status, json.loads(said.body)["error"]["kind"]) == (400, "usage")


def test_halves_of_characters_do_not_break_an_answer() -> None:
    fault = ErrorDetails(kind="a\ud800", message="\udfffb", hint=None)
    assert json.loads(encode_json([fault, {"\ud800": ("x",)}])) == [
        {"kind": "a?", "message": "?b", "hint": None, "exit_code": 1, "stamp": None},
        {"?": ["x"]},
    ]
    assert make_response(None).status_code == 204


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (UsageError("a"), 400),
        (PathEscapes("a"), 400),
        (NotFound("a"), 404),
        (ChangedMeanwhile("a"), 409),
        (StaleState("now"), 409),
        (LockHeld("a"), 409),
        (NotUndoable("a"), 409),
        (Unreadable("a"), 422),
        (UnknownFormat("a", []), 422),
        (RefusedInput("a"), 422),
        (DamagedRecord("a"), 422),
        (WouldLose("a"), 422),
        (TalktreeError("a"), 422),
        (FileNotFoundError(2, "gone", "a"), 422),
        (RecursionError("deep"), 500),
    ],
)
def test_every_failure_has_its_status_and_says_what_the_command_line_says(
    error: Exception, status: int
) -> None:
    response = error_response(error)
    reported = json.loads(bytes(response.body))["error"]
    assert response.status_code == status
    assert reported["stamp"] == ("now" if isinstance(error, StaleState) else None)
    if isinstance(error, TalktreeError):
        assert (reported["kind"], reported["message"]) == (error.kind, error.message)
        assert reported["exit_code"] == error.exit_code
    assert "Traceback" not in bytes(response.body).decode()
