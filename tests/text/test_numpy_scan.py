"""The numpy scan of many bytes agrees with the scan without numpy."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.text import numpy_scan
from talktree.text.char_classes import find_marks
from talktree.text.json.precheck import count_escaped_quotes_by_byte
from talktree.text.secrets.numpy_prefilter import find_telling_runs
from talktree.text.secrets.tokens import find_tokens

numpy = pytest.importorskip("numpy")
DRAWN = b"Vq8Zr2LkT0wYb7Xn4Hd9sQ1eZk3vX9qLmW2rT7yBn4HcJ8dFs6GpKa1Ue5Vo"
PIECES = st.sampled_from(
    (
        *(
            b" ",
            b'"',
            b"'",
            b"`",
            b": ",
            b'":"',
            b"=",
            b" = ",
            b"> ",
            b"(",
            b"( ",
            b"/",
            b"+",
            b".",
        ),
        *(
            b"\\",
            b"\\n",
            b"\\u0041",
            b'\\"',
            b"\\\\",
            b"-",
            b"_",
            b",",
            b"\n",
            b"x",
            b"7:",
            "é".encode(),
        ),
        *(b"token", b"api_key", b"client_secret", b"password", b"PWD", b"Bearer", b"authorization"),
        *(
            b"AKIAQ7Z2M4XW6TJ3KVBD",
            b"ghp_" + DRAWN[:36],
            b"sk-" + DRAWN[:40],
            b"xoxb-" + DRAWN[:30],
        ),
        *(
            b"ya29.",
            b"hvs.",
            b"abcdefghijklmn.atlasv1.",
            b"SG.",
            b"dp.pt.",
            b"dp.st.dev.",
            b"dp.st.",
        ),
        *(DRAWN, DRAWN[:20], DRAWN[:40], DRAWN[:20] + b"/" + DRAWN[20:40] + b"+a/", DRAWN * 5),
        *(b"some_long_name_of_something", b"SomeLongNameOfSomething", b"tests/test_", b"src/"),
        b"hooks.slack.com/services/T01234567/B01234567/",
        b"discord.com/api/webhooks/123456789012345678/",
        b"3ec0a1b2-9c1d-4b7e-a2d4-5b8f6c7d9e01",
    )
)
TEXTS = st.lists(PIECES, max_size=14).map(b"".join)


@pytest.fixture(autouse=True, params=[1 << 18, 64])
def _pieces(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numpy_scan, "PIECE", request.param)


@given(TEXTS)
def test_all_long_runs_are_found(data: bytes) -> None:
    assert numpy_scan.find_long_runs(data).tolist() == find_marks(data).starts


@pytest.mark.parametrize("joint", [b"-", b"--", b"_", b"-_", b"---"])
def test_a_key_behind_dashes_is_not_passed_over(joint: bytes) -> None:
    data = b"a line before it\n" + joint + b"AKIAQ7Z2M4XW6TJ3KVBD\n"
    assert find_tokens(data)
    assert find_tokens(data, find_telling_runs(data)) == find_tokens(data)


@given(TEXTS)
def test_no_secret_is_passed_over(data: bytes) -> None:
    assert find_tokens(data, find_telling_runs(data)) == find_tokens(data)


@given(TEXTS)
def test_characters_by_their_numbers_are_found(data: bytes) -> None:
    assert numpy_scan.has_numbered(data) == (b"\\u" in data)


@given(TEXTS)
def test_quotes_are_counted(data: bytes) -> None:
    assert numpy_scan.count_byte(data, numpy_scan.QUOTE) == data.count(b'"')
    assert numpy_scan.count_escaped_quotes(data) in (None, count_escaped_quotes_by_byte(data))
    assert (numpy_scan.count_escaped_quotes(data) is None) == (b"\\\\" in data)


@given(st.binary(max_size=100))
def test_bytes_that_may_hide_characters_are_reported(data: bytes) -> None:
    assert numpy_scan.can_hide(data) or not find_marks(data).may_hide
