"""Plug-ins: what other packages add through entry points.

A plug-in that cannot be loaded is reported once, as a `PluginWarning`, and skipped; it is an error
only if it was requested by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from talktree.errors import BrokenPlugin

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints


class PluginWarning(UserWarning):
    """A plug-in was skipped."""


class Plugin(NamedTuple):
    """A plug-in of another package, under the name of its entry point."""

    name: str
    value: Any


Check = Callable[[Plugin], str | None]
"""Returns what is wrong with a plug-in, or None."""


def plugin_names(group: str) -> list[str]:
    """Return the names of all plug-ins of a group without duplicates, without loading them."""
    return list(dict.fromkeys(each.name for each in _entry_points(group)))


def load_plugin(group: str, name: str, check: Check) -> Plugin | None:
    """Return the plug-in with a name; None if there is none. Raise if it cannot be loaded."""
    point = next((each for each in _entry_points(group) if each.name == name), None)
    return None if point is None else _load_entry_point(point, check)


def load_plugins(group: str, check: Check) -> Iterator[Plugin]:
    """Return all plug-ins of a group that can be loaded, and warn about the others."""
    for name in plugin_names(group):
        try:
            plugin = load_plugin(group, name, check)
        except BrokenPlugin as error:
            warn_once(error.message)
        else:
            assert plugin is not None
            yield plugin


def describe_failure(group: str, name: str, failure: object) -> str:
    """Describe a failure of a plug-in, with the package it is from."""
    point = next((each for each in _entry_points(group) if each.name == name), None)
    return f"plug-in {name}{_find_package(point)}: {_describe_reason(failure)}"


@cache
def warn_once(message: str) -> None:
    """Warn of a plug-in once per program, and not again in its worker processes."""
    import multiprocessing
    import warnings

    if multiprocessing.parent_process() is None:
        warnings.warn(message, PluginWarning, stacklevel=2)


def _entry_points(group: str) -> EntryPoints:
    # Importing the module that scans all installed packages takes longer than reading a file.
    from importlib.metadata import entry_points

    return entry_points(group=group)


def _load_entry_point(point: EntryPoint, check: Check) -> Plugin:
    try:
        plugin = Plugin(point.name, point.load())
        fault = check(plugin)
    except Exception as error:  # code of another package: it may raise anything
        fault = _describe_reason(error)
    if fault is not None:
        package = point.dist.name if point.dist else None
        raise BrokenPlugin(
            f"plug-in {point.name}{_find_package(point)} cannot be loaded: {fault}",
            hint=f"update it, or remove it: pip uninstall {package}" if package else "remove it",
        )
    return plugin


def _find_package(point: EntryPoint | None) -> str:
    return f" ({point.dist.name} {point.dist.version})" if point and point.dist else ""


def _describe_reason(failure: object) -> str:
    if isinstance(failure, BaseException):
        return f"{type(failure).__name__}: {failure}"
    return str(failure)
