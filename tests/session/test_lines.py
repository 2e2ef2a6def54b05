"""Readers: whole lines, whatever is between them, forwards and backwards."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.session.journal.lines import (
    BLOCK,
    JournalLine,
    read_last_lines,
    read_lines,
    seal_line,
)
from tests.session.journals import opened, served

BODIES = st.lists(
    st.text(max_size=30).map(lambda text: b'{"text":"%s"}' % text.encode("utf-8").hex().encode()),
    max_size=8,
)


def made(folder: Path, data: bytes) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "messages.jsonl").write_bytes(data)
    return folder


def raws(folder: Path) -> list[bytes]:
    return [line.raw for line in served(folder)]


def sealed_lines(count: int) -> list[bytes]:
    return [seal_line(b'{"text":"%s"}' % (b"word " * at), at + 1) for at in range(count)]


@given(BODIES, st.sampled_from([b"\n", b"\r\n", b"\n\n", b" \n\t\n", b"\n\0\0\0", b"\0\n"]))
def test_blanks_and_nuls_between_lines_are_passed_over(
    tmp_path_factory: pytest.TempPathFactory, bodies: list[bytes], between: bytes
) -> None:
    folder = made(tmp_path_factory.mktemp("log"), b"".join(each + between for each in bodies))
    assert raws(folder) == bodies
    data = (folder / "messages.jsonl").read_bytes()
    assert all(data[line.start :].startswith(line.raw) for line in served(folder))


def test_reading_continues_where_it_ended(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    places = [journal.append("messages", b'{"at":%d}' % at)[0] for at in range(50)]
    fd = journal.descriptor("messages")
    everything = [*read_lines(fd)]
    assert [(line.start, len(line.raw)) for line in everything] == [place[1:] for place in places]
    for at in range(50):
        assert [*read_lines(fd, places[at].start)] == everything[at:]
        assert [*read_lines(fd, 0, places[at].start)] == everything[:at]
        assert [*read_lines(fd, 0, places[at].start - 1)] == everything[:at], (
            "whole but for its newline"
        )


def test_lines_longer_than_a_block(tmp_path: Path) -> None:
    chance = random.Random(5)
    sizes = [
        0,
        BLOCK - 60,
        BLOCK,
        1,
        3 * BLOCK,
        10,
        BLOCK + 1,
        *(chance.randrange(BLOCK * 2) for _ in range(9)),
    ]
    bodies = [b'{"text":"%s"}' % (b"x" * size) for size in sizes]
    journal = opened(tmp_path)
    places = [journal.append("messages", body)[0] for body in bodies]
    found = served(tmp_path)
    assert [(line.start, len(line.raw)) for line in found] == [place[1:] for place in places]
    assert [line.raw for line in found] == [
        seal_line(body, at + 1) for at, body in enumerate(bodies)
    ]


def test_a_half_line_is_not_served(tmp_path: Path) -> None:
    whole = sealed_lines(3)
    data = b"".join(line + b"\n" for line in whole)
    start = data.index(whole[2])
    for stop in range(start, len(data)):
        folder = made(tmp_path / "s", data[:stop])
        assert raws(folder) == (whole if stop == len(data) - 1 else whole[:2])


def test_every_pair_of_fused_lines_are_distinguished(tmp_path: Path) -> None:
    whole = sealed_lines(12)
    for at in range(11):
        for between in (b"", b"\0" * 9, b"\x0b", b"J", b"*", b"\x8a", b" "):
            data = b"".join(
                line + (between if number == at else b"\n") for number, line in enumerate(whole)
            )
            assert raws(made(tmp_path / "s", data)) == whole


def test_all_lines_fused_are_distinguished(tmp_path: Path) -> None:
    whole = sealed_lines(12)
    assert raws(made(tmp_path, b"".join(whole))) == whole
    assert raws(made(tmp_path, b"".join(whole) + b"\n")) == whole


def test_a_damaged_line_does_not_take_the_fused_one_with_it(tmp_path: Path) -> None:
    whole = sealed_lines(4)
    damaged = whole[1].replace(b"word", b"wort", 1)
    assert raws(made(tmp_path, b"\n".join([whole[0], damaged + whole[2], whole[3], b""]))) == [
        whole[0],
        damaged,
        whole[2],
        whole[3],
    ]
    assert raws(made(tmp_path, b"\n".join([whole[0], whole[1] + b'{"half', whole[3], b""]))) == [
        whole[0],
        whole[1],
        b'{"half',
        whole[3],
    ]


def test_nuls_inside_of_a_line_stay_in_it(tmp_path: Path) -> None:
    whole = sealed_lines(3)
    holed = whole[1][:12] + b"\0" * 4 + whole[1][16:]
    assert raws(made(tmp_path, b"\n".join([whole[0], holed, whole[2], b""]))) == [
        whole[0],
        holed,
        whole[2],
    ]


def test_objects_of_others_that_nuls_part(tmp_path: Path) -> None:
    data = b'{"a":1}\0\0{"b":2}\0{"c":\0\0 3\0{"d":4}\n'
    assert raws(made(tmp_path, data)) == [b'{"a":1}', b'{"b":2}', b'{"c":\0\0 3', b'{"d":4}']


def test_many_nuls_are_not_held(tmp_path: Path) -> None:
    folder = made(tmp_path, b'{"a":1}\n')
    path = folder / "messages.jsonl"
    os.truncate(path, 50 << 20)
    with open(path, "ab") as file:
        file.write(b'{"b":2}\n')
    with open(path, "rb") as file:
        assert [*read_lines(file.fileno())] == [
            JournalLine(0, b'{"a":1}'),
            JournalLine(50 << 20, b'{"b":2}'),
        ]


def test_nothing_in_nothing(tmp_path: Path) -> None:
    assert raws(made(tmp_path, b"")) == []
    assert raws(made(tmp_path, b"\n\n\0\0\n")) == []
    journal = opened(tmp_path / "none")
    assert journal.length("messages") == 0
    assert [*read_lines(journal.descriptor("messages"))] == []
    assert [*read_last_lines(journal.descriptor("messages"))] == []
