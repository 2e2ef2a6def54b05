"""Tools that read and change files: differences, and source with line numbers."""

from __future__ import annotations

import re

from talktree.model.parts import Text
from talktree.views.arguments import PATHS, amount, edits_of, first
from talktree.views.html.diffs.diff import diff_unified
from talktree.views.html.highlight import code
from talktree.views.html.languages import language_of
from talktree.views.html.numbered import numbered
from talktree.views.html.tools.output import output
from talktree.views.html.tools.places import hunks, place_of
from talktree.views.html.tools.shape import TITLE, Asked, Shown
from talktree.views.width import counted, one_line, text_lines

SMALL = 40
"""So many changed lines are shown without being asked for."""
_NUMBERED = re.compile(r" {0,9}(\d{1,9})[→\t]")


def edit(asked: Asked) -> Shown:
    """Replaced text as a difference."""
    look = asked.look
    pairs = edits_of(asked.arguments)
    made = []
    cut = 0
    told = hunks(asked.result)
    for old, new in pairs[:100]:
        place = place_of(old, new, told)
        (old, less), (new, lesser) = look.cut(old), look.cut(new)
        cut += less + lesser
        made.append(diff_unified(old, new, numbers=place is not None, start=place or (1, 1)))
    added, removed = (sum(getattr(each, name) for each in made) for name in ("added", "removed"))
    html = "".join(each.html for each in made)
    return Shown(
        _path(asked), f"+{added:,} −{removed:,}", html + _trouble(asked),
        open=added + removed <= SMALL or asked.failed, cut=cut,
    )  # fmt: skip


def write(asked: Asked) -> Shown:
    """A new file."""
    path = _path(asked)
    content, cut = asked.look.cut(first(asked.arguments, "content", "file_text") or "")
    lines = len(text_lines(content)) if content else 0
    return Shown(
        path, f"+{counted(lines, 'line')}", code(content, language_of(path)) + _trouble(asked),
        open=asked.failed, cut=cut,
    )  # fmt: skip


def read(asked: Asked) -> Shown:
    """A file that was looked at, with its line numbers."""
    path = _path(asked)
    detail = amount(asked.result)
    result = asked.result
    if result is None or result.error or not all(isinstance(part, Text) for part in result.output):
        html, cut = output(result, asked.look)
        return Shown(path, detail, html, open=asked.failed, cut=cut)
    text, cut = asked.look.cut("\n".join(p.text for p in result.output if isinstance(p, Text)))
    found = _NUMBERED.match(text)
    language = language_of(path)
    html = numbered(text, language) if found else code(text, language)
    return Shown(path, detail, html, cut=cut)


def _trouble(asked: Asked) -> str:
    """Why it failed; a success says nothing that is not seen."""
    return output(asked.result, asked.look)[0] if asked.failed else ""


def _path(asked: Asked) -> str:
    return one_line(first(asked.arguments, *PATHS) or "", TITLE)
