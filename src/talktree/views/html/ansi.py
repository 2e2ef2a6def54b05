"""Terminal output: ANSI colours become classes, all other control sequences are removed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from talktree.views.html.highlight import escape_between_tags

MOST_SPANS = 20_000
"""Maximum number of colour changes; the text after that has no colours."""
TALL, LONG = 16, 1200
"""From this many lines or characters on, a block may scroll and must be reachable by keyboard."""
_STEERING = re.compile(
    "(?:\x1b\\[|\x9b)([0-?]{0,64})[ -/]{0,8}([@-~])"  # CSI: its parameters and what it does
    "|(?:\x1b[\\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]{0,4096}(?:\x07|\x1b\\\\|\x9c)?"
    "|\x1b[ -/]{0,4}[0-~]?"
)
_OVERWRITTEN = re.compile(r"[^\n]*\r(?=[^\n\r])")
_STRUCK_BACK = re.compile("[^\n\x08]\x08")
_SWITCHES = {1: "tt-bold", 2: "tt-dim", 3: "tt-italic", 4: "tt-under", 9: "tt-strike"}
_OFF = {22: ("tt-bold", "tt-dim"), 23: ("tt-italic",), 24: ("tt-under",), 29: ("tt-strike",)}


def render_terminal(text: str) -> str:
    """Return the output of a program as a block."""
    scrolls = ' tabindex="0"' if len(text) > LONG or text.count("\n") > TALL else ""
    return f'<pre class="tt-terminal"{scrolls}>{render_output(text)}</pre>'


def strip_terminal_codes(text: str) -> str:
    """Return the text without control sequences, for a line of plain text."""
    return _STEERING.sub("", text) if "\x1b" in text or "\x9b" in text else text


def render_output(text: str) -> str:
    """Return the output of a program as HTML, as it looked on the terminal."""
    if "\r" in text:
        text = _OVERWRITTEN.sub("", text.replace("\r\n", "\n")).replace("\r", "")
    if "\x08" in text:
        text = _STRUCK_BACK.sub("", text)
    if "\x1b" not in text and "\x9b" not in text:
        return escape_between_tags(text)
    return "".join(_colorize(text))


def _colorize(text: str) -> Iterator[str]:
    state: dict[str, str] = {}
    at = 0
    for number, found in enumerate(_STEERING.finditer(text)):
        yield from _render_span(text[at : found.start()], state)
        at = found.end()
        if found[2] == "m" and number < MOST_SPANS:
            _apply_sequence(found[1], state)
    yield from _render_span(text[at:], state)


def _render_span(text: str, state: dict[str, str]) -> Iterator[str]:
    if text and state:
        yield f'<span class="{" ".join(sorted(state.values()))}">{escape_between_tags(text)}</span>'
    elif text:
        yield escape_between_tags(text)


def _apply_sequence(parameters: str, state: dict[str, str]) -> None:
    """Apply one sequence to the state."""
    numbers = [int(each) if each.isdigit() else 0 for each in re.split("[;:]", parameters[:64])]
    pending = iter(numbers)
    for number in pending:
        if number == 0:
            state.clear()
        elif number in _SWITCHES:
            state[_SWITCHES[number]] = _SWITCHES[number]
        elif number in _OFF:
            for name in _OFF[number]:
                state.pop(name, None)
        elif number in (38, 48):
            _set_rich_color(pending, "fg" if number == 38 else "bg", state)
        else:
            _set_color(number, state)


def _set_color(number: int, state: dict[str, str]) -> None:
    """Set one of the sixteen colours, or none."""
    for first, ground, bright in ((30, "fg", 0), (40, "bg", 0), (90, "fg", 8), (100, "bg", 8)):
        if first <= number < first + 8:
            state[ground] = f"tt-{ground}-{number - first + bright}"
        elif number == first + 9 and not bright:
            state.pop(ground, None)


def _set_rich_color(pending: Iterator[int], ground: str, state: dict[str, str]) -> None:
    """Set a colour of a larger palette as the nearest of the sixteen."""
    kind = next(pending, 0)
    if kind == 5:
        number = min(255, next(pending, 0))
        nearest = number if number < 16 else _find_palette_color(number)
    elif kind == 2:
        nearest = _find_nearest_color(*(min(255, next(pending, 0)) for _ in range(3)))
    else:
        return
    state[ground] = f"tt-{ground}-{nearest}"


def _find_palette_color(number: int) -> int:
    if number >= 232:
        grey = (number - 232) * 10 + 8
        return _find_nearest_color(grey, grey, grey)
    cube = number - 16
    return _find_nearest_color(*(51 * each for each in (cube // 36, cube // 6 % 6, cube % 6)))


def _find_nearest_color(red: int, green: int, blue: int) -> int:
    """Return the one of the sixteen colours that is nearest."""
    strongest = max(red, green, blue)
    if strongest - min(red, green, blue) < 48:
        return (0, 8, 7, 15)[min(3, strongest // 64)]
    half = strongest / 2
    bits = (red > half) + 2 * (green > half) + 4 * (blue > half)
    return bits + (8 if strongest > 200 else 0)
