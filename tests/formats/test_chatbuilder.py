"""Message files: documented behaviour, and behaviour that the document does not describe."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from talktree.api import detect, to_bytes
from talktree.checks.report import make_report
from talktree.errors import WouldLose
from talktree.files import Source
from talktree.formats.chatbuilder import FORMAT
from talktree.formats.chatbuilder.adopt import describe_text
from talktree.formats.chatbuilder.body import Habit, detect_habit, escape, unescape
from talktree.formats.format import Record
from talktree.model import edit
from talktree.model.message import Author, Message
from talktree.model.parts import Text
from talktree.text.times import from_iso
from tests.formats.message_files import UUID, document, edited, kinds, of_file, tree, with_text

STRUCTURE = b"""\
; Metadata-Field1: Value
; Metadata-Field2: Value
; ...
;
; role: [user|assistant|system]


Actual message content starts here (after three new lines). It can contain
contain multiple paragraphs, code blocks, and other markdown elements.
"""
CLOSURES = b"""\
32d9afc7-aeac-4a67-ba94-0c92678604a1
; Component: UserMessage
; Version: 1.0.0
; Description: User query about JavaScript functions
; Language: markdown
; Created-at: 2025-04-21T18:15:00.000Z
; Authors: Claude 3.7 Sonnet (v1.0.0)
;
; role: user


Can you explain how JavaScript closures work?

Here's an example I'm confused about:

\\```javascript
function createCounter() {
  let count = 0;
  return function() {
    return ++count;
  };
}
\\```
"""
SPECIFICATION = b"""\
<!--
Block-UUID: 203e2a0a-53be-449e-93df-4768fd275595
Component: ChatBuilderMessageREADME
Version: 1.0.0
Description: Specification for the message file format.
Language: markdown
Created-at: 2025-04-22T00:56:02.060Z
Authors: Gemini 2.5 Flash (v1.0.0)
-->

# Message Format Specification
"""


# the document's examples


def test_the_structure_shown_in_the_document_is_read() -> None:
    message = of_file(STRUCTURE)
    assert message.role == "[user|assistant|system]"
    assert message.extra == {"Metadata-Field1": "Value", "Metadata-Field2": "Value"}
    assert message.text.startswith("Actual message content starts here")


def test_the_example_of_the_document_is_read_with_its_bare_uuid() -> None:
    message = of_file(CLOSURES)
    assert (message.id, message.role) == (UUID, "user")
    assert message.authors == (Author("Claude 3.7 Sonnet", "1.0.0"),)
    assert message.time_ns == from_iso("2025-04-21T18:15:00.000Z")
    assert message.extra == {
        "Component": "UserMessage",
        "Version": "1.0.0",
        "Description": "User query about JavaScript functions",
        "Language": "markdown",
    }
    assert message.text.startswith("Can you explain how JavaScript closures work?\n\nHere's")
    assert "\n\n```javascript\nfunction createCounter() {\n" in message.text
    assert message.text.endswith("  };\n}\n```\n")


def test_the_document_itself_is_a_message_file_with_a_comment_header() -> None:
    message = of_file(SPECIFICATION)
    assert message.id == "203e2a0a-53be-449e-93df-4768fd275595"
    assert message.role == "unknown"
    assert message.text == "# Message Format Specification\n"


def test_the_directory_of_the_document_holds_two_conversations() -> None:
    names = ["notes/1.md", "notes/2.md", "draft/1.md", "draft/2.md"]
    found = tree({f"messages/{name}": f"; role: user\n\n\n{name}" for name in names})
    assert [each.id for each in found.conversations] == ["messages/notes", "messages/draft"]


@pytest.mark.parametrize("raw", [STRUCTURE, CLOSURES, SPECIFICATION])
def test_examples_are_recognised_and_written_unchanged(raw: bytes) -> None:
    assert to_bytes(document(raw)) == {"1.md": raw}
    if raw is not STRUCTURE:
        assert detect(Source.of_bytes(raw, name="any.md")).format is FORMAT


# headers


def test_a_lone_role_is_a_whole_header() -> None:
    assert of_file("; role: system\n\n\nBe brief.") == Message(
        id="@1", role="system", parts=(Text("Be brief."),)
    )


def test_role_without_semicolon_is_read_and_reported() -> None:
    found = document("role: assistant\n\n\nhi")
    assert next(iter(found.conversation.messages())).role == "assistant"
    assert "unmarked-header-line" in kinds(found)


def test_a_misspelt_role_is_kept_and_reported() -> None:
    found = document("; role: assisant\n\n\nhi")
    assert next(iter(found.conversation.messages())).role == "assisant"
    assert "unknown-role" in {each.name for each in make_report(found).findings}


def test_header_lines_may_are_in_any_order_and_case() -> None:
    message = of_file(f"; ROLE: user\n; visibility: human-public\n; block-uuid: {UUID}\n\n\nhi")
    assert (message.role, message.id) == ("user", UUID)
    assert message.extra == {"visibility": "human-public"}


def test_a_comment_header_that_lost_a_key_keeps_its_other_keys() -> None:
    raw = "<!--\nComponent: Guide\nand half a sentence\nVersion: 2.0.0\n-->\n\n\ntext"
    assert of_file(raw).extra == {"Component": "Guide", "Version": "2.0.0"}
    assert "odd-header" in kinds(document(raw))
    assert edited(raw, replace(of_file(raw), role="system")) == raw.replace(
        "2.0.0\n", "2.0.0\nrole: system\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "Just words.\n\n\nAnd more.",
        "Role: You are a pirate.\n\nSpeak.",
        "Description: a sea\n\n\nof words",
        "<!-- a remark -->\n\n\nwords",
        "<!--\nrole: user\nnever closed",
        "; a lisp comment\n(+ 1 2)",
        f"{UUID}\nis what I got",
        "",
        "\n\n\n; role: user\n\n\n",
    ],
)
def test_text_without_a_header_is_all_content(text: str) -> None:
    message = of_file(text)
    assert (message.role, message.text, message.extra) == ("unknown", text, {})


def test_of_a_key_that_is_twice_the_first_counts() -> None:
    found = document("; role: user\n; role: system\n\n\nhi")
    assert next(iter(found.conversation.messages())).role == "user"
    assert "duplicate-key" in kinds(found)


def test_values_that_mean_nothing_stay_as_they_are() -> None:
    message = of_file("; Created-at: last week\n; Authors: ,\n; role: user\n\n\nhi")
    assert (message.time_ns, message.authors) == (None, ())
    assert message.extra == {"Created-at": "last week", "Authors": ","}


def test_unknown_keys_keep_their_order_and_spelling_when_another_is_changed() -> None:
    raw = "; Zeta:  z\n; remark\n; alpha: a\n;\n; role: user\n\n\nhi"
    message = of_file(raw)
    assert list(message.extra) == ["Zeta", "alpha"]
    changed = edited(raw, replace(message, role="system", extra={"Zeta": "z", "alpha": "b"}))
    assert changed == "; Zeta:  z\n; remark\n; alpha: b\n;\n; role: system\n\n\nhi"


@pytest.mark.parametrize(
    ("line", "authors"),
    [
        ("Ann (v1.0.0)", [Author("Ann", "1.0.0")]),
        ("Ann (v1.0.0), Bo - Two (v1)", [Author("Ann", "1.0.0"), Author("Bo - Two", "1")]),
        ("Ann, Bo (1.2)", [Author("Ann"), Author("Bo", "1.2")]),
        ("Ann (QA, night shift) ,, ", [Author("Ann (QA, night shift)")]),
    ],
)
def test_authors_have_names_and_versions(line: str, authors: list[Author]) -> None:
    raw = f"; Authors: {line}\n; role: user\n\n\nhi"
    assert list(of_file(raw).authors) == authors
    assert line.strip() in edited(raw, replace(of_file(raw), role="system"))


# separator and content


def test_only_the_first_triple_newline_splits() -> None:
    assert of_file("; role: user\n\n\na\n\n\nb\n\n\n\n\n\n").text == "a\n\n\nb\n\n\n\n\n\n"


def test_an_empty_message_of_sixteen_bytes_holds_one_newline() -> None:
    raw = "; role: user\n\n\n\n"
    assert len(raw) == 16
    assert of_file(raw).text == "\n"


def test_carriage_returns_separate_too_and_are_kept() -> None:
    raw = "; role: user\r\n\r\n\r\na\r\n"
    assert of_file(raw).text == "a\r\n"
    message = replace(of_file(raw), authors=(Author("Ann"),))
    assert edited(raw, message) == "; Authors: Ann\r\n; role: user\r\n\r\n\r\na\r\n"


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("; role: user\nhi", "hi"),
        ("; role: user\n\nhi\n\n\nho", "hi\n\n\nho"),
        ("; role: user\n \n\nhi", "hi"),
        ("; role: user", ""),
        ("<!-- role: user -->\n# hi\n\n\nho", "# hi\n\n\nho"),
    ],
)
def test_without_the_separator_content_follows_the_header(raw: str, text: str) -> None:
    found = document(raw)
    assert (of_file(raw).role, of_file(raw).text) == ("user", text)
    assert "odd-separator" in kinds(found)


def test_half_a_sentence_before_the_separator_belongs_to_the_header() -> None:
    raw = "; Description: it goes\non here\n; role: user\n\n\nhi"
    assert (of_file(raw).role, of_file(raw).text) == ("user", "hi")


def test_placeholders_survive() -> None:
    text = "{{analyzer-id}} [x]({{name|chat-uuid-link}})"
    assert of_file(f"; role: user\n\n\n{text}").text == text


# backticks


@pytest.mark.parametrize(
    ("body", "habit"),
    [
        ("\\```js\nx\n\\```\n", "first"),
        ("\\`\\`\\`js\nx\n\\`\\`\\`\n", "each"),
        ("```js\nx\n```\n", "raw"),
        ("see \\```js\nx\n```\n", "first"),
        ("no fence", "first"),
    ],
)
def test_a_files_own_habit_of_escaping_is_kept(body: str, habit: Habit) -> None:
    assert detect_habit(body, default="first") == habit
    raw = f"; role: user\n\n\n{body}"
    said = of_file(raw).text
    assert "\\" not in said
    assert with_text(raw, said) == raw
    fence = {"first": "\\```", "each": "\\`\\`\\`", "raw": "```"}[habit]
    assert with_text(raw, "```\ny\n```\n") == f"; role: user\n\n\n{fence}\ny\n{fence}\n"


def test_each_backtick_loses_one_backslash() -> None:
    assert unescape("\\` \\\\` \\\\\\` \\`\\` \\n") == "` \\` \\\\` `` \\n"


@given(text=st.text("`\\ a\n"), habit=st.sampled_from(["first", "each", "raw"]))
def test_unescaping_undoes_escaping_whatever_the_text(text: str, habit: Habit) -> None:
    assert unescape(escape(text, habit)) == text


def test_a_body_keeps_its_bytes_when_only_the_header_changes() -> None:
    body = "\\```\nmixed\n```\n\\`\\`\\`"
    raw = f"; role: user\n\n\n{body}"
    assert edited(raw, replace(of_file(raw), role="system")).endswith(body)


# changing files


@pytest.mark.parametrize(
    "text", ["; role: user\n\n\nx", "role: user\n\n\n", f"{UUID}\n\n\nx", "\ufeffx", ";\n\n\nx"]
)
def test_a_headerless_text_that_looks_like_a_header_gets_a_header(text: str) -> None:
    written = with_text("plain words", text)
    assert written == f";\n\n\n{text}"
    assert of_file(written).text == text


def test_a_headerless_text_stays_headerless_as_long_as_it_can() -> None:
    assert with_text("plain words", "other\n\n\nwords") == "other\n\n\nwords"
    assert edited("words", replace(of_file("words"), role="user")) == "; role: user\n\n\nwords"


@pytest.mark.parametrize("text", ["\n\n\nx", "\n", "", "a\r\n\r\n\r\nb", "\x00\x1b[31m", "\u2028"])
def test_any_text_survives_an_edit(text: str) -> None:
    for raw in (CLOSURES.decode(), SPECIFICATION.decode(), "; role: user\nhi", "hi"):
        assert of_file(with_text(raw, text)).text == text


def test_text_that_utf8_cannot_hold_is_refused() -> None:
    with pytest.raises(WouldLose):
        with_text("; role: user\n\n\nhi", "\ud83c")


@pytest.mark.parametrize("extra", [{"Two\nlines": "x"}, {"Key": "a\nb"}, {"Key": 7}, {"K": " x"}])
def test_a_value_that_a_header_line_cannot_hold_is_refused(extra: dict[str, object]) -> None:
    raw = "; role: user\n\n\nhi"
    with pytest.raises(WouldLose):
        edited(raw, replace(of_file(raw), extra=extra))


def test_an_id_replaces_the_bare_uuid() -> None:
    raw = CLOSURES.decode()
    other = UUID.replace("3", "4")
    assert edited_id(raw, other) == raw.replace(UUID, other)
    assert edited_id(raw, "m-1") == raw.replace(UUID, "; Block-UUID: m-1")


def edited_id(raw: str, id: str) -> str:
    before = document(raw)
    changed = edit.replace(before.conversation, UUID, replace(of_file(raw), id=id))
    return to_bytes(before.with_conversation(changed))["1.md"].decode()


# new messages


def test_a_new_message_has_all_required_fields() -> None:
    message = Message(
        id=UUID,
        role="assistant",
        parts=(Text("# Why\n\n```\nx\n```"),),
        time_ns=from_iso("2025-04-21T18:15:00Z"),
        authors=(Author("Ann", "1.0.0"), Author("Bo")),
        extra={"visibility": "public"},
    )
    assert FORMAT.put(FORMAT.complete(message), None) == (
        f"; Block-UUID: {UUID}\n"
        "; Component: AssistantMessage\n"
        "; Version: 1.0.0\n"
        "; Description: Why\n"
        "; Language: markdown\n"
        "; Created-at: 2025-04-21T18:15:00.000Z\n"
        "; Authors: Ann (v1.0.0), Bo\n"
        "; visibility: public\n"
        ";\n"
        "; role: assistant\n"
        "\n\n"
        "# Why\n\n\\```\nx\n\\```"
    )


def test_neither_id_nor_time_is_made_up() -> None:
    whole = FORMAT.complete(Message(role="user", parts=(Text(""),)))
    assert isinstance(whole, Message)
    assert (whole.id, whole.time_ns, whole.authors) == ("", None, (Author("Unknown"),))
    value = FORMAT.put(whole, None)
    assert isinstance(value, str)
    assert "Block-UUID" not in value
    assert "Created-at" not in value
    assert FORMAT.get(Record(value)) == whole


def test_a_description_is_one_short_line() -> None:
    assert describe_text("\n\n  ## Hello\tthere \nmore") == "Hello there"
    long = describe_text("word " * 50)
    assert len(long) <= 60
    assert long.endswith("word…")
    assert len(describe_text("x" * 100)) == 60
    assert describe_text("\x00\n\ud83c") == "(no text)"
