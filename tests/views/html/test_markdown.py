"""Markdown renders as expected and loads nothing."""

from __future__ import annotations

import pytest

from talktree.views.html.gate import is_sound_html
from talktree.views.html.rendering import render_markdown

PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+M8AAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
)
DATA = f"data:image/png;base64,{PIXEL}"
REL = 'target="_blank" rel="noopener noreferrer nofollow"'


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("one\ntwo", "one<br>\ntwo"),
        ("**a** *b* ~~c~~ `d`", "<strong>a</strong> <em>b</em> <del>c</del> <code>d</code>"),
        ("- [x] a\n- [ ] b", '<li><span class="tt-box tt-done" title="done">☑</span> a</li>'),
        ("|a|b|\n|-|-:|\n|1|2|", '<div class="tt-table" tabindex="0"><table>'),
        ("|a|b|\n|-|-:|\n|1|2|", '<td class="tt-right">2</td>'),
        ("<b>x</b>", "&lt;b&gt;x&lt;/b&gt;"),
        ("<div>\n**x**\n</div>", "<strong>x</strong>"),
        ("`<b>`", "<code>&lt;b&gt;</code>"),
        ("\\<b>", "&lt;b&gt;"),
        ("[x](https://a.example)", f'<a href="https://a.example" {REL} title="https://a.example">x</a>'),
        ("<https://a.example>", f'<a href="https://a.example" {REL}'),
        ("see https://a.example now", f'<a href="https://a.example" {REL}'),
        ("[x](mailto:a@b.example)", '<a href="mailto:a@b.example"'),
        ("[x](javascript:alert(1))", '<span class="tt-nolink">x</span>'),
        ("[x](../file.md)", '<span class="tt-nolink" title="../file.md">x</span>'),
        ("![x](https://a.example/i.png)", '<span class="tt-remote" data-url="https://a.example/i.png"'),
        (f"![x]({DATA})", f'<img class="tt-image" src="{DATA}" alt="x">'),
        ("![x](data:image/png;base64,PGh0bWw+)", '<span class="tt-remote" data-url="data:image/'),
        ("x[^1]\n\n[^1]: note", '<sup class="tt-note">1</sup>'),
        ("```python\nx\n```", '<div class="tt-code" data-lang="python"><pre tabindex="0"><code>'),
        ("```python\ndef f(): pass\n```", '<span class="tt-c-keyword">def</span>'),
        ("```js {1,2}\nlet a\n```", 'data-lang="js"'),
        ("plain words", "<p>plain words</p>"),
    ],
)  # fmt: skip
def test_form(text: str, part: str) -> None:
    assert part in render_markdown(text)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("שלום עולם", '<p dir="auto">שלום'),
        ("- אחת\n  - שתיים", '<ul dir="auto">\n<li>אחת\n<ul>\n<li>שתיים'),
        ("3. اثنان", '<ol dir="auto" start="3">'),
        ("> ציטוט\n>\n> עוד", '<blockquote dir="auto">\n<p>ציטוט</p>\n<p>עוד'),
        ("# כותרת", '<h1 dir="auto">'),
        ("|א|ב|\n|-|-|\n|1|2|", '<table dir="auto">'),
        ("Über die Brücke", "<p>Über"),
    ],
)
def test_blocks_with_right_to_left_words_take_the_direction_of_their_first(
    text: str, part: str
) -> None:
    html = render_markdown(text)
    assert part in html
    assert is_sound_html(html)


def test_a_limit_cuts() -> None:
    assert render_markdown("abcdef", 3) == "<p>abc</p>\n"


def test_overlong_text_is_shown_as_plain_text() -> None:
    html = render_markdown("*a* <b>" * 100_000)
    assert html.startswith('<pre class="tt-plain">*a* &lt;b&gt;*a*')
