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


def by_slug(name: str) -> Format:
    """A format by its slug or one of its aliases."""
    found = _load(name)
    if found is None:
        # Aliases are read from the formats: only names that are not slugs load all of them.
        found = next((each for each in all_formats() if name in each.info.aliases), None)
    if found is None:
        raise NotFound(f"no format {name}", hint=f"one of {', '.join(slugs())}")
    return found


def resolve_alias(name: str) -> str:
    """The slug that an alias means; any other name is returned unchanged."""
    if name in BUILT_IN:
        return name
    try:
        return by_slug(name).info.slug
    except NotFound:
        return name


def _load(slug: str) -> Format | None:
    """The format with a slug; None if there is none."""
    if slug in BUILT_IN:
        found = import_module(BUILT_IN[slug]).FORMAT
    else:
        plugins = _plugins().select(name=slug)
        if not plugins:
            return None
        found = next(iter(plugins)).load()
    assert isinstance(found, Format)
    return found


def all_formats() -> list[Format]:
    """Every format there is."""
    return [by_slug(slug) for slug in slugs()]
