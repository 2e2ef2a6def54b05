"""Where the parts of a message went in a format with fewer kinds of parts, and the way back.

Formats with one text for each message get all text joined by blank lines, with unknown parts
rendered in it. Seams hold the length and checksum of each span, so that an unedited span is found
again even if its neighbours were edited.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from zlib import crc32

from msgspec import Struct

from talktree.conversion.render import parse_part
from talktree.conversion.surrogates import is_whole
from talktree.model.parts import Part, Text, Thinking, ToolCall, ToolResult
from talktree.text.json.value import Json

BETWEEN = "\n\n"
MOST_PLACES = 2000
"""Maximum number of places that are tried for a span that has moved."""


class Seam(Struct, frozen=True):
    """The place of one part."""

    part: int
    """The index of the message's part that holds it; -1 if none does."""
    length: int = -1
    """The length of its span of that text; -1 if it is the whole part."""
    mark: int = 0
    """A checksum of the span."""
    rendered: bool = False
    """Whether it was not text but is rendered as text."""


GONE = Seam(-1)


def make_whole_seam(part: int) -> Seam:
    """Return the seam of a part that is held unchanged."""
    return Seam(part)


@lru_cache(maxsize=256)
def make_whole_seams(count: int) -> tuple[Seam, ...]:
    """Return the seams of `count` parts that are all held unchanged."""
    return tuple(map(Seam, range(count)))


def make_span(part: int, text: str, *, rendered: bool) -> Seam:
    """Return the seam of a part that is a span of a text."""
    return Seam(part, len(text), _hash_text(text), rendered)


def _hash_text(text: str) -> int:
    return crc32(text.encode("utf-8", "strict" if is_whole(text) else "surrogatepass"))


def are_wholes(seams: Sequence[Seam], count: int) -> bool:
    """Whether each of `count` parts is unchanged."""
    return len(seams) == count and tuple(seams) == make_whole_seams(count)


def encode_seams(seams: Sequence[Seam], count: int) -> Json:
    """Return seams as JSON; None if each part is unchanged."""
    return None if are_wholes(seams, count) else [_encode_seam(seam) for seam in seams]


def _encode_seam(seam: Seam) -> Json:
    if seam.length < 0:
        return None if seam.part < 0 else [seam.part, 1] if seam.rendered else seam.part
    held: list[Json] = [seam.part, seam.length, seam.mark]
    return [*held, 1] if seam.rendered else held


def parse_seams(value: Json, count: int) -> list[Seam]:
    """Return seams from JSON; an invalid seam counts as a missing part."""
    if not isinstance(value, list):
        return list(make_whole_seams(count))
    return [_parse_seam(each) for each in value]


def _parse_seam(value: Json) -> Seam:
    match value:
        case int(part):
            return Seam(part)
        case [int(part), 1]:
            return Seam(part, rendered=True)
        case [int(part), int(length), int(mark)]:
            return Seam(part, length, mark)
        case [int(part), int(length), int(mark), 1]:
            return Seam(part, length, mark, rendered=True)
        case _:
            return GONE


class SplitParts(Struct, frozen=True):
    """The parts of a message, split along its seams."""

    parts: tuple[Part, ...]
    of: tuple[int, ...]
    """For each of them the index of the original part, or -1 if there was none."""


def split_parts(parts: Sequence[Part], seams: Sequence[Seam]) -> SplitParts:
    """Return the parts as they were before they were joined, with edits."""
    out: list[Part] = []
    of: list[int] = []
    batches = _collect_spans(parts, seams)
    used = set()
    for number, seam in enumerate(seams):
        if not 0 <= seam.part < len(parts):
            continue
        used.add(seam.part)
        text = batches.get(number)
        if seam.length >= 0 and text is None:
            continue
        part = parts[seam.part] if seam.length < 0 else Text(text or "")
        if seam.rendered and isinstance(part, Text):
            part = parse_part(part.text) or part
        out.append(part)
        of.append(number)
    for at, part in enumerate(parts):
        if at not in used:
            out.append(part)
            of.append(-1)
    return SplitParts(tuple(out), tuple(of))


def predict_split(
    own: Sequence[Part], parts: Sequence[Part], seams: Sequence[Seam]
) -> SplitParts | None:
    """Return the result of splitting without parsing rendered parts; None if it is not known."""
    out: list[Part] = []
    used = set()
    for part, seam in zip(own, seams, strict=True):
        if seam.part < 0:
            continue
        used.add(seam.part)
        if seam.rendered:
            shown = _read_rendered(part)
            if shown is None:
                return None
            out.append(shown)
        else:
            out.append(parts[seam.part] if seam.length < 0 else part)
    out += [part for at, part in enumerate(parts) if at not in used]
    return SplitParts(tuple(out), ())


def _read_rendered(part: Part) -> Part | None:
    """Return a rendered part as it is parsed again, if that is simple to predict."""
    match part:
        case Thinking(text=text):
            return Thinking(text)
        case ToolCall(name=name, input=input):
            return ToolCall(name, input)
        case ToolResult(output=output, error=error):
            if all(type(each) is Text and not each.extra for each in output):
                return ToolResult(output, error=error)
    return None


def _collect_spans(parts: Sequence[Part], seams: Sequence[Seam]) -> dict[int, str]:
    """Return the text of each span, by the index of its seam."""
    by_part: dict[int, list[int]] = {}
    for number, seam in enumerate(seams):
        if seam.length >= 0:
            by_part.setdefault(seam.part, []).append(number)
    found: dict[int, str] = {}
    for part, numbers in by_part.items():
        held = parts[part] if 0 <= part < len(parts) else None
        if isinstance(held, Text):
            found |= _split_text(held.text, numbers, seams)
    return found


def _split_text(text: str, numbers: Sequence[int], seams: Sequence[Seam]) -> dict[int, str]:
    found: dict[int, str] = {}
    at, place = 0, 0
    while place < len(numbers):
        if _is_seam_at(text, at, seams[numbers[place]]):
            stop = at + seams[numbers[place]].length
            found[numbers[place]] = text[at:stop]
            at, place = stop + len(BETWEEN), place + 1
            continue
        # This one was edited: its text extends to the next span that was not.
        later, start = _find_next_untouched(text, at, numbers, place + 1, seams)
        edited = text[at:] if start < 0 else text[at : start - len(BETWEEN)]
        if at <= len(text) and (start < 0 or start > at):
            found[numbers[place]] = edited
        if start < 0:
            break
        at, place = start, later
    return found


def _find_next_untouched(
    text: str, at: int, numbers: Sequence[int], first: int, seams: Sequence[Seam]
) -> tuple[int, int]:
    for place in range(first, len(numbers)):
        start = at
        for _ in range(MOST_PLACES):
            if _is_seam_at(text, start, seams[numbers[place]]):
                return place, start
            blank = text.find(BETWEEN, start)
            if blank < 0:
                break
            start = blank + len(BETWEEN) if blank + len(BETWEEN) > start else blank + 1
    return -1, -1


def _is_seam_at(text: str, at: int, seam: Seam) -> bool:
    stop = at + seam.length
    if stop > len(text) or (stop < len(text) and not text.startswith(BETWEEN, stop)):
        return False
    return _hash_text(text[at:stop]) == seam.mark
