"""The list of prompts and forks of a page, filled while the page is written.

It is at the end of the page, so that nothing has to be read twice; styles move it to the side.
"""

from __future__ import annotations

from talktree.views.html.rendering import escape
from talktree.views.width import to_one_line

WIDTH = 90
MOST = 20_000


class PageOutline:
    """The entries of a page's outline."""

    def __init__(self) -> None:
        self._items: list[str] = []
        self._left_out = 0

    def add_prompt(self, position: int, text: str) -> None:
        """Add a prompt."""
        self._add("prompt", f"m-{position}", to_one_line(text, WIDTH) or "(empty)")

    def add_section(self, number: int, title: str) -> None:
        """Add the beginning of a branch."""
        self._add("branch", f"b-{number}", title)

    def add_fork(self, position: int, ways: int) -> None:
        """Add a fork."""
        self._add("fork", f"m-{position}", f"{ways + 1} ways on from here")

    def _add(self, kind: str, place: str, text: str) -> None:
        if len(self._items) >= MOST:
            self._left_out += 1
            return
        self._items.append(f'<li class="tt-x-to-{kind}"><a href="#{place}">{escape(text)}</a></li>')

    def render(self) -> str:
        """Render the outline."""
        if not self._items:
            return ""
        more = f"<li>{self._left_out:,} more</li>" if self._left_out else ""
        return (
            '<nav class="tt-x-outline" id="outline" aria-label="Outline"><h2>Outline</h2>'
            f"<ol>{''.join(self._items)}{more}</ol></nav>\n"
        )
