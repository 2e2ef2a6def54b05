"""Plain command lines are parsed without the parser, with the parser's result."""

from __future__ import annotations

import os
from pathlib import Path

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.cli.fast_start import COMPLETION, find_fast_command
from talktree.cli.group import COMMANDS, commands

VERBS = ("search", "import")
ODD = (
    *("", "-", "--", "-h", "--help", "-brass", "--brass", "--li", "--json=1", "--limit=3", "-n3"),
    *("0", "3", "07", "1_0", " 4", "٣", "-1", "9" * 30, "best", "new", "old", "NEW"),
    *("always", "never", "auto", "json", "none", "word", "two words", "has:x", "潮汐", "\udc80"),
    *("/", ".", "/etc/passwd", "/no/such/folder"),
)


def by_click(line: list[str]) -> dict[str, object]:
    """Return click's result for a command line."""
    with commands.make_context("talktree", ["search"]) as context:
        command = commands.get_command(context, line[0])
        assert command is not None
        return command.make_context(line[0], line[1:], parent=context).params


def options(verb: str) -> list[str]:
    """Return all options of a verb."""
    with click.Context(commands) as context:
        command = commands.get_command(context, verb)
    assert command is not None
    return [name for each in command.params for name in each.opts if name.startswith("-")]


@given(st.data())
def test_fast_parsing_equals_click(data: st.DataObject) -> None:
    verb = data.draw(st.sampled_from(VERBS))
    word = st.sampled_from(options(verb)) | st.sampled_from(ODD)
    line = [verb, *data.draw(st.lists(word, max_size=6))]
    found = find_fast_command(line)
    if found is not None:
        assert (found.verb, found.values) == (verb, by_click(line))


@pytest.mark.parametrize("verb", VERBS)
def test_every_option_but_help_can_be_plain(verb: str, tmp_path: Path) -> None:
    for option in options(verb):
        values = ("3", "best", "never", "none", str(tmp_path))
        lines = [[verb, "/", option], *([verb, "/", option, value] for value in values)]
        assert any(find_fast_command(line) for line in lines), option


def test_frequent_commands_are_parsed_fast(tmp_path: Path) -> None:
    assert find_fast_command(
        ["search", "some", "words", "--library", str(tmp_path), "--color", "never"]
    )
    assert find_fast_command(["search", "tool:bash", "-n", "3", "--json"])
    assert find_fast_command(["import", str(tmp_path), "--json", "--library", str(tmp_path)])
    assert find_fast_command(["import", "-q"])


def test_all_else_is_left_to_click(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "file"
    file.touch()
    closed = tmp_path / "closed"
    closed.touch(mode=0)
    for line in (
        [],
        ["search"],
        ["search", "--help"],
        ["search", "word", "--limit", "0"],
        ["search", "word", "--limit"],
        ["search", "word", "--library", str(file)],
        ["import", str(tmp_path / "nowhere")],
        *([["import", str(closed)]] if os.geteuid() else []),
        *([verb] for verb in COMMANDS if verb != "import"),
    ):
        assert find_fast_command(line) is None, line
    monkeypatch.setenv(COMPLETION, "bash_complete")
    assert find_fast_command(["search", "word"]) is None
