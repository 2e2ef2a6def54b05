"""Templates: a record's bytes with gaps for its longer strings.

A template alternates text and gaps. A gap names a string that the target holds anyway, so only the
rest is embedded. The spelling of the string in the bytes (JSON, JSON in ASCII, plain, XML) is found
by trying; a string that is not found stays as text.

The longer strings of an entry are found by their paths. Paths are written like JSON pointers
without the first slash (`parts/0/text`), so that a string is found again after others were changed,
added or removed.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from json.encoder import encode_basestring_ascii
from types import MappingProxyType
from typing import Any

import msgspec
from msgspec import Struct

from talktree.model.entries import Entry, Head, Opaque, Snapshot
from talktree.model.message import Message, Todo
from talktree.model.parts import NOTHING, Extra, Part, Text, Thinking, ToolResult
from talktree.text.json.value import Json, Token

SHORTEST = 40
"""Shorter strings, such as ids, stay in the text: searching for them costs more than it saves."""
A_COPY = 200
"""A string of this length that occurs twice is a copy, and an edit changes both."""
TELLING = 6
"""A shorter checksum may occur by chance."""
MOST = 64
"""Maximum number of strings that are searched for in one record, longest first."""
BEGINNING = 64
"""Number of characters that are searched for before the whole string is compared."""
MOST_TRIED = 20
"""Maximum number of places where a string is compared before it is searched for as a whole."""
VERY_LONG = 1 << 20
"""Longer strings are compared in parts of this many characters and never encoded as a whole."""
Piece = bytes | tuple[str, str]
Template = Json
"""A text, a list of texts and gaps, or bytes that are not text in base64."""

Derived = Mapping[str, Callable[[str], str]]
Spell = Callable[[str], bytes]
Find = Callable[[bytes, int], tuple[int, int] | None]

_encode: Callable[[str], bytes] = msgspec.json.Encoder().encode


def _spell_ascii(text: str) -> bytes:
    return str(encode_basestring_ascii(text)).encode()


def _spell_text(text: str) -> bytes:
    return text.encode()


def _spell_xml(text: str) -> bytes:
    return text.replace("&", "&amp;").replace(">", "&gt;").replace("<", "&lt;").encode()


SPELLINGS: dict[str, Callable[[str], bytes]] = {
    "json": _encode,
    "ascii": _spell_ascii,
    "text": _spell_text,
    "xml": _spell_xml,
}


class NotATemplate(Exception):
    """The value is not a template."""


class Spelling:
    """How strings are encoded in the bytes of a format, the usual way first."""

    def __init__(self, names: Sequence[str], derived: Derived = MappingProxyType({})) -> None:
        self.usual = names[0]
        self.direct = [(name, SPELLINGS[name]) for name in names]
        self.derived = list(derived.items())
        self._derive = derived

    def spell(self, text: str, name: str) -> bytes:
        """Return a string in one encoding, or a value derived from it."""
        if name in SPELLINGS:
            return SPELLINGS[name](text)
        if name in self._derive:
            return self._derive[name](text).encode()
        raise NotATemplate


PLAIN = Spelling(("text",))
NO_STRINGS: Mapping[str, str] = MappingProxyType({})


def make_template(raw: bytes, strings: Mapping[str, str], spelling: Spelling) -> Template:
    """Return the template of some bytes, with gaps where the strings are."""
    pieces: list[Piece] = [raw]
    if strings and len(raw) >= SHORTEST:
        for way in _sort_longest_first(strings):
            _cut_string(pieces, raw, way, strings[way], spelling)
    try:
        return _encode_template(pieces, spelling.usual)
    except UnicodeDecodeError:
        # Strings are whole characters, so the rest is text if and only if all bytes were.
        return {"base64": base64.b64encode(raw).decode()}


def _sort_longest_first(strings: Mapping[str, str]) -> Iterable[str]:
    if len(strings) < 2:
        return strings
    return sorted(strings, key=lambda way: -len(strings[way]))[:MOST]


def _cut_string(pieces: list[Piece], raw: bytes, way: str, text: str, spelling: Spelling) -> None:
    for name, spell in spelling.direct:
        if name == "ascii" and spelling.usual == "json" and text.isascii():
            continue
        try:
            is_cut = _make_holes(pieces, text, spell, (way, name))
        except UnicodeEncodeError:
            continue
        if is_cut:
            if spelling.derived:
                _cut_derived(pieces, raw, way, text, spelling)
            return


def _cut_derived(pieces: list[Piece], raw: bytes, way: str, text: str, spelling: Spelling) -> None:
    for name, derive in spelling.derived:
        mark = derive(text).encode()
        if len(mark) >= TELLING and mark in raw:
            _cut_all(pieces, partial(_find_span, sought=mark), (way, name))
            return


def _make_holes(pieces: list[Piece], text: str, spell: Spell, hole: tuple[str, str]) -> bool:
    """Make gaps for a string: everywhere if it is long, else in one place."""
    if len(text) > VERY_LONG:
        return _cut_all(pieces, partial(_find_long_span, text=text, spell=spell), hole)
    sought = spell(text)
    if len(sought) >= A_COPY:
        return _cut_all(pieces, partial(_find_span, sought=sought), hole)
    # Headers may repeat a text; the text itself comes after them.
    last = hole[1] == "text"
    for at in range(len(pieces) - 1, -1, -1) if last else range(len(pieces)):
        piece = pieces[at]
        if type(piece) is not bytes:
            continue
        found = piece.rfind(sought) if last else _find_string(piece, sought)
        if found < 0:
            continue
        pieces[at : at + 1] = [piece[:found], hole, piece[found + len(sought) :]]
        return True
    return False


def _find_string(piece: bytes, sought: bytes, start: int = 0) -> int:
    """Return where a string is, or -1.

    Its beginning is searched for first: preparing a search for all of it takes longer than
    comparing it at the few possible places.
    """
    if len(sought) <= BEGINNING:
        return piece.find(sought, start)
    begins = sought[:BEGINNING]
    for _ in range(MOST_TRIED):
        start = piece.find(begins, start)
        if start < 0 or piece.startswith(sought, start):
            return start
        start += 1
    return piece.find(sought, start)


def _find_span(piece: bytes, start: int, *, sought: bytes) -> tuple[int, int] | None:
    """Return the start and stop of a string after an offset, or None."""
    found = _find_string(piece, sought, start)
    return None if found < 0 else (found, found + len(sought))


def _find_long_span(piece: bytes, start: int, *, text: str, spell: Spell) -> tuple[int, int] | None:
    """Return the same for a very long string, which is encoded in parts instead of as a whole."""
    quote = spell("")[:1]
    begins = spell(text[:BEGINNING]).removesuffix(quote)
    for _ in range(MOST_TRIED):
        start = piece.find(begins, start)
        if start < 0:
            return None
        stop = start + len(quote)
        for at in range(0, len(text), VERY_LONG):
            part = spell(text[at : at + VERY_LONG])
            part = part[len(quote) : len(part) - len(quote)]
            if not piece.startswith(part, stop):
                break
            stop += len(part)
        else:
            if piece.startswith(quote, stop):
                return start, stop + len(quote)
        start += 1
    return None


def _cut_all(pieces: list[Piece], find: Find, hole: tuple[str, str]) -> bool:
    """Make a gap wherever a string is, and return whether there is any."""
    out: list[Piece] = []
    holes = 0
    for piece in pieces:
        if type(piece) is not bytes:
            out.append(piece)
            continue
        start = 0
        while (span := find(piece, start)) is not None:
            if span[0] > start:
                out.append(piece[start : span[0]])
            out.append(hole)
            holes += 1
            start = span[1]
        if start < len(piece):
            out.append(piece[start:])
    pieces[:] = out
    return holes > 0


def _encode_template(pieces: Sequence[Piece], usual: str) -> Template:
    out: list[Json] = []
    for piece in pieces:
        if type(piece) is bytes:
            if piece:
                out.append(piece.decode())
        else:
            way, spelling = piece
            out.append([way] if spelling == usual else [way, spelling])
    return out[0] if len(out) == 1 and type(out[0]) is str else out


def fill_template(template: Template, strings: Mapping[str, str], spelling: Spelling) -> bytes:
    """Fill a template; a missing string becomes empty."""
    match template:
        case str():
            return template.encode()
        case {"base64": str(text)}:
            return base64.b64decode(text)
        case list():
            return b"".join(_fill_piece(piece, strings, spelling) for piece in template)
        case _:
            raise NotATemplate


def _fill_piece(piece: Json, strings: Mapping[str, str], spelling: Spelling) -> bytes:
    match piece:
        case str():
            return piece.encode()
        case [str(way)]:
            name = spelling.usual
        case [str(way), str(name)]:
            pass
        case _:
            raise NotATemplate
    text = strings[way]
    try:
        return spelling.spell(text, name)
    except UnicodeEncodeError:
        # An unpaired surrogate from an edit can only be written in ASCII.
        return _spell_ascii(text)


BASE64 = ";base64,"
INSIDE = "#"
"""The end of a path that means the content of a data URL, without its prefix."""
FIELDS: dict[type[Entry], tuple[str, ...]] = {
    Message: ("parts", "todos", "extra"),
    Head: ("title", "extra"),
    Snapshot: ("files", "extra"),
    Opaque: ("value",),
}
"""The members with the contents of an entry; names and places are hardly longer than a gap."""
LONGEST_WAY = 1000
"""A string with a longer path has no path and stays in the text."""
_BARE = frozenset({int, float, bool, Token})
"""Types that hold no string."""


class _Step:
    """One step of a path: paths share their beginnings, so deep values need no long names."""

    __slots__ = ("_above", "_name", "length")

    def __init__(self, above: _Step | None, name: str) -> None:
        self._above = above
        self._name = name
        self.length: int = len(name) + (above.length + 1 if above is not None else 0)
        """The length of the path that ends with this step."""

    def format_path(self) -> str:
        """Return the whole path."""
        names = []
        here: _Step | None = self
        while here is not None:
            names.append(here._name)
            here = here._above
        return "/".join(reversed(names))


_Found = list[tuple[_Step | str, str]]
"""Strings, each with its path or the last step of it."""


def collect_strings(entry: Entry) -> dict[str, str]:
    """Return the strings that are worth a gap, by path; of equal strings the first."""
    if isinstance(entry, Message):
        return collect_message_strings(entry.parts, entry.todos, entry.extra)
    found: _Found = []
    for name in FIELDS[type(entry)]:
        _gather_strings(found, name, getattr(entry, name))
    return _select_longest(found)


def collect_message_strings(
    parts: Iterable[Part], todos: Sequence[Todo] | None = None, extra: Extra = NOTHING
) -> dict[str, str]:
    """Return the same for what a message holds."""
    found: _Found = []
    for at, part in enumerate(parts):
        words = _find_part_string(part)
        if words is None:
            _gather_strings(found, f"parts/{at}", part)
        elif len(words[1]) >= SHORTEST:
            _add_string(found, f"parts/{at}/{words[0]}", words[1])
    if todos:
        _gather_strings(found, "todos", todos)
    if extra:
        _gather_strings(found, "extra", extra)
    return _select_longest(found)


def _find_part_string(part: Part) -> tuple[str, str] | None:
    """Return the only string of a part that is worth a gap, with its path.

    Nearly every part is of such a kind, so no search is needed.
    """
    if isinstance(part, Text):
        return None if part.extra else ("text", part.text)
    if isinstance(part, Thinking):
        signed = len(part.signature or "") >= SHORTEST
        return None if signed or part.extra else ("text", part.text)
    if isinstance(part, ToolResult) and len(part.output) == 1:
        said = part.output[0]
        names = len(part.call or "") < SHORTEST > len(part.name or "")
        if type(said) is Text and names and part.detail is None and not (said.extra or part.extra):
            return "output/0/text", said.text
    return None


def _gather_strings(found: _Found, way: str, value: Any) -> None:  # noqa: ANN401
    """Add the strings of a value in their order."""
    pending: list[tuple[_Step, Any]] = []
    if value and _may_hold(value):
        pending.append((_Step(None, way), value))
    while pending:
        step, value = pending.pop()
        if type(value) is Text and not value.extra:
            # Nearly every string is such a text.
            step, value = _Step(step, "text"), value.text
            if len(value) < SHORTEST:
                continue
        if type(value) is str:
            _add_string(found, step, value)
        elif step.length <= LONGEST_WAY:
            pending += _list_members(step, value)


def _add_string(found: _Found, way: _Step | str, text: str) -> None:
    found.append((way, text))
    if text.startswith("data:"):
        _, mark, content = text.partition(BASE64)
        if mark:
            found.append((_format_path(way) + INSIDE, content))


def _select_longest(found: _Found) -> dict[str, str]:
    """Return the longest strings by path, up to the maximum for one record."""
    if len(found) < 2:
        return {_format_path(way): text for way, text in found}
    ways: dict[str, _Step | str] = {}
    for way, text in found:
        ways.setdefault(text, way)
    if len(ways) > MOST:
        ways = {text: ways[text] for text in sorted(ways, key=len, reverse=True)[:MOST]}
    return {_format_path(way): text for text, way in ways.items()}


def _format_path(way: _Step | str) -> str:
    return way if isinstance(way, str) else way.format_path()


def _may_hold(value: Any) -> bool:  # noqa: ANN401
    """Whether a value is a string that is worth a gap, or may contain one."""
    kind = type(value)
    return len(value) >= SHORTEST if kind is str else kind not in _BARE


def _list_members(above: _Step, value: Any) -> list[tuple[_Step, Any]]:  # noqa: ANN401
    """Return the members of a value, in reverse order."""
    kind = type(value)
    if kind is dict:
        found = [
            (_Step(above, _escape_name(name)), each)
            for name, each in value.items()
            if each and _may_hold(each)
        ]
    elif kind is tuple or kind is list:
        found = [
            (_Step(above, str(at)), each)
            for at, each in enumerate(value)
            if each and _may_hold(each)
        ]
    elif isinstance(value, Struct):
        found = [
            (_Step(above, name), each)
            for name in value.__struct_fields__
            if (each := getattr(value, name)) and _may_hold(each)
        ]
    else:
        return []
    found.reverse()
    return found


def _escape_name(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1") if "/" in name or "~" in name else name


class Strings(Mapping[str, str]):
    """The strings of an entry by path; a missing string is empty."""

    def __init__(self, entry: Entry) -> None:
        self._entry = entry

    def __getitem__(self, way: str) -> str:
        value: Any = self._entry
        for step in way.removesuffix(INSIDE).split("/"):
            value = _follow_step(value, step)
        if not isinstance(value, str):
            return ""
        return value.partition(BASE64)[2] if way.endswith(INSIDE) else value

    def __iter__(self) -> Iterator[str]:
        return iter(collect_strings(self._entry))

    def __len__(self) -> int:
        return len(collect_strings(self._entry))


def _follow_step(value: Any, step: str) -> Any:  # noqa: ANN401
    if isinstance(value, Struct):
        return getattr(value, step, None) if step in value.__struct_fields__ else None
    if isinstance(value, Mapping):
        return value.get(step.replace("~1", "/").replace("~0", "~"))
    if isinstance(value, tuple | list) and step.isdecimal() and int(step) < len(value):
        return value[int(step)]
    return None
