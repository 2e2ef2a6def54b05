"""Tool results that stand for a result nobody has: how they are told, and our own."""

from __future__ import annotations

from collections.abc import Sequence

from talktree.formats.rule_batch import Place, Stretch
from talktree.model.parts import Part, Text, ToolResult

LOST = (
    "[talktree: the result of this call is not in the file; the call was interrupted or its "
    "result was lost]"
)
"""What a result says that was put in where one was missing."""
KNOWN = (
    LOST[:40],
    "[Tool result missing",
    "[Tool result lost",
    "[Old tool result content cleared",
    "[openclaw] missing tool result",
    "[result was lost]",
    "No result provided",
)
"""How programs begin such a text; the answer to the tool's own question never does."""
REASONS = ('"tool_result_missing"', '"tool_result_unusable"')
LONGEST = 400
"""A longer text says more than that something is missing."""


def short_results(stretch: Stretch) -> Sequence[Place]:
    """A glance at results: those that are one short text, as no other can be a placeholder."""
    results = [(place, place[0].output) for place in stretch.parts.get(ToolResult, ())]  # type: ignore[union-attr]
    return [
        place
        for place, output in results
        if len(output) == 1 and type(output[0]) is Text and len(output[0].text) <= LONGEST
    ]


def is_placeholder(part: Part) -> bool:
    """Whether a result says that the real one is lost."""
    if type(part) is not ToolResult:
        return False
    output: Sequence[Part] = part.output
    if len(output) != 1 or type(output[0]) is not Text:
        return False
    text = output[0].text
    if len(text) > LONGEST:
        return False
    text = text.lstrip()
    return text.startswith(KNOWN) or (text[:1] == "{" and any(each in text for each in REASONS))
