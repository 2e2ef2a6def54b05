"""What makes a JSON text that can be read one that every reader accepts, change by change.

Each change mends one oddity the scanner tells and touches nothing else. Brackets that are missing
are not put in here: where they belong depends on what the text is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from talktree.text.json_scan import COMMENT, LOOSE_STRING, WORD, Kind, Node, Problem, scan

CONTROL = re.compile(rb"[\x00-\x1f]")
NULS = re.compile(rb"\0+")
_PAIR = rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
ESCAPE = re.compile(_PAIR + rb"|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\.", re.DOTALL)
SHORT = {0x08: b"\\b", 0x09: b"\\t", 0x0A: b"\\n", 0x0C: b"\\f", 0x0D: b"\\r"}
HALF_LENGTH = len(b"\\ud800")


class JsonMending(NamedTuple):
    """A change that mends an oddity, by the key of the oddity."""

    key: str
    start: int
    stop: int
    new: bytes = b""


def mendings(raw: bytes) -> Iterator[JsonMending]:
    """The changes that mend what is odd about a text, oddity by oddity."""
    found = scan(raw)
    for problem in found.problems:
        match problem.code:
            case "control" | "surrogate" | "utf8":
                yield from _in_string(raw, problem)
            case "nan":
                word = WORD.match(raw, problem.at)
                if word is not None:
                    yield JsonMending("nan", problem.at, word.end(), b"null")
            case "nul" | "comment" | "bom":
                yield from _gone(raw, problem)
            case "duplicate-key":
                yield from _earlier(found.roots, problem.at)


def _in_string(raw: bytes, problem: Problem) -> Iterator[JsonMending]:
    string = LOOSE_STRING.match(raw, problem.at)
    if string is None:
        return
    start, stop = string.start() + 1, string.end() - 1
    match problem.code:
        case "control":
            yield from _escaped(raw, start, stop)
        case "surrogate":
            yield from _halves(raw, start, stop)
        case "utf8":
            yield from _strange_bytes(raw, start, stop)


def _escaped(raw: bytes, start: int, stop: int) -> Iterator[JsonMending]:
    for found in CONTROL.finditer(raw, start, stop):
        byte = raw[found.start()]
        new = SHORT.get(byte, b"\\u%04x" % byte)
        yield JsonMending("control", found.start(), found.end(), new)


def _halves(raw: bytes, start: int, stop: int) -> Iterator[JsonMending]:
    for found in ESCAPE.finditer(raw, start, stop):
        if found.end() - found.start() == HALF_LENGTH:
            yield JsonMending("surrogate", found.start(), found.end(), b"\\ufffd")


def _strange_bytes(raw: bytes, start: int, stop: int) -> Iterator[JsonMending]:
    while start < stop:
        try:
            raw[start:stop].decode()
        except UnicodeDecodeError as error:
            here, behind = start + error.start, start + error.end
            yield JsonMending("utf8", here, behind, "\ufffd".encode())
            start = behind
        else:
            return


def _gone(raw: bytes, problem: Problem) -> Iterator[JsonMending]:
    pattern = {"nul": NULS, "comment": COMMENT, "bom": re.compile(b"\xef\xbb\xbf")}[problem.code]
    found = pattern.match(raw, problem.at)
    if found is not None:
        yield JsonMending(problem.code, found.start(), found.end())


def _earlier(roots: Iterable[Node], key_at: int) -> Iterator[JsonMending]:
    """Of members with the same name the last counts, so the one before it goes."""
    pending = list(roots)
    while pending:
        node = pending.pop()
        children = node.children
        for place, child in enumerate(children):
            if child.key_at == key_at and child.key is not None and node.kind is Kind.OBJECT:
                doubles = [at for at in range(place) if children[at].key == child.key]
                if doubles:
                    gone, after = children[doubles[-1]], children[doubles[-1] + 1]
                    yield JsonMending("duplicate-key", gone.key_at, after.key_at)
                return
        pending.extend(child for child in children if child.kind is not Kind.SCALAR)
