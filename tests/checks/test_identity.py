"""Duplicate and missing ids: copies are folded, other records get new ids."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from talktree.checks.registry import all_rules
from talktree.checks.report import make_report
from talktree.files import Source
from talktree.formats import get_format
from talktree.formats.engine import read_document
from talktree.model.document import Document
from talktree.model.message import Message
from talktree.model.skeleton import ROOT
from talktree.repairs.run import Repair, repair_document
from tests.cases import examples
from tests.checks.linked import Line, document, uuid

IDS = [rule for rule in all_rules() if rule.code.startswith("IDS")]
FIRST, SECOND = Line(1, None, words="bread"), Line(2, 1, "assistant", words="ten minutes")


def hanging(found: Document) -> dict[str, str | None]:
    """Return the text of each message and of its parent."""
    conversation = found.conversation
    words = [each.text if isinstance(each, Message) else "" for each in conversation.entries]
    return {
        each: None if above == ROOT else words[above]
        for each, above in zip(words, conversation.skeleton.parents, strict=True)
    }


def codes(done: Repair) -> list[str]:
    """Return the rules that caused repairs."""
    return [step.code for step in done.plan]


def test_copies_go_and_what_is_attached_to_them_stays() -> None:
    found = document("claude-code", [FIRST, SECOND, FIRST, SECOND, Line(3, 2, words="and cake?")])
    done = repair_document(found, rules=IDS)
    assert codes(done) == ["IDS105", "IDS105"]
    assert hanging(done.after) == {
        "bread": None,
        "ten minutes": "bread",
        "and cake?": "ten minutes",
    }


def test_a_resumed_session_repeats_its_history_under_another_name() -> None:
    plain = document("claude-code", [FIRST, SECOND]).origin.source  # type: ignore[attr-defined]
    ((name, content),) = plain.files.items()
    again = content.read().replace(b'"sessionId":"5c0ffee0', b'"sessionId":"6c0ffee0')
    both = read_document(
        Source.of_bytes(content.read() + again, name=name), get_format("claude-code")
    )
    assert make_report(both, IDS).codes == {"IDS105"}


def test_a_duplicate_id_is_renamed_with_its_references() -> None:
    found = document(
        "sage",
        [
            FIRST,
            SECOND,
            Line(1, 2, words="cake"),
            Line(3, 1, words="which?"),
            Line(4, 2, words="x"),
        ],
    )
    assert not repair_document(found, rules=IDS).changed, "to rename is not safe"
    before = hanging(found)
    done = repair_document(found, unsafe=True, rules=IDS)
    assert codes(done) == ["IDS102", "IDS102"]
    assert hanging(done.after) == before
    assert not done.after.conversation.skeleton.native


def test_copies_of_a_duplicate_id_follow_the_one_they_repeat() -> None:
    other = Line(1, 2, words="cake")
    found = document("claude-messages", [FIRST, SECOND, other, other, Line(3, 1, words="which?")])
    done = repair_document(found, unsafe=True, rules=IDS)
    assert hanging(done.after)["which?"] == "cake"
    assert len(done.after.conversation) == 4


def test_a_copy_stays_while_its_replies_would_land_elsewhere() -> None:
    lines = [FIRST, SECOND, Line(1, 2, words="cake"), FIRST, Line(3, 1, words="which?")]
    found = document("native", lines)
    assert not repair_document(found, rules=IDS).changed
    done = repair_document(found, unsafe=True, rules=IDS)
    assert hanging(done.after)["which?"] == "bread"
    assert len(done.after.conversation) == 4


def test_new_ids_are_the_same_each_time_and_of_the_kind_that_is_wanted() -> None:
    lines = [FIRST, SECOND, Line(1, 2, words="cake")]
    names = [
        [
            repair_document(document(slug, lines), unsafe=True, rules=IDS).after.conversation
            for _ in "ab"
        ]
        for slug in ("claude-code", "native")
    ]
    for one, two in names:
        assert one.skeleton.ids == two.skeleton.ids
    assert len(names[0][0].skeleton.ids[2]) == 36
    assert names[1][0].skeleton.ids[2] == f"{uuid(1)}-2"


@examples(60)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=12))
def test_renaming_moves_nothing(numbers: list[tuple[int, int]]) -> None:
    lines = [
        Line(name, parent if at else None, words=f"No. {at}")
        for at, (name, parent) in enumerate(numbers)
    ]
    found = document("claude-code", lines)
    if found.conversation.skeleton.dangling or found.conversation.skeleton.points_forward:
        return
    done = repair_document(found, unsafe=True, rules=IDS)
    assert hanging(done.after) == hanging(found)
    assert not done.after.conversation.skeleton.native
