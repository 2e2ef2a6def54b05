"""A check of HTML that shares no code with the gate: it names everything that must not be there."""

from __future__ import annotations

import re
from html.parser import HTMLParser

TAGS = {
    *("a", "p", "br", "hr", "em", "strong", "del", "ins", "s", "code", "pre", "blockquote", "ul"),
    *("ol", "li", "h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"),
    *("sup", "sub", "kbd", "span", "div", "b", "i", "u", "mark", "small", "details", "summary"),
    *("dl", "dt", "dd", "section", "img"),
}
VOID = {"br", "hr", "img"}
ANYWHERE = {"class", "title", "data-url", "data-lang", "data-line"}
ATTRIBUTES = {
    "a": {"href", "target", "rel"}, "img": {"src", "alt"}, "ol": {"start"}, "td": {"colspan"},
    "details": {"open"}, "pre": {"tabindex"}, "div": {"tabindex"},
}  # fmt: skip
RULES = {
    "class": r"tt-[a-z0-9-]+( tt-[a-z0-9-]+)*",
    "href": r"(?i)(https?://|mailto:)[^\s\"<>\x00-\x20]*",
    "src": r"data:image/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]*|/img/[A-Za-z0-9._~/%@#:-]*",
    "target": "_blank", "rel": "noopener noreferrer nofollow", "start": r"\d+",
    "colspan": r"\d+", "open": "", "tabindex": "0",
}  # fmt: skip


class _Judge(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self.open: list[str] = []
        self.tags: list[str] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in TAGS:
            self.found.append(f"element {tag}")
        for name, value in attrs:
            if name not in ANYWHERE | ATTRIBUTES.get(tag, set()):
                self.found.append(f"attribute {name} of {tag}")
            elif name in RULES and not re.fullmatch(RULES[name], value or ""):
                self.found.append(f"value of {name}: {value!r}")
        if tag == "a" and {"href"} <= dict(attrs).keys() and "rel" not in dict(attrs):
            self.found.append("a link without rel")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        self.tags.append(f"/{tag}")
        if not self.open or self.open.pop() != tag:
            self.found.append(f"unbalanced {tag}")

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def handle_comment(self, data: str) -> None:
        self.found.append("a comment")

    def handle_decl(self, decl: str) -> None:
        self.found.append("a declaration")

    def unknown_decl(self, data: str) -> None:
        self.found.append("an unknown declaration")

    def handle_pi(self, data: str) -> None:
        self.found.append("a processing instruction")


def _read(html: str) -> _Judge:
    judge = _Judge()
    judge.feed(html)
    judge.close()
    return judge


def faults(html: str) -> list[str]:
    """Return everything in the HTML that must not be there."""
    judge = _read(html)
    left = [f"unclosed {tag}" for tag in judge.open]
    return judge.found + left + (["a control character"] if _CONTROLS.search(html) else [])


def words(html: str) -> str:
    """Return the text between the tags."""
    return "".join(_read(html).words)


def tags(html: str) -> list[str]:
    """Return the tags in order."""
    return _read(html).tags


_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
