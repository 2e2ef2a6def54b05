"""The page of an artifact, which runs in a sandbox without origin and network.

Sources of React and Mermaid are embedded as JSON in an element that is never executed; the script
that reads it is inlined, because the page cannot load anything.
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
"""Never with `allow-same-origin`: an artifact must not share the studio's origin."""
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Connection-Allowlist": "();webrtc=block",
    "X-DNS-Prefetch-Control": "off",
}
"""The allowed list of connections is empty: browsers that know this header do not even resolve host
names, and no connection is opened."""
FRAMES = STATIC / "frame"
LONGEST = 4_000_000
"""Maximum number of characters of an artifact in its page."""
Theme = Literal["light", "dark"]
_DECLARED_SHADOW = re.compile("shadowrootmode", re.IGNORECASE)
"""This attribute makes the parser create closed trees, in which frames cannot be found."""
_HEAD = '<!doctype html><html lang="en" data-theme="{theme}"><meta charset="utf-8">'
_PLAIN = (
    "<style>body{margin:12px;font:14px system-ui;overflow-wrap:anywhere}img{max-width:100%}</style>"
)


def build_artifact_page(kind: Kind, source: str, theme: Theme, frames: Path = FRAMES) -> str:
    """Return the whole page of an artifact."""
    source = source[:LONGEST]
    head = _HEAD.format(theme=theme)
    if kind in ("react", "mermaid"):
        return (
            f'{head}<body><div id="root"></div>'
            '<script type="application/json" id="artifact">'
            f"{encode_source_json(kind, source)}</script>"
            f"<script>{read_runtime(kind, frames)}</script></body></html>"
        )
    # The first doctype decides how a browser reads the page; a second one has no effect.
    lead = f"{head}<script>{read_runtime('plain', frames)}</script>"
    if kind == "html":
        return lead + _DECLARED_SHADOW.sub(r"data-\g<0>", source)
    return f"{lead}{_PLAIN}{_display_source(kind, source)}"


def encode_source_json(kind: Kind, source: str) -> str:
    """Return the source as JSON that cannot close the element around it."""
    text = json.dumps({"kind": kind, "source": source})
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def read_runtime(name: str, frames: Path = FRAMES) -> str:
    """Return the built script that runs an artifact."""
    path = frames / f"{name}.js"
    if not path.is_file():
        raise NotFound("what runs artifacts is not built", hint=HOW)
    return _read_script(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=4)
def _read_script(path: Path, changed: int) -> str:
    """Return a script that can be inlined in a page; it is large, so it is cached until it is
    rebuilt."""
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
    """Return a drawing as an image URL: an image can neither run scripts nor load anything."""
    data = b64encode(source.encode("utf-8", "replace")).decode()
    return escape(f"data:image/svg+xml;base64,{data}")
