"""Text direction: blocks with right-to-left words take the direction of their first word."""

from __future__ import annotations

import re

_RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001eeff]"
)
_BLOCK = re.compile(r'<(/?)(p|ul|ol|h[1-6]|blockquote|table)((?: start="[0-9]{1,9}")?)>')


def has_right_to_left(text: str) -> bool:
    """Whether a text contains words written from right to left."""
    return not text.isascii() and _RIGHT_TO_LEFT.search(text) is not None


def add_direction(html: str) -> str:
    """Return the HTML of a Markdown text, with `dir="auto"` on its outermost blocks.

    Only the outermost: the browser ignores elements with a direction of their own when it looks for
    the first word, so list markers would be on the wrong side.
    """
    made: list[str] = []
    depth = last = 0
    for found in _BLOCK.finditer(html):
        closing, tag, start = found.groups()
        depth += -1 if closing else 1
        if not closing and depth == 1:
            made += (html[last : found.start()], f'<{tag} dir="auto"{start}>')
            last = found.end()
    return "".join((*made, html[last:]))
