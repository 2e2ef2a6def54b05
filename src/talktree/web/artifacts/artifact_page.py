"""The page of an artifact. Whatever it does, it does in a sandbox without origin and network.

Sources of React and Mermaid are handed over as JSON in an element that is never run; what reads it
is written into the page, because nothing can be loaded from there.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from functools import lru_cache
from pathlib import Path
from typing import Literal

from talktree.errors import DamagedRecord, NotFound
from talktree.views.html.rendering import escape, render_code, render_markdown
from talktree.web.artifacts.kinds import Kind
from talktree.web.page import HOW, STATIC

POLICY = (
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data: blob:; font-src data:; form-action 'none'; "
    "base-uri 'none'; frame-ancestors 'self'"
)
"""Never with `allow-same-origin`: what runs here must not be one with the studio."""
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Connection-Allowlist": "();webrtc=block",
    "X-DNS-Prefetch-Control": "off",
}
"""The list of places it may connect to is empty: where a browser knows that header, not even the
name of a host is looked up, and nobody is called."""
FRAMES = STATIC / "frame"
LONGEST = 4_000_000
"""Characters of an artifact that are handed over."""
Theme = Literal["light", "dark"]
_DECLARED_SHADOW = re.compile("shadowrootmode", re.IGNORECASE)
"""By this word a parser makes trees into which nobody can look, and so no frame in them is seen."""
_HEAD = '<!doctype html><html lang="en" data-theme="{theme}"><meta charset="utf-8">'
_PLAIN = (
    "<style>body{margin:12px;font:14px system-ui;overflow-wrap:anywhere}img{max-width:100%}</style>"
)


def build_artifact_page(kind: Kind, source: str, theme: Theme, frames: Path = FRAMES) -> str:
    """The whole page."""
    source = source[:LONGEST]
    head = _HEAD.format(theme=theme)
    if kind in ("react", "mermaid"):
        return (
            f'{head}<body><div id="root"></div>'
            '<script type="application/json" id="artifact">'
            f"{encode_source_json(kind, source)}</script>"
            f"<script>{read_runtime(kind, frames)}</script></body></html>"
        )
    # What comes first decides how a browser reads a page, so a second doctype changes nothing.
    lead = f"{head}<script>{read_runtime('plain', frames)}</script>"
    if kind == "html":
        return lead + _DECLARED_SHADOW.sub(r"data-\g<0>", source)
    return f"{lead}{_PLAIN}{_display_source(kind, source)}"


def encode_source_json(kind: Kind, source: str) -> str:
    """The source as JSON that cannot end the element it stands in."""
    text = json.dumps({"kind": kind, "source": source})
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def read_runtime(name: str, frames: Path = FRAMES) -> str:
    """What runs an artifact, as it was built."""
    path = frames / f"{name}.js"
    if not path.is_file():
        raise NotFound("what runs artifacts is not built", hint=HOW)
    return _read_script(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=4)
def _read_script(path: Path, changed: int) -> str:
    """A script that can stand in a page; it is large, and the same until it is built anew."""
    text = path.read_text(encoding="utf-8")
    if "</script" in text.lower():
        raise DamagedRecord(f"{path.name} would end the element it stands in", hint=HOW)
    return text


def _display_source(kind: Kind, source: str) -> str:
    match kind:
        case "svg":
            return f'<img alt="" src="{build_svg_url(source)}">'
        case "markdown":
            return render_markdown(source)
        case _:
            return render_code(source, "")


def build_svg_url(source: str) -> str:
    """A drawing as an image: as such it can neither run nor load anything."""
    data = b64encode(source.encode("utf-8", "replace")).decode()
    return escape(f"data:image/svg+xml;base64,{data}")
