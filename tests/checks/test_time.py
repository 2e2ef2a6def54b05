"""Times: what is tolerated, what is impossible, and how units are detected."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree import api
from talktree.checks.registry import choose_rules, rules_for
from talktree.checks.report import make_report
from talktree.checks.rules.time import FIRST_TALK, TOLERATED
from talktree.files import Source
from talktree.model.document import Document
from talktree.repairs.run import repair_document
from talktree.text.times import MILLI, SECOND, from_iso, to_iso
from tests.checks.session import Session

NOON = from_iso("2026-03-04T12:00:00Z") or 0
LATE = from_iso("2100-01-01T00:00:00Z") or 0


def codes(document: Document) -> list[str]:
    rules = choose_rules(rules_for(document.format), select=["TIM"])
    return [each.code for each in make_report(document, rules).findings]


def two(first: object, second: object) -> Document:
    session = Session()
    session.say(timestamp=first)
    session.reply(timestamp=second)
    return session.document()


def comment(stamp: object) -> Document:
    value = [{"id": "1", "userId": "mira", "type": "user", "timestamp": stamp, "content": "Hi"}]
    data = json.dumps(value).encode()
    return api.read(Source.of_bytes(data, name="comments.json"), format="studio")


@given(st.integers(-3 * TOLERATED, 3 * TOLERATED))
def test_only_a_long_way_back_is_reported(offset: int) -> None:
    back = offset // MILLI * MILLI
    wanted = ["TIM101"] if back < -TOLERATED else []
    assert codes(two(to_iso(NOON), to_iso(NOON + back))) == wanted


def test_one_step_back_is_reported_once_however_long_the_talk_goes_on() -> None:
    session = Session()
    for number in range(20):
        day = 4 if number < 10 else 3
        session.say(timestamp=f"2026-03-{day:02d}T12:00:{number:02d}Z")
    assert codes(session.document()) == ["TIM101"]


@pytest.mark.parametrize(
    ("stamp", "wanted"),
    [
        (to_iso(FIRST_TALK), []),
        (to_iso(FIRST_TALK - SECOND), ["TIM102"]),
        ("0001-01-01T00:00:00Z", ["TIM102"]),
        ("9999-12-31T23:59:59Z", ["TIM102"]),
        (None, []),
        ("2026-03-04T12:00:00+05:30", []),
        ("2026-03-04 12:00:00-0530", []),
        ("2026-03-04T12:00:00", ["TIM104"]),
        ("", ["TIM105"]),
        ("noon", ["TIM105"]),
    ],
)
def test_dates(stamp: object, wanted: list[str]) -> None:
    session = Session()
    session.say(timestamp=stamp)
    assert codes(session.document()) == wanted


@given(
    st.integers(FIRST_TALK // SECOND, LATE // SECOND),
    st.sampled_from([1, 1000, 10**6, 10**9]),
)
def test_the_size_of_a_number_gives_its_unit(seconds: int, unit: int) -> None:
    document = comment(seconds * unit)
    assert ("TIM103" in codes(document)) == (unit != 1000)
    after = repair_document(
        document, unsafe=True, rules=choose_rules(rules_for("studio"), select=["TIM"])
    ).after
    (message,) = after.conversation.messages()
    assert message.time_ns == seconds * SECOND
    assert "TIM103" not in codes(after)


def test_a_zone_is_added_and_the_time_stays() -> None:
    document = two("2026-03-04T12:00:00.250", "2026-03-04T12:00:01Z")
    after = repair_document(
        document, unsafe=True, rules=choose_rules(rules_for("claude-code"), select=["TIM"])
    )
    assert codes(after.after) == []
    before = [each.time_ns for each in document.conversation.messages()]
    assert [each.time_ns for each in after.after.conversation.messages()] == before
