"""The rules of Muse histories: what the document requires, and what database exports look like."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from talktree import api
from talktree.checks.report import make_report
from talktree.files import Source
from talktree.model.document import Document
from talktree.repairs.run import repair_document
from tests.conversion.foreign import again, every_sample, files_of, sample
from tests.formats.cases import DATA

Object = dict[str, Any]
NEWEST = 1767600004000


def said(id: str = "m1", **more: object) -> Object:
    return {
        "id": id,
        "request_id": "r1",
        "timestamp": NEWEST,
        "role": "user",
        "content": "How do I fade the fog?",
        "author": "ada",
        "tags": [],
        **more,
    }


def root(*messages: Object, **more: object) -> Object:
    return {
        "_id": "ObjectId('5f1c')",
        "schema_version": 2,
        "conversation_id": "fog",
        "message_history": list(messages) or [said()],
        "last_updated_timestamp": NEWEST,
        **more,
    }


def document(value: object) -> Document:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return api.read(Source.of_bytes(data, name="fog.json"), format="muse")


def codes(found: Document) -> set[str]:
    return make_report(found).codes


def without(value: Object, *names: str) -> Object:
    return {name: item for name, item in value.items() if name not in names}


# the document's own examples


def test_the_documents_example_lacks_core_fields() -> None:
    short = without(said(), "request_id", "timestamp", "author", "tags")
    assert codes(document(root(short))) == {"MUS202", "MUS203", "MUS204", "MUS303"}


def test_the_documents_placeholders_are_malformed() -> None:
    found = codes(api.read(DATA / "muse/bad/placeholders.json", format="muse"))
    assert {"SYN102", "MUS102", "MUS302"} <= found


@pytest.mark.parametrize(
    "id", ["ObjectId('123')", {"$oid": "6748a1f0c3d2e4b5a6978811"}, {"$uuid": "7f0c"}, "plain"]
)
def test_ids_may_wear_what_a_database_gives_them(id: object) -> None:
    assert codes(document(root(_id=id))) == set()


def test_the_applications_copy_is_not_asked_for_what_only_the_other_has() -> None:
    short = without(said(), "request_id", "timestamp", "tags")
    copy = {"id": "fog", "title": "Fog", "is_favorite": True, "history": [short]}
    assert codes(document(copy)) == set()


# times


@pytest.mark.parametrize(
    "stamp",
    [1767600004, 1767600004.5, {"$numberLong": "1767600004"}, {"$numberDouble": "1767600004.5"}],
)
def test_seconds_become_milliseconds_of_the_same_moment(stamp: object) -> None:
    before = document(root(said(timestamp=stamp), last_updated_timestamp=NEWEST + 1000))
    assert codes(before) == {"MUS301"}
    after = repair_document(before).after
    assert codes(after) == set()
    times = [next(each.conversation.messages()).time_ns for each in (before, after)]
    assert times[0] == times[1]


@pytest.mark.parametrize("late", [-5000, -1, 0, 1, 5000])
def test_the_last_update_is_raised_to_the_newest_message_and_never_lowered(late: int) -> None:
    reported = NEWEST + late
    before = document(
        root(said(), said("m2", timestamp=NEWEST - 9), last_updated_timestamp=reported)
    )
    assert ("MUS105" in codes(before)) == (late < 0)
    made = json.loads(repair_document(before).source.as_bytes()["fog.json"])
    assert made["last_updated_timestamp"] == max(reported, NEWEST)


def test_an_update_time_that_is_raised_keeps_its_wrapper() -> None:
    before = document(root(last_updated_timestamp={"$numberLong": "1767600000000"}))
    made = json.loads(repair_document(before).source.as_bytes()["fog.json"])
    assert made["last_updated_timestamp"] == {"$numberLong": str(NEWEST)}


# repair


def test_one_id_is_taken_from_the_other() -> None:
    for name in ("_id", "conversation_id"):
        before = document(without(root(), name))
        assert codes(before) == {"MUS101"}
        assert codes(repair_document(before).after) == set()


def test_an_item_that_is_not_a_message_is_removed_and_its_neighbours_keep_their_bytes() -> None:
    one, two = json.dumps(said()), json.dumps(said("m2"))
    whole = json.dumps(root()).replace(one, f'{one}, "oops", {two}, null')
    before = document(whole.encode())
    assert codes(before) == {"MUS107"}
    assert not repair_document(before).changed
    done = repair_document(before, unsafe=True)
    assert json.loads(done.source.as_bytes()["fog.json"]) == root(said(), said("m2"))
    assert one.encode() in done.source.as_bytes()["fog.json"]


# written by conversions


@every_sample("muse")
def test_conversions_to_muse_break_no_rule(slug: str, path: Path) -> None:
    made = again(files_of(sample(slug, path), "muse"), "muse")
    found = [each for each in make_report(made).findings if each.code.startswith("MUS")]
    assert found == []


@pytest.mark.parametrize("language", ["en", "EN", "en-US", "de", "english", "中文"])
def test_any_language_is_fine(language: str) -> None:
    classes = {"user_language": language, "is_safe": True, "sentiment": "neutral"}
    value = root(said(front_desk_classification_results=classes))
    assert not codes(document(value))
