"""Source text whose lines begin with their numbers, as programs that read files print it."""

from __future__ import annotations

import re

from talktree.views.html.escaped import escape
from talktree.views.html.highlight import bare, block_of, colored

_NUMBER = re.compile(r"^ {0,9}(\d{1,9})[→\t]", re.MULTILINE)


def numbered(text: str, language: str) -> str:
    """The source coloured, its numbers beside it; lines without a number stay as they are."""
    pieces = _NUMBER.split(text)
    source = "".join(pieces[0::2])
    if source.count("\n") + 1 - source.endswith("\n") != len(pieces) // 2:
        # Some lines have no number: beside each other the two would not agree.
        return block_of(bare(text), language)
    gutter = "\n".join(pieces[1::2])
    label = escape(language)
    return (
        f'<div class="tt-code tt-numbered" data-lang="{label}" tabindex="0">'
        f'<pre class="tt-gutter">{gutter}</pre>'
        f"<pre><code>{colored(bare(source), language)}</code></pre></div>"
    )
