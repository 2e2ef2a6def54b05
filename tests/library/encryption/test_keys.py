"""The data key: wrapped, stored twice, and opened only by its passphrase or identity."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from talktree.errors import Unreadable, WrongKey
from talktree.files.age import load_age_library
from talktree.library.encryption.key_file import (
    LibraryKey,
    read_key_file,
    repair_key_file,
    write_key_file,
)
from talktree.library.encryption.key_slots import (
    PassphraseSlot,
    generate_key,
    key_id,
    make_age_slot,
    make_passphrase_slot,
    unwrap_age,
    unwrap_passphrase,
)
from talktree.library.encryption.state import KEY_COPY, KEY_FILE

KEY = generate_key()


def test_a_passphrase_opens_its_slot_and_no_other_does() -> None:
    slot = make_passphrase_slot(KEY, "straße")
    assert unwrap_passphrase([slot], "straße", key_id(KEY)) == KEY
    for wrong in ("strasse", "", "straße "):
        with pytest.raises(WrongKey):
            unwrap_passphrase([slot], wrong, key_id(KEY))


def test_the_same_letters_open_it_however_they_were_typed() -> None:
    slot = make_passphrase_slot(KEY, "e\u0301te\u0301")
    assert unwrap_passphrase([slot], "\u00e9t\u00e9", key_id(KEY)) == KEY


def test_an_identity_opens_its_slot_and_no_other_does() -> None:
    identity, other = (load_age_library().x25519.Identity.generate() for _ in range(2))
    slot = make_age_slot(KEY, [identity.to_public()])
    assert unwrap_age([slot], [identity], key_id(KEY)) == KEY
    with pytest.raises(WrongKey):
        unwrap_age([slot], [other], key_id(KEY))


def test_two_slots_of_one_passphrase_have_nothing_in_common() -> None:
    one, two = (make_passphrase_slot(KEY, "same") for _ in range(2))
    assert one.salt != two.salt
    assert one.wrapped != two.wrapped


def _key_file(root: Path) -> LibraryKey:
    about = LibraryKey(key_id(KEY), (make_passphrase_slot(KEY, "one"),))
    write_key_file(root, about)
    return about


@pytest.mark.parametrize("name", [KEY_FILE, KEY_COPY])
def test_one_damaged_key_file_loses_nothing(tmp_path: Path, name: str) -> None:
    about = _key_file(tmp_path)
    data = (tmp_path / name).read_bytes()
    for damage in (b"", data[: len(data) // 2], data.replace(b'"id": "', b'"id": "0'), bytes(600)):
        (tmp_path / name).write_bytes(damage)
        assert read_key_file(tmp_path) == about
        assert repair_key_file(tmp_path)
        assert (tmp_path / name).read_bytes() == data
    (tmp_path / name).unlink()
    assert read_key_file(tmp_path) == about


def test_every_flipped_bit_of_a_key_file_is_noticed(tmp_path: Path) -> None:
    about = _key_file(tmp_path)
    (tmp_path / KEY_COPY).unlink()
    data = (tmp_path / KEY_FILE).read_bytes()
    noticed = set()
    for at in range(len(data)):
        (tmp_path / KEY_FILE).write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        noticed.add(_is_noticed(tmp_path, about))
    assert True in noticed


def _is_noticed(root: Path, about: LibraryKey) -> bool:
    """Whether a key file is refused; otherwise it must mean the same, as after a change of
    spaces."""
    try:
        found = read_key_file(root)
    except Unreadable:
        return True
    assert found == about
    return False


def test_a_slot_that_asks_for_all_memory_is_refused() -> None:
    slot = make_passphrase_slot(KEY, "one")
    huge = msgspec.structs.replace(slot, memory=1 << 40)
    assert isinstance(huge, PassphraseSlot)
    with pytest.raises(Unreadable):
        unwrap_passphrase([huge], "one", key_id(KEY))


def test_nothing_of_the_key_is_in_its_file(tmp_path: Path) -> None:
    _key_file(tmp_path)
    text = (tmp_path / KEY_FILE).read_bytes()
    assert KEY not in text
    assert KEY.hex().encode() not in text
    assert (tmp_path / KEY_FILE).stat().st_mode & 0o777 == 0o600
