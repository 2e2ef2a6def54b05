"""Edits of an old message file, with as few changed bytes as possible.

Headers of older forms are rewritten in the specification's form, line by line, with the same
content. Message files are named by a number and `.md`, in the folder of their conversation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec.structs import replace

from talktree.errors import UsageError
from talktree.formats.chatbuilder import lens_authors
from talktree.formats.chatbuilder.body import (
    Habit,
    MessageContent,
    detect_habit,
    escape,
    make_layout,
    make_line,
    parse_content,
)
from talktree.formats.chatbuilder.parse import MessageLayout, parse_layout
from talktree.formats.chatbuilder.parse_header import (
    AUTHORS,
    BARE_ID,
    CLOSE,
    CREATED,
    OPEN,
    PROPER,
    ROLE,
    UUID,
    HeaderLine,
    is_uuid,
    normalize_key,
    parse_header_line,
    with_newline,
    without_newline,
)
from talktree.model.entries import Entry, Head
from talktree.text.times import to_iso


def amend_layout(layout: MessageLayout, wanted: MessageContent) -> str:
    """Return a file with the wanted content, made by the smallest change that reads back."""
    before = parse_content(layout)
    if before == wanted:
        return layout.text
    text = ""
    for text in _iterate_attempts(layout, before, wanted):
        if parse_content(parse_layout(text)) == wanted:
            return text
    return text


def _iterate_attempts(
    layout: MessageLayout, before: MessageContent, wanted: MessageContent
) -> Iterator[str]:
    """Yield ever larger changes; the last one holds everything that the format can hold."""
    lines = _Lines(layout)
    for name, key, value in _find_changes(before, wanted):
        lines.set_value(name, key, value)
    triple = layout.newline * 3
    separator = layout.separator if layout.body else triple
    body = layout.body
    if wanted.text != before.text:
        default: Habit = "first" if layout.lines else "raw"
        body = escape(wanted.text, detect_habit(layout.body, default=default))
    header = tuple(lines.lines)
    prefix = layout.prefix
    if header:
        yield MessageLayout(prefix, header, separator or triple, body).text
        yield MessageLayout(prefix, header, triple, body).text
    else:
        yield MessageLayout(prefix, (), "", body).text
        # Text that would be read as a header needs a header of its own before it.
        yield MessageLayout(prefix, (HeaderLine(";"),), triple, body).text
    yield make_layout(wanted)._replace(body=body).text


def _find_changes(
    before: MessageContent, wanted: MessageContent
) -> Iterator[tuple[str, str, str | None]]:
    """Yield name, key and new value of each field that differs; None removes it."""
    for key in before.extra:
        if key not in wanted.extra:
            yield normalize_key(key), key, None
    if before.id != wanted.id:
        yield UUID, "Block-UUID", wanted.id or None
    for key, value in wanted.extra.items():
        if before.extra.get(key) != value:
            yield normalize_key(key), key, value
    if before.time != wanted.time:
        yield CREATED, "Created-at", None if wanted.time is None else to_iso(wanted.time)
    if before.authors != wanted.authors:
        yield AUTHORS, "Authors", lens_authors.format_authors(wanted.authors) or None
    if before.role != wanted.role:
        yield ROLE, "role", wanted.role


class _Lines:
    """Header lines that are being edited."""

    def __init__(self, layout: MessageLayout) -> None:
        self.lines = list(layout.lines)
        self.comment = layout.comment
        self.newline = layout.newline

    def set_value(self, name: str, key: str, value: str | None) -> None:
        """Set the value of a key, add the key, or remove all its lines."""
        places = [at for at, line in enumerate(self.lines) if line.name == name]
        if value is None:
            for at in reversed(places):
                self._remove_line(at)
        elif places:
            self.lines[places[0]] = _with_value(self.lines[places[0]], key, value)
        else:
            self._insert_line(self._insertion_index(name), key, value)

    def _insertion_index(self, name: str) -> int:
        """Return the index after the last key; the role stays last."""
        among = self.lines[: self.comment or None]
        places = [
            at
            for at, line in enumerate(among)
            if line.key is not None and (name == ROLE or line.name != ROLE)
        ]
        at = places[-1] + 1 if places else 0
        # A continuation line is removed together with the line above it.
        while at and not self.comment and at < len(among) and _is_continuation(among[at]):
            at += 1
        return at

    def _insert_line(self, at: int, key: str, value: str) -> None:
        inside = at < self.comment
        line = make_line(key, value, lead="" if inside else "; ")
        if at and not self.lines[at - 1].text.endswith("\n"):
            self.lines[at - 1] = with_newline(self.lines[at - 1], self.newline)
        elif self.lines:
            line = with_newline(line, self.newline)
        self.lines.insert(at, line)
        self.comment += inside

    def _remove_line(self, at: int) -> None:
        line = self.lines.pop(at)
        if at and not line.text.endswith("\n"):
            self.lines[at - 1] = without_newline(self.lines[at - 1])
        self.comment -= at < self.comment


def _is_continuation(line: HeaderLine) -> bool:
    return line.key is None and not line.has_semicolon and bool(line.text.strip())


def _with_value(line: HeaderLine, key: str, value: str) -> HeaderLine:
    if line.key == BARE_ID:
        if is_uuid(value):
            return line._replace(value=value)
        return make_line(key, value, end=line.end)
    spelling = line.key if line.name in (UUID, CREATED, AUTHORS, ROLE) else key
    colon = line.colon if line.colon[-1:] in " \t" or not value else f"{line.colon} "
    return line._replace(key=spelling, colon=colon, value=value)


Restyle = Callable[[MessageLayout], MessageLayout]
LEAD = "; "


def restyle_header(text: str, make: Restyle) -> str:
    """Return a file with its header in another style; unchanged if its content would differ."""
    layout = parse_layout(text)
    made = make(layout).text
    return made if _normalize_content(parse_layout(made)) == _normalize_content(layout) else text


def _normalize_content(layout: MessageLayout) -> MessageContent:
    """Return the content of a file, regardless of the spelling of its keys."""
    found = parse_content(layout)
    return replace(found, extra={normalize_key(key): value for key, value in found.extra.items()})


def with_named_id(layout: MessageLayout) -> MessageLayout:
    """Return a layout in which a bare UUID line gets the missing key."""
    return layout._replace(lines=tuple(map(_parse_line, layout.lines)))


def _parse_line(line: HeaderLine) -> HeaderLine:
    if line.key != BARE_ID:
        return line
    return HeaderLine(LEAD, "Block-UUID", ": ", line.value, line.end)


def with_marks(layout: MessageLayout) -> MessageLayout:
    """Return a layout in which every header line has a semicolon."""
    inside, behind = layout.lines[: layout.comment], layout.lines[layout.comment :]
    return layout._replace(lines=(*inside, *map(_add_semicolon, behind)))


def _add_semicolon(line: HeaderLine) -> HeaderLine:
    if not line.key or line.has_semicolon:
        return line
    return line._replace(lead=LEAD)


def without_comment(layout: MessageLayout) -> MessageLayout:
    """Return a layout with an HTML comment as `;` lines; those without a key are remarks."""
    lines = [
        *map(_remove_comment_marks, layout.lines[: layout.comment]),
        *layout.lines[layout.comment :],
    ]
    kept = [with_newline(line, layout.newline) for line in lines if line.text.strip("; \t\r\n")]
    if not kept:
        return layout
    kept[-1] = without_newline(kept[-1])
    # A comment marks the end of its header; header lines need the separator for that.
    apart = layout.separator if layout.has_separator else layout.newline * 3
    return layout._replace(lines=tuple(kept), separator=apart, comment=0)


def _remove_comment_marks(line: HeaderLine) -> HeaderLine:
    if line.key is None:
        words = line.lead.strip().removeprefix(OPEN).removesuffix(CLOSE).strip(" \t;")
        return HeaderLine(f"{LEAD}{_to_remark(words)}\n") if words else HeaderLine("")
    value = line.value.removesuffix(CLOSE).rstrip()
    return HeaderLine(LEAD, line.key, ": " if value else ":", value, "\n")


def _to_remark(words: str) -> str:
    """Return words that stay a remark after a semicolon; a bare UUID would become the id there."""
    found = parse_header_line(f"{LEAD}{words}")
    return words if found is None or found.key is None else f"({words})"


def with_proper_keys(layout: MessageLayout) -> MessageLayout:
    """Return a layout with known keys in the specification's spelling."""
    inside, behind = layout.lines[: layout.comment], layout.lines[layout.comment :]
    return layout._replace(lines=(*inside, *map(_normalize_spelling, behind)))


def _normalize_spelling(line: HeaderLine) -> HeaderLine:
    if not line.key or not line.has_semicolon:
        return line
    key = PROPER.get(line.key.lower(), line.key)
    if line.name == ROLE:
        return line._replace(lead=LEAD, key=key, colon=": ")
    return line._replace(key=key)


def with_role_apart(layout: MessageLayout) -> MessageLayout:
    """Return a layout with an empty comment line before the role."""
    place = find_role_line(layout.lines)
    if place <= layout.comment:
        return layout
    lines = list(layout.lines)
    lines.insert(place, HeaderLine(f";{layout.newline}"))
    return layout._replace(lines=tuple(lines))


def find_role_line(lines: Sequence[HeaderLine]) -> int:
    """Return the index of the role's line; -1 if no role is named."""
    return next((at for at, line in enumerate(lines) if line.name == ROLE), -1)


CONFIG = "config.json"
_NUMBERED = re.compile(r"(?:.*/)?([0-9]{1,18})\.md", re.DOTALL)


def folder_of(path: str) -> str:
    """Return the folder of a path; empty for the top folder."""
    return path.rpartition("/")[0]


def name_of(path: str) -> str:
    """Return the name of a file without its folder."""
    return path.rpartition("/")[2]


def is_config(path: str) -> bool:
    """Whether a file holds the settings of its folder."""
    return name_of(path) == CONFIG


def parse_digits(path: str) -> str | None:
    """Return the number in a message file's name as written, or None for other files."""
    found = _NUMBERED.fullmatch(path)
    return found[1] if found else None


def group_by_folder(paths: Iterable[str]) -> dict[str, list[str]]:
    """Return the message files by folder, each folder's in numeric order."""
    folders: dict[str, list[tuple[int, str, str]]] = {}
    for path in paths:
        digits = parse_digits(path)
        if digits is not None:
            folders.setdefault(folder_of(path), []).append((int(digits), digits, path))
    return {folder: [path for _, _, path in sorted(found)] for folder, found in folders.items()}


def assign_names(order: Sequence[str | Entry], *, main_file: str) -> list[str]:
    """Return names for files in order: existing files keep their number unless it is taken."""
    folder = folder_of(main_file)
    inside = f"{folder}/" if folder else ""
    old = [digits for each in order if isinstance(each, str) and (digits := parse_digits(each))]
    # Numbering starts at 1, or at 0 if the folder's does, with as many digits as the first name
    # has.
    last = (min(1, int(old[0])) - 1 if old else 0, "")
    width = len(old[0]) if old and old[0].startswith("0") and len(old[0]) > 1 else 1
    names = []
    for each in order:
        digits = parse_digits(each) if isinstance(each, str) else None
        if isinstance(each, str) and digits is None:
            names.append(each)
        elif isinstance(each, Head):
            names.append(_config_path(inside, names))
        else:
            if digits is None or (int(digits), digits) <= last:
                digits = str(last[0] + 1).zfill(width)
            last = (int(digits), digits)
            names.append(f"{inside}{digits}.md")
    return names


def _config_path(inside: str, names: list[str]) -> str:
    path = f"{inside}{CONFIG}"
    if path in names:
        raise UsageError(
            f"{inside or 'the folder'} has a {CONFIG} already", hint="change that one instead"
        )
    return path
