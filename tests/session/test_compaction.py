"""Compaction and child sessions: the full text stays, and both sessions link to each other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.errors import UsageError
from talktree.session import Session, Store
from tests.cases import examples
from tests.session.logs import findings, values


def test_a_compaction_leaves_everything_readable(session: Session) -> None:
    for number in range(5):
        session.user(f"question {number}")
        session.assistant(f"answer {number}")
    session.record_compaction_start(trigger="auto", tokens=900)
    summary = session.record_compaction("ten messages", tokens_before=900, tokens_after=90)
    session.user("go on")
    assert session.context_messages()[0].id == summary
    assert len(session.context_messages()) == 2
    assert len(session.full_messages()) == 12
    line = next(each for each in values(session) if each.get("subtype") == "conversation_compacted")
    assert line["metadata"] == {
        "messagesBefore": 10, "messagesAfter": 1, "tokensBefore": 900, "tokensAfter": 90,
        "ratio": 0.1,
    }  # fmt: skip
    session.record_restoration_start()
    session.record_restoration()
    assert session.context_messages() == session.full_messages()
    session.record_compaction("again")
    assert len(session.context_messages()) == 1
    assert findings(session) == []


@examples(12)
@given(st.lists(st.sampled_from(["user", "compact", "restore"]), max_size=12))
def test_the_context_is_what_was_said_since_the_last_summary(
    tmp_path_factory: pytest.TempPathFactory, edits: list[str]
) -> None:
    root = tmp_path_factory.mktemp("root")
    every: list[str] = []
    seen: list[str] = []
    with Store(root).create(workspace=root, durability="fast") as session:
        for number, edit in enumerate(edits):
            if edit == "user":
                every.append(session.user(str(number)))
                seen.append(every[-1])
            elif edit == "compact":
                every.append(session.record_compaction(str(number)))
                seen = [every[-1]]
            else:
                session.record_restoration()
                seen = list(every)
            assert [message.id for message in session.context_messages()] == seen
            assert [message.id for message in session.full_messages()] == every


# children


def test_a_child_and_its_parent_know_each_other(session: Session) -> None:
    asked = session.user("Research this")
    with session.child(agent="researcher", title="Research") as child:
        child.user("Do it")
        id = child.id
    assert [(each.session, each.message, each.agent) for each in session.children()] == [
        (id, asked, "researcher")
    ]
    described = {each.id: each for each in session.store.list_sessions()}
    assert described[id].parent == session.id
    assert described[id].title == "Research"
    with pytest.raises(UsageError, match="closed"):
        child.user("more")
    assert findings(session) == []
