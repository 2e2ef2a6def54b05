"""What the records of a conversation carry for another format, readable.

A carried record is shown with `…` where a text stands that the message itself holds.

`talktree show --carried`: the records of conversations with what they carry.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from talktree.cli import output
from talktree.cli.errors import tell
from talktree.cli.params import heading
from talktree.conversion.embed import Kept
from talktree.conversion.embed import size as carry_size
from talktree.conversion.embed_read import Loaded, records
from talktree.errors import NotFound
from talktree.formats import by_slug
from talktree.formats.engine import Origin
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.message import Message
from talktree.text.json.decode import decode
from talktree.text.json.value import Json
from talktree.views.lines import EMPTY, Line, indented, line
from talktree.views.shapes import SCHEMA_VERSION, json_text
from talktree.views.speakers import speaker_in
from talktree.views.width import clipped, counted, size, text_lines

HOLE = "…"
WIDTH = 96
MOST_LINES = 12


class Piece(NamedTuple):
    """A record of the source that travels along."""

    place: str
    """The file it comes from, and which record of it it is."""
    file: str | None
    number: int
    text: str
    value: Json
    """What the text says, if it is JSON."""


class Carried(NamedTuple):
    """What one record of a conversation carries."""

    id: str
    who: str
    format: str
    size: int
    edited: bool
    own: Piece | None
    """The record it stands for itself."""
    unattached: Sequence[Piece]
    """Records that have no other place."""
    source: str | None
    files: Sequence[str]
    """What the source is called, and its files without records, where they travel with it."""


def carried(
    document: Document, conversation: Conversation, positions: Sequence[int]
) -> Iterator[Carried]:
    """What the records at some positions carry, in source order; nothing of those without."""
    origin = document.origin
    assert isinstance(origin, Origin)
    names = _file_names(origin, conversation)
    for each in records(origin, conversation, sorted(positions)):
        if each.carry is not None:
            yield _carried(each, names, conversation)


def _file_names(origin: Origin, conversation: Conversation) -> dict[int, str]:
    for each in records(origin, conversation, range(conversation.record_count)):
        if each.carry is not None and each.carry.origin is not None:
            return {file.number: file.path for file in each.carry.origin.sheets}
    return {}


def _carried(loaded: Loaded, names: dict[int, str], conversation: Conversation) -> Carried:
    carry, entry = loaded.carry, loaded.entry
    assert carry is not None
    # A record that only carries was never anything else, so it cannot have been edited.
    edited = carry.kept is not None and loaded.touched
    who = "the conversation"
    if isinstance(entry, Message):
        who = speaker_in(conversation.format, entry)
    usual = _usual_spelling(carry.format)
    return Carried(
        entry.id,
        who,
        carry.format,
        carry_size(carry),
        edited,
        None if carry.kept is None else _piece(carry.kept, names, usual),
        [_piece(each, names, usual) for each in carry.unattached],
        None if carry.origin is None else carry.origin.name,
        [] if carry.origin is None else [*carry.origin.files],
    )


def _usual_spelling(format: str) -> str:
    try:
        return by_slug(format).can.spelling[0]
    except NotFound:
        return "json"


def _piece(kept: Kept, names: dict[int, str], usual: str) -> Piece:
    which, index = kept.place
    text = _text(kept.open, usual) + _text(kept.end, usual)
    # What stands between two records belongs to the second one.
    text = text.strip().removeprefix(",").strip()
    found = decode(text.encode("utf-8", "surrogatepass"))
    is_json = found.usable and isinstance(found.value, dict | list) and not found.problems
    file = names.get(which)
    place = f"{file or f'file {which + 1}'}, record {index + 1}"
    return Piece(place, file, index + 1, text, found.value if is_json else None)


def _text(template: Json, usual: str) -> str:
    """A template with marks where its holes are."""
    match template:
        case str():
            return template
        case {"base64": str(data)}:
            return f"({counted(len(data) * 3 // 4, 'byte')} that are no text)"
        case list():
            return "".join(_mark(piece, usual) for piece in template)
        case _:
            return ""


def _mark(piece: Json, usual: str) -> str:
    if isinstance(piece, str):
        return piece
    spelling = piece[1] if isinstance(piece, list) and len(piece) > 1 else usual
    return f'"{HOLE}"' if spelling in ("json", "ascii") else HOLE


# for people


def carried_lines(each: Carried, *, full: bool) -> Iterator[Line]:
    """What one record carries."""
    known = f"  {clipped(each.id, 40)}" if each.id else ""
    yield EMPTY
    yield line(
        (each.who, "title"),
        (known, "faint"),
        f"  carries {size(each.size)} for {clipped(each.format, 40)}",
        ("  edited since" if each.edited else "", "mark"),
    )
    if each.own is not None:
        yield from indented(_piece_lines(each.own, full=full))
    for record in each.unattached:
        yield line("  ", ("rides along:", "mark"))
        yield from indented(_piece_lines(record, full=full))
    if each.source is not None:
        yield line("  ", ("source: ", "mark"), clipped(each.source, WIDTH))
    for file in each.files:
        yield line("  ", ("file: ", "mark"), clipped(file, WIDTH))


def _piece_lines(piece: Piece, *, full: bool) -> Iterator[Line]:
    yield line((piece.place, "faint"))
    shown = _members(piece.value) if isinstance(piece.value, dict) else text_lines(piece.text)
    most = len(shown) if full else MOST_LINES
    for text in shown[:most]:
        yield line("  ", text if full else clipped(text, WIDTH))
    if len(shown) > most:
        yield line("  ", (f"… {len(shown) - most:,} more; --full shows all", "faint"))


def _members(value: dict[str, Json]) -> list[str]:
    return [f"{name}: {json_text(item)}" for name, item in value.items()]


# for scripts


def carried_shape(each: Carried) -> dict[str, Json]:
    """What one record carries, as JSON."""
    return {
        "id": each.id,
        "from": each.format,
        "bytes": each.size,
        "edited": each.edited,
        "record": None if each.own is None else _piece_shape(each.own),
        "riders": [_piece_shape(record) for record in each.unattached],
        "source": each.source,
        "files": [*each.files],
    }


def _piece_shape(piece: Piece) -> Json:
    return {
        "file": piece.file,
        "number": piece.number,
        "text": piece.text,
        "value": piece.value,
    }


Shown = Sequence[tuple[Conversation, Sequence[int]]]
"""Conversations, and which of their records are asked for."""


def print_carried(
    document: Document, shown: Shown, *, full: bool, as_json: bool, color: str, paged: bool
) -> None:
    """Print what records carry, as it is read."""
    if as_json:
        output.print_text(_record_text(document, shown))
        return
    lines = _lines(document, shown, full=full)
    output.print_lines(lines, color=output.use_color(color), paged=paged)


def _lines(document: Document, shown: Shown, *, full: bool) -> Iterator[Line]:

    nothing = True
    for conversation, positions in shown:
        yield heading(conversation)
        for each in carried(document, conversation, positions):
            nothing = False
            yield from carried_lines(each, full=full)
    if nothing:
        yield line(("nothing is carried", "faint"))
        tell("hint: what a format cannot hold is carried when a conversation is converted")


def _record_text(document: Document, shown: Shown) -> Iterator[str]:

    yield f'{{"schema_version":{SCHEMA_VERSION},"conversations":['
    for number, (conversation, positions) in enumerate(shown):
        head = json_text({"id": conversation.native_id, "format": conversation.format})
        yield f'{"," if number else ""}\n{head[:-1]},"carried":['
        for place, each in enumerate(carried(document, conversation, positions)):
            yield f"{',' if place else ''}\n{json_text(carried_shape(each))}"
        yield "]}"
    yield "]}\n"
