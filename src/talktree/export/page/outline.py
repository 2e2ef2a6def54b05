"""The list of prompts and forks of a page, filled while the page is written.

It stands at the end of the page, so that nothing has to be read twice; styles put it to the side.
"""

from __future__ import annotations

from talktree.views.html.rendering import escape
from talktree.views.width import to_one_line

WIDTH = 90
MOST = 20_000


class PageOutline:
    """Places of a page and what they are called."""

    def __init__(self) -> None:
        self._items: list[str] = []
        self._left_out = 0

    def add_prompt(self, position: int, text: str) -> None:
        """Somebody asked something."""
        self._add("prompt", f"m-{position}", to_one_line(text, WIDTH) or "(empty)")

    def add_section(self, number: int, title: str) -> None:
        """Another branch begins."""
        self._add("branch", f"b-{number}", title)

    def add_fork(self, position: int, ways: int) -> None:
        """The talk goes on in more than one way."""
        self._add("fork", f"m-{position}", f"{ways + 1} ways on from here")

    def _add(self, kind: str, place: str, text: str) -> None:
        if len(self._items) >= MOST:
            self._left_out += 1
            return
        self._items.append(f'<li class="tt-x-to-{kind}"><a href="#{place}">{escape(text)}</a></li>')

    def render(self) -> str:
        """All of it."""
        if not self._items:
            return ""
        more = f"<li>{self._left_out:,} more</li>" if self._left_out else ""
        return (
            '<nav class="tt-x-outline" id="outline" aria-label="Outline"><h2>Outline</h2>'
            f"<ol>{''.join(self._items)}{more}</ol></nav>\n"
        )
