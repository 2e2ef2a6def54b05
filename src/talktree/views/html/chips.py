"""Short facts about a message: author, model, place, and other values of its format."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice

from talktree.errors import NotFound
from talktree.formats import get_format
from talktree.formats.format import Format
from talktree.model.measures import MessageMeasures, iterate_number_measures, iterate_word_measures
from talktree.model.message import ABORTED, DELETED, ERROR, Context, Message
from talktree.views.html.block import Chip
from talktree.views.width import to_one_line

MOST = 16
MOST_BESIDE = 40
LONGEST = 80
_BAD = frozenset({ERROR, ABORTED, DELETED})
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|[_-]+")
_QUIET = re.compile(r"(?:^|_|(?<=[a-z]))(?:[iI]d|UUID|[uU]uid)$|^is[A-Z_]|^message$|^type$|^usage$")
"""Names of values that are meaningless to readers."""


def build_chips(message: Message, format: str = "") -> tuple[Chip, ...]:
    """Return all known facts, the most important first."""
    found = _build_common_chips(message.flags, message.model or "")
    if message.agent or message.thinking is not None or message.authors or message.tags:
        found += tuple(_message_chips(message))
    if message.context:
        found += _build_context_chips(message.context)
    known, extra = _find_format(format), message.extra
    if known is not None and extra:
        found += tuple(_build_measure_chips(known.measures(message)))
        telling, measured = known.telling, known.measured
        extra = {
            name: extra[name]
            for name in extra
            if name not in measured and (telling is None or name in telling)
        }
    if any(map(_to_words, islice(extra, MOST_BESIDE))):
        found += tuple(each for each in _build_extra_chips(extra) if each.text)
    return found if len(found) <= MOST else found[:MOST]


@lru_cache(maxsize=64)
def _find_format(format: str) -> Format | None:
    """Return the format with a name; None if there is none."""
    try:
        return get_format(format)
    except NotFound:
        return None


def _build_measure_chips(measures: MessageMeasures) -> Iterator[Chip]:
    """Return how a message was classified and rated; its tags and authors are shown before."""
    words: dict[str, list[str]] = {}
    for name, word in iterate_word_measures(measures):
        words.setdefault(name, []).append(word)
    for name, found in words.items():
        if name not in ("tag", "author"):
            bad = name == "safe" and found == ["false"]
            text = to_one_line(", ".join(found[:12]), LONGEST)
            yield Chip(name.replace("_", " "), text, "bad" if bad else "plain")
    for name, number in iterate_number_measures(measures):
        yield Chip(name.replace("_", " "), f"{number:,g}")


@lru_cache(maxsize=256)
def _build_common_chips(flags: frozenset[str], model: str) -> tuple[Chip, ...]:
    """Return the facts that nearly every message has."""
    words = [
        Chip("flag", to_one_line(flag, LONGEST), "bad" if flag in _BAD else "plain")
        for flag in sorted(flags)
    ]
    return (*words, _make_chip("model", model)) if model else tuple(words)


def _message_chips(message: Message) -> Iterator[Chip]:
    for author in message.authors[:4]:
        yield _make_chip("author", f"{author.name} {author.version or ''}".strip())
    for tag in message.tags[:8]:
        yield _make_chip("tag", tag)
    if message.agent:
        yield _make_chip("agent", message.agent)
    if message.thinking is not None and message.thinking.level and not message.thinking.disabled:
        yield _make_chip("thinking", message.thinking.level)


@lru_cache(maxsize=256)
def _build_context_chips(context: Context) -> tuple[Chip, ...]:
    facts = (
        ("cwd", context.cwd), ("git", context.git_branch), ("version", context.version),
        ("platform", context.platform),
    )  # fmt: skip
    return tuple(_make_chip(name, text) for name, text in facts if text)


@lru_cache(maxsize=4096)
def _make_chip(name: str, text: str) -> Chip:
    """Return a chip; most messages repeat the one before, so chips are shared."""
    return Chip(name, to_one_line(text, LONGEST))


@lru_cache(maxsize=4096)
def _to_words(name: str) -> str:
    """Return the name of a value in words; empty if it is meaningless to readers."""
    return "" if _QUIET.search(name) else to_one_line(_HUMP.sub(" ", name).lower(), 40)


def _build_extra_chips(extra: Mapping[str, object], *, deep: bool = True) -> Iterator[Chip]:
    """Return simple values of a format that have no field in the model."""
    for name, value in islice(extra.items(), MOST_BESIDE):
        if not _to_words(name):
            continue
        match value:
            case True:
                yield Chip(_to_words(name), "yes")
            case str() | float() | int() if not isinstance(value, bool):
                yield Chip(_to_words(name), to_one_line(str(value)[: 4 * LONGEST], LONGEST))
            case list() if value and all(isinstance(each, str) for each in value):
                yield Chip(_to_words(name), to_one_line(", ".join(value[:12]), LONGEST))
            case Mapping() if deep:
                yield from _build_extra_chips(value, deep=False)
