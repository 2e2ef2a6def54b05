"""Rows: pages fit together, results are with their calls, texts and positions are found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from talktree.formats import get_format
from talktree.views.transcript import FoldedMessage
from talktree.web.documents.cache import DocumentCache, OpenConversation
from talktree.web.documents.find import find_rows, has_text
from talktree.web.documents.row_body import RowMaker
from talktree.web.documents.row_filter import find_matching_rows
from talktree.web.documents.row_list import build_all_rows, build_rows
from talktree.web.documents.row_place import find_place
from tests.session_lines import ask, call, result, say, write
from tests.web.caches import DATA, Talk, make_cache
from tests.web.running import Running


@pytest.fixture(scope="module")
def talks(tmp_path_factory: pytest.TempPathFactory) -> list[OpenConversation]:
    """Return conversations with every kind of content."""
    folder = tmp_path_factory.mktemp("talks")
    for seed in range(5):
        (folder / f"{seed}.jsonl").write_text("\n".join(Talk(seed).lines(120)) + "\n")
    places = [folder, *(each / "good" for each in DATA.iterdir() if (each / "good").is_dir())]
    cache = DocumentCache(folder / "library", write=True)
    with cache.open_for_writing() as library:
        library.import_(places)
    cids = [str(each.source) for each in cache.get_library().conversations() if not each.trouble]
    return [cache.open(cid) for cid in cids]


def test_a_row_is_the_same_on_whichever_page_it_is(talks: list[OpenConversation]) -> None:
    for opened in talks:
        rows = opened.get_rows()
        maker = RowMaker(opened, rows)
        whole = [maker.make_row(each) for each in build_all_rows(opened.conversation, rows)]
        assert [each.number for each in whole] == list(range(len(rows)))
        for size in (1, 3, 7):
            pages = [maker.make_page(start, size) for start in range(0, len(rows), size)]
            assert [row for page in pages for row in page] == whole


def test_every_message_of_a_branch_is_in_one_row(talks: list[OpenConversation]) -> None:
    for opened in talks:
        rows = opened.get_rows()
        steps = [step for each in build_all_rows(opened.conversation, rows) for step in each.steps]
        assert [step.position for step in steps] == list(rows.path)


def test_records_that_never_say_anything_have_no_row_but_the_first(
    talks: list[OpenConversation],
) -> None:
    silent = get_format("claude-code").silent
    seen = 0
    for opened in talks:
        if opened.kept.format != "claude-code":
            continue
        rows, roles = opened.get_rows(), opened.conversation.skeleton.roles
        assert not any(roles[position] in silent for position in rows.positions[1:])
        seen += sum(roles[position] in silent for position in rows.path)
    assert seen


def test_every_message_has_a_place(talks: list[OpenConversation]) -> None:
    for opened in talks:
        skeleton = opened.conversation.skeleton
        for position in opened.conversation.tree.order[:200]:
            place = find_place(opened, skeleton.ids[position], None)
            row = build_rows(
                opened.conversation, opened.get_rows(place.leaf), place.number, place.number + 1
            )
            assert position in {step.position for step in row[0].steps}


def test_a_text_is_found_where_it_is_said(talks: list[OpenConversation]) -> None:
    for opened in talks:
        rows = opened.get_rows()
        found = find_rows(opened.conversation, rows, "OUT of", 0)
        all_rows = build_all_rows(opened.conversation, rows)
        truly = [row.number for row in all_rows if any(_shows(step) for step in row.steps)]
        assert (list(found.numbers), found.complete) == (truly, True)


def _shows(step: FoldedMessage) -> bool:
    """Whether a step shows "out of", including results of its calls."""
    own = [part for at, part in enumerate(step.message.parts) if at not in step.elsewhere]
    return has_text(replace(step.message, parts=(*own, *step.answers.values())), "out of")


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("Strasse", "STRASSE"), ("Stra\u00dfe", "strasse"), ("\u212aelvin", "kelvin"),
        ("\u001b[31mred", "red"), ("caf\u00e9", "caf\u00c9"), ("a/b", "A/B"), ('say "hi"', '"HI"'),
        ("one\ntwo", "one\ntwo"), ("tab\tbed", "TAB"), ("\ufb01ne", "fine"), ("{a}", "{A}"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("ascii", [True, False])
def test_a_text_is_found_however_it_is_written(
    tmp_path: Path, said: str, wanted: str, ascii: bool
) -> None:
    lines = [json.loads(line) for line in Talk(1).lines(6)]
    lines[0]["message"]["content"] = said
    path = tmp_path / "talk.jsonl"
    path.write_text("\n".join(json.dumps(line, ensure_ascii=ascii) for line in lines) + "\n")
    with make_cache(tmp_path / "library", [path]) as cache:
        opened = cache.open("1")
        rows = opened.get_rows()
        assert 0 in find_rows(opened.conversation, rows, wanted, 0).numbers
        assert not find_rows(opened.conversation, rows, "zzz", 0).numbers


def test_scanning_continues_where_it_stopped(
    talks: list[OpenConversation], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("talktree.web.documents.find.MOST_FOUND", 3)
    opened = max(talks, key=lambda each: len(each.get_rows()))
    numbers: list[int] = []
    start, complete = 0, False
    while not complete:
        found = find_rows(opened.conversation, opened.get_rows(), "prompt", start)
        assert len(found.numbers) <= 3
        numbers += found.numbers
        start, complete = found.next, found.complete
    monkeypatch.undo()
    assert tuple(numbers) == find_rows(opened.conversation, opened.get_rows(), "prompt", 0).numbers


def test_rows_are_chosen_by_what_they_are(talks: list[OpenConversation]) -> None:
    for opened in talks:
        rows = opened.get_rows()
        all_rows = RowMaker(opened, rows).make_page(0, 200)
        users = list(find_matching_rows(opened, rows, "role:user"))
        assert [each.number for each in all_rows if each.role == "user"] == users[: len(users)]
        both = find_matching_rows(opened, rows, "role:user,role:assistant")
        assert set(both) >= set(users)
        tools = {b.name for each in all_rows for b in each.blocks if b.kind == "call" and b.name}
        for tool in tools:
            chosen = set(find_matching_rows(opened, rows, f"tool:{tool}"))
            assert chosen >= {r.number for r in all_rows if any(b.name == tool for b in r.blocks)}
        assert not find_matching_rows(opened, rows, "tool:nobody-has-this")


def test_siblings_lead_to_each_other(talks: list[OpenConversation]) -> None:
    seen = 0
    for opened in talks:
        for row in RowMaker(opened, opened.get_rows()).make_page(0, 200):
            if row.siblings is None:
                continue
            seen += 1
            assert row.siblings.leaves[row.siblings.number] == opened.get_rows().leaf
            other = (row.siblings.number + 1) % row.siblings.total
            branch = opened.get_rows(row.siblings.leaves[other])
            found = [each.siblings for each in RowMaker(opened, branch).make_page(0, 200)]
            assert any(
                each.number == other and opened.get_rows().leaf in each.leaves
                for each in found
                if each
            )
    assert seen


def test_a_sub_agent_has_rows_of_its_own(talks: list[OpenConversation]) -> None:
    sides = [
        (opened, side)
        for opened in talks
        for row in RowMaker(opened, opened.get_rows()).make_page(0, 200)
        for side in row.sides
    ]
    assert sides
    for opened, side in sides:
        rows = opened.get_rows(side.leaf)
        assert rows.leaf == side.leaf
        assert all("sidechain" in row.flags for row in RowMaker(opened, rows).make_page(0, 200))


def test_a_branch_is_asked_for_by_any_of_its_messages(seen: Running) -> None:
    card = next(c for c in seen.get("/conversations")["cards"] if c["format"] == "claude-code")
    base = f"/c/{card['cid']}"
    rows = seen.get(f"{base}/rows")
    again = seen.get(f"{base}/rows", leaf=rows["rows"][-1]["id"])
    assert again["leaf"] == rows["leaf"]
    chosen = seen.get(f"{base}/rows", show="role:user,kind:text", limit=1, **{"from": 1})
    assert chosen["total"] > 1
    assert chosen["start"] == 1
    assert chosen["rows"][0]["role"] == "user"


def test_an_edited_row_says_so(tmp_path: Path) -> None:
    from talktree.model.operations import ReplaceText

    path = tmp_path / "1.jsonl"
    path.write_text("\n".join(Talk(1).lines(20)) + "\n")
    with make_cache(tmp_path / "library", [path]) as cache:
        opened = cache.open("1")
        first = RowMaker(opened, opened.get_rows()).make_page(0, 1)[0]
        with cache.open_for_writing() as library:
            library.edits(opened.kept).do(
                opened.original_conversation.id, ReplaceText(about=first.id, text="other")
            )
        now = cache.open("1")
        rows = RowMaker(now, now.get_rows()).make_page(0, 5)
        assert [row.edited for row in rows] == ["changed", "", "", "", ""]
        assert rows[0].text == "other"


def test_only_a_reply_has_a_time_and_only_a_likely_one(tmp_path: Path) -> None:
    lines = [
        ask(0, None, "First?"),
        say(5, 0, "Yes."),
        ask(20, 5, "Second?"),
        say(30, 20, "After the holidays.", timestamp="2026-10-04T09:00:00.000Z"),
        ask(40, 30, "Third?"),
        call(42, 40, 1, "msg_a"),
        result(50, 42, 1),
        say(53, 50, "Done."),
    ]
    with make_cache(tmp_path / "library", [write(lines, tmp_path)]) as cache:
        opened = cache.open("1")
        page = RowMaker(opened, opened.get_rows()).make_page(0, 100)
    times = [(row.role, row.seconds) for row in page]
    assert times == [
        ("user", None),
        ("assistant", 5.0),
        ("user", None),
        ("assistant", None),
        ("user", None),
        ("assistant", 2.0),
        ("assistant", 3.0),
    ]


def test_a_recorded_time_beats_the_times_of_messages(seen: Running) -> None:
    cards = [each for each in seen.get("/conversations")["cards"] if each["format"] == "muse"]
    rows = [row for each in cards for row in seen.get(f"/c/{each['cid']}/rows")["rows"]]
    assert {each["id"]: each["seconds"] for each in rows}["f3c1-0002"] == 9.8
