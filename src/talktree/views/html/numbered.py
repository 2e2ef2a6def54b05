"""Source text whose lines begin with their numbers, as programs that read files print it."""

from __future__ import annotations

import re

from talktree.views.html.escaped import escape
from talktree.views.html.highlight import color_code, escape_between_tags, render_escaped_code

_NUMBER = re.compile(r"\n {0,9}(\d{1,9})[→\t]")
"""With the end of the line before it, which is quicker to find than the start of a line."""


def render_numbered(text: str, language: str) -> str:
    """The source coloured, its numbers beside it; lines without a number stay as they are."""
    before, *pieces = _NUMBER.split(f"\n{text}")
    source = "\n".join(pieces[1::2])
    if before or source.count("\n") + 1 - source.endswith("\n") != len(pieces) // 2:
        # Some lines have no number: beside each other the two would not agree.
        return render_escaped_code(escape_between_tags(text), language)
    gutter = "\n".join(pieces[0::2])
    label = escape(language)
    return (
        f'<div class="tt-code tt-numbered" data-lang="{label}" tabindex="0">'
        f'<pre class="tt-gutter">{gutter}</pre>'
        f"<pre><code>{color_code(escape_between_tags(source), language)}</code></pre></div>"
    )
