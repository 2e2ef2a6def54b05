"""Broken links: found, repaired as they are shown, and unchanged by a second repair."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from talktree import api
from talktree.checks.reachability import measure_reach
from talktree.checks.registry import all_rules
from talktree.checks.report import make_report
from talktree.files import Source
from talktree.formats import get_format
from talktree.formats.engine import read_document
from talktree.formats.rule import Rule
from talktree.model.document import Document
from talktree.model.inferred_links import RETURN, SEQUENCE
from talktree.model.link_repair import with_inferred_links
from talktree.model.skeleton import ROOT
from talktree.repairs.run import repair_document
from tests.cases import examples
from tests.checks.linked import RECORDS, SESSION, Line, document, uuid
from tests.checks.session import Session
from tests.checks.session import name as id_of

LINKS = [rule for rule in all_rules() if rule.code.startswith(("TRE", "IDS"))]
TREE = [rule for rule in LINKS if rule.code.startswith("TRE")]


@st.composite
def damaged(draw: st.DrawFn, *, doubled: bool) -> list[Line]:
    """Return a conversation with some of its links broken and some of its lines removed."""
    lines: list[Line] = []
    for name in range(draw(st.integers(1, 14))):
        parent = None if not name else draw(st.integers(max(0, name - 3), name - 1))
        kind = draw(st.sampled_from(["user", "assistant", "note"]))
        lines.append(Line(name, parent, kind, words=f"No. {name}"))
    for at, line in enumerate(lines):
        match draw(st.integers(0, 9)):
            case 0:
                lines[at] = line._replace(parent=draw(st.integers(0, 20)))
            case 1:
                lines[at] = line._replace(parent=line.name)
            case 2:
                lines[at] = line._replace(side=True)
            case 3 if doubled:
                lines[at] = line._replace(name=draw(st.integers(0, len(lines))))
            case 4 if doubled:
                lines[at] = lines[draw(st.integers(0, len(lines) - 1))]
    gone = draw(st.sets(st.integers(0, len(lines) - 1), max_size=2))
    return [line for at, line in enumerate(lines) if at not in gone] or lines


def parents(found: Document) -> list[int]:
    """Return the parent of each record of the only conversation, as it is shown."""
    return list(with_inferred_links(found.conversation).skeleton.parents)


@pytest.mark.parametrize("slug", RECORDS)
@examples(60)
@given(data=st.data())
def test_after_a_safe_repair_every_link_leads_to_a_start(slug: str, data: st.DataObject) -> None:
    before = document(slug, data.draw(damaged(doubled=True)))
    done = repair_document(before, rules=LINKS)
    skeleton = done.after.conversation.skeleton
    assert not skeleton.dangling
    assert not skeleton.looped
    after = measure_reach(done.after.conversations)
    assert after.reachable == after.messages
    assert _left(done.after, LINKS, "safe") == []
    assert not repair_document(done.after, rules=LINKS).changed


@pytest.mark.parametrize("slug", RECORDS)
@examples(60)
@given(data=st.data())
def test_after_all_repairs_every_id_is_its_own(slug: str, data: st.DataObject) -> None:
    before = document(slug, data.draw(damaged(doubled=True)))
    done = repair_document(before, unsafe=True, rules=LINKS)
    skeleton = done.after.conversation.skeleton
    assert not skeleton.dangling
    assert not skeleton.looped
    # A record that a program wrote again with another parent is one message with its original.
    assert set(skeleton.native) <= set(skeleton.copies)
    assert _left(done.after, LINKS, "safe", "unsafe") == []
    assert not repair_document(done.after, unsafe=True, rules=LINKS).changed


@pytest.mark.parametrize("slug", RECORDS)
@examples(60)
@given(data=st.data())
def test_a_repair_writes_the_tree_that_is_shown_before(slug: str, data: st.DataObject) -> None:
    before = document(slug, data.draw(damaged(doubled=False)))
    rules = [rule for rule in TREE if rule.code != "TRE107"]
    done = repair_document(before, rules=rules)
    # Where hardly any link is left, the file order decides afterwards.
    for each in (before, done.after):
        assume(SEQUENCE not in each.conversation.skeleton.linked.values())
    # The message after a sub-agent whose start is lost returns to the last message before it; once
    # the start is repaired, it returns to where the sub-agent was started.
    shape = before.conversation.skeleton
    assume(
        RETURN not in shape.linked.values() or not any(shape.sidechain[at] for at in shape.dangling)
    )
    assert parents(done.after) == parents(before)
    assert parents(done.after) == list(done.after.conversation.skeleton.parents)


@pytest.mark.parametrize("slug", RECORDS)
@examples(60)
@given(data=st.data())
def test_only_records_with_a_finding_change(slug: str, data: st.DataObject) -> None:
    before = document(slug, data.draw(damaged(doubled=False)))
    done = repair_document(before, rules=TREE)
    old, new = (
        each.origin.source.files[f"{SESSION}.jsonl"].read().splitlines()  # type: ignore[attr-defined]
        for each in (before, done.after)
    )
    named = {step.line for step in done.plan}
    assert len(old) == len(new)
    assert {
        at for at, (one, two) in enumerate(zip(old, new, strict=True), 1) if one != two
    } <= named


def _left(found: Document, rules: list[Rule], *safety: str) -> list[str]:
    return [each.message for each in make_report(found, rules).findings if each.fix in safety]


def test_removing_a_message_costs_that_message_alone() -> None:
    whole = [Line(n, n - 1 if n else None, ("user", "assistant")[n % 2]) for n in range(9)]
    for gone in range(1, 8):
        found = document("claude-code", whole[:gone] + whole[gone + 1 :])
        assert measure_reach(found.conversations).reachable == gone
        done = repair_document(found)
        assert [step.code for step in done.plan] == ["TRE101"]
        assert measure_reach(done.after.conversations) == (8, 8, 8)


def test_a_parent_in_another_file_is_not_missing(tmp_path: Path) -> None:
    talk = [Line(n, n - 1 if n else None, ("user", "assistant")[n % 2]) for n in range(6)]
    for name, lines in (("one", talk[:3]), ("two", talk[3:])):
        source = document("claude-messages", lines).origin.source  # type: ignore[attr-defined]
        (tmp_path / f"{name}.jsonl").write_bytes(next(iter(source.files.values())).read())
    found = make_report(api.read(tmp_path / "two.jsonl"), TREE).findings
    assert [(each.code, each.entry) for each in found] == [("TRE109", uuid(3))]
    assert "one.jsonl" in found[0].message
    assert not repair_document(api.read(tmp_path / "two.jsonl"), rules=TREE).changed
    (tmp_path / "one.jsonl").unlink()
    assert make_report(api.read(tmp_path / "two.jsonl"), TREE).codes == {"TRE111"}


class Opened:
    """Records the names of files that this process opens."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.on = False
        sys.addaudithook(self._note)

    def _note(self, event: str, given: tuple[object, ...]) -> None:
        if self.on and event == "open" and isinstance(given[0], str | bytes):
            self.names.append(os.path.basename(os.fsdecode(given[0])))


def test_files_beside_are_not_looked_at_through_links_nor_if_they_may_hold_keys(
    tmp_path: Path,
) -> None:
    opened = Opened()
    place = tmp_path / "here"
    place.mkdir()
    lines = document("sage", [Line(2, 1)]).origin.source.files  # type: ignore[attr-defined]
    (place / "messages.json").write_bytes(next(iter(lines.values())).read())
    whole = document("sage", [Line(1, None)]).origin.source.files  # type: ignore[attr-defined]
    (tmp_path / "far.json").write_bytes(next(iter(whole.values())).read())
    (place / "near.json").symlink_to(tmp_path / "far.json")
    (place / "sage_config.json").write_text('{"api_key": "secret"}')
    (place / "beside.json").write_text("[]")
    opened.on = True
    found = make_report(api.read(place / "messages.json", format="sage"), TREE)
    opened.on = False
    assert found.codes == {"TRE111"}
    assert {"messages.json", "beside.json"} <= set(opened.names), "what is opened is seen"
    assert not {"near.json", "far.json", "sage_config.json"} & set(opened.names)


def test_a_sub_agent_finds_the_session_that_started_it(tmp_path: Path) -> None:
    inside = tmp_path / SESSION / "subagents"
    inside.mkdir(parents=True)
    main = document("claude-code", [Line(0, None), Line(1, 0, "assistant")])
    agent = document("claude-code", [Line(5, 1, side=True), Line(6, 5, "assistant", side=True)])
    for path, made in ((tmp_path / f"{SESSION}.jsonl", main), (inside / "agent-1.jsonl", agent)):
        path.write_bytes(next(iter(made.origin.source.files.values())).read())  # type: ignore[attr-defined]
    found = make_report(api.read(inside / "agent-1.jsonl"), TREE).findings
    assert [each.code for each in found] == ["TRE109"]
    assert get_format("claude-code").find_related_folders("elsewhere") == (".",)


def test_a_line_with_a_place_of_its_own_is_repaired_in_that_place() -> None:
    found = document("native", [Line(0, None), Line(1, 0, "assistant"), Line(2, 1)])
    source = found.origin.source  # type: ignore[attr-defined]
    ((path, content),) = source.files.items()
    first, second, third = content.read().splitlines()[2:]
    placed = third[:-1] + b',"tree":{"parent":"gone"}}'
    data = b"\n".join([*content.read().splitlines()[:2], first, second, placed]) + b"\n"
    done = repair_document(read_document(Source.of_bytes(data, name=path), get_format("native")))
    assert [step.code for step in done.plan] == ["TRE101"]
    assert list(done.after.conversation.skeleton.parents) == [ROOT, 0, 1]


def compacted(kept: str) -> Document:
    """Return a session with a compaction whose logical parent is below it; kept messages have this
    time."""
    session = Session()
    session.say(timestamp="2026-03-04T09:00:00Z")
    session.reply(timestamp="2026-03-04T09:01:00Z")
    boundary = {"subtype": "compact_boundary", "content": "Conversation compacted", "level": "info"}
    session.add(
        "system",
        None,
        None,
        timestamp="2026-03-04T09:30:00Z",
        logicalParentUuid=id_of(6),
        **boundary,
    )
    session.say("What was said before", timestamp="2026-03-04T09:30:01Z", isCompactSummary=True)
    session.reply(timestamp="2026-03-04T09:20:00Z" if kept < "2026-03-04T09:30" else kept)
    session.say(timestamp=kept)
    session.reply(timestamp="2026-03-04T09:50:00Z")
    return session.document()


def test_messages_kept_by_a_compaction_are_neither_lost_nor_out_of_order() -> None:
    found = make_report(compacted("2026-03-04T09:21:00Z")).findings
    assert [each.code for each in found if each.code[:3] in ("TRE", "TIM")] == []


def test_a_compaction_that_follows_what_came_after_it_is_reported() -> None:
    found = make_report(compacted("2026-03-04T09:40:00Z")).findings
    reported = [each for each in found if each.code[:3] in ("TRE", "TIM")]
    assert [each.code for each in reported] == ["TRE110"]
    assert "hangs below it" in reported[0].message
