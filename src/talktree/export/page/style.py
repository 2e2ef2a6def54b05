"""The inline styles of a page, and the content policy that allows only them."""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files

_SHEETS = (
    ("talktree.views.html", "style/tokens.css"),
    ("talktree.views.html", "style/content.css"),
    ("talktree.export.page", "page.css"),
)


@cache
def load_style() -> str:
    """Return all rules of a page."""
    return "\n".join(_load_sheet(package, path) for package, path in _SHEETS)


def _load_sheet(package: str, path: str) -> str:
    text = files(package).joinpath(path).read_text(encoding="utf-8")
    # Nothing in the styles may end the element that contains them.
    assert "</" not in text
    return text


@cache
def content_policy() -> str:
    """Return the content security policy: only its own styles and inline images."""
    digest = b64encode(sha256(load_style().encode()).digest()).decode()
    rules = (
        "default-src 'none'",
        f"style-src 'sha256-{digest}'",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
    )
    return "; ".join(rules)
