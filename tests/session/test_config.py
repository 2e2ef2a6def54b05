"""Settings: our own member of a file that belongs to another program."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.errors import UsageError
from talktree.session import Store
from tests.cases import examples

SECRET = "sk-live-0123456789"
FOREIGN = b'{ "api_key" : "' + SECRET.encode() + b'",\n\t"n": 1.0e2, "n": 2,\r\n"list":[1,2 , 3]}\n'


def test_nothing_is_there_at_first(tmp_path: Path) -> None:
    found = Store(tmp_path / ".sage").settings()
    assert found.durability == "safe"
    assert found.user_type == "external"
    assert found.version is None
    assert "ultrathink" in found.phrases
    assert not (tmp_path / ".sage").exists()


def test_a_foreign_file_keeps_every_byte_around_our_member(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(FOREIGN)
    store = Store(tmp_path)
    store.change_settings(durability="fast", thinking={"phrases": {"hm": "high"}})
    text = path.read_bytes()
    start = text.index(b"[1,2 , 3]") + len(b"[1,2 , 3]")
    assert text[:start] == FOREIGN[:start]
    assert text.endswith(b"}\n")
    found = Store(tmp_path).settings()
    assert found.durability == "fast"
    assert found.phrases == {"hm": "high"}
    store.change_settings(durability=None)
    assert Store(tmp_path).settings().durability == "safe"
    assert json.loads(path.read_bytes())["api_key"] == SECRET
    assert SECRET not in repr(vars(found))


@pytest.mark.parametrize("text", [b"", b"{broken", b"[1]", b"\0\0\0", b'{"a": 1} x', b"key: value"])
def test_a_file_no_one_can_parse_is_left_alone(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "config.json").write_bytes(text)
    store = Store(tmp_path)
    store.change_settings(userType="internal")
    store.change_settings(version="1.2.3")
    assert (tmp_path / "config.json").read_bytes() == text
    assert store.settings().user_type == "internal"
    assert store.settings().version == "1.2.3"
    own = tmp_path / "config.talktree.json"
    assert own.stat().st_mode & 0o777 == 0o600


def test_only_known_settings_are_taken(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="api_key"):
        Store(tmp_path).change_settings(api_key="x")


@pytest.mark.parametrize(
    "value", [None, 3, [], {"durability": 3, "thinking": 4, "userType": [], "version": 1}]
)
def test_odd_settings_are_as_if_they_were_not_there(tmp_path: Path, value: object) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"talktree": value}))
    found = Store(tmp_path).settings()
    assert (found.durability, found.user_type, found.version) == ("safe", "external", None)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


@examples(20)
@given(st.dictionaries(st.text(max_size=8), json_values), st.sampled_from([None, 0, 2, 4]))
def test_other_members_stay(
    tmp_path_factory: pytest.TempPathFactory, value: dict[str, object], indent: int | None
) -> None:
    root = tmp_path_factory.mktemp("root")
    path = root / "config.json"
    path.write_text(json.dumps(value, indent=indent))
    Store(root).change_settings(durability="fast")
    after = json.loads(path.read_text())
    own = value.get("talktree")
    kept = {**own, "durability": "fast"} if isinstance(own, dict) else {"durability": "fast"}
    assert after == {**value, "talktree": {k: v for k, v in kept.items() if v is not None}}
