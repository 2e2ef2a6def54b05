"""The registry: a literal list of formats, and lookup by name."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from talktree.errors import NotFound
from talktree.formats.base import Format

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints

BUILT_IN = {
    "chatbuilder": "talktree.formats.chatbuilder",
    "studio": "talktree.formats.studio",
    "studio-text": "talktree.formats.studio_text",
    "studio-xml": "talktree.formats.studio_xml",
    "claude-messages": "talktree.formats.claude_messages",
    "claude-code": "talktree.formats.claude_code",
    "muse": "talktree.formats.muse",
    "sage": "talktree.formats.sage",
    "native": "talktree.formats.native",
}
"""Slug to module; a module is imported when its format is needed."""
GROUP = "talktree.formats"
"""The entry-point group in which others register formats."""


@cache
def _plugins() -> EntryPoints:
    # Looking through all installed packages takes longer than recognising a file, and importing
    # what looks longer than reading one.
    from importlib.metadata import entry_points

    return entry_points(group=GROUP)


def slugs() -> list[str]:
    """The names of all formats."""
    return [*BUILT_IN, *(each.name for each in _plugins())]


def by_slug(slug: str) -> Format:
    """A format by its name."""
    if slug in BUILT_IN:
        found = import_module(BUILT_IN[slug]).FORMAT
    else:
        plugins = _plugins().select(name=slug)
        if not plugins:
            raise NotFound(f"no format {slug}", hint=f"one of {', '.join(slugs())}")
        found = next(iter(plugins)).load()
    assert isinstance(found, Format)
    return found


def all_formats() -> list[Format]:
    """Every format there is."""
    return [by_slug(slug) for slug in slugs()]
