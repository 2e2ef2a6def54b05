"""Security headers on every answer: the browser enforces them even if our code is wrong."""

from __future__ import annotations

from starlette.datastructures import Headers as Given
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

ARTIFACTS = "/artifact/"
FIXED = {
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-DNS-Prefetch-Control": "off",
    "X-Frame-Options": "DENY",
    "Permissions-Policy": ", ".join(
        f"{name}=()"
        for name in (
            "accelerometer", "autoplay", "camera", "display-capture", "encrypted-media",
            "fullscreen", "geolocation", "gyroscope", "hid", "idle-detection", "magnetometer",
            "microphone", "midi", "payment", "picture-in-picture", "publickey-credentials-get",
            "screen-wake-lock", "serial", "storage-access", "usb", "xr-spatial-tracking",
        )
    ),
}  # fmt: skip
NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox"
"""For everything except the page: even opened as a page of its own it cannot do anything."""


def build_page_policy(host: str) -> str:
    """Return what the page may load and do; frames only from the one route that sandboxes
    itself."""
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
        f"font-src 'self'; connect-src 'self'; frame-src http://{host}{ARTIFACTS}; "
        "form-action 'none'; base-uri 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'; trusted-types talktree dompurify"
    )


class Headers:
    """Adds the headers to every answer, including refusals and errors."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Call the application, and add the headers to its answer."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ())]
                _add_headers(MutableHeaders(raw=message["headers"]), scope)
            await send(message)

        await self.app(scope, receive, with_headers)


def build_fixed_headers() -> list[tuple[bytes, bytes]]:
    """Return the headers of an answer whose request address is unknown."""
    headers = MutableHeaders(raw=[])
    _add_headers(headers, {"path": "", "headers": []})
    return headers.raw


def _add_headers(headers: MutableHeaders, scope: Scope) -> None:
    # An answer may have its own policy (the sandbox has one) and say how long it is cached; it
    # cannot change any other header.
    headers.setdefault("Content-Security-Policy", _find_policy(scope))
    headers.setdefault("Cache-Control", "no-store")
    framed = "frame-ancestors 'self'" in headers["Content-Security-Policy"]
    for name, value in FIXED.items():
        headers[name] = "SAMEORIGIN" if framed and name == "X-Frame-Options" else value


def _find_policy(scope: Scope) -> str:
    if scope["path"] not in {"/", "/index.html"}:
        return NOTHING
    return build_page_policy(Given(scope=scope).get("host", ""))
