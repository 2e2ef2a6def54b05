"""Events are counted once: counts of a library against histories counted by hand."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from talktree import api
from talktree.errors import UsageError
from talktree.library.library import Library
from talktree.library.stats.report import BY, LibraryStatistics
from talktree.library.stats.usage import UsageTotal
from talktree.model.statistics import Tally
from tests.library import made
from tests.library.made import MODEL, OTHER_MODEL, Session, Tokens, Truth

HARBOUR, TIDES = "/home/ana/harbour", "/home/ana/tide-tables"
SECOND = 10**9


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Library]:
    monkeypatch.setenv("TALKTREE_HOME", str(tmp_path / "home"))
    with Library.open(write=True) as opened:
        yield opened


def tokens(spent: UsageTotal) -> Tokens:
    return Tokens(spent.input, spent.output, spent.cache_write, spent.cache_read)


def by(found: LibraryStatistics, name: str) -> dict[str, Tokens]:
    return {group.name: tokens(group.spent) for group in found.group_by(name)}


def messages(count: int) -> Tokens:
    """Return the cost of a number of API messages of a made history."""
    return Tokens(count, 10 * count, 100 * count, 1000 * count)


def moment(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()) * SECOND


def test_each_reply_counts_once(library: Library, tmp_path: Path) -> None:
    truth = made.history(tmp_path / "made")
    library.import_([tmp_path / "made"])
    found = library.stats()
    assert found.spent.replies == len(truth.spent) == 16
    assert tokens(found.spent) == truth.tokens == messages(16)
    assert (
        by(found, "model") == truth.by("model") == {MODEL: messages(10), OTHER_MODEL: messages(6)}
    )
    assert by(found, "day") == truth.by("day")
    assert by(found, "week") == {"2026-W10": messages(16)}
    assert by(found, "month") == {"2026-03": messages(16)}
    assert by(found, "project") == truth.by("cwd") == {HARBOUR: messages(10), TIDES: messages(6)}
    assert by(found, "format") == {"claude-code": messages(16)}


def test_a_session_has_its_sub_agents_and_no_copies(library: Library, tmp_path: Path) -> None:
    truth = made.history(tmp_path / "made")
    library.import_([tmp_path / "made"])
    found = {
        group.name: (group.spent.replies, group.title)
        for group in library.stats().group_by("session")
    }
    assert found == {
        made.session_id(1): (6 + 2, truth.titles[made.session_id(1)]),
        made.session_id(2): (2, truth.titles[made.session_id(1)]),
        made.session_id(3): (4 + 1, truth.titles[made.session_id(3)]),
        made.session_id(4): (1, truth.titles[made.session_id(3)]),
    }


def test_each_call_counts_once(library: Library, tmp_path: Path) -> None:
    truth = made.history(tmp_path / "made")
    library.import_([tmp_path / "made"])
    tools = library.stats(seconds=True).tools
    assert {tool.tool: tool.calls for tool in tools} == truth.calls
    assert {tool.tool: tool.failures for tool in tools if tool.failures} == +truth.failures
    assert all(tool.answered == tool.calls for tool in tools)
    assert {tool.tool: tool.seconds for tool in tools}["Bash"] == (1.0, 1.0)
    assert library.stats().tools == tuple(
        tool.__class__(tool.tool, tool.calls, tool.answered, tool.failures) for tool in tools
    )


def test_tasks_count_as_each_session_reported_them_last(library: Library, tmp_path: Path) -> None:
    session = Session(Truth(), 1)
    session.say("Mend it")
    session.plan(wiring="pending", painting="pending", rust="pending")
    session.plan(wiring="completed", painting="in_progress")
    session.save(tmp_path / "made")
    library.import_([tmp_path / "made"])
    reported = library.stats().measures
    assert (reported.todos_done, reported.todos_open) == (1, 1)


def test_the_order_of_imports_does_not_matter(tmp_path: Path) -> None:
    files = sorted(made.history(tmp_path / "made").files)
    shown = []
    for number, ordered in enumerate([files, files[::-1], files[3:] + files[:3]]):
        with Library.open(tmp_path / str(number) / "library", write=True) as library:
            for path in ordered:
                library.import_([path])
            found = library.stats()
            names = ("day", "model", "project", "format")
            shown.append(([found.group_by(name) for name in names], found.spent, found.tools))
    assert shown[0] == shown[1] == shown[2]


def test_a_copy_counts_when_its_origin_is_forgotten(library: Library, tmp_path: Path) -> None:
    made.history(tmp_path / "made")
    library.import_([tmp_path / "made"])
    for kept in list(library.conversations(agents=True)):
        if kept.id == made.session_id(1):
            library.forget(kept)
    found = library.stats()
    # Two replies of its sub-agent are forgotten with it.
    assert found.spent.replies == 14
    assert {group.name: group.spent.replies for group in found.group_by("session")}[
        made.session_id(2)
    ] == 6 + 2


def test_a_reply_that_grows_is_reported_anew(library: Library, tmp_path: Path) -> None:
    session = Session(Truth(), 1)
    session.say("Count the boats")
    session.answer("Seven.", thinking="They come and go.", tokens=Tokens(1, 70, 0, 0))
    path = session.save(tmp_path / "made")
    whole = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(whole[:2]))
    library.import_([path])
    assert library.stats().spent.output == 1
    path.write_bytes(b"".join(whole))
    library.import_([path])
    assert library.stats().spent == UsageTotal(1, 1, 70, cost=1 * 3 * 10**6 + 70 * 15 * 10**6)


def test_filters_select_what_is_counted(library: Library, tmp_path: Path) -> None:
    made.history(tmp_path / "made")
    made.others(tmp_path / "others")
    library.import_([tmp_path / "made", tmp_path / "others"])
    assert tokens(library.stats(model="OPUS").spent) == messages(6)
    assert tokens(library.stats(project="tide-TABLES").spent) == messages(6)
    assert tokens(library.stats(format="sage").spent) == Tokens(2200, 150, 0, 1400)
    assert library.stats(format="muse").spent == UsageTotal()
    assert tokens(library.stats(since=moment("2026-03-05")).spent) == messages(6)
    assert tokens(library.stats(since=datetime(2026, 3, 5, tzinfo=UTC)).spent) == messages(6)
    until = moment("2026-03-05")
    assert tokens(library.stats(since=moment("2026-03-02"), until=until).spent) == messages(10)
    opus = library.stats(model="opus")
    assert [(tool.tool, tool.calls) for tool in opus.tools] == [("Write", 1)]
    assert (opus.sources, opus.measures.todos_done) == (3, 0)
    assert [tool.tool for tool in library.stats(format="sage").tools] == ["bash", "edit"]


def test_a_range_of_time_may_begin_anywhere(library: Library, tmp_path: Path) -> None:
    session = Session(Truth(), 1, start=datetime(2026, 3, 1, 23, 59, 50, tzinfo=UTC))
    for number in range(20):
        session.answer(f"Boat {number}")
    session.time += timedelta(days=3)
    session.answer("The last boat")
    session.save(tmp_path / "made")
    library.import_([tmp_path / "made"])
    first = moment("2026-03-01T23:59:51")
    for since in range(0, 25, 3):
        for until in (since, since + 4, since + 20, since + 90_000, since + 400_000):
            found = library.stats(since=first + since * SECOND, until=first + until * SECOND)
            times = [*range(20), 20 + 3 * 86_400]
            assert found.spent.replies == sum(since <= time < until for time in times)


def test_cost_is_tokens_times_prices(library: Library, tmp_path: Path) -> None:
    session = Session(Truth(), 1, model="claude-haiku-5-5")
    session.answer("short", tokens=Tokens(1000, 2000, 4000, 8000))
    session.answer("long", tokens=Tokens(1000, 2000, 4000, 98_000))
    for line in session.lines:
        line["message"]["usage"]["cache_creation"] = {
            "ephemeral_5m_input_tokens": 1000,
            "ephemeral_1h_input_tokens": 3000,
        }
    session.save(tmp_path / "made")
    library.import_([tmp_path / "made"])
    short = 1000 * 0.10 + 2000 * 0.50 + 8000 * 0.01 + 1000 * 0.125 + 3000 * 0.20
    long = 1000 * 0.50 + 2000 * 2.50 + 98_000 * 0.05 + 1000 * 0.625 + 3000 * 1.00
    found = library.stats().spent
    assert found.cache_write_hour == 6000
    assert found.dollars == pytest.approx((short + long) / 10**6, rel=1e-12)


def test_models_without_a_price_are_reported(library: Library, tmp_path: Path) -> None:
    known = Session(Truth(), 1)
    known.answer("known")
    known.fail()
    known.save(tmp_path / "made")
    unknown = Session(Truth(), 2, model="house-model")
    unknown.answer("unknown")
    unknown.save(tmp_path / "made")
    library.import_([tmp_path / "made"])
    found = library.stats()
    assert found.unpriced == ("house-model",)
    assert (found.spent.replies, found.spent.unpriced) == (2, 1)
    assert found.spent.cost == library.stats(model="sonnet").spent.cost > 0
    prices = '[[price]]\nmodels = ["house-*"]\ninput = 1\noutput = 1\ncache_read = 0\n'
    prices += "cache_write = 0\ncache_write_hour = 0\n"
    (tmp_path / "home" / "prices.toml").write_text(prices)
    found = library.stats(model="house")
    assert (found.unpriced, found.spent.unpriced, found.spent.cost) == ((), 0, 11 * 10**6)


def test_measures_are_counted(library: Library, tmp_path: Path) -> None:
    lines: list[dict[str, object]] = [
        {"_id": "c1", "conversation_id": "c1", "owners": ["ana"], "title": "Lights"}
    ]
    lines += [
        {
            "_id": f"m{number}",
            "conversation_id": "c1",
            "role": "user" if number % 2 else "assistant",
            "content": "words",
            "timestamp": 1_764_000_000_000 + number,
            "seconds_until_streaming": number / 2,
            "front_desk_classification_results": {
                "user_language": "de" if number == 3 else "en",
                "sentiment": "neutral",
                "unity_topics": ["lights", f"topic-{number % 2}"],
            },
        }
        for number in range(4)
    ]
    path = tmp_path / "muse.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    library.import_([path])
    reported = library.stats().measures
    assert {each.name: dict(each.words) for each in reported.words} == {
        "language": {"en": 3, "de": 1},
        "sentiment": {"neutral": 4},
        "topic": {"lights": 4, "topic-0": 2, "topic-1": 2},
    }
    (waits,) = reported.numbers
    assert (waits.name, waits.count, waits.median, waits.most) == (
        "seconds_until_streaming", 4, 1.0, 1.5,
    )  # fmt: skip


def test_an_unknown_group_is_refused(library: Library) -> None:
    assert library.stats().spent == UsageTotal()
    assert [library.stats().group_by(name) for name in BY if name != "tool"] == [[]] * 7
    with pytest.raises(UsageError, match="weather"):
        library.stats().group_by("weather")


def test_files_and_library_count_the_same(library: Library, tmp_path: Path) -> None:
    files = made.history(tmp_path / "made").files
    others = [other.path for other in made.others(tmp_path / "others")]
    tally = Tally()
    for path in [*files, *others]:
        for conversation in api.read(path).conversations:
            tally.add_conversation(conversation)
    library.import_([tmp_path / "made", tmp_path / "others"])
    found = library.stats()
    spent = tally.tokens
    assert found.spent.replies == spent.api_messages
    assert tokens(found.spent) == Tokens(
        spent.input, spent.output, spent.cache_write, spent.cache_read
    )
    days = {number: day.tokens for number, day in tally.days.items() if day.tokens.api_messages}
    assert {group.name: group.spent.output for group in found.group_by("day")} == {
        (datetime(1970, 1, 1) + timedelta(days=number)).date().isoformat(): reported.output
        for number, reported in days.items()
    }
    models = {name: model.tokens.output for name, model in tally.models.items()}
    del models["<synthetic>"]
    reported = {group.name: group.spent.output for group in found.group_by("model")}
    assert reported == {name: count for name, count in models.items() if count}
    assert {
        tool.tool: (tool.calls, tool.answered, tool.failures, [*tool.seconds])
        for tool in library.stats(seconds=True).tools
    } == {
        name: (tool.calls, tool.answered, tool.failures, sorted(tool.seconds))
        for name, tool in tally.tools.items()
    }
    measured = found.measures
    assert (measured.todos_done, measured.todos_open) == (tally.todos_done, tally.todos_open)
    assert (found.first_ns, found.last_ns) == (tally.first, tally.last)
