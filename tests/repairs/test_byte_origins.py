"""Splices and byte origins: the changes, and where every byte comes from."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from talktree.files import MemoryContent
from talktree.files.splice import Splice, apply_splices, find_splices, trim_splice
from talktree.repairs.byte_origins import NEW, count_kept_bytes, extend_trace, first_trace


@st.composite
def splices(draw: st.DrawFn, size: int) -> list[Splice]:
    """Generate changes of a file of some size, in order."""
    marks = sorted(draw(st.lists(st.integers(0, size), max_size=8)))
    pairs = zip(marks[::2], marks[1::2], strict=False)
    return [Splice(start, stop, draw(st.binary(max_size=4))) for start, stop in pairs]


@given(st.data(), st.binary(max_size=60))
def test_a_trace_has_the_origin_of_each_byte(data: st.DataObject, old: bytes) -> None:
    trace, now = first_trace(len(old)), old
    for _ in range(data.draw(st.integers(1, 3))):
        changes = data.draw(splices(len(now)))
        now = b"".join(apply_splices(MemoryContent(now), changes))
        trace = extend_trace(trace, changes)
    assert sum(run.length for run in trace) == len(now)
    at = 0
    for run in trace:
        if run.origin != NEW:
            assert now[at : at + run.length] == old[run.origin : run.origin + run.length]
        at += run.length
    assert count_kept_bytes(trace) <= len(old)


@given(st.binary(max_size=300), st.data())
def test_differences_lead_from_one_version_to_the_other(old: bytes, data: st.DataObject) -> None:
    new = b"".join(apply_splices(MemoryContent(old), data.draw(splices(len(old)))))
    assert b"".join(apply_splices(MemoryContent(old), find_splices(old, new))) == new


def test_a_small_change_in_a_large_file_is_a_small_splice() -> None:
    old = Random(1).randbytes(100_000)
    new = old[:5000] + b"something else" + old[5003:60000] + old[60010:]
    found = list(find_splices(old, new))
    assert sum(splice.stop - splice.start for splice in found) < 60
    assert b"".join(apply_splices(MemoryContent(old), found)) == new


@given(st.binary(max_size=40), st.binary(max_size=40))
def test_trimming_keeps_what_a_splice_does(old: bytes, new: bytes) -> None:
    whole = trim_splice(Splice(0, len(old), new), old)
    assert b"".join(apply_splices(MemoryContent(old), [whole])) == new
