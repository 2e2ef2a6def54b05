"""Stems found with numpy and without it are those that a check of each position finds."""

from __future__ import annotations

from random import Random

import pytest

from talktree.text import secrets
from talktree.text.secrets import finds, numpy_stems
from talktree.text.secrets.finds import find_by_name, find_suspects
from talktree.text.secrets.stem_prefilter import find_stems
from talktree.text.secrets.stems import STEMS

PIECES = (
    *(
        b" ",
        b"\n",
        b'"',
        b'": "',
        b"=",
        b": ",
        b"-",
        b"_",
        b"%",
        b"$",
        b"\\",
        b"Zk4!xQ9#vT2m",
        b"x",
    ),
    *(b"DB_PASSWORD=", b"passphrase: ", b"api_key", b"secret", b"SecureString", b"kind: Secret"),
    *(b"mysql -u root -p", b"curl --user ana:", b"IDENTIFIED BY '", b"?sig=", b"-Signature="),
    *("пароль: ".encode(), b"\\u043f\\u0430\\u0440\\u043e\\u043b\\u044c: ", b"clave: ", b"senha="),
    *(b"cookie: ", b"kennwort ", b"wachtwoord=", b"\\u001b[1m", b"%3D", b"$6$Zk4xQ9vT$", b"_PAT="),
    *(b"Authorization: Bearer ", b"credentials", b"pwd", b"psk", b"pswd", b"Q7~", b"7x"),
)


def _places(data: bytes) -> list[tuple[int, int]]:
    """Return every position of a stem, found without a table."""
    padded = data + b"\n" * 8
    return sorted(
        (at + stem.begin, stem.kind)
        for at in range(len(data))
        for stem in STEMS
        if all(padded[at + place] in may for place, may in enumerate(stem.bytes))
    )


@pytest.mark.parametrize("size", [64, 1 << 18])
def test_numpy_finds_all_stems(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numpy")
    monkeypatch.setattr(numpy_stems, "PIECE", size)
    random = Random(7)
    for _ in range(40):
        data = b"".join(random.choices(PIECES, k=random.randrange(1, 40)))
        found = list(numpy_stems.find_stems_in_pairs(data))
        assert set(_places(data)) <= set(found), data


def test_keys_inside_of_runs_are_found_with_numpy_wherever_they_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("numpy")
    random = Random(5)
    letters = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
    for lead in ("", "x_", "backup_", "my", "-", "test_", "a" * 70000 + " ", "é_", "a b_"):
        for start, size in (("ghp_", 36), ("sk_live_", 24), ("r8_", 37), ("hf_", 34), ("npm_", 36)):
            drawn = "".join(random.choices(letters, k=size))
            data = f"{lead}{start}{drawn}".encode()
            found = []
            for worth in (False, True):
                monkeypatch.setattr(secrets, "is_worth", lambda _, worth=worth, **__: worth)
                found.append(set(secrets.find_secrets_by_form(data)))
            assert found[0] == found[1], (lead, start)


def test_the_prefilter_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numpy")
    random = Random(11)
    for _ in range(150):
        data = b"".join(random.choices(PIECES, k=random.randrange(1, 40)))
        expected = None
        for look in (_places, find_stems, numpy_stems.find_stems_in_pairs):
            monkeypatch.setattr(finds, "find_stems", look)
            found = set(find_by_name(data)), set(find_suspects(data))
            expected = expected or found
            assert found == expected, (look, data)
