"""The login: a token of 256 random bits, exchanged for a strict cookie and the page key."""

from __future__ import annotations

import re

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.web.routes.route import API
from talktree.web.security.keys import Keys
from tests.web.running import LONGEST, OWN, Running


def enter(seen: Running, body: object, **headers: str) -> httpx.Response:
    return httpx.post(
        f"{seen.origin}{API}/login", json=body, headers={**OWN, **headers}, timeout=LONGEST
    )


def test_the_token_is_exchanged_for_a_strict_cookie(seen: Running) -> None:
    answer = enter(seen, {"token": seen.keys.token})
    assert (answer.status_code, answer.json()) == (200, {"key": seen.keys.page_key})
    value, *attributes = answer.headers["set-cookie"].split("; ")
    assert value.startswith(f"talktree-{seen.keys.port}=")
    assert sorted(attributes) == ["HttpOnly", "Path=/", "SameSite=Strict"]
    assert seen.keys.token not in value, "who sees the cookie does not know the token"
    assert seen.keys.page_key not in answer.headers["set-cookie"], "nor the page key"


@pytest.mark.parametrize("token", ["", "x", "é𝕏", "a" * 43, None, 5])
def test_another_token_gets_nothing(seen: Running, token: object) -> None:
    answer = enter(seen, {"token": token})
    assert answer.status_code in {400, 401}
    assert "set-cookie" not in answer.headers


def test_the_token_alone_opens_nothing_but_the_door(seen: Running) -> None:
    for headers in (
        {"Cookie": f"{seen.keys.name}={seen.keys.token}"},
        {"Authorization": f"Bearer {seen.keys.token}"},
    ):
        assert (
            httpx.get(f"{seen.origin}{API}/about", headers=headers, timeout=LONGEST).status_code
            == 401
        )
    token = {"token": seen.keys.token}
    assert httpx.get(f"{seen.origin}{API}/about", params=token, timeout=LONGEST).status_code == 401


def test_the_login_is_not_an_exception_to_the_gate(seen: Running) -> None:
    body = {"token": seen.keys.token}
    assert enter(seen, body, Origin="http://evil.example").status_code == 403
    assert enter(seen, body, Host="evil.example").status_code == 400
    assert enter(seen, body, **{"X-Talktree": "0"}).status_code == 403


def test_the_body_of_the_door_is_json_and_not_large(seen: Running) -> None:
    address = f"{seen.origin}{API}/login"
    plain = {**OWN, "Content-Type": "text/plain"}
    said = httpx.post(address, content=b'{"token": ""}', headers=plain, timeout=LONGEST)
    assert said.status_code == 400
    large = {**OWN, "Content-Type": "application/json"}
    said = httpx.post(
        address, content=b'{"token":"' + b"a" * (17 << 20), headers=large, timeout=LONGEST
    )
    assert said.status_code == 413
    assert said.json()["error"]["kind"] == "too-large"


def test_a_token_for_a_command_line_works_once() -> None:
    keys = Keys(8080)
    once = keys.make_one_time_token()
    assert keys.accepts_token(once)
    assert not keys.accepts_token(once)
    assert keys.accepts_token(keys.token)
    assert keys.accepts_token(keys.token)


def test_tokens_and_cookies_are_as_long_as_they_should_be_and_never_the_same() -> None:
    made = [Keys(1) for _ in range(50)]
    secrets = {
        each for keys in made for each in (keys.token, keys.page_key, keys.make_cookie_header())
    }
    assert len(secrets) == 150
    assert all(re.fullmatch(r"[\w-]{43}", keys.token) for keys in made)


@given(st.text())
def test_no_header_enters_by_being_odd(header: str) -> None:
    keys = Keys(1)
    assert not keys.has_cookie(header)
    assert not keys.accepts_token(header)


def test_the_cookie_is_found_among_others() -> None:
    keys = Keys(1)
    own = keys.make_cookie_header().split(";")[0]
    assert keys.has_cookie(own)
    assert keys.has_cookie(f"a=b; {own}; c=d")
    assert not keys.has_cookie(own.replace("talktree-1", "talktree-2"))


def test_a_ticket_opens_one_address() -> None:
    keys = Keys(1)
    ticket = keys.make_ticket(b"/img/1/a/0")
    assert keys.is_ticket(ticket, b"/img/1/a/0")
    assert not keys.is_ticket(ticket, b"/img/1/a/1")
    assert not keys.is_ticket(ticket, b"/img/1/a/0?x=1")
    assert not Keys(1).is_ticket(ticket, b"/img/1/a/0")
    assert keys.page_key not in ticket


@given(st.text(), st.binary())
def test_no_text_is_a_key_or_ticket_by_chance(given: str, target: bytes) -> None:
    keys = Keys(1)
    assert not keys.is_page_key(given)
    assert not keys.is_ticket(given, target)
