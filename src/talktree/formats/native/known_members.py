"""The known members of each kind of line and part, and the likely meaning of misspelt ones."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import lru_cache

from talktree.formats.format import CARRY
from talktree.formats.lens import Object
from talktree.formats.native.lens import TREE
from talktree.formats.native.lens_entries import ENTRIES, PARTS
from talktree.formats.native.lens_fields import JOINT
from talktree.text.json.value import Json

LINE = frozenset({*ENTRIES, TREE, JOINT, CARRY, "talktree", "conversation"})
ENTRY_NAMES = {
    kind: frozenset(shape.struct.__struct_encode_fields__) for kind, shape in ENTRIES.items()
}
PART_NAMES = {
    kind: frozenset({*shape.struct.__struct_encode_fields__, "part"})
    for kind, shape in PARTS.items()
}
NEAR = 0.8
"""Minimum similarity at which a name counts as a misspelling of another."""
LONGEST = 40
"""Maximum length of a name that is compared; comparing longer ones would take long."""


def find_entry(line: Object) -> tuple[str, Object] | None:
    """Return the kind of a line and the object with its fields; None if it is not an entry."""
    for kind in ENTRIES:
        found = line.get(kind)
        if isinstance(found, dict):
            return kind, found
    return None


def iterate_parts(message: Object) -> Iterator[tuple[str, str, Object]]:
    """Yield the parts of a message that are objects: their path, their kind and their value."""
    parts = message.get("parts")
    for at, part in enumerate(parts if isinstance(parts, list) else ()):
        if isinstance(part, dict):
            kind = part.get("part")
            yield f"message/parts/{at}", kind if isinstance(kind, str) else "", part


def is_known(line: Object) -> bool:
    """Whether a line has only known members, as nearly all lines do."""
    if not line.keys() <= LINE:
        return False
    for kind, names in ENTRY_NAMES.items():
        entry = line.get(kind)
        if isinstance(entry, dict):
            if not entry.keys() <= names:
                return False
            parts = entry.get("parts")
            return not isinstance(parts, list) or all(map(_is_known_part, parts))
    return True


def _is_known_part(part: Json) -> bool:
    if not isinstance(part, dict):
        return True
    kind = part.get("part")
    names = PART_NAMES.get(kind) if isinstance(kind, str) else None
    return names is None or part.keys() <= names


def find_misspelled_members(line: Object) -> Iterator[tuple[str, str, str]]:
    """Yield members whose name is nearly a known one: path, name, and the likely name."""
    yield from _find_misspelled_in("", "", line)
    found = find_entry(line)
    if found is None:
        return
    kind, entry = found
    yield from _find_misspelled_in(kind, kind, entry)
    if kind == "message" and "parts" in entry:
        for way, part, value in iterate_parts(entry):
            if part in PARTS:
                yield from _find_misspelled_in(way, f"part {part}", value)


def _find_misspelled_in(way: str, kind: str, value: Object) -> Iterator[tuple[str, str, str]]:
    known = _known_names(kind)
    if value.keys() <= known:
        return
    for name in value.keys() - known:
        meant = _guess_name(kind, name)
        if meant and meant not in value:
            yield (f"{way}/{name}" if way else name), name, meant


def _known_names(kind: str) -> frozenset[str]:
    if not kind:
        return LINE
    return ENTRY_NAMES.get(kind) or PART_NAMES[kind.removeprefix("part ")]


@lru_cache(maxsize=1024)
def _guess_name(kind: str, name: str) -> str:
    """Return the known name that is most similar; empty if none is similar enough."""
    if len(name) > LONGEST:
        return ""
    plain = _normalize_name(name)
    for known in sorted(_known_names(kind)):
        if _normalize_name(known) == plain or SequenceMatcher(None, known, name).ratio() >= NEAR:
            return known
    return ""


def _normalize_name(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "")
