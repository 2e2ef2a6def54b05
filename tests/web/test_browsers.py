"""Remembered browsers: a key that is valid for one port, signed challenges that are valid once."""

from __future__ import annotations

import stat
import subprocess
import sys
import time
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given
from hypothesis import strategies as st

from talktree.errors import Unreadable
from talktree.web.routes.route import API
from talktree.web.security import browsers
from talktree.web.security.browsers import Challenges, read_remembered_browsers, remember_browser
from talktree.web.server import bind_port, bind_usual_port
from tests.cli.transcript import environment
from tests.web.running import LONGEST, OWN, Running, running


class Browser:
    """The behaviour of a browser, with a separate key."""

    def __init__(self) -> None:
        self.key = ec.generate_private_key(ec.SECP256R1())

    @property
    def public(self) -> str:
        point = self.key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        return encoded(point)

    def sign(self, origin: str, id: str, nonce: str) -> str:
        text = f"talktree remembered browser 1\n{origin}\n{id}\n{nonce}"
        r, s = utils.decode_dss_signature(self.key.sign(text.encode(), ec.ECDSA(SHA256())))
        return encoded(r.to_bytes(32, "big") + s.to_bytes(32, "big"))


def encoded(raw: bytes) -> str:
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TALKTREE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def studio() -> Iterator[Running]:
    with running([]) as found:
        yield found


def ask(studio: Running, path: str, body: Any, **headers: str) -> httpx.Response:
    """Send a request without having logged in."""
    sent = {**OWN, **headers}
    return httpx.post(f"{studio.origin}{API}{path}", json=body, headers=sent, timeout=LONGEST)


def test_a_remembered_browser_enters_with_a_signed_challenge(studio: Running, home: Path) -> None:
    browser = Browser()
    id = studio.post("/browsers", {"public_key": browser.public, "label": "Firefox \x1b[31m"})[
        "browser"
    ]
    nonce = ask(studio, "/challenge", {}).json()["nonce"]
    proof = browser.sign(studio.origin, id, nonce)
    body = {"browser": id, "nonce": nonce, "proof": proof}
    entered = ask(studio, "/login", body)
    assert (entered.status_code, entered.json()) == (200, {"key": studio.keys.page_key})
    assert ask(studio, "/login", body).status_code == 401, "a challenge counts once"
    file = home / "browsers.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert b"\x1b" not in file.read_bytes()
    studio.client.delete(f"{API}/browsers/{id}")
    nonce = ask(studio, "/challenge", {}).json()["nonce"]
    proof = browser.sign(studio.origin, id, nonce)
    again = ask(studio, "/login", {"browser": id, "nonce": nonce, "proof": proof})
    assert again.status_code == 401, "it is forgotten"


def test_a_proof_opens_only_with_its_own_key_port_and_challenge(home: Path) -> None:
    browser, other = Browser(), Browser()
    here, there = Challenges(8001), Challenges(8002)
    id = remember_browser(8001, browser.public, "one").id
    second = remember_browser(8002, browser.public, "the same key on another port").id
    own = "http://127.0.0.1:8001"

    def tried(by: Challenges, *, who: Browser = browser, origin: str = own, name: str = id) -> bool:
        nonce = by.issue()
        return by.is_accepted(name, nonce, who.sign(origin, name, nonce))

    assert tried(here)
    assert not tried(here, who=other)
    assert not tried(there), "a key is good for one port"
    assert not tried(here, name=second, origin="http://127.0.0.1:8002")
    assert not tried(here, origin="http://localhost:8001")
    assert not tried(here, name="0" * 32)
    # A challenge of another start, or one that was made up, is not valid.
    nonce = Challenges(8001).issue()
    assert not here.is_accepted(id, nonce, browser.sign(own, id, nonce))
    # The signature of one challenge is not valid for another.
    first, following = here.issue(), here.issue()
    assert not here.is_accepted(id, following, browser.sign(own, id, first))


def test_a_challenge_ends(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = Browser()
    id = remember_browser(8001, browser.public, "one").id
    challenges = Challenges(8001)
    nonce = challenges.issue()
    proof = browser.sign("http://127.0.0.1:8001", id, nonce)
    late = time.monotonic() + browsers.LIFETIME + 1
    monkeypatch.setattr(time, "monotonic", lambda: late)
    assert not challenges.is_accepted(id, nonce, proof)
    many = [challenges.issue() for _ in range(1000)]
    assert len(challenges._open) == browsers.MOST_CHALLENGES
    assert many[-1] in challenges._open


@given(st.text(), st.text(), st.text())
def test_nothing_odd_is_a_proof(id: str, nonce: str, proof: str) -> None:
    challenges = Challenges(8001)
    assert not challenges.is_accepted(id, nonce, proof)
    assert not challenges.is_accepted(id, challenges.issue(), proof)


@pytest.mark.parametrize(
    "key", ["", "x", "é", encoded(bytes(65)), encoded(b"\x04" + bytes(64)), "A" * 500]
)
def test_only_a_public_key_is_remembered(studio: Running, home: Path, key: str) -> None:
    said = studio.client.post(f"{API}/browsers", json={"public_key": key})
    assert said.status_code == 400
    assert read_remembered_browsers() == ()


def test_who_has_not_entered_is_not_remembered(studio: Running) -> None:
    assert ask(studio, "/browsers", {"public_key": Browser().public}).status_code == 401
    assert ask(studio, "/challenge", {}, Origin="http://evil.example").status_code == 403


def test_a_browser_is_remembered_only_at_the_printed_address(studio: Running) -> None:
    """Another server can answer to the name localhost on the same port."""
    host = f"localhost:{studio.keys.port}"
    body = {"public_key": Browser().public}
    said = studio.client.post(f"{API}/browsers", json=body, headers={"Host": host})
    assert (said.status_code, "printed address" in said.text) == (400, True)


def test_a_read_only_studio_lets_in_and_remembers_nothing(home: Path) -> None:
    with running([]):
        pass
    with running([], read_only=True) as studio:
        said = studio.client.post(f"{API}/browsers", json={"public_key": Browser().public})
        assert said.status_code == 403
        assert read_remembered_browsers() == ()


def test_the_port_of_a_remembered_browser_is_the_usual_one(home: Path) -> None:
    with bind_port(0) as free:
        port = free.getsockname()[1]
    remember_browser(port, Browser().public, "one")
    with bind_usual_port() as usual:
        assert usual.getsockname()[1] == port
        with bind_usual_port() as another:
            assert another.getsockname()[1] != port, "a second studio takes a free one"


def test_the_command_lists_and_forgets(home: Path) -> None:
    def run(option: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "talktree.cli.main", "studio", option],
            capture_output=True, text=True, check=False, timeout=60,
            env={**environment(), "TALKTREE_HOME": str(home)},
        )  # fmt: skip

    assert "no browser" in run("--list-browsers").stderr
    remember_browser(8001, Browser().public, "Firefox 130, X11")
    assert "port 8001  Firefox 130, X11" in run("--list-browsers").stdout
    assert run("--forget-browsers").stderr == "talktree: 1 browser forgotten\n"
    assert not (home / "browsers.json").exists()
    home.joinpath("browsers.json").write_text("[")
    damaged = run("--list-browsers")
    assert (damaged.returncode, "--forget-browsers" in damaged.stderr) == (3, True)
    with pytest.raises(Unreadable):
        read_remembered_browsers()
    assert run("--forget-browsers").returncode == 0
    assert read_remembered_browsers() == ()
