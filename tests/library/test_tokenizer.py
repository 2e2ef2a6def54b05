"""The words of a text, and that the index holds exactly these."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.library.fulltext.index import SCHEMA, FullText, make_body_analyzer
from talktree.library.fulltext.tokenizer import (
    LONGEST_WORD,
    find_word_spans,
    fold_text,
    letter_origins,
    normalize_letters,
    normalize_text,
    split_words,
    split_words_with_gaps,
    tag_words,
)
from tests.cases import SEED, TORTURE, examples, rotate
from tests.library.shelves import Held, Kept, piece

TRICKY = (
    "aZ09_-.'\"\n\t ßÉéİıſŉǰΐﬁ½²Ⅻ①İ\u0301\u0308\u0345\u200d\u200b\ufeff\u3099\u309aカｶﾞガ東京한글"
)
TRICKY += (
    "\u1100\u1161\u11a8"
    "हिन्दीไทยกำ\u0e33ខ្មែរမြန်မာ→“”…—🎉👩\u200d👩🏽\U0001f1e9\U0001f1ea\ud800\U00010400𐐨Ꭰꭰﷺ㍿ΣςσǅԱև"
)
texts = st.text(st.sampled_from(TRICKY) | st.characters(), max_size=40)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello, World_2 of-things", ["hello", "world", "2", "of", "things"]),
        ("", []),
        ("→ … 🎉 --", []),
        ("naïve NAÏVE nai\u0308ve", ["naive", "naive", "naive"]),
        ("Straße STRASSE", ["strasse", "strasse"]),
        ("ﬁn Ｆｕｌｌ ½", ["fin", "full", "1", "2"]),
        ("潮汐表", ["潮", "汐", "表"]),
        ("東京tower2", ["東", "京", "tower2"]),
        ("ガｶﾞカ", ["ガ", "ガ", "カ"]),
        ("학교에서", ["학", "교", "에", "서"]),
        ("हिन्दी", ["हिनदी"]),
        ("Ελλάς", ["ελλασ"]),
        ("ёлка Ёлка", ["елка", "елка"]),
        ("it’s it's", ["it", "s", "it", "s"]),
        ("1→import os", ["1", "import", "os"]),
        ("half \ud800 a pair", ["half", "a", "pair"]),
    ],
)
def test_words_are_letters_and_digits_without_case_and_accents(
    text: str, expected: list[str]
) -> None:
    assert split_words(text) == expected


def test_ascii_goes_to_the_index_as_it_is() -> None:
    text = "def Foo(bar): ...\n" * 3
    assert fold_text(text) is text
    assert normalize_text(text) == text.lower()


def test_words_that_are_too_long_leave_a_gap() -> None:
    assert split_words_with_gaps(f"a {'x' * LONGEST_WORD} b") == ["a", "x" * LONGEST_WORD, "b"]
    assert split_words_with_gaps(f"a {'x' * (LONGEST_WORD + 1)} b") == ["a", "", "b"]
    assert split_words(f"a {'x' * (LONGEST_WORD + 1)} b") == ["a", "b"]
    half = LONGEST_WORD // 2
    assert split_words_with_gaps("я" * half) == ["я" * half]
    assert split_words_with_gaps("я" * (half + 1)) == [""], "it is bytes that count"
    assert split_words_with_gaps("ﷺ" * 30)[-1], "folding may make a text longer"


def test_every_character_is_cut_by_the_index_as_it_is_here() -> None:
    analyzer = make_body_analyzer()
    blocks = range(0, 0x110000, 0x400)
    for start in rotate(blocks, len(blocks) if TORTURE else 100, SEED):
        text = "".join(f"a{chr(code)}b " for code in range(start, start + 0x400))
        assert analyzer.analyze(normalize_text(text)) == split_words(text)


@examples(500)
@given(texts)
def test_any_text_is_cut_by_the_index_as_it_is_here(text: str) -> None:
    assert make_body_analyzer().analyze(normalize_text(text)) == split_words(text)


@examples(300)
@given(texts)
def test_spans_are_the_words_where_they_are(text: str) -> None:
    found = find_word_spans(text)
    assert [span.word for span in found] == split_words(text)
    for before, span in zip([None, *found], found, strict=False):
        assert 0 <= span.start < span.end <= len(text)
        assert before is None or before.start <= span.start
    for span in found:
        if unicodedata.is_normalized("NFC", text) and text[span.start : span.end].isascii():
            assert text[span.start : span.end].lower() == span.word


@given(texts)
def test_letters_come_from_where_they_are(text: str) -> None:
    plain, origins = normalize_letters(text), letter_origins(text)
    assert len(origins) == len(plain) + 1
    assert origins == sorted(origins)
    assert origins[-1] == len(text)


@given(texts)
def test_letters_have_the_words_of_the_text(text: str) -> None:
    assert split_words(normalize_letters(text)) == split_words(text)
    assert normalize_letters(normalize_letters(text)) == normalize_letters(text)


@given(texts, texts)
def test_case_does_not_matter(text: str, other: str) -> None:
    if text.isascii():
        assert split_words(text.upper()) == split_words(text) == split_words(text.lower())
    assert normalize_letters(text + " " + other) == normalize_letters(
        text
    ) + " " + normalize_letters(other)


def test_tags_are_words_with_the_name_of_their_field() -> None:
    assert tag_words("model", "claude-opus-4") == ["model=claude", "model=opus", "model=4"]
    assert tag_words("project", "/home/Ana/Café") == ["project=home", "project=ana", "project=cafe"]
    assert tag_words("tool", "  ") == []


@examples(25)
@given(st.lists(texts, max_size=6))
def test_an_index_on_the_disk_holds_exactly_the_words(
    tmp_path_factory: pytest.TempPathFactory, made: list[str]
) -> None:
    root: Path = tmp_path_factory.mktemp("index")
    held = Held(root, [Kept(piece(text, at=at)) for at, text in enumerate(made)])
    searcher = FullText.open(root).searcher()
    expected: dict[str, int] = {}
    for text in made:
        for word in set(split_words(text)):
            expected[word] = expected.get(word, 0) + 1
    assert dict(searcher.terms_with_prefix("body", "")) == expected
    assert held.fulltext.schema is SCHEMA
