"""An encrypted library is unlocked and locked from the page, and nothing answers in between."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from talktree.errors import WrongKey
from talktree.files.age import load_age_library
from talktree.library.encryption import unlocking
from talktree.library.encryption.agent_client import fetch_key_state, store_key
from talktree.web.errors import TooManyGuesses
from talktree.web.routes import TABLE
from talktree.web.routes.route import API
from talktree.web.security.guesses import FREE, LONGEST_WAIT, GuessLimit
from tests.web.every_route import PARTS, filled
from tests.web.locked_studio import PASSPHRASE, EncryptedHome, encrypted_home
from tests.web.running import Running, running, until

pytest.importorskip("sqlcipher3")
IDENTITY = load_age_library().x25519.Identity.generate()


@pytest.fixture
def home(tmp_path: Path, demo: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[EncryptedHome]:
    monkeypatch.setenv("TALKTREE_HOME", str(tmp_path / "home"))
    made = encrypted_home(tmp_path / "home", demo / "muse.json", IDENTITY.to_public())
    yield made
    unlocking.forget_key(made.id)


@pytest.fixture
def studio(home: EncryptedHome) -> Iterator[Running]:
    with running([]) as found:
        yield found


def unlock(studio: Running, passphrase: str = PASSPHRASE) -> None:
    state = studio.post("/unlock", {"passphrase": passphrase})
    assert (state["encrypted"], state["locked"]) == (True, False)


def open_databases(root: Path) -> list[str]:
    """Return the files of a library that this process has open."""
    links = [Path("/proc/self/fd", each) for each in os.listdir("/proc/self/fd")]
    found = [os.readlink(link) for link in links if os.path.lexists(link)]
    return [each for each in found if each.startswith(str(root)) and "sqlite" in each]


def test_while_it_is_locked_only_the_door_answers(studio: Running) -> None:
    state = studio.get("/lock")
    assert state == {
        "encrypted": True, "locked": True, "passphrase": True, "identity": True, "wait": 0,
        "ending": 0,
    }  # fmt: skip
    asked = 0
    for route in TABLE:
        if not route.when_locked:
            answer = studio.client.request(route.method, filled(route, PARTS), json={})
            assert answer.status_code == 423, route
            assert answer.json()["error"]["kind"] == "locked"
            asked += 1
    assert asked > 40
    assert {route.path for route in TABLE if route.when_locked} == {
        "/login", "/challenge", "/lock", "/unlock", "/openapi.json",
    }  # fmt: skip
    assert studio.client.get("/").status_code == 200


def test_the_passphrase_opens_it_and_the_lock_closes_everything(
    studio: Running, home: EncryptedHome
) -> None:
    store_key("another", b"x" * 32, 60.0)
    for _ in range(2):
        unlock(studio)
        assert studio.get("/about")["encrypted"] is True
        card = studio.get("/conversations")["cards"][0]
        assert studio.get(f"/c/{card['cid']}/rows")["rows"]
        assert open_databases(home.root)
        assert fetch_key_state(home.id) is None, "commands do not get the key"
        job = studio.post(f"/c/{card['cid']}/share", {"to": "md"})["id"]
        assert studio.ended(job)["state"] == "done"
        scratch = studio.studio.scratch
        assert studio.post("/lock")["locked"] is True
        assert studio.client.get(f"{API}/c/{card['cid']}/rows").status_code == 423
        assert home.id not in unlocking._keys
        assert open_databases(home.root) == []
        assert not scratch.exists()
    assert fetch_key_state("another") is not None, "the keys of other libraries stay"


def test_locking_locks_commands_too(studio: Running, home: EncryptedHome) -> None:
    unlock(studio)
    store_key(home.id, unlocking._keys[home.id], 60.0)
    studio.post("/lock")
    assert fetch_key_state(home.id) is None


def test_an_age_identity_opens_it(studio: Running) -> None:
    wrong = str(load_age_library().x25519.Identity.generate())
    for text, status in ((wrong, 403), ("AGE-SECRET-KEY-1NONE", 422), ("# nothing\n", 422)):
        answer = studio.client.post(f"{API}/unlock", json={"identity": text})
        assert answer.status_code == status, answer.text
        assert text.strip() not in answer.text
    state = studio.post("/unlock", {"identity": f"# created: today\n{IDENTITY}\n"})
    assert state["locked"] is False


def test_guessing_is_slowed_down_and_says_for_how_long(studio: Running) -> None:
    for _ in range(FREE):
        answer = studio.client.post(f"{API}/unlock", json={"passphrase": "wrong"})
        assert (answer.status_code, answer.json()["error"]["kind"]) == (403, "wrong-key")
        assert answer.json()["error"]["message"] == "wrong passphrase"
    answer = studio.client.post(f"{API}/unlock", json={"passphrase": PASSPHRASE})
    assert (answer.status_code, answer.json()["error"]["kind"]) == (429, "too-many-guesses")
    assert studio.get("/lock")["wait"] > 0
    assert studio.get("/lock")["locked"] is True


def test_waits_double_up_to_a_minute_and_end_with_the_right_passphrase() -> None:
    now = [0.0]
    limit = GuessLimit(lambda: now[0])
    waits = []
    for _ in range(12):
        with pytest.raises(WrongKey), limit.attempt():
            raise WrongKey("wrong passphrase")
        waits.append(limit.wait)
        if limit.wait:
            with pytest.raises(TooManyGuesses, match=f"wait {limit.wait} s"), limit.attempt():
                raise AssertionError("not asked")
        now[0] += limit.wait
    assert waits == [0, 0, 2, 4, 8, 16, 32, *[int(LONGEST_WAIT)] * 5]
    with limit.attempt():
        pass
    for _ in range(FREE - 1):
        with pytest.raises(WrongKey), limit.attempt():
            raise WrongKey("wrong passphrase")
    assert limit.wait == 0


def test_passphrases_are_not_tried_side_by_side() -> None:
    limit = GuessLimit()
    with limit.attempt():
        refused: list[str] = []

        def another() -> None:
            try:
                with limit.attempt():
                    pass
            except TooManyGuesses as error:
                refused.append(error.message)

        thread = threading.Thread(target=another)
        thread.start()
        thread.join()
    assert refused == ["another passphrase is being checked; wait 1 s"]


def test_a_read_only_studio_can_be_unlocked_and_locked_and_writes_nothing(
    home: EncryptedHome,
) -> None:
    names = {path: path.stat().st_mtime_ns for path in home.root.rglob("*") if path.is_file()}
    with running([], read_only=True) as studio:
        unlock(studio)
        assert len(studio.get("/conversations")["cards"]) == 2
        studio.post("/lock")
    after = {path: path.stat().st_mtime_ns for path in home.root.rglob("*") if path.is_file()}
    assert {path.name for path in after} - {path.name for path in names} <= {
        "library.sqlite-shm", "library.sqlite-wal",
    }  # fmt: skip
    assert all(after[path] == names[path] for path in names)


def test_a_studio_of_files_asks_for_the_key_of_the_users_library(
    home: EncryptedHome, demo: Path
) -> None:
    with running([demo / "native.jsonl"]) as studio:
        assert studio.get("/lock")["locked"] is True
        unlock(studio)
        until(lambda: studio.get("/about")["job"] is None)
        card = studio.get("/conversations")["cards"][0]
        root = studio.host.served.find_encrypted_root()
        assert root is not None
        assert root != home.root
        studio.post("/lock")
        assert open_databases(root) == []
        unlock(studio)
        assert card in studio.get("/conversations")["cards"]
        studio.post("/lock")
    assert not (root / "unsaved").exists(), "it is removed as soon as a command has the key"


def test_a_plain_library_is_never_locked(seen: Running) -> None:
    assert seen.get("/lock")["encrypted"] is False
    for path, body in (("/lock", None), ("/unlock", {"passphrase": "x"})):
        answer = seen.client.post(API + path, json=body)
        assert (answer.status_code, answer.json()["error"]["kind"]) == (400, "usage")


def test_no_answer_and_no_message_shows_a_passphrase(
    studio: Running, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TALKTREE_DEBUG", "1")
    secret = "quizzacious passphrase"
    answers = [
        studio.client.post(f"{API}/unlock", json={"passphrase": secret}),
        studio.client.post(f"{API}/unlock", json={"passphrase": [secret]}),
        studio.client.post(f"{API}/unlock", json={secret: 1, "identity": secret}),
        studio.client.post(f"{API}/unlock", content=f'{{"passphrase": "{secret}'),
        studio.client.post(f"{API}/unlock", json={"passphrase": secret * 9999}),
    ]
    assert [answer.status_code for answer in answers] == [403, 400, 422, 400, 400]
    shown = capfd.readouterr()
    assert not any(secret in text for text in (shown.out, shown.err, *(a.text for a in answers)))
