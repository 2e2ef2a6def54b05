"""Links and active HTML are found in Markdown, however they are written; code is only shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.text.markdown_scan import LONGEST, find_unsafe_scheme, scan_markdown


def kinds(text: str) -> list[str]:
    return [each.kind for each in scan_markdown(text)]


@pytest.mark.parametrize(
    "text",
    [
        "[a](javascript:alert(1))",
        "[a](  JaVaScRiPt:alert(1) 'title')",
        "[a](java&#115;cript:alert(1))",
        "[a](&#x6A;avascript:alert(1))",
        "[a](javascript&colon;alert(1))",
        "[a](javascript\\:alert(1))",
        "[a](<java\tscript:alert(1)>)",
        "![a](vbscript:msgbox)",
        "[a][b]\n\n[b]: javascript:alert(1)",
        "<javascript:alert(1)>",
        '<a href="&#106;avascript:alert(1)">x</a>',
        "<a href='javas\ncript:alert(1)'>x</a>",
        '<form action="javascript:alert(1)"><button>x</button></form>',
        "[a](data:text/html;base64,PGI+)",
        "- item\n\n  [a](javascript:alert(1))",
        "> [a](javascript:alert(1))",
    ],
)
def test_script_links(text: str) -> None:
    assert kinds(text) == ["script-link"]


@pytest.mark.parametrize(
    "text", ["[a](file:///etc/passwd)", "<file://server/share>", "![](FILE:x)"]
)
def test_file_links(text: str) -> None:
    assert kinds(text) == ["file-link"]


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "words <SCRIPT src=//a.example></SCRIPT>",
        "<img src=x onerror=alert(1)>",
        "<svg onload=alert(1) />",
        "<details open ontoggle=alert(1)>x</details>",
        "<iframe srcdoc='x'></iframe>",
        "<object data='a.swf'></object>",
        "<base href='https://a.example'>",
        "<meta http-equiv=refresh content=0>",
    ],
)
def test_html_that_acts(text: str) -> None:
    assert set(kinds(text)) == {"active-html"}


@pytest.mark.parametrize(
    "text",
    [
        "`[a](javascript:alert(1))` and `<script>alert(1)</script>`",
        "```html\n<script>alert(1)</script>\n<img src=x onerror=alert(1)>\n```",
        "~~~~\n```\n[a](javascript:alert(1))\n~~~~",
        "    <script>alert(1)</script>",
        "npm run <script> and List<Object> and <meta> and <iframe>",
        "<!-- <script>alert(1)</script> -->",
        "javascript:void(0) or file:///etc/passwd as words",
        "\\<script>alert(1)\\</script>",
        "[a](https://a.example/?next=javascript:alert(1))",
        "[a](#file:) and [b](profile:1)",
        "<p>turn it on = off</p>",
        "[a](data:image/png;base64,iVBORw0KGgo)",
        "a < b && on x = y > c",
        "<p title='onclick=1'>x</p>",
    ],
)
def test_harmless_markdown_is_not_reported(text: str) -> None:
    assert kinds(text) == []


def test_a_long_text_is_read_to_its_end_and_a_fence_stays_closed() -> None:
    filler = "Some words about pears.\n\n" * (LONGEST // 20)
    assert kinds(f"{filler}[a](javascript:alert(1))\n\n{filler}") == ["script-link"]
    assert kinds(f"```\n{filler}<script>alert(1)</script>\n```\n\n{filler}") == []


def test_schemes() -> None:
    assert find_unsafe_scheme(" \x01java\nscript:x") == "javascript"
    assert find_unsafe_scheme("FILE://x") == "file"
    assert find_unsafe_scheme("https://x") is None


PIECES = st.sampled_from(
    ("<", ">", "<!--", "-->", "<![x", "<?", "</", "<a ", "href=", '"', "'", "javascript:", "&#",
     "<script>", "</script>", "on", "click=", "](", "[a]: ", "\n", "\n\n", "`", "```\n", "\0",
     "\ud83d", " ")
)  # fmt: skip


@given(st.lists(PIECES, max_size=40).map("".join))
def test_no_soup_of_tags_breaks_the_scan(text: str) -> None:
    scan_markdown(text)
    fence = "`" * 20
    assert kinds(f"{fence}\n{text}\n{fence}") == []
