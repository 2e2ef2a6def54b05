"""What a strict XML parser says of a text, characters that XML does not hold set aside."""

from __future__ import annotations

import re

_UNHELD = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def refusal(text: bytes) -> tuple[int, str] | None:
    """The line at which a parser gives up, and why; None if it takes the text."""
    from xml.parsers.expat import ExpatError, ParserCreate

    sound = _UNHELD.sub(".", text.decode("utf-8", "replace")).encode()
    try:
        ParserCreate("utf-8").Parse(sound, True)
    except ExpatError as error:
        return error.lineno, str(error).partition(":")[0]
    return None


def parses(text: bytes) -> bool:
    """Whether a parser takes a text."""
    return refusal(text) is None
