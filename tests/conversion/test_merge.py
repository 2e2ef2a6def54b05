"""Files that share a history become one tree: every message once, nothing lost, in any order."""

from __future__ import annotations

import json

import pytest

from talktree import api
from talktree.conversion.merge import find_places, merge_documents
from talktree.conversion.options import Options
from talktree.errors import UsageError
from talktree.files import Source
from talktree.formats import get_format
from talktree.formats.engine import read_document
from talktree.model import edit
from tests.conversion.histories import (
    Row,
    branch_texts,
    data_of,
    details,
    line,
    session,
    studio_tree,
    texts,
    uuid,
)
from tests.conversion.trips import SLUGS, into

# shared messages


def resumed(session_name: str) -> list[Row]:
    return [
        line(1, None, "Where is the key?", session_name),
        line(2, 1, "Under the mat.", session_name),
    ]


def test_a_resumed_session_goes_on_where_the_first_ended() -> None:
    one = session("one", [*resumed("one"), line(3, 2, "Thanks")])
    two = session("two", [*resumed("two"), line(5, 2, "It is not there.", "two")])
    document = merge_documents([one, two])
    conversation = document.conversation
    assert branch_texts(conversation) == {
        ("Where is the key?", "Under the mat.", "Thanks"),
        ("Where is the key?", "Under the mat.", "It is not there."),
    }
    assert len(texts(conversation)) == 4
    assert details(document) == []


def test_every_place_is_remembered() -> None:
    one, two = session("one", resumed("one")), session("two", resumed("two"))
    conversation = merge_documents([one, two]).conversation
    assert sorted(find_places(conversation, uuid(2))) == [
        ["one.jsonl", "one.jsonl", 1, uuid(2)],
        ["two.jsonl", "two.jsonl", 1, uuid(2)],
    ]
    again = merge_documents([merge_documents([one]), two]).conversation
    assert sorted(find_places(again, uuid(2))) == sorted(find_places(conversation, uuid(2)))


def test_copies_under_new_ids_are_known_by_what_was_said_when() -> None:
    one = session("one", [*resumed("one"), line(3, 2, "Thanks")])
    forked = [
        {**line(1, None, "Where is the key?", "two"), "uuid": uuid(91)},
        {**line(2, 1, "Under the mat.", "two"), "uuid": uuid(92), "parentUuid": uuid(91)},
        {**line(5, 2, "No.", "two"), "parentUuid": uuid(92)},
    ]
    conversation = merge_documents([one, session("two", forked)]).conversation
    assert sorted(texts(conversation)) == [
        "No.",
        "Thanks",
        "Under the mat.",
        "Where is the key?",
    ]
    assert len(conversation.branches()) == 2


def test_a_file_that_begins_in_the_middle_is_attached_to_the_other() -> None:
    whole = session("one", [*resumed("one"), line(3, 2, "Thanks")])
    rest = session("two", [line(5, 2, "Not there.", "two"), line(6, 5, "Look again.", "two")])
    for order in ([whole, rest], [rest, whole]):
        document = merge_documents(order)
        path = ("Where is the key?", "Under the mat.", "Not there.", "Look again.")
        assert path in branch_texts(document.conversation)
        assert [each.name for each in document.findings if each.code == "TRE101"] == []


def test_foreign_files_stay_apart() -> None:
    one = session("one", resumed("one"))
    two = session("two", [line(21, None, "Another day"), line(22, 21, "Indeed")])
    assert len(merge_documents([one, two]).conversations) == 2


def test_short_ids_of_foreign_files_are_not_a_conflict() -> None:
    rows = [
        {"_id": name, "conversation_id": name, "schema_version": 2, "message_history": [message]}
        for name, message in (
            ("a", {"id": "m-1", "role": "user", "content": "Fog?", "timestamp": 1731000000000}),
            ("b", {"id": "m-1", "role": "user", "content": "Rain?", "timestamp": 1731000000001}),
        )
    ]
    files = [Source.of_bytes(json.dumps(row).encode(), name="x.json") for row in rows]
    document = merge_documents([read_document(each, get_format("muse")) for each in files])
    assert len(document.conversations) == 2
    assert details(document) == []


def test_conversations_separate_in_one_file_stay_separate() -> None:
    message = {"role": "user", "content": "Hi"}
    head = {"_id": "a", "conversation_id": "a", "message_history": [message]}
    data = json.dumps([head, {**head, "_id": "b", "conversation_id": "b"}]).encode()
    document = read_document(Source.of_bytes(data, name="two.json"), get_format("muse"))
    assert len(merge_documents([document, document]).conversations) == 2


# conflicts


def test_one_id_and_two_texts_are_both_kept() -> None:
    one = session("one", resumed("one"))
    two = session(
        "two",
        [
            line(1, None, "Where is the key?", "two"),
            line(2, 1, "In the lock.", "two"),
            line(3, 2, "Thanks", "two"),
        ],
    )
    document = merge_documents([one, two])
    conversation = document.conversation
    (root,) = conversation.tree.roots
    answers = [conversation.entry(child) for child in conversation.tree.children(root)]
    assert {getattr(each, "text", "") for each in answers} == {"Under the mat.", "In the lock."}
    assert conversation[uuid(3)].parent == next(
        each.id for each in answers if getattr(each, "text", "") == "In the lock."
    )
    (found,) = details(document)
    assert (found.code, found.severity) == ("IDS103", "warning")
    assert found.entry == f"{uuid(2)}#2"


def test_the_fullest_copy_is_kept_and_the_difference_reported() -> None:
    full = line(2, 1, "Under the mat.", "two", requestId="req_1", todos=[])
    one = session("one", [line(1, None, "Where?"), line(2, 1, "Under the mat.")])
    two = session("two", [line(1, None, "Where?", "two"), full])
    document = merge_documents([one, two])
    (found,) = details(document)
    assert (found.code, found.severity) == ("IDS104", "note")
    assert document.conversation[uuid(2)].extra.get("requestId") == "req_1"


# records that are not messages


def test_titles_and_snapshots_are_kept_once_if_they_are_equal() -> None:
    snapshot = {
        "type": "file-history-snapshot",
        "messageId": uuid(1),
        "snapshot": {"messageId": uuid(1), "trackedFileBackups": {}, "timestamp": None},
        "isSnapshotUpdate": False,
    }
    summary = {"type": "summary", "summary": "The key", "leafUuid": uuid(2)}
    other = {"type": "summary", "summary": "The lock", "leafUuid": uuid(2)}
    one = session("one", [summary, snapshot, *resumed("one")])
    two = session("two", [snapshot, *resumed("two"), summary, other])
    conversation = merge_documents([one, two]).conversation
    kinds = [type(entry).__name__ for entry in conversation.entries]
    assert kinds.count("Head") == 2
    assert kinds.count("Snapshot") == 1
    assert conversation.title in ("The key", "The lock")


# files of other formats


def test_a_studio_export_joins_the_tree_it_came_from() -> None:
    source = studio_tree()
    document = read_document(source, get_format("studio"))
    value = json.loads(next(iter(source.files.values())).read())
    value[0].pop("parentId", None)
    value[0]["attachments"] = []
    value[0]["children"] = value[0]["children"][:1]
    value[0]["children"].append(
        {
            "id": "1733794799999zzzzz",
            "userId": "mara",
            "type": "user",
            "timestamp": 1733794799999,
            "content": "Or a hedge?",
            "contentHash": "0",
            "attachments": [],
            "children": [],
        }
    )
    export = Source.of_bytes(json.dumps(value).encode(), name="export.json")
    conversation = merge_documents(
        [document, read_document(export, get_format("studio"))]
    ).conversation
    before = texts(document.conversation)
    assert sorted(texts(conversation)) == sorted([*before, "Or a hedge?"])


@pytest.mark.parametrize("target", [slug for slug in SLUGS if not get_format(slug).can.branches])
@pytest.mark.parametrize("carry", [True, False], ids=["carry", "clean"])
def test_branches_that_were_written_apart_become_one_tree(target: str, *, carry: bool) -> None:
    source = studio_tree()
    document = read_document(source, get_format("studio"))
    files = into(document, target, Options(branch="all", carry=carry))
    assert files.folder
    parts = [
        read_document(each, get_format(target))
        for each in (
            _folders(files.files) if get_format(target).starts_folder else _alone(files.files)
        )
    ]
    assert len(parts) > 1
    found = merge_documents(parts)
    # Roots without common records are only known to belong together by their embedded data.
    roots = document.conversation.tree.roots
    assert len(found.conversations) == (1 if carry else len(roots))
    ids = sorted(message.id for each in found.conversations for message in each.messages())
    if carry:
        assert len(found.conversation.branches()) == len(document.conversation.branches())
        assert ids == sorted(message.id for message in document.conversation.messages())
    else:
        written = {message.id for part in parts for message in part.conversation.messages()}
        assert ids == sorted(written)


def _alone(files: dict[str, bytes]) -> list[Source]:
    return [Source.of_bytes(data, name=path) for path, data in files.items()]


def _folders(files: dict[str, bytes]) -> list[Source]:
    found: dict[str, dict[str, bytes]] = {}
    for path, data in files.items():
        folder, _, name = path.rpartition("/")
        found.setdefault(folder, {})[name] = data
    return [Source.of_files(each, name=folder) for folder, each in found.items()]


@pytest.mark.parametrize("target", [slug for slug in SLUGS if slug != "native"])
def test_merged_documents_convert_to_any_format(target: str) -> None:
    one = session("one", [*resumed("one"), line(3, 2, "Thanks")])
    two = session("two", [*resumed("two"), line(5, 2, "No.", "two")])
    document = merge_documents([one, two])
    files = into(document, target)
    assert into(files.read_as(target), "native").files["merged.jsonl"] == data_of(document)


def test_edits_in_memory_count() -> None:
    one = session("one", resumed("one"))
    edited = one.with_conversation(edit.set_text(one.conversation, uuid(2), "Gone."))
    assert sorted(texts(merge_documents([one, edited]).conversation)) == [
        "Gone.",
        "Under the mat.",
        "Where is the key?",
    ]


def test_nothing_cannot_be_merged() -> None:
    with pytest.raises(UsageError):
        api.merge([])
