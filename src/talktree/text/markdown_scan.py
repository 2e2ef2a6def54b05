"""Links that execute or leak, and active HTML, in Markdown.

The text is rendered as a careless viewer would do it, with raw HTML and any link, and the result is
scanned; code stays code and is ignored. The result is never shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import NamedTuple

LONGEST = 200_000
"""Maximum number of characters rendered together; longer texts are split."""
_SPACING = re.compile(r"(?:[\x00-\x20\x7f-\x9f\u200b\ufeff]|%0[9ad])+", re.IGNORECASE)
_SCHEME = re.compile(
    r"(javascript|vbscript|livescript|file):|(data:(?:text/html|application/xhtml))"
)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HANDLER = re.compile(r"[\s/\"']on[a-z]{3,24}\s{0,8}=")
_BROKEN = re.compile(
    r"s\s{0,4}c\s{0,4}r\s{0,4}i\s{0,4}p\s{0,4}t\s{0,4}:|f\s{0,4}i\s{0,4}l\s{0,4}e\s{0,4}:"
)
_TAGS = ("<script", "<iframe", "<frame", "<object", "<embed", "<applet", "<base", "<meta")
_WORDS = ("script", "file:", "data:", "&#", "&tab", "&newline", "&colon", "\\:", *_TAGS)
_IN_HTML = re.compile(
    r"<(?:script|iframe|frame|object|embed|applet|base|meta)[\s/>]|[\s/\"']on[a-z]{3,24}\s{0,8}="
    r"|(?:href|src|action|data|formaction|xlink:href|srcdoc)\s{0,8}=",
    re.IGNORECASE,
)
LONGEST_VALUE = 1000
"""How much of an attribute is checked; a scheme is at its beginning."""
_TAG = re.compile(r"<(/?[A-Za-z][^\s/>]{0,100})")
_GAP = re.compile(r"[\s/]*+")
_ATTRIBUTE = re.compile(r"([^\s/>=]++)(?:\s*+=\s*+(?:\"([^\"]*+)\"?|'([^']*+)'?|([^\s>]++)))?")
_LINKS = frozenset({"href", "src", "action", "data", "formaction", "xlink:href", "poster"})
_FRAMES = frozenset({"iframe", "frame", "object", "embed", "applet"})


class MarkdownThreat(NamedTuple):
    """A threat in a text."""

    kind: str
    """`file-link`, `script-link` or `active-html`."""
    detail: str


def can_act(text: str) -> bool:
    """Whether a text may contain any threat; fast where it does not."""
    if "<" not in text and "](" not in text and "]:" not in text:
        return False
    low = text.lower()
    if any(word in low for word in _WORDS):
        return True
    if "<" not in text:
        return False
    return _HANDLER.search(low) is not None or _BROKEN.search(low) is not None


def scan_markdown(text: str) -> tuple[MarkdownThreat, ...]:
    """Return the active content of a Markdown text, without duplicates."""
    if not can_act(text):
        return ()
    found: dict[MarkdownThreat, None] = {}
    for piece in [text] if len(text) <= LONGEST else _split_text(text):
        if can_act(piece):
            found.update(dict.fromkeys(_scan_piece(piece)))
    return tuple(found)


def find_unsafe_scheme(url: str) -> str | None:
    """Return the scheme of an address that executes, opens a local file or shows a page of its
    own."""
    # Browsers ignore whitespace and control characters in a scheme.
    found = _SCHEME.match(_SPACING.sub("", url[:200]).lower())
    return None if found is None else found.group(1) or found.group(2)


def _split_text(text: str) -> list[str]:
    """Split a long text between blocks, never within a block of code."""
    pieces: list[str] = []
    held: list[str] = []
    size, fence = 0, ""
    for line in text.splitlines(keepends=True):
        opened = _FENCE.match(line)
        if opened is not None:
            mark = opened.group(1)
            if not fence:
                fence = mark
            elif mark.startswith(fence):
                fence = ""
        held.append(line)
        size += len(line)
        if size >= LONGEST and not fence and not line.strip():
            pieces.append("".join(held))
            held, size = [], 0
    pieces.append("".join(held))
    return pieces


def _scan_piece(text: str) -> list[MarkdownThreat]:
    import comrak  # only for texts that may be active: it is slow to load

    options = comrak.RenderOptions()
    options.unsafe_ = True
    # The library rejects lone surrogates.
    text = text.encode("utf-8", "replace").decode()
    html = comrak.render_markdown(text, comrak.ExtensionOptions(), comrak.ParseOptions(), options)
    if _IN_HTML.search(html) is None:
        return []
    return list(_find_acting(html))


def _find_acting(html: str) -> Iterator[MarkdownThreat]:
    """Yield the active content of HTML, tag by tag."""
    in_script = False
    for tag, given in _iterate_tags(html):
        if tag == "/script" and in_script:
            yield MarkdownThreat("active-html", "<script>")
        # `npm run <script>` is a placeholder; only a closed element is a script.
        in_script = tag == "script" or (in_script and tag != "/script")
        what = _describe_acting_tag(tag, given)
        if what:
            yield MarkdownThreat("active-html", what)
        for name, value in given.items():
            if name.startswith("on") and len(name) > 4 and value.strip():
                yield MarkdownThreat("active-html", f"<{tag[:20]} {name[:24]}=…>")
            elif name in _LINKS and (scheme := find_unsafe_scheme(value)):
                kind = "file-link" if scheme == "file" else "script-link"
                yield MarkdownThreat(kind, f"{scheme}: in a link")


def _iterate_tags(html: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the tags of HTML with their attributes, as browsers see them; nothing is read twice."""
    at = html.find("<")
    while at >= 0:
        found = _TAG.match(html, at)
        if html.startswith("<!--", at):
            end = html.find("-->", at + 4)
        elif found is not None:
            given, end = _parse_attributes(html, found.end())
            if end >= 0:
                yield found.group(1).lower(), given
        elif html.startswith(("<!", "<?", "</"), at):
            end = html.find(">", at)
        else:
            end = at + 1
        if end < 0:
            return  # it does not end, so browsers ignore the rest
        at = html.find("<", end)


def _parse_attributes(html: str, at: int) -> tuple[dict[str, str], int]:
    """Return the attributes of a tag, and where the tag ends; -1 if it does not."""
    given: dict[str, str] = {}
    while True:
        start = _GAP.match(html, at).end()  # type: ignore[union-attr]
        if start >= len(html):
            return given, -1
        if html[start] == ">":
            return given, start + 1
        found = _ATTRIBUTE.match(html, start)
        if found is None:
            at = start + 1
            continue
        name, *values = found.groups()
        written = next((each for each in values if each is not None), "")
        given.setdefault(name[:40].lower(), unescape(written[:LONGEST_VALUE]))
        at = found.end()


def _describe_acting_tag(tag: str, given: dict[str, str]) -> str | None:
    """Describe an active tag; a bare one such as `<object>` is more likely a placeholder."""
    if tag == "script" and given.get("src"):
        return "<script>"
    if tag in _FRAMES and any(given.get(name) for name in ("src", "srcdoc", "data", "code")):
        return f"<{tag}>"
    if (tag == "base" and given.get("href")) or (tag == "meta" and given.get("http-equiv")):
        return f"<{tag}>"
    return None
