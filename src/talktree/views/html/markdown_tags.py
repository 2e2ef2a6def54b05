"""Turns the output of the Markdown parser into the final HTML: links, images, code, boxes, notes.

The parser escapes every `<` of the text, so a `<` found here always begins one of its own tags.
"""

from __future__ import annotations

import re
from html import unescape

from talktree.text.media import PICTURES, decode_data_url, detect_media_type, parse_data_url
from talktree.views.html.gate import LINK, PICTURE, REL
from talktree.views.html.highlight import render_escaped_code

_FENCE = re.compile(r'<pre><code(?: class="language-([^"]*)")?>([^<]*+)</code></pre>')
_LINK = re.compile(r'<a href="([^"]*)"[^>]*>(.*?)</a>', re.DOTALL)
_IMAGE = re.compile(r'<img src="([^"]*)" alt="([^"]*)"[^>]*/>')
_BOX = re.compile(r'<input type="checkbox"( checked="")? disabled="" />')
_SIDE = re.compile(r'<(t[hd]) align="(left|right|center)">')
_NOTE = re.compile(r'<sup class="footnote-ref"><a [^>]*>(.*?)</a></sup>')
_BACK = re.compile(r' ?<a [^>]*class="footnote-backref"[^>]*>.*?</a>')
_NOTE_TAGS = re.compile(
    r'<(section|li)(?: class="footnotes")?(?: id="[^"]*")?(?: data-footnotes)?>'
)
SMALL = 100_000
"""Maximum number of characters of an image that is embedded in a text."""


def finish_html(html: str) -> str:
    """Return the parser's HTML in its final form."""
    if "footnote" in html:
        html = _NOTE_TAGS.sub(_render_note_tag, _BACK.sub("", _NOTE.sub(_render_note, html)))
    if "<a " in html:
        html = _LINK.sub(_render_link, html)
    if "<img " in html:
        html = _IMAGE.sub(_render_image, html)
    if "<input " in html:
        html = _BOX.sub(_render_box, html)
    if "<table>" in html:
        html = html.replace("<table>", '<div class="tt-table" tabindex="0"><table>')
        html = _SIDE.sub(r'<\1 class="tt-\2">', html.replace("</table>", "</table></div>"))
    if "<pre>" in html:
        html = _FENCE.sub(_render_fence, html)
    return html.replace("<br />", "<br>").replace("<hr />", "<hr>")


def _render_link(found: re.Match[str]) -> str:
    address, words = found.groups()
    if not LINK.fullmatch(unescape(address)):
        texts = f' title="{address}"' if address else ""
        return f'<span class="tt-nolink"{texts}>{words}</span>'
    return f'<a href="{address}" target="_blank" rel="{REL}" title="{address}">{words}</a>'


def _render_image(found: re.Match[str]) -> str:
    address, words = found.groups()
    if _is_inline_image(address):
        return f'<img class="tt-image" src="{address}" alt="{words}">'
    return render_remote(address[:2000] if address[:5].lower() != "data:" else address[:40], words)


def render_remote(address: str, words: str = "") -> str:
    """Return the text and address of external content, both already escaped."""
    texts = f"{words} " if words else ""
    return f'<span class="tt-remote" data-url="{address}" title="{address}">{texts}{address}</span>'


def _is_inline_image(address: str) -> bool:
    """Whether it is a small image embedded in the text whose declared type is right."""
    head = parse_data_url(address)
    if head is None or len(address) > SMALL or not PICTURE.fullmatch(address):
        return False
    kind = detect_media_type(decode_data_url(address, head, most=96))
    return kind in PICTURES and kind == head.media_type


def _render_box(found: re.Match[str]) -> str:
    if found[1]:
        return '<span class="tt-box tt-done" title="done">☑</span>'
    return '<span class="tt-box" title="to do">☐</span>'


def _render_note(found: re.Match[str]) -> str:
    return f'<sup class="tt-note">{found[1]}</sup>'


def _render_note_tag(found: re.Match[str]) -> str:
    return '<section class="tt-notes">' if found[1] == "section" else "<li>"


def _render_fence(found: re.Match[str]) -> str:
    language = unescape(found[1] or "").split("{")[0].split(",")[0].strip()
    # The parser escapes quotes too; between tags they can stay unescaped.
    return render_escaped_code(found[2].replace("&quot;", '"').removesuffix("\n"), language)
