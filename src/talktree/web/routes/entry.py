"""The login: the token from the address for a cookie and the page key."""

from __future__ import annotations

from starlette.responses import Response

from talktree.web.answers import JSON, encoded
from talktree.web.errors import NotEntered
from talktree.web.route import Call, Route
from talktree.web.security.keys import Keys
from talktree.web.shapes.general import Entered, Login
from talktree.web.studio import Studio


def enter(studio: Studio, call: Call) -> Response:
    """The cookie and the page key, if the token is right."""
    keys: Keys = call.request.app.state.keys
    if not keys.opens(call.body.token):
        raise NotEntered("this token is not the one of this start", hint="open the printed address")
    body = encoded(Entered(key=keys.page_key))
    return Response(body, media_type=JSON, headers={"Set-Cookie": keys.set_cookie()})


ROUTES = (
    Route(
        "POST", "/login", enter, "Exchange the token for the cookie and the page key.",
        body=Login, gives=Entered,
    ),
)  # fmt: skip
