"""The registry: a literal list of formats, and lookup by name."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from talktree.errors import NotFound
from talktree.formats.format import Format
from talktree.plugins import Plugin, load_plugin, load_plugins, plugin_names

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
NATIVE = "native"
"""Talktree's own format, which can hold everything."""
GROUP = "talktree.formats"
"""The entry-point group in which other packages register formats."""


@cache
def _plugin_names() -> list[str]:
    # Searching all installed packages takes longer than detecting the format of a file.
    return plugin_names(GROUP)


def slugs() -> list[str]:
    """Return the names of all formats, including plug-ins that cannot be loaded."""
    return [*BUILT_IN, *(name for name in _plugin_names() if name not in BUILT_IN)]


def get_format(name: str) -> Format:
    """Return a format by its slug or one of its aliases."""
    found = _load_format(name)
    if found is None:
        # Aliases are read from the formats: only names that are not slugs load all of them.
        found = next((each for each in all_formats() if name in each.info.aliases), None)
    if found is None:
        raise NotFound(f"no format {name}", hint=f"one of {', '.join(slugs())}")
    return found


def resolve_alias(name: str) -> str:
    """Return the slug of an alias; any other name is returned unchanged."""
    if name in BUILT_IN:
        return name
    try:
        return get_format(name).info.slug
    except NotFound:
        return name


def _load_format(slug: str) -> Format | None:
    """Return the format with a slug, or None if there is none."""
    if slug not in BUILT_IN:
        return _load_plugin_format(slug) if slug in _plugin_names() else None
    found = import_module(BUILT_IN[slug]).FORMAT
    assert isinstance(found, Format)
    return found


@cache
def _load_plugin_format(slug: str) -> Format | None:
    plugin = load_plugin(GROUP, slug, _find_plugin_fault)
    return None if plugin is None else plugin.value


@cache
def _load_all() -> tuple[Format, ...]:
    plugins = load_plugins(GROUP, _find_plugin_fault)
    return (
        *(get_format(slug) for slug in BUILT_IN),
        *(plugin.value for plugin in plugins if plugin.name not in BUILT_IN),
    )


def all_formats() -> list[Format]:
    """Return all formats. Plug-ins that cannot be loaded are reported and skipped."""
    return list(_load_all())


def is_built_in(format: Format) -> bool:
    """Whether a format is one of Talktree's own."""
    return format.info.slug in BUILT_IN


def _find_plugin_fault(plugin: Plugin) -> str | None:
    """Return what is wrong with a format of another package, or None."""
    if not isinstance(plugin.value, Format):
        return f"it is {type(plugin.value).__name__}, not a Format"
    missing = [name for name in ("info", "can", "lens") if not hasattr(plugin.value, name)]
    if missing:
        return f"it has no {' and no '.join(missing)}"
    if plugin.value.info.slug != plugin.name:
        return f"its slug is {plugin.value.info.slug!r}, its entry point {plugin.name!r}"
    if plugin.name in BUILT_IN:
        return "a format of this name is built in"
    return None
