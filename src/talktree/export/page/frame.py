"""What stands around the content of every page: head, title, end."""

from __future__ import annotations

from collections.abc import Sequence

from talktree.export.choice import Theme
from talktree.export.page.style import policy, style
from talktree.views.html.rendering import escape

END = "</body></html>\n"


def head(title: str, theme: Theme) -> str:
    """The page up to where its content begins."""
    fixed = "" if theme == "system" else f' data-theme="{theme}"'
    return (
        f'<!doctype html>\n<html lang="en"{fixed}><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy())}">'
        '<meta name="referrer" content="no-referrer">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(title)}</title><style>{style()}</style></head>\n"
        '<body class="tt-x-page">'
    )


def banner(title: str, facts: Sequence[str]) -> str:
    """The title and what there is to know of the whole."""
    told = "".join(f"<li>{escape(fact)}</li>" for fact in facts if fact)
    return (
        f'<header class="tt-x-banner"><h1 dir="auto">{escape(title)}</h1><ul>{told}</ul></header>\n'
    )
