"""Every command transcript is the command's real output.

`UPDATE_TRANSCRIPTS=1 pytest tests/cli/test_transcripts.py` replaces the transcripts with the
current output.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from talktree.cli.group import COMMANDS
from tests.cli.prefork import Prefork
from tests.cli.transcript import blocks, environment, renewed, workplace

TRANSCRIPTS = sorted(Path(__file__).parent.glob("*.md"))


@pytest.fixture(scope="module")
def programs() -> Iterator[Path]:
    """Return a folder with the program, already loaded."""
    prefork = Prefork(environment())
    yield prefork.programs
    prefork.close()


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_commands_print_what_the_transcript_says(
    path: Path, tmp_path: Path, programs: Path
) -> None:
    said = path.read_text()
    printed = renewed(said, workplace(tmp_path), programs)
    if os.environ.get("UPDATE_TRANSCRIPTS"):
        path.write_text(printed)
        return
    assert printed == said


def test_every_command_has_a_transcript() -> None:
    assert {path.stem for path in TRANSCRIPTS} >= set(COMMANDS)


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_transcripts_hold_commands_and_no_place_of_this_machine(path: Path) -> None:
    text = path.read_text()
    assert blocks(text)
    assert str(Path(__file__).parent.parent.parent) not in text
    assert str(Path.home()) not in text
