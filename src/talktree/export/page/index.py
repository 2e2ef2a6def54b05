"""The index page of a folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple
from urllib.parse import quote

from talktree.export.choice import Theme
from talktree.export.page.frame import END, render_banner, render_head
from talktree.views.html.rendering import escape
from talktree.views.width import format_count


class IndexLine(NamedTuple):
    """One page of the folder."""

    page: str
    title: str
    facts: tuple[str, ...]

    @property
    def folder(self) -> str:
        """The folder it is in."""
        return self.page.rpartition("/")[0]


def render_index(lines: Sequence[IndexLine], theme: Theme) -> Iterator[bytes]:
    """Render all pages by their folders."""
    yield render_head("Conversations", theme).encode()
    yield render_banner("Conversations", [format_count(len(lines), "page")]).encode()
    yield b'<main class="tt-x-index">\n'
    for folder, inside in groupby(sorted(lines), key=lambda line: line.folder):
        if folder:
            yield f"<h2>{escape(folder)}</h2>\n".encode()
        yield b"<ul>\n"
        for line in inside:
            words = " · ".join(fact for fact in line.facts if fact)
            yield (
                f'<li><a href="{escape(quote(line.page))}">{escape(line.title)}</a>'
                f' <span class="tt-x-detail">{escape(words)}</span></li>\n'
            ).encode()
        yield b"</ul>\n"
    yield f"</main>\n{END}".encode()
