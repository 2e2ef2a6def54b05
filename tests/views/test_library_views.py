"""Search results, lists and summaries of the library, for any content."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from unicodedata import category

from hypothesis import given
from hypothesis import strategies as st

from talktree.errors import Failure
from talktree.library.importing.expiry import ExpiringSource
from talktree.library.importing.result import FailedPath, ImportResult
from talktree.library.listing import LibraryEntry
from talktree.library.search.run import Hit
from talktree.views.library import (
    build_entry_shape,
    build_import_shape,
    format_entry_lines,
    format_expiry_notice,
    format_summary_line,
)
from talktree.views.search import (
    build_hit_shape,
    format_hit_lines,
    format_show_command,
    group_copies,
)
from talktree.views.shapes import format_json
from talktree.views.terminal import to_text

ANY = st.text(alphabet=st.characters())
MAYBE = st.none() | ANY
TIMES = st.none() | st.integers(-(2**40), 2**40)
PATHS = st.binary(min_size=1, max_size=40)
MARKS = st.lists(st.integers(0, 60), max_size=8).map(
    lambda ends: tuple(zip(sorted(ends)[::2], sorted(ends)[1::2], strict=False))
)
HITS = st.builds(
    Hit,
    conversation=ANY,
    raw_path=PATHS,
    format=ANY,
    title=MAYBE,
    project=MAYBE,
    message=MAYBE,
    role=ANY,
    kind=ANY,
    seconds=TIMES,
    state=st.sampled_from(["current", "abandoned", "compacted"]),
    score=st.floats(0, 100),
    excerpt=ANY,
    marks=MARKS,
)
KEPT = st.builds(
    LibraryEntry,
    id=ANY,
    raw_path=PATHS,
    format=ANY,
    title=MAYBE,
    project=MAYBE,
    branch=MAYBE,
    first_ns=TIMES,
    last_ns=TIMES,
    messages=st.integers(0),
    size=st.integers(0),
    state=st.sampled_from(["here", "gone", "unreadable"]),
    trouble=MAYBE,
    kept_until_ns=TIMES,
)


def acts(text: str) -> bool:
    """Whether something in a text would act on a terminal."""
    kinds = {category(char) for char in text if char != "\t"}
    return not kinds.isdisjoint({"Cc", "Cf", "Cs", "Zl", "Zp"})


@given(HITS)
def test_a_hit_is_three_lines_that_do_nothing(hit: Hit) -> None:
    shown = [to_text(each) for each in format_hit_lines(group_copies([hit]))]
    assert len(shown) == 3
    assert not any(map(acts, shown))
    assert not acts(format_json(build_hit_shape(hit)))


@given(ANY, MARKS)
def test_highlights_add_and_lose_nothing(text: str, marks: tuple[tuple[int, int], ...]) -> None:
    plain, marked = (
        "".join(each for each, _ in list(format_hit_lines(group_copies([_hit(text, found)])))[1])
        for found in ((), marks)
    )
    assert marked == plain


def test_matches_have_a_separate_style() -> None:
    shown = list(format_hit_lines(group_copies([_hit("a brass\nlamp burns", ((2, 7), (8, 12)))])))[
        1
    ]
    assert [text for text, style in shown if style == "found"] == ["brass", "lamp"]
    assert "".join(text for text, _ in shown) == "  a brass lamp burns"


def test_copies_are_shown_once_and_counted() -> None:
    one, other = _hit("x", ())._replace(message="m1"), _hit("y", ())._replace(message="m1")
    alone = _hit("x", ())  # written twice in one file: not copies
    found = list(
        group_copies([one, one._replace(raw_path=b"/b"), other, alone, alone._replace(at=2)])
    )
    assert [(each.hit, each.files) for each in found] == [
        *((one, 2), (other, 1), (alone, 1), (alone._replace(at=2), 1))
    ]
    assert "in 2 files" in to_text(next(format_hit_lines(found)))


def test_the_command_names_the_file_or_if_it_is_gone_the_id() -> None:
    here = _hit("x", ())._replace(raw_path=b"/odd 'name'.jsonl", message="m 1", here=True)
    assert shlex.split(format_show_command(here)) == [
        *("talktree", "show", "/odd 'name'.jsonl", "--branch", "m 1")
    ]
    gone = here._replace(here=False, message=None)
    assert format_show_command(gone) == "talktree show 3f2a"


@given(KEPT)
def test_a_conversation_is_one_line_that_does_nothing(kept: LibraryEntry) -> None:
    shown = [to_text(each) for each in format_entry_lines([kept])]
    assert len(shown) == 1
    assert not acts(shown[0])
    assert os.fsencode(str(build_entry_shape(kept)["path"])) == kept.raw_path


def test_the_summary_of_an_import() -> None:
    failed = [FailedPath(b"/a", Failure("unreadable", "a: it is closed", None, 3))]
    done = ImportResult(
        seen=2005, new=3, grown=1, gone=1, unchanged=2000, failed=failed, bytes_read=5
    )
    assert to_text(format_summary_line(done)) == (
        "3 new, 1 grown, 1 gone (kept here), 1 failed, 2,000 unchanged (5 bytes read)"
    )
    assert build_import_shape(done)["failed"] == [{"path": "/a", "message": "a: it is closed"}]
    assert to_text(format_summary_line(ImportResult())) == "nothing to keep was found"


def test_files_about_to_be_deleted_are_listed() -> None:
    def reported(*days: float) -> str:
        return format_expiry_notice([ExpiringSource(1, b"/a", each) for each in days])

    assert (
        reported(2.5)
        == "1 session will be deleted by its tool in 3 days (cleanupPeriodDays 30); it is kept here"
    )
    assert reported(-4, 0) == (
        "2 sessions will be deleted by their tool any day now (cleanupPeriodDays 30); "
        "they are kept here"
    )
    assert reported(0.5, 9) == (
        "2 sessions will be deleted by their tool in 1 to 9 days (cleanupPeriodDays 30); "
        "they are kept here"
    )


def _hit(text: str, marks: tuple[tuple[int, int], ...]) -> Hit:
    return Hit(
        source=1,
        conversation="3f2a",
        raw_path=bytes(Path("/a")),
        format="sage",
        title=None,
        project=None,
        message=None,
        at=0,
        part=0,
        role="user",
        kind="text",
        seconds=None,
        state="current",
        sidechain=False,
        deleted=False,
        here=True,
        score=1.0,
        excerpt=text,
        marks=marks,
    )
