"""Where programs keep their conversations on this machine. They are only read on request.

Each format defines its places in a small module that imports nothing large: the places are searched
before any format is needed. Other packages use the entry-point group `talktree.places`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pathlib import Path

from talktree.plugins import Plugin, load_plugins

FindPlaces = Callable[[Path, Path], Iterable[Path]]
"""Returns the folders of a program, given the home and the working folder; they need not exist."""
BUILT_IN = (
    "talktree.formats.claude_code.places",
    "talktree.formats.sage.places",
)
GROUP = "talktree.places"
"""The entry-point group in which other packages register a function `find_places(home, here)`."""


def find_program_folders(*, plugins: bool = True) -> list[Path]:
    """Return the existing folders of known programs on this machine."""
    home = Path.home()
    try:
        here = Path.cwd()
    except FileNotFoundError:
        here = home  # the working folder was deleted
    candidates = [path for find in _iterate_finders(plugins=plugins) for path in find(home, here)]
    there = {os.path.realpath(path): path for path in reversed(candidates) if path.is_dir()}
    return list(reversed(there.values()))


def _iterate_finders(*, plugins: bool) -> Iterator[FindPlaces]:
    for name in BUILT_IN:
        find: FindPlaces = import_module(name).find_places
        yield find
    if plugins:
        yield from (plugin.value for plugin in load_plugins(GROUP, _find_plugin_fault))


def _find_plugin_fault(plugin: Plugin) -> str | None:
    """Return what is wrong with the places of another package, or None."""
    if not callable(plugin.value):
        return f"it is {type(plugin.value).__name__}, not a function"
    places = list(plugin.value(Path.home(), Path.home()))
    wrong = next((place for place in places if not isinstance(place, Path)), None)
    return None if wrong is None else f"it gives {type(wrong).__name__}, not a Path"
