"""Command lines that need no parser: a verb, its words, and options in their plainest form.

Loading what parses options takes longer than most searches do. Lines of the verbs that are run all
day are understood here, as long as nothing about them is special. All others are left to click:
help, mistakes, abbreviations, `--name=value`, completion. What is understood here click understands
in the same way; a test compares them.

What a search from the shell leaves out: it is over sooner than loading that takes.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import NamedTuple, NoReturn

COMPLETION = "_TALKTREE_COMPLETE"
"""The shell asks what could follow: nothing is run."""

Read = Callable[[str], object]
"""What a text means; None if click should say what is wrong with it."""


class FastCommand(NamedTuple):
    """A verb with all its values."""

    verb: str
    values: Mapping[str, object]

    def run(self) -> int:
        """Do it; the exit code."""
        module, _, function = _VERBS[self.verb].does.partition(":")
        code: int = getattr(import_module(module), function)(**self.values)
        return code

    @property
    def only_reads(self) -> bool:
        """Whether nothing is left to be done once it has been run."""
        return _VERBS[self.verb].only_reads


class _Verb(NamedTuple):
    """What a verb can be told."""

    does: str
    words: str
    """The name of what the words are for."""
    word: Read
    least: int
    """How many words there must be."""
    flags: Mapping[str, str]
    valued: Mapping[str, tuple[str, Read]]
    usual: Mapping[str, object]
    """The values of what is not mentioned."""
    only_reads: bool = False


def find_fast_command(given: Sequence[str]) -> FastCommand | None:
    """The command of a line, if it is one of the plain ones."""
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
    """What a text means; one that is empty, or may be an option, is never plain."""
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
"""After so many new objects cycles are looked for; loading modules makes many, and none to drop."""


def load_msgspec() -> None:
    """Load msgspec without more types than Python has, none of which we use.

    It takes them from a module of which loading takes as long as msgspec itself, where another
    package brought that.
    """
    if "msgspec" in sys.modules or _EXTRAS in sys.modules:
        return
    sys.modules[_EXTRAS] = None  # type: ignore[assignment]  # so that it cannot be imported
    try:
        import msgspec  # noqa: F401
    finally:
        del sys.modules[_EXTRAS]


def collect_garbage_rarely() -> None:
    """Look for cycles of objects that nobody needs less often than Python does."""
    gc.set_threshold(_SELDOM)


def exit_now(code: int) -> NoReturn:
    """End this process at once: what it holds is not taken apart, the system takes it all.

    Only for verbs that have let go of everything they opened, and whose output is flushed.
    """
    os._exit(code)
