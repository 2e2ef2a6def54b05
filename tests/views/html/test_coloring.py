"""Lines are coloured one by one and cached; the result is the same as without that."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.views.html.coloring import Coloring
from talktree.views.html.languages import LANGUAGES

NAMES = ("c", "js", "py", "bash", "json", "yaml", "sql", "html", "css", "diff", "rb")
_PIECES = (
    "\n", "\n\n", " ", "\t", '"', "'", "`", '"""', "'''", "/*", "*/", "/", "//", "#", "# it", "--",
    "-x", "\\", "\\n", "\\`", "\\\"", "def", "return", "Name", "call(", "$it", "@", "key:", "a = 1",
    "[part]", "-", "+", "@@", "12.5", "é", "٣", "&lt;a", "&lt;!--", "--&gt;", "&amp;", "=",
)  # fmt: skip
texts = st.lists(st.sampled_from(_PIECES), max_size=40).map("".join)


@pytest.mark.parametrize("name", NAMES)
@given(text=texts)
def test_lines_add_up_to_the_whole(name: str, text: str) -> None:
    language = LANGUAGES[name]
    assert Coloring(language).color_text(text) == Coloring(language).color_whole(text)


@given(text=texts)
def test_caching_changes_nothing(text: str) -> None:
    coloring = Coloring(LANGUAGES["js"])
    first = coloring.color_text(text)
    coloring.color_text(f"{text}\n`{text}")
    assert coloring.color_text(text) == first


def test_a_piece_over_many_lines_is_one_piece() -> None:
    made = Coloring(LANGUAGES["py"]).color_text('a = """one\nif two\n"""\nif b:')
    assert made == (
        'a = <span class="tt-c-string">"""one\nif two\n"""</span>\n'
        '<span class="tt-c-keyword">if</span> b:'
    )
