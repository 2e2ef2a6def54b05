"""Rules about message files: each old form has its code, and its repair keeps the content."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.checks.report import make_report
from talktree.files import Source
from talktree.formats.chatbuilder import FORMAT
from talktree.formats.chatbuilder.body import MessageContent, parse_content
from talktree.formats.chatbuilder.parse import parse_layout
from talktree.formats.chatbuilder.parse_header import REQUIRED
from talktree.formats.engine import read_document
from talktree.model.document import Document
from talktree.repairs.run import repair_document
from tests.cases import examples

ID = "7b0c1d5e-4a1f-4c55-9e0a-000000000001"
FIELDS = """\
; Component: UserMessage
; Version: 1.0.0
; Description: A question about bread
; Language: markdown
; Created-at: 2025-03-02T09:01:00.000Z
; Authors: Ines Okafor (v1.0.0)
"""
WHOLE = f"; Block-UUID: {ID}\n{FIELDS};\n; role: user\n\n\nWho brings the bread?\n"


def file(text: str) -> Document:
    return read_document(Source.of_bytes(text.encode(), name="1.md"), FORMAT)


def folder(**texts: str) -> Document:
    files = {f"{name[1:]}.md": text.encode() for name, text in texts.items()}
    return read_document(Source.of_files(files, name="talk"), FORMAT)


def codes(document: Document) -> set[str]:
    return make_report(document).codes


def text_of(document: Document) -> str:
    (content,) = document.origin.source.files.values()  # type: ignore[attr-defined]
    raw: bytes = content.read()
    return raw.decode()


def what_it_says(document: Document) -> MessageContent:
    return parse_content(parse_layout(text_of(document)))


# the document


def test_a_file_that_follows_the_document_has_no_findings() -> None:
    assert codes(file(WHOLE)) == set()


def test_an_example_whose_id_has_lost_its_name() -> None:
    raw = WHOLE.replace("; Block-UUID: ", "")
    assert codes(file(raw)) == {"CHB203"}
    assert text_of(repair_document(file(raw)).after) == WHOLE


def test_the_form_of_the_specification_itself() -> None:
    lines = FIELDS.replace("; ", "")
    raw = f"<!--\nBlock-UUID: {ID}\n{lines}-->\n\n# Message Format\n"
    assert codes(file(raw)) == {"CHB104", "CHB202", "SYN302"}


@pytest.mark.parametrize("name", REQUIRED)
def test_every_required_field_is_missed(name: str) -> None:
    lines = [line for line in WHOLE.splitlines(keepends=True) if not line.startswith(f"; {name}")]
    assert len(codes(file("".join(lines))) & {"CHB101", "CHB102", "CHB103"}) == 1


def test_most_real_files_have_nothing_but_a_role() -> None:
    found = make_report(file("; role: user\n\n\nhi\n")).findings
    assert {each.code for each in found} == {"CHB101", "CHB102", "CHB103"}
    assert {each.severity for each in found} == {"error"}


def test_a_message_without_an_id_among_others_is_reported_once() -> None:
    other = WHOLE.replace(f"; Block-UUID: {ID}\n", "")
    (found,) = make_report(folder(_1=WHOLE, _2=other)).findings
    assert (found.code, found.path) == ("CHB103", "2.md")


@pytest.mark.parametrize(("role", "code"), [("assisant", "ROL101"), ("", "CHB104")])
def test_an_invalid_role_is_reported(role: str, code: str) -> None:
    raw = WHOLE.replace("; role: user", f"; role: {role}".rstrip())
    assert codes(file(raw)) == {code}


def test_a_text_without_a_header_is_not_blamed_for_its_role() -> None:
    assert codes(file("Who brings the bread?\n")) == {"CHB201"}


# forms of headers

marks = st.sampled_from(["; ", ";", ";  ", ""])
keys = st.sampled_from(["Component", "version", "DESCRIPTION", "Language", "visibility", "Odd-Key"])
words = st.text("abc .1:", min_size=1, max_size=12).map(str.strip).filter(bool)
field_lines = st.builds("{}{}: {}".format, marks, keys, words)
other_lines = st.sampled_from([";", "; a remark", ID, f"; Block-UUID: {ID}", "half a sentence"])
roles = st.sampled_from(["; role: user", "role: assistant", ";Role: system", "; role: teacher", ""])
ends = st.sampled_from(["\n\n\n", "\n\n", "\n", "\r\n\r\n\r\n"])
bodies = st.sampled_from(["hi\n", "", "```\nx\n```\n", "\\```\nx\n```", "a\n\n\nb", "; no header"])


@st.composite
def message_files(draw: st.DrawFn) -> str:
    """Generate message files with headers of every form, mixed."""
    lines = [*draw(st.lists(field_lines | other_lines, max_size=5)), draw(roles)]
    header = "\n".join(line for line in lines if line)
    if draw(st.booleans()):
        header = f"<!--\n{header}\n-->"
    return header + draw(ends) + draw(bodies)


@given(text=message_files())
@examples(300)
def test_repairing_a_header_keeps_what_it_says(text: str) -> None:
    document = file(text)
    done = repair_document(document)
    before, after = what_it_says(document), what_it_says(done.after)
    assert (after.id, after.role, after.text) == (before.id, before.role, before.text)
    assert (after.time, after.authors) == (before.time, before.authors)
    kept = {key.lower(): value for key, value in after.extra.items()}
    assert all(
        kept[key.lower()].startswith(value) or key.lower() == "version"
        for key, value in before.extra.items()
    )
    mine = [each for each in make_report(done.after).findings if each.code.startswith("CHB")]
    assert not [each for each in mine if each.fix == "safe"], (text_of(done.after), mine)
    assert not repair_document(done.after).changed


# texts


@given(text=st.text("`\\ab\n", max_size=30))
@examples(100)
def test_escaping_fences_changes_no_text(text: str) -> None:
    document = file(f"{WHOLE.partition('Who')[0]}{text}")
    done = repair_document(document)
    assert what_it_says(done.after).text == what_it_says(document).text
    assert "CHB401" not in codes(done.after)


def test_links_are_followed_within_the_source_only() -> None:
    links = "[a](2.md) [b](../3.md) [c](/4.md) [d](https://example.org/5.md) [e](./1.md) [f](6.md)"
    found = make_report(folder(_1=WHOLE.replace("Who", links), _2=WHOLE.replace("0001", "0002")))
    assert [each.message for each in found.findings] == ["6.md is not here"]


# files


def test_a_hundred_files_are_in_numeric_order() -> None:
    texts = {f"_{number}": WHOLE.replace("0001", f"{number:04}") for number in range(1, 101)}
    assert codes(folder(**texts)) == set()


def test_each_gap_is_reported_where_it_ends() -> None:
    texts = {f"_{number}": WHOLE.replace("0001", f"{number:04}") for number in (2, 3, 7, 8, 10)}
    reported = [each for each in make_report(folder(**texts)).findings if each.code == "CHB501"]
    assert [each.path for each in reported] == ["2.md", "7.md", "10.md"]
