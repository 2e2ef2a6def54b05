"""Comments as XML: each dialect that was ever written, edits in place, and damage."""

from __future__ import annotations

import re

import pytest

from talktree.errors import DamagedRecord, RefusedInput, TalktreeError
from talktree.files import MemoryContent, Source
from talktree.files.splice import apply_splices
from talktree.formats.engine import read_document
from talktree.formats.format import Probe
from talktree.formats.studio_xml import FORMAT
from talktree.formats.studio_xml.parse import XmlSheet
from talktree.model import edit
from talktree.model.conversation import Conversation
from talktree.model.document import Document
from talktree.model.entries import Opaque
from talktree.model.message import Author, Message
from talktree.model.parts import Attachment, Text
from talktree.testing import contract
from tests.formats.cases import DATA

NAME = "talk.xml"
GOOD = {path.stem: path.read_bytes() for path in (DATA / "studio-xml/good").iterdir()}
BAD = {path.stem: path.read_bytes() for path in (DATA / "studio-xml/bad").iterdir()}
REPLY = Message(
    id="new",
    role="assistant",
    parts=(Text("a reply"),),
    time_ns=1736935209000 * 1_000_000,
    authors=(Author("bot"),),
)


def opened(raw: bytes) -> tuple[Document, Conversation]:
    document = read_document(Source.of_bytes(raw, name=NAME), FORMAT)
    return document, document.conversations[0]


def saved(document: Document, conversation: Conversation) -> bytes:
    return contract.write_files(document.with_conversation(conversation))[NAME]


def texts(raw: bytes) -> list[tuple[str, str | None, str]]:
    return [(each.id, each.parent, each.text) for each in opened(raw)[1].messages()]


def edited(raw: bytes, id: str, text: str) -> bytes:
    document, conversation = opened(raw)
    return saved(document, edit.set_text(conversation, id, text))


def replied(raw: bytes, parent: str | None, *, id: str = "new") -> bytes:
    document, conversation = opened(raw)
    reply = Message(
        id=id,
        parent=parent,
        role=REPLY.role,
        parts=REPLY.parts,
        time_ns=REPLY.time_ns,
        authors=REPLY.authors,
    )
    return saved(document, edit.append(conversation, reply))


def without_hashes(raw: bytes) -> bytes:
    """Replace the hashes, which follow the text and may differ where a text was changed."""
    return re.sub(rb"(<contentHash>|contentHash=\")[0-9a-f]*", rb"\1", raw)


def comments(inside: str) -> bytes:
    return f"<comments><comment><id>c</id>{inside}</comment></comments>".encode()


def said(inside: str) -> Message:
    return opened(comments(inside))[1]["c"]


# reading the dialects


def test_the_apps_elements_are_read_with_nested_replies() -> None:
    assert texts(GOOD["app"]) == [
        ("1736935200000", None, "hello"),
        ("1736935210000", "1736935200000", "Two <b>ways</b> & one sketch"),
        ("1736935220000", "1736935210000", "The first."),
        ("1736935230000", "1736935210000", "No, the second."),
    ]
    (_, image) = opened(GOOD["app"])[1]["1736935210000"].parts
    assert image == Attachment(
        "sketch & notes.png", "image/png", "data:image/png;base64,iVBORw0KGgo="
    )


def test_the_workers_flat_comments_have_no_role() -> None:
    first, second = opened(GOOD["worker"])[1].messages()
    assert (first.role, second.role, second.parent) == ("unknown", "unknown", None)
    assert second.text == "Thursday.\nSeven of eight are free."
    assert second.authors == (Author("assistant"),)


def test_the_older_form_has_sections_for_urls_and_empty_lists() -> None:
    conversation = opened(GOOD["older"])[1]
    (_, image) = conversation["2"].parts
    assert isinstance(image, Attachment)
    assert image.url == "data:image/gif;base64,R0lGODlhAQABAAAAACw="


def test_attributes_are_fields_too() -> None:
    one, two, three = opened(GOOD["attributes"])[1].messages()
    assert (one.id, one.role, one.text) == ("a1", "user", "Attributes & plain text, no section")
    assert (two.parent, two.text, two.time_ns) == ("a1", 'All in "one" tag', 1736935201000 * 10**6)
    assert three.parts[1] == Attachment("a.txt", "text/plain", "https://example.org/a.txt")


def test_an_empty_element_is_empty_text_and_an_empty_type_is_none() -> None:
    found = said("<userId/><type/><content></content>")
    assert found == Message(id="c", parts=(Text(""),), authors=(Author(""),))


def test_names_that_were_not_escaped_are_read_as_they_were_meant() -> None:
    first = next(opened(BAD["unescaped"])[1].messages())
    assert first.id == "a<b&c"
    assert first.authors == (Author("Tom & Jerry <tom@example.org>"),)
    (_, file) = first.parts
    assert isinstance(file, Attachment)
    assert file.name == "R&D <comment> </attachment>.txt"
    assert file.url == "https://example.org/?a=1&b=2&copy;=3"


@pytest.mark.parametrize(
    ("inside", "text"),
    [
        ("<![CDATA[a]]]]><![CDATA[>b]]>", "a]]>b"),
        ("<![CDATA[a]]>b]]>", "a]]>b"),
        ("<![CDATA[no end", "no end"),
        ("a<!-- not said -->b<?nor this?>c", "abc"),
        ("a &lt;b&gt; &amp;amp; &#x1F600;&#252;", "a <b> &amp; \U0001f600\u00fc"),
        ("one\r\ntwo\rthree&#13;", "one\ntwo\nthree\r"),
        ("AT&T &nbsp; &#0; &", "AT&T &nbsp; &#0; &"),
        ("some <b>bold</b> <i>text", "some <b>bold</b> <i>text"),
        ("if a < b", "if a < b"),
        ("</comment>", "</comment>"),
    ],
)
def test_the_text_of_an_element(inside: str, text: str) -> None:
    assert said(f"<content>{inside}</content>").text == text


def test_unknown_elements_are_kept_as_members() -> None:
    found = said("<mood>calm</mood><tags><tag>a</tag></tags><content>x</content>")
    assert found.extra == {"mood": "calm", "tags": "<tag>a</tag>"}


def test_replies_are_found_in_any_element_and_in_none() -> None:
    raw = comments("<replies><comment><id>d</id></comment></replies>")
    assert texts(raw) == [("c", None, ""), ("d", "c", "")]
    raw = comments("<comment><id>d</id></comment><comment><id>e</id></comment><type>user</type>")
    assert texts(raw) == [("c", None, ""), ("d", "c", ""), ("e", "c", "")]
    assert opened(raw)[1]["c"].role == "user"


# editing


@pytest.mark.parametrize(
    ("dialect", "id", "before", "after"),
    [
        ("app", "1736935220000", b"<![CDATA[The first.]]>", b"<![CDATA[a]]]]><![CDATA[>b]]>"),
        ("attributes", "a1", b"Attributes &amp; plain text, no section", b"a]]&gt;b"),
        ("attributes", "a2", b"All in &quot;one&quot; tag", b"a]]&gt;b"),
        ("one-line", "m1", b"one line", b"a]]&gt;b"),
    ],
)
def test_an_edit_replaces_the_text_in_the_form_it_has(
    dialect: str, id: str, before: bytes, after: bytes
) -> None:
    out = edited(GOOD[dialect], id, "a]]>b")
    assert without_hashes(out) == without_hashes(GOOD[dialect].replace(before, after))
    assert opened(out)[1][id].text == "a]]>b"


def test_a_comment_of_the_year_9000_can_be_edited() -> None:
    raw = comments("<timestamp>221845392000000</timestamp><content>x</content>")
    assert edited(raw, "c", "y") == raw.replace(b"<content>x", b"<content>y")


def test_a_type_fills_the_empty_element() -> None:
    document, conversation = opened(GOOD["app"])
    before = conversation["1736935200000"]
    typed = Message(
        id=before.id,
        role="system",
        parts=before.parts,
        time_ns=before.time_ns,
        authors=before.authors,
    )
    out = saved(document, edit.replace(conversation, before.id, typed))
    assert out == GOOD["app"].replace(b"<type/>", b"<type>system</type>", 1)


@pytest.mark.parametrize(
    "text", ["\x00", "\x1b[31m", "\ud83c", "\ufffe", "a\r\nb\rc", "]]>", "<&>\"'", " \n\t", ""]
)
@pytest.mark.parametrize("dialect", sorted(GOOD))
def test_any_text_survives_in_any_dialect(dialect: str, text: str) -> None:
    for id in [each.id for each in opened(GOOD[dialect])[1].messages()]:
        out = edited(GOOD[dialect], id, text)
        assert opened(out)[1][id].text == text
        assert not [each for each in opened(out)[0].findings if each.severity != "note"]


def test_an_edit_back_to_plain_text_takes_the_mark_away() -> None:
    marked = edited(GOOD["older"], "1", "\x00")
    assert b'<content encoding="json">"\\u0000"</content>' in marked
    again = edited(marked, "1", "1")
    assert again == GOOD["older"].replace(b"<![CDATA[1]]>", b"1")


@pytest.mark.parametrize("dialect", sorted(GOOD))
def test_a_reply_to_any_comment_is_nested_in_it(dialect: str) -> None:
    raw = GOOD[dialect]
    for parent in [each.id for each in opened(raw)[1].messages()]:
        out = replied(raw, parent)
        assert ("new", parent, "a reply") in texts(out)
        assert len(texts(out)) == len(texts(raw)) + 1
        assert not [each for each in opened(out)[0].findings if each.severity != "note"]


def test_a_new_comment_looks_like_its_neighbours() -> None:
    assert replied(GOOD["app"], "1736935220000").count(b"<attachments") == 1
    out = replied(GOOD["attributes"], "a2")
    made = b'<comment id="new" userId="bot" type="assistant" timestamp="1736935209000" contentHash='
    assert b"\n\t\t\t\t\t" + made in out
    assert b"\n" not in replied(GOOD["one-line"], "m2")
    assert replied(GOOD["windows"], None).count(b"\n") == replied(GOOD["windows"], None).count(
        b"\r\n"
    )
    assert b"    <attachments/>\n    <children/>\n  </comment>\n</comments>" in replied(
        GOOD["older"], None
    )


def test_a_single_comment_is_put_into_a_list_when_a_second_comes() -> None:
    raw = b"<?xml version='1.0'?>\n<comment>\n  <id>c</id>\n</comment>\n"
    assert texts(replied(raw, "c")) == [("c", None, ""), ("new", "c", "a reply")]
    out = replied(raw, None)
    assert out.startswith(b"<?xml version='1.0'?>\n<comments>\n<comment>\n  <id>c</id>")
    assert texts(out) == [("c", None, ""), ("new", None, "a reply")]


@pytest.mark.parametrize(
    "raw",
    [
        b"<comments/>",
        b"<comments>\n</comments>\n",
        b"",
        b"\xef\xbb\xbf",
        b"<comments><!-- x --></comments>",
    ],
)
def test_the_first_comment_goes_into_an_empty_file(raw: bytes) -> None:
    out = replied(raw, None)
    assert texts(out) == [("new", None, "a reply")]
    assert (b"<!-- x -->" in out) == (b"<!-- x -->" in raw)


def test_comments_can_be_moved_and_taken_out() -> None:
    document, conversation = opened(GOOD["app"])
    moved = edit.move(conversation, "1736935210000", to=None)
    assert [each[:2] for each in texts(saved(document, moved))] == [
        ("1736935200000", None),
        ("1736935210000", None),
        ("1736935220000", "1736935210000"),
        ("1736935230000", "1736935210000"),
    ]
    less = edit.remove(conversation, ["1736935220000", "1736935230000"])
    assert [each[0] for each in texts(saved(document, less))] == ["1736935200000", "1736935210000"]


# damage


def test_a_file_cut_off_keeps_all_comments_that_are_whole() -> None:
    document, conversation = opened(BAD["torn"])
    assert [each.id for each in conversation.messages()] == ["1", "2"]
    assert isinstance(list(conversation.entries)[-1], Opaque)
    assert {each.code for each in document.findings} == {"SYN101"}
    assert edited(BAD["torn"], "2", "x") == BAD["torn"].replace(b"whole", b"x").replace(
        b"d4735e3a26", b"78"
    )
    with pytest.raises(DamagedRecord):
        replied(BAD["torn"], None)


def test_a_comment_cut_off_after_its_text_is_a_message() -> None:
    raw = b"<comments><comment><id>c</id><type>user</type><content>whole</content><attach"
    document, _ = opened(raw)
    assert texts(raw) == [("c", None, "whole")]
    assert {each.code for each in document.findings} == {"SYN101"}
    assert contract.write_files(document)[NAME] == raw
    for parent in ("c", None):
        with pytest.raises(DamagedRecord):
            replied(raw, parent)


@pytest.mark.parametrize("end", ["</userI>", '</use"rId>', "<userId>", "/userId>", "</userId"])
def test_a_field_without_an_end_does_not_take_the_words_with_it(end: str) -> None:
    inside = f"<userId>u{end}<type>user</type><content>one <id> line</content>"
    assert said(inside).text == "one <id> line"
    assert said(inside + "<children><comment><id>d</id></comment></children>").role == "user"
    with pytest.raises(DamagedRecord):
        edited(comments(inside), "c", "other")


def test_a_section_without_an_end_does_not_take_the_next_comment_with_it() -> None:
    first = "<content><![CDATA[one]></content><children><comment><id>d</id>"
    raw = comments(f"{first}<content><![CDATA[two]]></content></comment></children>")
    assert [each[0] for each in texts(raw)] == ["c", "d"]
    assert texts(raw)[1][2] == "two"


def test_a_misspelt_end_tag_is_not_part_of_a_repaired_field() -> None:
    raw = comments("<userId>u</userI><type>user</type><content>words</content>")
    sheet = XmlSheet(NAME, MemoryContent(raw), FORMAT, group="")
    repaired = b"".join(apply_splices(sheet.content, sheet.changes))
    (value,) = (
        each.value for each in XmlSheet(NAME, MemoryContent(repaired), FORMAT, group="").pieces
    )
    assert value == {"id": "c", "userId": "u", "type": "user", "content": "words"}


def test_every_beginning_of_a_file_is_read_and_written_back() -> None:
    raw = GOOD["everything"]
    for length in range(len(raw)):
        contract.check_any_bytes(FORMAT, Source.of_bytes(raw[:length], name=NAME))


def test_a_comment_inside_a_truncated_one_is_its_neighbour() -> None:
    kinds = [type(each).__name__ for each in opened(BAD["spliced"])[1].entries]
    assert kinds == ["Message", "Opaque", "Message", "Opaque", "Message"]
    with pytest.raises(DamagedRecord):
        replied(BAD["spliced"], "3")


@pytest.mark.parametrize(
    "raw",
    [
        b'<!DOCTYPE comments [<!ENTITY a "b">]><comments><comment>&a;</comment></comments>',
        b'<!DOCTYPE comments SYSTEM "file:///etc/passwd"><comments/>',
        b"<comments><!ENTITY a 'b'></comments>",
        b'<?xml version="1.0" encoding="ISO-8859-1"?><comments/>',
        "<?xml version='1.0'?><comments/>".encode("utf-16-le"),
    ],
)
def test_document_types_entities_and_other_encodings_are_refused(raw: bytes) -> None:
    with pytest.raises(RefusedInput) as refused:
        opened(raw)
    assert refused.value.hint


def test_a_document_type_inside_text_is_text() -> None:
    assert said("<content><![CDATA[<!DOCTYPE a>]]></content>").text == "<!DOCTYPE a>"


@pytest.mark.parametrize(
    "raw",
    [
        b"<comment>" * 50_000,
        b"<comments>" + b"<comment><id>x" * 20_000,
        b"<comments><comment>" + b"<id>x<type>y</type>" * 20_000,
        b"<comments><comment>" + b"<a>" * 50_000,
        b"<comments>" + b"".join(b"<comment><a%d>" % number for number in range(10_000)),
        b"<comments><comment><content>" + b"<comment>" * 50_000 + b"</content>",
        b"<comments><comment><content>" + b"<![CDATA[" * 50_000,
        b"<comments><comment><content>" + b"<!--&]]>" * 50_000 + b"</content>",
        b"<comments><comment " + b" " * 100_000,
        b"<comments>" + b"<comment><content><![CDATA[x</content></comment>" * 20_000,
    ],
)
def test_hostile_nesting_takes_linear_time(raw: bytes) -> None:
    contract.check_any_bytes(FORMAT, Source.of_bytes(raw, name=NAME))


# detection


@pytest.mark.parametrize(
    "raw",
    [
        b"<html><body><comment>x</comment></body></html>",
        b'<svg xmlns="http://www.w3.org/2000/svg"><title>comments</title></svg>',
        b'<?xml version="1.0"?><comments><row Id="1" PostId="2" Text="t" UserId="3"/></comments>',
        b"<comments><comment><author>a</author><body>b</body></comment></comments>",
        b"<comments><comment><id>1</id><author>a</author><content>b</content></comment></comments>",
        b'<w:comments xmlns:w="urn:w"><w:comment w:id="0"/></w:comments>',
        b"<commentsary><id/><userId/><content/></commentsary>",
        b"a file about <comments><comment><id>1</id><userId>u</userId><content/>",
        b"",
    ],
)
def test_other_files_are_not_claimed(raw: bytes) -> None:
    assert FORMAT.detect(Probe(Source.of_bytes(raw, name="x.xml"))) is None


def test_a_file_with_a_document_type_is_recognised_and_then_refused() -> None:
    raw = b"<!DOCTYPE comments>\n" + GOOD["one-line"]
    source = Source.of_bytes(raw, name=NAME)
    assert FORMAT.detect(Probe(source)) is not None
    with pytest.raises(TalktreeError):
        read_document(source, FORMAT)


@pytest.mark.parametrize(
    "start",
    [b"<commnts>", b'"<comments>', b'<"comments>', b"comments>", b'?xml version="1.0"?><comments>'],
)
def test_comments_below_a_damaged_root_are_recognised(start: bytes) -> None:
    raw = start + GOOD["one-line"].removeprefix(b"<comments>")
    assert FORMAT.detect(Probe(Source.of_bytes(raw, name=NAME))) is not None
    assert [each[2] for each in texts(raw)] == [each[2] for each in texts(GOOD["one-line"])]
