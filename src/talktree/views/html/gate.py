"""The one gate for HTML that was not made of escaped text alone.

`sanitize_html` parses HTML and writes it again with an allow list. `is_sound_html` only checks: it
accepts balanced HTML that consists only of tags on that list, each in the one form this package
writes. The parser would find the same tags in it, so writing it again is not needed.
"""

from __future__ import annotations

import re

import nh3

from talktree.views.html.escaped import escape, escape_visible

SCHEMES = frozenset({"http", "https", "mailto"})
REL = "noopener noreferrer nofollow"
TAGS = frozenset(
    {"a", "p", "br", "hr", "em", "strong", "del", "ins", "s", "code", "pre", "blockquote", "ul",
     "ol", "li", "h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td",
     "sup", "sub", "kbd", "span", "div", "b", "i", "u", "mark", "small", "details", "summary", "dl",
     "dt", "dd", "section", "img"}
)  # fmt: skip
VOID = frozenset({"br", "hr", "img"})
DEEPEST = 100
"""Maximum depth of nested tags; deeper ones are shown as text, because they are slow to parse."""
LARGEST = 4_000_000
"""Maximum number of characters; longer HTML is shown as text."""
DATA = ("data-url", "data-lang", "data-line")
CLASS = re.compile(r"tt-[a-z0-9-]{1,40}")
LINK = re.compile(r"(?:https?://|mailto:)[^\"<>\x00-\x20]*", re.IGNORECASE)
PICTURE = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]*={0,2}")
OWN_PICTURE = re.compile(r"/img/[A-Za-z0-9._~/%@#:-]*")
"""The studio's own address of an image in a conversation."""
NUMBER = re.compile(r"[0-9]{1,9}")

_TOKEN = re.compile(r"<[^>]*>?")
_VALUE = r'"[^"<>]*"'
_PLAIN = (
    r'(?: class="tt-[a-z0-9-]{1,40}(?: tt-[a-z0-9-]{1,40}){0,8}"'
    rf"| (?:title|data-url|data-lang|data-line)={_VALUE}"
    r'| (?:start|colspan)="[0-9]{1,9}"| open=""| tabindex="0"| dir="auto")*'
)
_OPENING = re.compile(
    rf"<({'|'.join(sorted(TAGS - {'a', 'img'}, key=len, reverse=True))}){_PLAIN}>"
    rf'|<(a){_PLAIN} href="(?:https?://|mailto:)[^"<>\x00-\x20]*" target="_blank" rel="{REL}"'
    rf"(?: title={_VALUE})?>"
    rf'|<(img){_PLAIN} src="(?:{PICTURE.pattern}|{OWN_PICTURE.pattern})"'
    rf"(?: alt={_VALUE})?>"
)
_BARE = {f"<{tag}>": tag for tag in TAGS - {"a", "img"}}
_CLOSING = {f"</{tag}>": tag for tag in TAGS - VOID}

_ATTRIBUTES = {tag: {"class", "title", *DATA} for tag in TAGS}
_ATTRIBUTES["a"] |= {"href", "target"}
_ATTRIBUTES["img"] |= {"src", "alt"}
_ATTRIBUTES["ol"] |= {"start"}
for _block in ("p", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "table", "pre"):
    _ATTRIBUTES[_block] |= {"dir"}
_ATTRIBUTES["details"] |= {"open"}
_ATTRIBUTES["pre"] |= {"tabindex"}
_ATTRIBUTES["div"] |= {"tabindex"}
_ATTRIBUTES["td"] |= {"colspan"}


def _clean_attribute(_tag: str, name: str, value: str) -> str | None:
    """Return the allowed part of an attribute."""
    match name:
        case "class":
            return " ".join(each for each in value.split() if CLASS.fullmatch(each)) or None
        case "href":
            return value if LINK.fullmatch(value) else None
        case "src":
            return value if PICTURE.fullmatch(value) or OWN_PICTURE.fullmatch(value) else None
        case "start" | "colspan":
            return value if NUMBER.fullmatch(value) else None
        case "target":
            return "_blank"
        case "tabindex":
            return "0"
        case "open":
            return ""
        case "dir":
            return "auto"
        case _:
            return value


_CLEANER = nh3.Cleaner(
    tags=set(TAGS),
    clean_content_tags={"script", "style", "template", "noscript", "title", "textarea"},
    attributes=_ATTRIBUTES,
    attribute_filter=_clean_attribute,
    url_schemes={*SCHEMES, "data"},
    url_relative="deny",
    link_rel=REL,
    set_tag_attribute_values={"a": {"target": "_blank"}},
)


def sanitize_html(html: str) -> str:
    """Return the HTML with only what is on the allow list."""
    html = escape_visible(html)
    if is_sound_html(html):
        return html
    if len(html) > LARGEST or measure_depth(html) > DEEPEST:
        return f'<pre class="tt-plain">{escape(html)}</pre>'
    return escape_visible(_CLEANER.clean(html))


def is_sound_html(html: str) -> bool:
    """Whether HTML is balanced and consists of allowed tags only, in exactly our own form."""
    open_tags: list[str] = []
    for token in _TOKEN.findall(html):
        if token in _CLOSING:
            if not open_tags or open_tags.pop() != _CLOSING[token]:
                return False
            continue
        name = _BARE.get(token) or _parse_opening_tag(token)
        if name is None or len(open_tags) > DEEPEST:
            return False
        if name not in VOID:
            open_tags.append(name)
    return not open_tags


def _parse_opening_tag(token: str) -> str | None:
    """Return the name of an opening tag with allowed attributes."""
    found = _OPENING.fullmatch(token)
    return None if found is None else found[found.lastindex or 0]


def measure_depth(html: str) -> int:
    """Return the maximum nesting depth of tags, if none of them is self-closing."""
    deepest = here = 0
    for token in _TOKEN.findall(html):
        here += -1 if token.startswith("</") else 1
        deepest = max(deepest, here)
    return deepest
