"""Source text with line numbers, as programs that read files print it."""

from __future__ import annotations

import re

from talktree.views.html.escaped import escape
from talktree.views.html.highlight import color_code, escape_between_tags, render_escaped_code

_NUMBER = re.compile(r"\n {0,9}(\d{1,9})[→\t]")
"""Includes the preceding newline, which is faster to find than the start of a line."""


def render_numbered(text: str, language: str) -> str:
    """Return the highlighted source with its numbers beside it; lines without a number are
    unchanged."""
    before, *pieces = _NUMBER.split(f"\n{text}")
    source = "\n".join(pieces[1::2])
    if before or source.count("\n") + 1 - source.endswith("\n") != len(pieces) // 2:
        # Some lines have no number: the two columns would not align.
        return render_escaped_code(escape_between_tags(text), language)
    gutter = "\n".join(pieces[0::2])
    label = escape(language)
    return (
        f'<div class="tt-code tt-numbered" data-lang="{label}" tabindex="0">'
        f'<pre class="tt-gutter">{gutter}</pre>'
        f"<pre><code>{color_code(escape_between_tags(source), language)}</code></pre></div>"
    )
