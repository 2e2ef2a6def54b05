"""Rules about comments: what the document requires is reported, and repaired if possible."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft7Validator  # type: ignore[import-untyped]

from talktree.checks.report import make_report
from talktree.files import Source
from talktree.formats.engine import read_document
from talktree.formats.format import Format
from talktree.formats.record_file import Item
from talktree.formats.studio import FORMAT as JSON
from talktree.formats.studio.hashing import DERIVED, detect_algorithm, hash_text
from talktree.formats.studio.rules import tree as rules_tree
from talktree.formats.studio.write import link_comments
from talktree.formats.studio_text import FORMAT as TEXT
from talktree.formats.studio_xml import FORMAT as XML
from talktree.model.document import Document
from talktree.repairs.run import repair_document
from talktree.testing.strategies import plain_text
from tests.cases import examples
from tests.formats.cases import DATA
from tests.formats.studio_schema import SCHEMA

VALIDATOR = Draft7Validator(SCHEMA)
NOW = 1_741_000_000_000
ENCODINGS = [JSON, TEXT, XML]
each_encoding = pytest.mark.parametrize("format", ENCODINGS, ids=lambda each: each.info.slug)
Comment = dict[str, Any]


def comment(number: int, text: str = "Who brings the bread?", **members: Any) -> Comment:
    """Return a comment with everything that the document requires."""
    return {
        "id": f"{NOW + number}kq{number}ab",
        "userId": "ida",
        "type": "user",
        "timestamp": NOW + number,
        "content": text,
        "contentHash": hash_text(text),
        "attachments": [],
        "children": [],
        **members,
    }


def attachment(**members: Any) -> Comment:
    """Return an attachment with everything that the document requires."""
    whole = {"name": "plan.pdf", "type": "application/pdf", "url": "https://example.org/plan.pdf"}
    return {**whole, "file": {}, **members}


def artifact(**members: Any) -> Comment:
    """Return an artifact with everything that the document requires."""
    whole = {"id": "a1", "type": "text/html", "title": "Menu", "status": "visible"}
    return {**whole, "command": "create", **members}


def opened(value: object) -> Document:
    raw = json.dumps(value, indent=1).encode()
    return read_document(Source.of_bytes(raw, name="talk.json"), JSON)


def codes(document: Document) -> set[str]:
    return make_report(document).codes


def value_of(document: Document) -> Any:
    (content,) = document.origin.source.files.values()  # type: ignore[attr-defined]
    return json.loads(content.read())


# the document's own examples


def test_an_example_with_the_hash_of_another_text() -> None:
    assert codes(opened([comment(1, "Here is the oven", contentHash="50dcdf2c")])) == {"STU104"}


def test_an_example_whose_data_url_is_cut_off() -> None:
    cut = attachment(name="oven.png", type="image/png", url="data:image/png;base64,iVBORw0KGgoA...")
    assert codes(opened([comment(1, attachments=[cut])])) == {"STU303"}


def test_an_example_whose_url_is_null() -> None:
    assert codes(opened([comment(1, attachments=[attachment(url=None)])])) == {"STU302"}


def test_examples_that_share_an_id() -> None:
    both = [comment(1, "Who brings the bread?"), comment(2, "And who the salt?")]
    both[1]["id"] = both[0]["id"]
    assert codes(opened(both)) == {"IDS102"}


def test_an_example_that_is_a_comment_and_no_list() -> None:
    done = repair_document(opened(comment(1)))
    assert codes(done.before) == {"STU201"}
    assert value_of(done.after) == [comment(1)]


def test_all_examples_together_are_repaired_to_what_the_schema_accepts() -> None:
    odd = [
        comment(1, contentHash="50dcdf2c"),
        comment(2, attachments=[attachment(url=None)]),
        comment(3, artifacts=[{key: item for key, item in artifact().items() if key != "command"}]),
    ]
    done = repair_document(opened(odd))
    assert codes(done.before) == {"STU104", "STU302", "STU402"}
    VALIDATOR.validate(value_of(done.after))
    assert codes(done.after) == set()


# the schema

KINDS = [None, True, 7, 7.5, "word", ["list"], {"an": "object"}]
PLACES: list[tuple[str | int, ...]] = [
    *((name,) for name in comment(1) if name != "children"),
    ("parentId",),
    ("deleted",),
    ("artifacts",),
    *(("attachments", 0, name) for name in attachment()),
    ("attachments", 0),
    ("attachments", 0, "file", "dimensions"),
    ("attachments", 0, "file", "dimensions", "width"),
    *(("artifacts", 0, name) for name in (*artifact(), "info")),
    ("artifacts", 0),
]


def changed(way: tuple[str | int, ...], item: object) -> list[Comment]:
    """Return a valid conversation with one member replaced or removed."""
    whole = comment(1, attachments=[attachment()], artifacts=[artifact()])
    value = [whole, comment(2)]
    place: Any = whole
    for step in way[:-1]:
        place = place.setdefault(step, {}) if isinstance(place, dict) else place[step]
    if item is ABSENT:
        place.pop(way[-1], None)
    else:
        place[way[-1]] = deepcopy(item)
    return value


ABSENT = object()


@pytest.mark.parametrize("way", PLACES, ids=lambda way: "/".join(map(str, way)))
def test_violations_of_the_schema_are_reported(way: tuple[str | int, ...]) -> None:
    for item in [*KINDS, *([] if isinstance(way[-1], int) else [ABSENT])]:
        value = changed(way, item)
        found = make_report(opened(value)).findings
        if not VALIDATOR.is_valid(value):
            assert any(each.severity != "note" for each in found), (way, item)
        else:
            assert not any(each.severity == "error" for each in found), (way, item, found)


@pytest.mark.parametrize("way", PLACES, ids=lambda way: "/".join(map(str, way)))
def test_repairing_makes_valid_what_it_says_it_repairs(way: tuple[str | int, ...]) -> None:
    for item in [*KINDS, *([] if isinstance(way[-1], int) else [ABSENT])]:
        document = opened(changed(way, item))
        if all(each.fix == "safe" for each in make_report(document).findings):
            assert VALIDATOR.is_valid(value_of(repair_document(document).after)), (way, item)


# hashes


@pytest.mark.parametrize("algorithm", DERIVED)
@given(text=plain_text)
@examples(30)
def test_every_hash_that_programs_write_is_a_good_one(algorithm: str, text: str) -> None:
    hash = DERIVED[algorithm](text)
    assert not {"STU104", "STU105"} & codes(opened([comment(1, text, contentHash=hash)]))


@given(text=plain_text, other=plain_text, algorithm=st.sampled_from(sorted(DERIVED)))
@examples(60)
def test_a_hash_is_made_again_and_the_text_is_not_touched(
    text: str, other: str, algorithm: str
) -> None:
    old = DERIVED[algorithm](other)
    document = opened([comment(1, text, contentHash=old)])
    (repaired,) = value_of(repair_document(document).after)
    assert repaired["content"] == text
    assert detect_algorithm(repaired["contentHash"], text) is not None
    assert (len(repaired["contentHash"]) == 10) == (algorithm == "sha256-10")
    assert ("STU104" in codes(document)) == (detect_algorithm(old, text) is None)


def test_a_text_that_was_changed_on_its_way_is_reported_as_that() -> None:
    old = hash_text("one\r\ntwo")
    (found,) = make_report(opened([comment(1, "one\ntwo", contentHash=old)])).findings
    assert "line ends" in found.message


def test_a_deleted_comment_may_keep_the_hash_of_what_it_said() -> None:
    gone = comment(1, "", contentHash="50dcdf2c", deleted=True)
    assert codes(opened([gone])) == set()


# nesting

names = st.sampled_from(["a", "b", "c", None])


@st.composite
def threads(draw: st.DrawFn) -> list[Comment]:
    """Generate randomly nested comments, with ids that may be duplicate and parents that may be
    wrong."""
    made: list[Comment] = []
    top: list[Comment] = []
    for number in range(draw(st.integers(1, 6))):
        name = draw(names)
        fresh = comment(number, f"number {number}")
        fresh["id"] = name or fresh["id"]
        if draw(st.booleans()):
            fresh["parentId"] = draw(names)
        above = draw(st.integers(-1, len(made) - 1))
        (top if above < 0 else made[above]["children"]).append(fresh)
        made.append(fresh)
    return top


@given(value=threads())
@examples(80)
def test_a_parent_that_is_named_agrees_with_the_nesting(value: list[Comment]) -> None:
    roots = value_of(repair_document(opened(value)).after)
    pending = [(each, None) for each in roots]
    named: list[str] = []
    ids: list[str] = []
    while pending:
        each, above = pending.pop()
        ids.append(each["id"])
        parent = each.get("parentId", above)
        if above is None and parent is not None:
            named.append(parent)
        else:
            assert parent == above
        pending += [(reply, each["id"]) for reply in each["children"]]
    assert set(named) <= set(ids), "at the top only the id of another comment is kept"


def test_hundreds_of_nested_replies_are_not_an_error() -> None:
    depth = rules_tree.JSON_DEPTH // 2 + 50
    starts = [json.dumps(comment(number))[: -len("]}")] for number in range(depth)]
    raw = ("[" + "".join(starts) + "]}" * depth + "]").encode()
    document = read_document(Source.of_bytes(raw, name="talk.json"), JSON)
    (found,) = make_report(document).findings
    assert (found.code, found.severity, found.fix) == ("STU202", "note", None)
    assert not repair_document(document, unsafe=True).changed
    assert document.findings == []


def test_some_hundreds_of_nested_replies_have_no_findings() -> None:
    starts = [json.dumps(comment(number))[: -len("]}")] for number in range(300)]
    raw = ("[" + "".join(starts) + "]}" * 300 + "]").encode()
    assert codes(read_document(Source.of_bytes(raw, name="talk.json"), JSON)) == set()


# the three encodings

ODD: list[tuple[str, Comment]] = [
    ("STU101", {"contentHash": None}),
    ("STU104", {"contentHash": "50dcdf2c"}),
    ("STU105", {"contentHash": "md5:77"}),
    ("STU106", {"parentId": "somebody"}),
    ("STU107", {"type": "User"}),
    ("STU302", {"attachments": [attachment(url=None)]}),
    (
        "STU304",
        {
            "attachments": [
                {"url": "https://example.org/a.pdf", "type": "application/pdf", "file": {}}
            ]
        },
    ),
    ("STU401", {"artifacts": [{**artifact(), "type": None}]}),
    ("STU403", {"artifacts": [artifact(status="reference")]}),
]


def encoded(format: Format, comments: list[Comment]) -> Document:
    items = [Item(None, each, changed=True, depth=number) for number, each in enumerate(comments)]
    name = f"talk{format.info.suffixes[0]}"
    raw = b"".join(format.blank_sheet(name).rewrite(items))
    return read_document(Source.of_bytes(raw, name=name), format)


@each_encoding
@pytest.mark.parametrize(("code", "odd"), ODD, ids=[code for code, _ in ODD])
def test_a_comment_is_judged_and_repaired_alike_however_it_is_encoded(
    format: Format, code: str, odd: Comment
) -> None:
    comments = [comment(0), comment(1, **odd)]
    document = encoded(format, comments)
    assert codes(document) == {code}
    done = repair_document(document, unsafe=True)
    left = make_report(done.after).findings
    assert not [each for each in left if each.fix]
    wanted = repair_document(encoded(JSON, comments), unsafe=True).after
    assert [_entries(done.after)] == [_entries(wanted)]


def _entries(document: Document) -> list[object]:
    return [list(talk.entries) for talk in document.conversations]


@each_encoding
def test_comments_written_in_other_encodings_have_no_findings(format: Format) -> None:
    whole = [comment(0, attachments=[attachment()], artifacts=[artifact()]), comment(1)]
    items = [Item(None, each, changed=True, depth=number) for number, each in enumerate(whole)]
    assert codes(encoded(format, [_object(item) for item in link_comments(items)])) == set()


def _object(item: Item) -> Comment:
    assert isinstance(item.value, dict)
    return item.value


# texts written by exporters

FOREIGN = sorted(DATA.glob("studio-text/foreign/*"))


@pytest.mark.parametrize("path", FOREIGN, ids=lambda path: path.name)
def test_exported_texts_are_repaired_in_their_own_dialect(path: Any) -> None:
    odd = re.sub(rb"Hash: \w+", b"Hash: 50dcdf2c00", path.read_bytes())
    done = repair_document(read_document(Source.of_bytes(odd, name=path.name), TEXT), unsafe=True)
    assert "STU104" in {each.code for each in done.plan}
    assert not [each for each in make_report(done.after).findings if each.fix]
    assert done.before.conversations[0].skeleton.ids == done.after.conversations[0].skeleton.ids
