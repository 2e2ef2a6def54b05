"""The frame of every page: head, title, end."""

from __future__ import annotations

from collections.abc import Sequence

from talktree.export.choice import Theme
from talktree.export.page.style import content_policy, load_style
from talktree.views.html.rendering import escape

END = "</body></html>\n"


def render_head(title: str, theme: Theme) -> str:
    """Render the page up to where its content begins."""
    fixed = "" if theme == "system" else f' data-theme="{theme}"'
    return (
        f'<!doctype html>\n<html lang="en"{fixed}><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(content_policy())}">'
        '<meta name="referrer" content="no-referrer">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(title)}</title><style>{load_style()}</style></head>\n"
        '<body class="tt-x-page">'
    )


def render_banner(title: str, facts: Sequence[str]) -> str:
    """Render the title and the facts of the whole page."""
    words = "".join(f"<li>{escape(fact)}</li>" for fact in facts if fact)
    heading = f'<h1 dir="auto">{escape(title)}</h1>'
    return f'<header class="tt-x-banner">{heading}<ul>{words}</ul></header>\n'
