"""Tools that read and change files: diffs, and source with line numbers."""

from __future__ import annotations

import re

from talktree.model.parts import Text
from talktree.views.arguments import PATHS, describe_amount, extract_edits, find_first_text
from talktree.views.html.diffs.diff import diff_unified
from talktree.views.html.highlight import render_code
from talktree.views.html.languages import find_language
from talktree.views.html.numbered import render_numbered
from talktree.views.html.tools.output import render_result_output
from talktree.views.html.tools.places import find_line_numbers, read_hunks
from talktree.views.html.tools.shape import TITLE, ToolInvocation, ToolView
from talktree.views.width import format_count, split_text_lines, to_one_line

SMALL = 40
"""Maximum number of changed lines that are shown unfolded."""
_NUMBERED = re.compile(r" {0,9}(\d{1,9})[→\t]")


def render_edit(asked: ToolInvocation) -> ToolView:
    """Return replaced text as a diff."""
    look = asked.look
    pairs = extract_edits(asked.arguments)
    made = []
    cut = 0
    words = read_hunks(asked.result)
    for old, new in pairs[:100]:
        place = find_line_numbers(old, new, words)
        (old, less), (new, lesser) = look.cut(old), look.cut(new)
        cut += less + lesser
        made.append(diff_unified(old, new, numbers=place is not None, start=place or (1, 1)))
    added, removed = (sum(getattr(each, name) for each in made) for name in ("added", "removed"))
    html = "".join(each.html for each in made)
    return ToolView(
        _find_path(asked), f"+{added:,} −{removed:,}", html + _render_failure(asked),
        open=added + removed <= SMALL or asked.failed, cut=cut,
    )  # fmt: skip


def render_write(asked: ToolInvocation) -> ToolView:
    """Return a new file."""
    path = _find_path(asked)
    content, cut = asked.look.cut(find_first_text(asked.arguments, "content", "file_text") or "")
    lines = len(split_text_lines(content)) if content else 0
    return ToolView(
        path, f"+{format_count(lines, 'line')}",
        render_code(content, find_language(path)) + _render_failure(asked),
        open=asked.failed, cut=cut,
    )  # fmt: skip


def render_read(asked: ToolInvocation) -> ToolView:
    """Return a file that was read, with line numbers."""
    path = _find_path(asked)
    detail = describe_amount(asked.result)
    result = asked.result
    if result is None or result.error or not all(isinstance(part, Text) for part in result.output):
        html, cut = render_result_output(result, asked.look)
        return ToolView(path, detail, html, open=asked.failed, cut=cut)
    text, cut = asked.look.cut("\n".join(p.text for p in result.output if isinstance(p, Text)))
    found = _NUMBERED.match(text)
    language = find_language(path)
    html = render_numbered(text, language) if found else render_code(text, language)
    return ToolView(path, detail, html, cut=cut)


def _render_failure(asked: ToolInvocation) -> str:
    """Return why it failed; a success adds nothing."""
    return render_result_output(asked.result, asked.look)[0] if asked.failed else ""


def _find_path(asked: ToolInvocation) -> str:
    return to_one_line(find_first_text(asked.arguments, *PATHS) or "", TITLE)
