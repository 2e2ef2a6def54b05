"""Which messages count as missing, with messages written by hand."""

from __future__ import annotations

from tests.oracle.relation import missing
from tests.oracle.shown import Shown

CALL = Shown("c", "assistant", ("Let me look.",), (("Bash", {"command": "ls\n-l", "n": [1]}),))
RESULT = Shown("r", "user", results=("two\nfiles",))


def said(text: str, id: str = "") -> Shown:
    return Shown(id, "user", (text,))


def test_white_space_does_not_count_and_words_do() -> None:
    assert not missing([said("a  b\n\nc")], [said("a b c")])
    assert missing([said("a b c")], [said("a b d")]) == [said("a b c")]


def test_bytes_that_are_not_a_character_count_once() -> None:
    assert not missing([said("a \ufffd b")], [said("a \udcf0\udc9f\udc8a b")])
    assert missing([said("a \ufffd b")], [said("a b")])


def test_each_message_answers_for_one_only() -> None:
    assert missing([said("yes", "1"), said("yes", "2")], [said("yes")]) == [said("yes", "2")]


def test_a_short_text_makes_room_for_a_longer_one() -> None:
    assert not missing([said("a"), said("a b")], [said("x a b y"), said("a y")])


def test_calls_and_results_may_be_written_out() -> None:
    output = [
        said("Let me look.\n\n**Call: Bash**\n- command:\n```text\nls\n-l\n```\n- n: [1]"),
        said("**Result**\n```text\ntwo\nfiles\n```"),
    ]
    assert not missing([CALL, RESULT], output)
    assert not missing(output, [CALL, RESULT])
    assert missing([CALL, RESULT], output[1:]) == [CALL]


def test_an_argument_that_differs_is_missed() -> None:
    other = Shown("c", "assistant", ("Let me look.",), (("Bash", {"command": "rm"}),))
    assert missing([CALL], [other]) == [CALL]


def test_reasoning_may_be_quoted() -> None:
    assert not missing([said("a\nb")], [said("> **Thinking**\n> a\n> b\n\nc")])
