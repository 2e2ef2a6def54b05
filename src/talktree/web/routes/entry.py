"""The login: the token from the address or a remembered browser gets a cookie and the page key."""

from __future__ import annotations

from starlette.responses import Response

from talktree.errors import NotFound, UsageError
from talktree.web.errors import NotEntered
from talktree.web.response import JSON, encode_json
from talktree.web.routes.route import Route, RouteCall
from talktree.web.schemas.general import BrowserName, Challenge, Login, LoginResult, RememberBrowser
from talktree.web.security.browsers import forget_browser, remember_browser
from talktree.web.security.keys import Keys
from talktree.web.studio import StudioContext


def enter(studio: StudioContext | None, call: RouteCall) -> Response:
    """Return the cookie and the page key if the token or the proof is valid."""
    keys = _get_keys(call)
    asked: Login = call.body
    if asked.browser:
        if not keys.challenges.is_accepted(asked.browser, asked.nonce, asked.proof):
            raise NotEntered("this browser is not remembered", hint="open the printed address")
    elif not keys.accepts_token(asked.token):
        raise NotEntered("this token is not the one of this start", hint="open the printed address")
    body = encode_json(LoginResult(key=keys.page_key))
    return Response(body, media_type=JSON, headers={"Set-Cookie": keys.make_cookie_header()})


def challenge(studio: StudioContext | None, call: RouteCall) -> Challenge:
    """Return a challenge to sign; it does not grant access."""
    return Challenge(nonce=_get_keys(call).challenges.issue())


def remember(studio: StudioContext, call: RouteCall) -> BrowserName:
    """Remember the calling browser on this port."""
    keys = _get_keys(call)
    if call.request.headers.get("host") != keys.own_host:
        # Another server may answer as localhost on the same port.
        raise UsageError(
            "a browser is remembered only at the printed address",
            hint=f"open http://{keys.own_host}/",
        )
    try:
        made = remember_browser(keys.port, call.body.public_key, call.body.label)
    except ValueError:
        raise UsageError("this is not a public key", hint="a point of P-256, base64url") from None
    return BrowserName(browser=made.id)


def forget(studio: StudioContext, call: RouteCall) -> None:
    """Forget a browser."""
    if not forget_browser(call.path["browser"]):
        raise NotFound("this browser is not remembered")


def _get_keys(call: RouteCall) -> Keys:
    keys: Keys = call.request.app.state.keys
    return keys


ROUTES = (
    Route(
        "POST", "/login", enter, "Exchange the token for the cookie and the page key.",
        body=Login, gives=LoginResult, when_locked=True,
    ),
    Route(
        "POST", "/challenge", challenge, "What a remembered browser signs to log in.",
        gives=Challenge, when_locked=True,
    ),
    Route(
        "POST", "/browsers", remember, "Remember this browser.",
        body=RememberBrowser, gives=BrowserName, effects=True,
    ),
    Route("DELETE", "/browsers/{browser}", forget, "Forget a browser.", effects=True),
)  # fmt: skip
