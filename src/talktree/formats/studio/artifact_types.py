"""The type of an artifact, detected from its title or, if that is not enough, its content.

The title decides as it does for the programs that write these files: it is searched for five words
in a fixed order, so an "HTML React page" is HTML. A given type is never changed.
"""

from __future__ import annotations

import re

PYTHON = "application/vnd.ant.code"
HTML = "text/html"
SVG = "image/svg+xml"
REACT = "application/vnd.ant.react"
MERMAID = "application/vnd.ant.mermaid"
MARKDOWN = "text/markdown"

BY_TITLE = {"python": PYTHON, "html": HTML, "svg": SVG, "react": REACT, "mermaid": MERMAID}
"""Words of a title in the order in which they count."""

LOOKED_AT = 1 << 16
"""Size of the first part of a content, which is enough to detect its type."""

# Possessive, so that malicious content cannot cause long backtracking.
_MARKUP = re.compile(
    r"\ufeff?\s*+(?:<\?xml[^>]*+>\s*+|<!--(?>.*?-->)\s*+)*+"
    r"<(!doctype\s+html|html|!doctype\s+svg|svg)\b",
    re.IGNORECASE | re.DOTALL,
)
_DIAGRAM = re.compile(
    r"\s*+(?:%%[^\n]*+\n\s*+)*+"
    r"(?:(?:graph|flowchart)[ \t]+(?:TB|TD|BT|RL|LR)\b|sequenceDiagram\b|classDiagram\b"
    r"|stateDiagram(?:-v2)?\b|erDiagram\b"
    # Everyday words must be used exactly as in these diagrams.
    r"|(?:journey|gantt|pie|mindmap|timeline|gitGraph|quadrantChart)"
    r"[ \t]*+(?:\n|\Z|:|(?:title|showData)\b))"
)
_REACT_IMPORT = re.compile(
    r"^[ \t]*+import[ \t]+(?:React\b|[^\n;]*+(?<=['\"]react['\"]))", re.MULTILINE
)
_DEFAULT_EXPORT = re.compile(r"^[ \t]*+export[ \t]+default[ \t]+(?:function|class)\b", re.MULTILINE)
_ELEMENT = re.compile(r"<[A-Za-z][\w.]*+(?:\s[^<>]*+)?/?>|<>")
_PROGRAM = re.compile(
    r"\A#![^\n]*python"
    r"|^(?:async[ \t]+)?def[ \t]+\w++[ \t]*\("
    r"|^class[ \t]+\w++[ \t]*(?:\([^()\n]*+\))?:"
    r"|^from[ \t]+[\w.]++[ \t]+import[ \t]+[\w*(]"
    r"|^import[ \t]+[\w.]++(?:[ \t]+as[ \t]+\w++)?[ \t]*$",
    re.MULTILINE,
)


def detect_type(title: str, content: str) -> str:
    """Return the media type of an artifact; Markdown if neither title nor content name another."""
    lowered = title.lower()
    named = next((type for word, type in BY_TITLE.items() if word in lowered), None)
    return named or _detect_by_content(content[:LOOKED_AT])


def _detect_by_content(content: str) -> str:
    markup = _MARKUP.match(content)
    if markup:
        return SVG if "svg" in markup.group(1).lower() else HTML
    if _DIAGRAM.match(content):
        return MERMAID
    if _is_component(content):
        return REACT
    return PYTHON if _PROGRAM.search(content) else MARKDOWN


def _is_component(content: str) -> bool:
    if _REACT_IMPORT.search(content):
        return True
    exported = _DEFAULT_EXPORT.search(content)
    return exported is not None and _ELEMENT.search(content, exported.end()) is not None
