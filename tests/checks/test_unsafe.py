"""Content that acts on a terminal or page, and files that lead elsewhere."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.text.control_chars import (
    COMMAND,
    OVERWRITING,
    can_hide,
    decode_hidden_letters,
    extract_hidden,
    find_first_sequence,
    is_misleading,
    replace_with_pictures,
    without_direction,
    without_hidden,
)
from talktree.text.escape import escape_text
from talktree.text.file_names import check_name, check_path, sanitize_name
from talktree.text.json.strings import iterate_texts, with_texts
from talktree.text.media import decode_data_url, detect_media_type, parse_data_url

COMMANDS = ("\x1b]0;title\x07", "\x1b]52;c;eA==\x07", "\x1bP+q\x1b\\", "\x1bc", "\x1b[6n", "\x9d8;")
MOVES = ("\x1b[2K", "\x1b[1A", "\x1b[10;3H", "\x1b[?1049h", "\x1b[8m", "\x1b7")
COLOURS = ("\x1b[0m", "\x1b[1;31m", "\x1b[38;5;8m", "\x1b[48;2;1;2;3m", "\x1b[?25l")


@pytest.mark.parametrize("sequence", COMMANDS)
def test_commands_to_a_terminal_are_known(sequence: str) -> None:
    assert COMMAND.search(f"a {sequence} b")
    assert not COMMAND.search(replace_with_pictures(f"a {sequence} b", COMMAND))


@pytest.mark.parametrize("sequence", MOVES)
def test_moves_are_known_and_are_not_commands(sequence: str) -> None:
    assert OVERWRITING.search(sequence)
    assert not COMMAND.search(sequence)
    assert not OVERWRITING.search(replace_with_pictures(sequence, OVERWRITING))


@pytest.mark.parametrize("sequence", COLOURS)
def test_colours_are_harmless(sequence: str) -> None:
    assert not COMMAND.search(sequence)
    assert not OVERWRITING.search(sequence)


def test_text_that_was_decoded_wrongly_is_not_a_command() -> None:
    assert not COMMAND.search("it said “so”".encode().decode("latin-1"))


@pytest.mark.parametrize(
    "text",
    [
        "a\u202eb",
        "x = 1 \u2066// note\u2069",
        "שלום \u2066abc",
    ],
)
def test_marks_of_direction_mislead_unless_the_script_needs_them(text: str) -> None:
    assert is_misleading(text)
    assert can_hide(text.encode())
    assert not is_misleading(without_direction(text))
    assert not is_misleading("שלום \u2066abc\u2069 שלום")


SCOTLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"


def test_hidden_letters_are_found_and_flags_are_not() -> None:
    words = "".join(chr(0xE0000 + ord(each)) for each in "obey")
    for text in (f"hi{words}", f"{SCOTLAND}{words}", f"{words}{SCOTLAND}"):
        assert decode_hidden_letters(extract_hidden(text)) == "obey"
        assert can_hide(text.encode())
        assert "obey" not in decode_hidden_letters(without_hidden(text).replace(SCOTLAND, ""))
    assert not extract_hidden(f"{SCOTLAND} 👩‍👩‍👧‍👦 ❤️ می‌خواهم a\u200bb")
    assert extract_hidden("a" + "\u200b\u200c" * 8)


@given(st.text("a\x1b[]2KJc;\x80\x90\x9b\x9d\xe9m", max_size=12))
def test_the_first_sequence_is_the_one_that_is_found_everywhere(text: str) -> None:
    for pattern in (COMMAND, OVERWRITING):
        found, sought = find_first_sequence(text, pattern), pattern.search(text)
        assert (found and found.span()) == (sought and sought.span())


@given(st.text())
def test_repaired_text_has_no_findings(text: str) -> None:
    assert not extract_hidden(without_hidden(without_hidden(text)))
    assert not is_misleading(without_direction(text))
    for pattern in (COMMAND, OVERWRITING):
        assert not pattern.search(replace_with_pictures(text, pattern))
        assert len(escape_text(replace_with_pictures(text, pattern))) <= len(escape_text(text))


@pytest.mark.parametrize(
    "name",
    [
        *("../x", "a/../../x", "..\\x", "/etc/passwd", "C:\\x", "\\\\host\\x", "~/x"),
        *("a\0b", "con", "NUL.txt", "lpt1", "x\ny", ".."),
    ],
)
def test_names_that_are_more_than_names(name: str) -> None:
    assert check_name(name)
    assert check_name(sanitize_name(name)) is None


@pytest.mark.parametrize("name", ["x.png", "a/b.png", "a/../b.png", "..x", "console.log", "a:b"])
def test_names_that_are_names(name: str) -> None:
    assert check_name(name) is None


@given(st.text())
def test_every_name_can_be_tamed(name: str) -> None:
    assert check_name(sanitize_name(name)) is None
    assert sanitize_name(name)


@pytest.mark.parametrize(
    ("path", "wrong"),
    [
        ("src/a.py", False),
        ("/home/ida/a.py", False),
        ("C:\\Users\\ida\\a.py", False),
        ("src/aux.c", False),
        ("../a.py", True),
        ("/../a.py", True),
        ("/etc/passwd", True),
        ("C:\\Windows\\x.dll", True),
        ("a\0b", True),
        ("/home/ida/.ssh/config", True),
        (".git/hooks/pre-commit", True),
        ("nul", True),
    ],
)
def test_paths_that_should_not_be_restored(path: str, *, wrong: bool) -> None:
    assert (check_path(path) is not None) == wrong


def test_data_urls_and_what_their_bytes_are() -> None:
    url = "data:image/JPG;name=x;base64,iVBORw0KGgoAAAANSUhEUg=="
    head = parse_data_url(url)
    assert head is not None
    assert (head.media_type, head.is_base64) == ("image/jpeg", True)
    assert detect_media_type(decode_data_url(url, head, most=12)) == "image/png"
    assert parse_data_url("https://example.org") is None
    assert detect_media_type(b"hello, this is only text") is None


Values = st.recursive(
    st.one_of(st.none(), st.integers(), st.text()),
    lambda inside: st.one_of(st.lists(inside), st.dictionaries(st.text(), inside)),
)


@given(Values)
def test_all_texts_of_a_value_are_reached(value: object) -> None:
    assert with_texts(value, lambda name, text: text) == value  # type: ignore[arg-type]
    changed = with_texts(value, lambda name, text: f"{text}!")  # type: ignore[arg-type]
    before, after = list(iterate_texts(value)), list(iterate_texts(changed))  # type: ignore[arg-type]
    assert [f"{each.text}!" for each in before] == [each.text for each in after]
    assert [each.way for each in before] == [each.way for each in after]
