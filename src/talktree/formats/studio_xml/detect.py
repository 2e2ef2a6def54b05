"""Detection of XML files of comments, by their root and the names in their first comments."""

from __future__ import annotations

import re

from talktree.formats.format import Detection
from talktree.formats.studio_xml.elements import CHILDREN, COMMENT, FIELDS, ITEMS, KNOWN

_PROLOG = re.compile(
    rb"(?:\xef\xbb\xbf)?+(?:\s++|<\?[^?]*+(?:\?(?!>)[^?]*+)*+\?>|<!--[^-]*+(?:-(?!->)[^-]*+)*+-->"
    rb"|<!DOCTYPE[^>\[]*+(?:\[[^\]]*+\]\s*+)?+>)*+<(comments?)(?=[\s/>])([^>]*+)>"
)
_TRUNCATED_PROLOG = re.compile(
    rb"(?:\xef\xbb\xbf)?+(?:\?xml [^<]{0,80}|[^<\s]{0,12})\s*+(?:<[^\0]{0,1000}?)?"
    rb"<(comment)(?=[\s/>])([^<>]*+)>"
)
"""The bytes before the first comment if the tags there are damaged: a few bytes of XML."""
_START = re.compile(rb"<([A-Za-z]\w*+)([^<>]*+)>")
_NAMED = re.compile(rb"\s(\w+)\s*=")
SIGNS = frozenset(FIELDS[COMMENT]) | frozenset(ITEMS) | {CHILDREN}
TELLING = frozenset({"userId", "contentHash"})
"""Names that other files of comments do not have."""
LOOKED_AT = 200


def detect_comments(head: bytes) -> Detection | None:
    """Return how sure the first part of a file holds comments in XML, and the reason."""
    root = _PROLOG.match(head)
    if root is None:
        return _detect_damaged(head)
    name = root.group(1).decode()
    names = _find_names(head, root)
    found = sorted(names & SIGNS)
    if names & TELLING and len(found) >= 3:
        return Detection(0.95, f"<{name}> with {', '.join(found)}")
    if len(found) >= 2 and "content" in names and names <= KNOWN:
        return Detection(0.6, f"<{name}> with {', '.join(found)}")
    if name == "comments" and not names - {COMMENT}:
        return Detection(0.4, "<comments> without anything else in it")
    return None


def _detect_damaged(head: bytes) -> Detection | None:
    """Return how sure a file holds comments with damaged first tags: only unique names count."""
    first = _TRUNCATED_PROLOG.match(head)
    if first is None:
        return None
    names = _find_names(head, first)
    found = sorted(names & SIGNS)
    if "content" not in names or not names & TELLING or len(found) < 3:
        return None
    return Detection(0.5, f"<{COMMENT}> with {', '.join(found)}; the tags before it are damaged")


def _find_names(head: bytes, root: re.Match[bytes]) -> set[str]:
    """Return the names of elements and attributes that follow the root."""
    names = set()
    if root.group(1) == COMMENT.encode():
        names |= {each.decode() for each in _NAMED.findall(root.group(2))}
    for number, tag in enumerate(_START.finditer(head, root.end())):
        if number == LOOKED_AT:
            break
        names.add(tag.group(1).decode())
        if tag.group(1) == COMMENT.encode():
            names |= {each.decode() for each in _NAMED.findall(tag.group(2))}
    return names
