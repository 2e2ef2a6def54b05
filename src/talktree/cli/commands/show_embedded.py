"""Source data of another format embedded in the records of a conversation, readable.

An embedded record is shown with `…` for each text that the message itself contains. Prints the
output of `talktree show --carried`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from talktree.cli import output
from talktree.cli.errors import print_stderr
from talktree.cli.params import format_heading
from talktree.conversion.embed import EmbeddedRecord, estimate_size
from talktree.conversion.embed_read import LoadedRecord, load_records
from talktree.errors import NotFound
from talktree.formats import get_format
from talktree.formats.engine import DocumentOrigin
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.message import Message
from talktree.text.json.decode import decode
from talktree.text.json.value import Json
from talktree.views.lines import EMPTY, Line, indent_lines, line
from talktree.views.shapes import SCHEMA_VERSION, format_json
from talktree.views.speakers import find_format_speaker
from talktree.views.width import clip_text, format_count, format_size, split_text_lines

HOLE = "…"
WIDTH = 96
MOST_LINES = 12


class EmbeddedPiece(NamedTuple):
    """An embedded record of the source."""

    place: str
    """The file it comes from, and its number in it."""
    file: str | None
    number: int
    text: str
    value: Json
    """The text as a value, if it is JSON."""


class EmbeddedRecordView(NamedTuple):
    """The source data embedded in one record of a conversation."""

    id: str
    who: str
    format: str
    size: int
    edited: bool
    own: EmbeddedPiece | None
    """The record that it was converted from."""
    unattached: Sequence[EmbeddedPiece]
    """Records without a counterpart."""
    source: str | None
    files: Sequence[str]
    """The name of the source, and its files without records, where they are embedded."""


def read_embedded_records(
    document: Document, conversation: Conversation, positions: Sequence[int]
) -> Iterator[EmbeddedRecordView]:
    """Yield the source data embedded in the records at some positions, in source order."""
    origin = document.origin
    assert isinstance(origin, DocumentOrigin)
    names = _map_file_names(origin, conversation)
    for each in load_records(origin, conversation, sorted(positions)):
        if each.carry is not None:
            yield _build_record_view(each, names, conversation)


def _map_file_names(origin: DocumentOrigin, conversation: Conversation) -> dict[int, str]:
    for each in load_records(origin, conversation, range(conversation.record_count)):
        if each.carry is not None and each.carry.origin is not None:
            return {file.number: file.path for file in each.carry.origin.sheets}
    return {}


def _build_record_view(
    loaded: LoadedRecord, names: dict[int, str], conversation: Conversation
) -> EmbeddedRecordView:
    carry, entry = loaded.carry, loaded.entry
    assert carry is not None
    # A record that only embeds data was not converted, so it cannot have been edited.
    edited = carry.kept is not None and loaded.is_edited
    who = "the conversation"
    if isinstance(entry, Message):
        who = find_format_speaker(conversation.format, entry)
    usual = _find_usual_spelling(carry.format)
    return EmbeddedRecordView(
        entry.id,
        who,
        carry.format,
        estimate_size(carry),
        edited,
        None if carry.kept is None else _build_piece(carry.kept, names, usual),
        [_build_piece(each, names, usual) for each in carry.unattached],
        None if carry.origin is None else carry.origin.name,
        [] if carry.origin is None else [*carry.origin.files],
    )


def _find_usual_spelling(format: str) -> str:
    try:
        return get_format(format).can.spelling[0]
    except NotFound:
        return "json"


def _build_piece(kept: EmbeddedRecord, names: dict[int, str], usual: str) -> EmbeddedPiece:
    which, index = kept.place
    text = _format_template(kept.open, usual) + _format_template(kept.end, usual)
    # Bytes between two records belong to the second one.
    text = text.strip().removeprefix(",").strip()
    found = decode(text.encode("utf-8", "surrogatepass"))
    is_json = found.usable and isinstance(found.value, dict | list) and not found.problems
    file = names.get(which)
    place = f"{file or f'file {which + 1}'}, record {index + 1}"
    return EmbeddedPiece(place, file, index + 1, text, found.value if is_json else None)


def _format_template(template: Json, usual: str) -> str:
    """Return a template with marks for its gaps."""
    match template:
        case str():
            return template
        case {"base64": str(data)}:
            return f"({format_count(len(data) * 3 // 4, 'byte')} that are no text)"
        case list():
            return "".join(_format_mark(piece, usual) for piece in template)
        case _:
            return ""


def _format_mark(piece: Json, usual: str) -> str:
    if isinstance(piece, str):
        return piece
    spelling = piece[1] if isinstance(piece, list) and len(piece) > 1 else usual
    return f'"{HOLE}"' if spelling in ("json", "ascii") else HOLE


# text


def format_embedded_lines(each: EmbeddedRecordView, *, full: bool) -> Iterator[Line]:
    """Yield the data embedded in one record."""
    known = f"  {clip_text(each.id, 40)}" if each.id else ""
    yield EMPTY
    yield line(
        (each.who, "title"),
        (known, "faint"),
        f"  carries {format_size(each.size)} for {clip_text(each.format, 40)}",
        ("  edited since" if each.edited else "", "mark"),
    )
    if each.own is not None:
        yield from indent_lines(_format_piece_lines(each.own, full=full))
    for record in each.unattached:
        yield line("  ", ("rides along:", "mark"))
        yield from indent_lines(_format_piece_lines(record, full=full))
    if each.source is not None:
        yield line("  ", ("source: ", "mark"), clip_text(each.source, WIDTH))
    for file in each.files:
        yield line("  ", ("file: ", "mark"), clip_text(file, WIDTH))


def _format_piece_lines(piece: EmbeddedPiece, *, full: bool) -> Iterator[Line]:
    yield line((piece.place, "faint"))
    shown = (
        _format_members(piece.value)
        if isinstance(piece.value, dict)
        else split_text_lines(piece.text)
    )
    most = len(shown) if full else MOST_LINES
    for text in shown[:most]:
        yield line("  ", text if full else clip_text(text, WIDTH))
    if len(shown) > most:
        yield line("  ", (f"… {len(shown) - most:,} more; --full shows all", "faint"))


def _format_members(value: dict[str, Json]) -> list[str]:
    return [f"{name}: {format_json(item)}" for name, item in value.items()]


# JSON


def build_embedded_shape(each: EmbeddedRecordView) -> dict[str, Json]:
    """Return the data embedded in one record as JSON values."""
    return {
        "id": each.id,
        "from": each.format,
        "bytes": each.size,
        "edited": each.edited,
        "record": None if each.own is None else _build_piece_shape(each.own),
        "riders": [_build_piece_shape(record) for record in each.unattached],
        "source": each.source,
        "files": [*each.files],
    }


def _build_piece_shape(piece: EmbeddedPiece) -> Json:
    return {
        "file": piece.file,
        "number": piece.number,
        "text": piece.text,
        "value": piece.value,
    }


Shown = Sequence[tuple[Conversation, Sequence[int]]]
"""Conversations, and which of their records are shown."""


def print_embedded(
    document: Document, shown: Shown, *, full: bool, as_json: bool, color: str, paged: bool
) -> None:
    """Print embedded data as it is read."""
    if as_json:
        output.print_text(_format_json(document, shown))
        return
    lines = _format_lines(document, shown, full=full)
    output.print_lines(lines, color=output.use_color(color), paged=paged)


def _format_lines(document: Document, shown: Shown, *, full: bool) -> Iterator[Line]:

    nothing = True
    for conversation, positions in shown:
        yield format_heading(conversation)
        for each in read_embedded_records(document, conversation, positions):
            nothing = False
            yield from format_embedded_lines(each, full=full)
    if nothing:
        yield line(("nothing is carried", "faint"))
        print_stderr("hint: what a format cannot hold is carried when a conversation is converted")


def _format_json(document: Document, shown: Shown) -> Iterator[str]:

    yield f'{{"schema_version":{SCHEMA_VERSION},"conversations":['
    for number, (conversation, positions) in enumerate(shown):
        head = format_json({"id": conversation.native_id, "format": conversation.format})
        yield f'{"," if number else ""}\n{head[:-1]},"carried":['
        for place, each in enumerate(read_embedded_records(document, conversation, positions)):
            yield f"{',' if place else ''}\n{format_json(build_embedded_shape(each))}"
        yield "]}"
    yield "]}\n"
