"""Fast path for simple command lines: a verb, its words, and options in their plainest form.

Importing the option parser takes longer than most searches. Common commands are parsed here if
their line is simple. All others are left to click: help, mistakes, abbreviations, `--name=value`,
completion. Lines that are parsed here mean the same as in click; a test compares both.

A search also skips slow imports and cleanup, which would take longer than the search.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import NamedTuple, NoReturn

COMPLETION = "_TALKTREE_COMPLETE"
"""Set for shell completion: nothing is run then."""

Read = Callable[[str], object]
"""Returns the value of a text; None if click should report what is wrong with it."""


class FastCommand(NamedTuple):
    """A command with all its values."""

    verb: str
    values: Mapping[str, object]

    def run(self) -> int:
        """Run the command and return the exit code."""
        module, _, function = _VERBS[self.verb].does.partition(":")
        code: int = getattr(import_module(module), function)(**self.values)
        return code

    @property
    def only_reads(self) -> bool:
        """Whether the command leaves nothing to clean up."""
        return _VERBS[self.verb].only_reads


class _Verb(NamedTuple):
    """The options and words of a command."""

    does: str
    words: str
    """The parameter that takes the words."""
    word: Read
    least: int
    """Minimum number of words."""
    flags: Mapping[str, str]
    valued: Mapping[str, tuple[str, Read]]
    usual: Mapping[str, object]
    """The default values."""
    only_reads: bool = False


def find_fast_command(given: Sequence[str]) -> FastCommand | None:
    """Return the command of a line if it is simple; None otherwise."""
    verb = _VERBS.get(given[0]) if given else None
    if verb is None or COMPLETION in os.environ:
        return None
    values = dict(verb.usual)
    words: list[object] = []
    rest = iter(given[1:])
    for each in rest:
        if each in verb.flags:
            values[verb.flags[each]] = True
            continue
        if each in verb.valued:
            name, read = verb.valued[each]
            found = values[name] = _read_value(read, next(rest, ""))
        else:
            found = _read_value(verb.word, each)
            words.append(found)
        if found is None:
            return None
    if len(words) < verb.least:
        return None
    return FastCommand(given[0], {**values, verb.words: tuple(words)})


def _read_value(read: Read, text: str) -> object:
    """Return the value of a text; None if it is empty or may be an option."""
    return None if not text or text.startswith("-") else read(text)


def _parse_text(text: str) -> str:
    return text


def _parse_count(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _parse_positive(text: str) -> int | None:
    return _parse_count(text) or None


def _parse_one_of(*choices: str) -> Read:
    return lambda text: text if text in choices else None


def _check_readable(path: str) -> str | None:
    return path if os.access(path, os.R_OK) else None


def _check_folder(path: str) -> str | None:
    return path if os.path.isdir(path) and os.access(path, os.R_OK) else None


_COLOR = ("color", _parse_one_of("auto", "always", "never"))
_LIBRARY = ("library", _check_folder)

_VERBS = {
    "search": _Verb(
        does="talktree.cli.commands.search_run:search_library",
        words="query",
        word=_parse_text,
        least=1,
        flags={"--json": "as_json", "--no-pager": "no_pager"},
        valued={
            "-n": ("limit", _parse_positive),
            "--limit": ("limit", _parse_positive),
            "--skip": ("skip", _parse_count),
            "--sort": ("sort", _parse_one_of("best", "new")),
            "--library": _LIBRARY,
            "--color": _COLOR,
        },
        usual={
            "limit": 10,
            "skip": 0,
            "sort": "best",
            "as_json": False,
            "library": None,
            "color": "auto",
            "no_pager": False,
        },
        only_reads=True,
    ),
    "import": _Verb(
        does="talktree.cli.commands.import_run:import_changes",
        words="paths",
        word=_check_readable,
        least=0,
        flags={"--known": "known", "--json": "as_json", "-q": "quiet", "--quiet": "quiet"},
        valued={
            "--progress": ("progress", _parse_one_of("auto", "json", "none")),
            "--library": _LIBRARY,
            "--color": _COLOR,
        },
        usual={
            "known": False,
            "as_json": False,
            "progress": "auto",
            "quiet": False,
            "library": None,
            "color": "auto",
        },
    ),
}


_EXTRAS = "typing_extensions"
_SELDOM = 100_000
"""The collector's threshold: importing modules creates many objects, and no garbage."""


def load_msgspec() -> None:
    """Import msgspec without optional types, which are not used.

    It takes them from a module that, where another package installed it, takes as long to import as
    msgspec itself.
    """
    if "msgspec" in sys.modules or _EXTRAS in sys.modules:
        return
    sys.modules[_EXTRAS] = None  # type: ignore[assignment]  # so that it cannot be imported
    try:
        import msgspec  # noqa: F401
    finally:
        del sys.modules[_EXTRAS]


def collect_garbage_rarely() -> None:
    """Run the garbage collector less often than by default."""
    gc.set_threshold(_SELDOM)


def exit_now(code: int) -> NoReturn:
    """End this process immediately, without freeing its memory.

    Only for commands that have closed everything they opened, and whose output is flushed.
    """
    os._exit(code)
