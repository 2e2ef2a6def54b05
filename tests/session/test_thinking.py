"""Thinking: levels, phrases that request it, and the recorded settings."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.errors import UsageError
from talktree.model.message import ThinkingSetting
from talktree.session import Store
from talktree.session.recording.thinking import (
    DISABLED,
    LEVELS,
    PHRASES,
    choose_setting,
    find_triggered_thinking,
    parse_phrases,
)


@pytest.mark.parametrize(
    ("text", "level", "triggers"),
    [
        ("Please think.", "low", ("think",)),
        ("THINK  HARD now", "medium", ("think hard",)),
        ("think harder, then think", "high", ("think harder", "think")),
        ("ultrathink", "high", ("ultrathink",)),
        ("think\nhard", "medium", ("think hard",)),
    ],
)
def test_phrases_ask_for_levels(text: str, level: str, triggers: tuple[str, ...]) -> None:
    assert find_triggered_thinking(text) == ThinkingSetting(level=level, triggers=triggers)


@pytest.mark.parametrize("text", ["", "thinking", "rethink", "bethinks", "thin k", "Denk nach"])
def test_other_words_ask_for_nothing(text: str) -> None:
    assert find_triggered_thinking(text) is None


@given(st.text(), st.sampled_from(sorted(PHRASES)), st.text())
def test_a_phrase_among_other_words_counts_as_much_or_more(a: str, phrase: str, b: str) -> None:
    found = find_triggered_thinking(f"{a} {phrase} {b}")
    assert found is not None
    if find_triggered_thinking(f"{phrase} {b}") == find_triggered_thinking(phrase):
        assert found.level is not None
        assert LEVELS.index(found.level) >= LEVELS.index(PHRASES[phrase])


def test_callers_have_the_last_word() -> None:
    assert choose_setting(None, "think") == find_triggered_thinking("think")
    assert choose_setting(False, "ultrathink") == DISABLED
    assert choose_setting("high", "think") == ThinkingSetting(level="high", triggers=("think",))
    assert choose_setting({"disabled": True}) == DISABLED
    assert choose_setting({"triggers": ["x"]}) == ThinkingSetting(level="medium", triggers=("x",))
    assert choose_setting(ThinkingSetting()) == ThinkingSetting(level="medium")


@pytest.mark.parametrize("asked", ["ultra", {"level": "max"}, {"depth": 3}])
def test_invalid_settings_are_refused(asked: object) -> None:
    with pytest.raises(UsageError) as error:
        choose_setting(asked)  # type: ignore[arg-type]
    assert error.value.hint


def test_phrases_of_ones_own() -> None:
    own = parse_phrases({"denk nach": "high", "": "low", "x": "ultra", "y": 3})
    assert own == {"denk nach": "high"}
    assert find_triggered_thinking("Denk nach!", own) == ThinkingSetting(
        level="high", triggers=("denk nach",)
    )
    assert find_triggered_thinking("think", own) is None
    assert find_triggered_thinking("think", {}) is None
    assert parse_phrases(None) is PHRASES


@given(st.dictionaries(st.text(min_size=1), st.sampled_from(LEVELS)), st.text())
def test_any_phrases_and_any_words_give_an_answer(phrases: dict[str, str], text: str) -> None:
    found = find_triggered_thinking(text, parse_phrases(phrases))
    assert found is None or found.level in LEVELS


def test_the_last_prompt_decides_on_the_next_request(tmp_path: Path) -> None:
    store = Store(tmp_path / ".sage")
    store.change_settings(thinking={"level": "low"})
    with store.create(workspace=tmp_path) as session:
        assert session.thinking() == ThinkingSetting(level="low")
        session.user("Please think hard")
        session.assistant("Hm.", calls=[{"id": "c", "name": "read"}])
        session.results({"call": "c", "output": "x"})
        assert session.thinking() == ThinkingSetting(level="medium", triggers=("think hard",))
        off = session.user("ultrathink", thinking={"level": "high", "disabled": True})
        assert session.thinking() == ThinkingSetting(level="none", disabled=True)
        session.sidechain().user("think harder")
        assert session.thinking().disabled
        session.user("go on")
        assert session.thinking() == ThinkingSetting(level="low")
        session.user("now", thinking="high")
        session.undo(to=off).apply()
        assert session.thinking().disabled
    with store.open(write=False) as again:
        assert again.thinking().disabled
