"""Sources cited in the text of an answer are listed at its end; the text itself stays unchanged."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from talktree import api
from talktree.formats.muse.citations import make_citations_readable
from talktree.model.message import Message
from talktree.model.parts import Text
from talktree.views.html.markdown import render_markdown

DATA = Path(__file__).parent.parent / "data" / "muse" / "good"
NOTES = {"1": {"title": "Modes [new]", "url": "https://example.org/a"}, "2": "a book"}
CITED = '--boundary-0a {"source": "https://example.org/a", "reason": "how"} boundary-0a'


def read(text: str, notes: object = NOTES) -> str:
    message = Message(id="1", role="assistant", parts=(Text(text),), extra={"footnotes": notes})
    return make_citations_readable(message).text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Yes.[^1]", "Yes.[^1]\n\n[^1]: [Modes (new)](https://example.org/a)"),
        (
            "Yes.[^1^] No. 2↩",
            "Yes.[^1] No.[^2]\n\n[^1]: [Modes (new)](https://example.org/a)\n[^2]: a book",
        ),
        (f"Yes.1↩\n\n{CITED}", "Yes.[^1]\n\n[^1]: [Modes (new)](https://example.org/a): how"),
        (f"Yes.\n{CITED}\nNo.", "Yes.\n\nNo.\n\n- <https://example.org/a>: how"),
        ("Yes.[^7]", "Yes.[^7]"),
        ("--boundary-0a {broken} boundary-0a", "--boundary-0a {broken} boundary-0a"),
        ('--boundary-0a {"source": 1} boundary-0b', '--boundary-0a {"source": 1} boundary-0b'),
        ("a[^1] plain text", "a[^1] plain text\n\n[^1]: [Modes (new)](https://example.org/a)"),
    ],
)
def test_sources_are_reported_at_the_end(text: str, shown: str) -> None:
    assert read(text) == shown


def test_the_stored_answer_is_unchanged() -> None:
    document = api.read(DATA / "analytics.json")
    answer = list(document.conversation.messages())[1]
    assert "--boundary-" in answer.text
    shown = make_citations_readable(answer)
    assert "boundary" not in shown.text
    assert len(shown.parts) == len(answer.parts)
    assert 'href="https://example.org/physics"' in render_markdown(shown.text)
    assert api.to_bytes(document) == api.to_bytes(api.read(DATA / "analytics.json"))


@pytest.mark.parametrize("address", ["javascript:alert(1)", "https://a b", "x](javascript:1)"])
def test_an_invalid_address_is_not_a_link(address: str) -> None:
    reported = read("Yes.[^1]", {"1": {"title": "t", "url": address}})
    assert "javascript:" not in "".join(part for part in render_markdown(reported).split('"')[1::2])


@given(
    text=st.text(alphabet='a1↩[^]-{}":\n boundary', max_size=80),
    notes=st.sampled_from([NOTES, {}, None, 3]),
)
def test_any_text_is_read(text: str, notes: object) -> None:
    message = Message(id="1", role="assistant", parts=(Text(text),), extra={"footnotes": notes})
    once = make_citations_readable(message)
    assert replace(once, parts=message.parts) == message
