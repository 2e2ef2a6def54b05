"""Active and invisible characters in a text: they control a terminal, change the reading order, or
are only seen by a model."""

from __future__ import annotations

import re

_CSI = r"(?:\x1b\[|(?<![\x80-\xff])\x9b)"
# Wrongly decoded text contains such bytes too, but after other non-ASCII ones.
COMMAND = re.compile(
    r"\x1b[\]PX^_c]"
    r"|(?<![\x80-\xff])[\x90\x98\x9d-\x9f][\x80-\x9f]*"
    rf"|{_CSI}[0-9;:<=>?]{{0,40}}[ -/]{{0,4}}[cntipqx]"
)
"""Sequences that control a terminal: set its title, write to the clipboard, send an answer as if it
were typed, reset it."""
OVERWRITING = re.compile(
    rf"{_CSI}(?:[0-9;:?]{{0,40}}[ABCDEFGHJKSTfdsuLMPX@]|\?(?:47|1047|1049)[hl]|(?:0;)?8m)"
    r"|\x1b[78MDE]"
)
"""Sequences that move, erase or conceal, so that the visible text differs from the written one."""
DIRECTION = re.compile("[\u202a-\u202e\u2066-\u2069]")
_FORCING = re.compile("[\u202d\u202e]")
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_OPENING = "\u202a\u202b\u2066\u2067\u2068"
_TAG = "[\U000e0001\U000e0020-\U000e007f]"
_FLAG = "\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{2,6}\U000e007f"
HIDDEN = re.compile(
    f"({_FLAG})|{_TAG}+|[\U000e0100-\U000e01ef]{{2,}}"
    "|[\u180e\u200b-\u200d\u2060-\u2064\ufeff]{8,}"
)
"""Invisible characters; the first group is a flag, which is visible."""
_STARTING = re.compile("[\x1b\x80-\x9f]")
"""The first characters of both kinds of sequences."""
_HIDING = re.compile(
    "[\u180e\u200b-\u200d\u2060-\u2064\ufeff\U0001f3f4\U000e0001\U000e0020-\U000e01ef]"
)
"""The first characters of everything hidden, and of flags."""
ODD = re.compile(
    "[\x1b\x80-\x9f\u200b-\u200d\u2060-\u2064\u202a-\u202e\u2066-\u2069\U000e0001-\U000e01ef]"
)
"""All characters of which the other patterns are made."""
_ODD_BYTES = re.compile(
    rb"\xe2(?:\x80[\xaa-\xae]|\x81[\xa6-\xa9]|\x80[\x8b-\x8d]\xe2|\x81[\xa0-\xa4]\xe2)"
)
_CONTROL_BYTES = re.compile(rb"\xc2[\x80-\x9f]")


def can_hide(raw: bytes) -> bool:
    """Whether UTF-8 contains odd characters beyond ASCII; fast where it does not."""
    return (
        b"\xf3" in raw
        or _ODD_BYTES.search(raw) is not None
        or (b"\xc2" in raw and _CONTROL_BYTES.search(raw) is not None)
    )


def find_first_sequence(text: str, acting: re.Pattern[str]) -> re.Match[str] | None:
    """Return the first place where a text controls a terminal in one of the two ways."""
    # Trying only possible start characters is much faster than trying everywhere.
    for found in _STARTING.finditer(text):
        matched = acting.match(text, found.start())
        if matched is not None:
            return matched
    return None


def is_misleading(text: str) -> bool:
    """Whether direction marks show another order than the real one.

    Texts in right-to-left scripts need such marks, and close them.
    """
    if DIRECTION.search(text) is None:
        return False
    if _FORCING.search(text) is not None or _RIGHT_TO_LEFT.search(text) is None:
        return True
    return any(_is_open(line) for line in text.splitlines())


def _is_open(line: str) -> bool:
    depth = 0
    for found in DIRECTION.finditer(line):
        depth += 1 if found.group() in _OPENING else -1
    return depth > 0


def extract_hidden(text: str) -> str:
    """Return all hidden text; empty if there is none."""
    if text.isascii() or _HIDING.search(text) is None:
        return ""
    return "".join(found.group() for found in HIDDEN.finditer(text) if found.group(1) is None)


def decode_hidden_letters(hidden: str) -> str:
    """Return the meaning of invisible characters, as far as they encode visible ones."""
    return "".join(
        chr(code - 0xE0000) if 0xE0020 <= code <= 0xE007E else "" for code in map(ord, hidden)
    )


def without_hidden(text: str) -> str:
    """Return the text without hidden characters."""
    return HIDDEN.sub(lambda found: found.group(1) or "", text)


def without_direction(text: str) -> str:
    """Return the text without direction marks, if they are misleading."""
    return DIRECTION.sub("", text) if is_misleading(text) else text


def replace_with_pictures(text: str, acting: re.Pattern[str]) -> str:
    """Return the text with control characters replaced by pictures: `␛[2J`."""
    return acting.sub(lambda found: _picture_sequence(found.group()), text)


def _picture_sequence(sequence: str) -> str:
    if sequence[0] == "\x1b":
        return f"\u241b{sequence[1:]}"
    # Each non-ASCII control character has an equivalent sequence of two characters.
    return "".join(f"\u241b{chr(ord(c) - 0x40)}" if "\x80" <= c <= "\x9f" else c for c in sequence)
