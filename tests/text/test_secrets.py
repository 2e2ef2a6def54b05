"""Secrets in texts: what is found, what is not, and how long that takes."""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from talktree.text.secrets import (
    abbreviate_secret,
    can_hold_secrets,
    find_secrets,
    mask_secrets,
    without_secrets,
)

ALNUM = string.ascii_letters + string.digits
WORD = ALNUM + "-_"
HEX = "0123456789abcdef"
BASE32 = string.ascii_uppercase + "234567"
BASE64 = ALNUM + "+/"
_dice = random.Random(7)


def drawn(size: int, letters: str = ALNUM) -> str:
    """Return random characters as in a generated key; none is written here for scanners to find."""
    return "".join(_dice.choice(letters) for _ in range(size))


KEYS: dict[str, tuple[str, Callable[[], str]]] = {
    "aws": ("cloud-key", lambda: "AKIA" + drawn(16, BASE32)),
    "google": ("cloud-key", lambda: "AIza" + drawn(35, WORD)),
    "google access": ("cloud-key", lambda: "ya29." + drawn(60, WORD)),
    "digitalocean": ("cloud-key", lambda: "dop_v1_" + drawn(64, HEX)),
    "azure": ("cloud-key", lambda: "AccountKey=" + drawn(86, BASE64) + "=="),
    "anthropic": ("ai-vendor-key", lambda: "sk-ant-api03-" + drawn(93, WORD) + "AA"),
    "openai": ("ai-vendor-key", lambda: "sk-proj-" + drawn(156, WORD)),
    "openai before": ("ai-vendor-key", lambda: "sk-" + drawn(48)),
    "openrouter": ("ai-vendor-key", lambda: "sk-or-v1-" + drawn(64, HEX)),
    "groq": ("ai-vendor-key", lambda: "gsk_" + drawn(52)),
    "xai": ("ai-vendor-key", lambda: "xai-" + drawn(80)),
    "hugging face": ("ai-vendor-key", lambda: "hf_" + drawn(34)),
    "replicate": ("ai-vendor-key", lambda: "r8_" + drawn(37)),
    "mistral": ("ai-vendor-key", lambda: "MISTRAL_API_KEY=" + drawn(32)),
    "github": ("vcs-token", lambda: "ghp_" + drawn(36)),
    "github fine": ("vcs-token", lambda: f"github_pat_{drawn(22)}_{drawn(59)}"),
    "gitlab": ("vcs-token", lambda: "glpat-" + drawn(20, WORD)),
    "npm": ("vcs-token", lambda: "npm_" + drawn(36)),
    "slack": ("service-token", lambda: f"xoxb-{drawn(12, '123456789')}-{drawn(24)}"),
    "stripe": ("service-token", lambda: "sk_live_" + drawn(24)),
    "sendgrid": ("service-token", lambda: f"SG.{drawn(22, WORD)}.{drawn(43, WORD)}"),
    "telegram": ("service-token", lambda: f"{drawn(9, '123456789')}:AA{drawn(33, WORD)}"),
    "slack hook": (
        "service-token",
        lambda: (
            f"https://hooks.slack.com/services/T{drawn(8, BASE32)}/B{drawn(8, BASE32)}/{drawn(24)}"
        ),
    ),
    "jwt": ("random-token", lambda: f"eyJhbGciOiJIUzI1NiJ9.eyJ{drawn(40, WORD)}.{drawn(43, WORD)}"),
    "bearer": ("random-token", lambda: "Authorization: Bearer " + drawn(40)),
    "named": ("random-token", lambda: f'client_secret: "{drawn(32)}"'),
    "password": ("password-in-url", lambda: f"postgres://app:{drawn(16)}@db.orchard.io/x"),
    "private key": (
        "private-key",
        lambda: (
            f"-----BEGIN RSA PRIVATE KEY-----\n{drawn(64, BASE64)}\n{drawn(64, BASE64)}\n"
            "-----END RSA PRIVATE KEY-----"
        ),
    ),
}
AROUND = (
    ("", ""),
    ("use ", " now"),
    ("\n", "\n"),
    ("(", ")"),
    ("`", "`"),
    ("é\t", "."),
    ("X=", ""),
)


@pytest.mark.parametrize("name", KEYS)
def test_a_key_is_found_wherever_it_is_in_a_text_and_in_json(name: str) -> None:
    kind, make = KEYS[name]
    missed = 0
    for _ in range(30):
        for before, behind in AROUND:
            text = before + make() + behind
            found = list(find_secrets(text))
            missed += [each.kind for each in found] != [kind]
            for ascii in (True, False):
                raw = json.dumps({"text": text}, ensure_ascii=ascii).encode()
                assert can_hold_secrets(raw) or not found, text
    # A random key may look like a word, but hardly ever does.
    assert missed <= 2


HARMLESS = (
    "AKIAIOSFODNN7EXAMPLE",
    "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "sk-" + "x" * 48,
    "sk-ant-api03-" + "A" * 95,
    "ghp_" + "0" * 36,
    "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "export OPENAI_API_KEY=sk-your-own-key-goes-here-please",
    "task-runner-for-the-orchard disk-usage-of-the-old-machine mask-of-all-the-pears",
    "postgresql://postgres:postgres@localhost:5432/pears",
    "https://user:password@host.example https://ida:${PASSWORD}@host.example",
    "git@github.com:ida/orchard.git and npm i @orchard/pears@1.2.3 from https://orchard.example",
    'const token = "getUserAccessTokenFromStorage2"',
    "token=process.env.GITHUB_TOKEN_OF_THE_ORCHARD_2",
    "password: string",
    '"next_page_token": "CAUQAA8f9a8sd7f6a9sd8f7a6s9d8f"',
    '"uuid":"e97e018b-d4a3-4157-9fab-33a3fa37e063","id":"msg_01XFDUDYJgAACzvnptvVoYEL"',
    "commit d670460b4b4aece5915caf5c68d12f560a9fe3e4",
    "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0"
    "IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
)


@pytest.mark.parametrize("text", HARMLESS)
def test_examples_names_and_ids_are_not_secrets(text: str) -> None:
    assert not list(find_secrets(text))
    assert not list(find_secrets(json.dumps({"text": text})))


def test_a_value_is_secret_by_the_name_of_its_member() -> None:
    value = drawn(36)
    assert not list(find_secrets(value))
    (found,) = find_secrets(value, name="accessToken")
    assert (found.kind, found.start, found.stop) == ("random-token", 0, 36)
    assert not list(find_secrets(value, name="nextPageToken"))
    assert not list(find_secrets("how-the-orchard-is-watered", name="password"))


@given(st.text(), st.one_of(st.none(), st.text()))
def test_any_text_gives_an_answer(text: str, name: str | None) -> None:
    at = 0
    for found in find_secrets(text, name=name):
        assert at <= found.start < found.stop <= len(text)
        at = found.stop
    assert len(mask_secrets(text)) == len(text)


@pytest.mark.parametrize("name", KEYS)
def test_nothing_is_left_of_a_secret_but_how_it_starts(name: str) -> None:
    text = f"see {KEYS[name][1]()} there"
    (found,) = find_secrets(text)
    secret = text[found.start : found.stop]
    hidden = mask_secrets(text)
    assert len(hidden) == len(text)
    assert secret not in hidden
    assert secret[4:] not in hidden
    assert len(abbreviate_secret(secret)) <= 7
    assert secret not in without_secrets(text, lambda found, text: "[gone]")


def test_text_without_secrets_stays_the_same_object() -> None:
    text = "nothing to see"
    assert without_secrets(text, lambda found, text: "") is text
    assert mask_secrets(text) is text


HOSTILE = (
    "sk-",
    "://a:bcdef",
    "@://",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\n" + "A1b2" * 30,
    "eyJaaaaaaaaaaaaaaaaaaaa.",
    "/Aaaaaaaa-aaaaaaaaaaaaaaB",
    "+Aaaaaaaaaaaaaaaaaaaaaaaa",
    'token="',
    "-",
    "hooks.slack.com/services/T12345678/B12345678/",
)


@pytest.mark.parametrize("piece", HOSTILE)
def test_the_search_of_any_text_ends(piece: str) -> None:
    text = piece * ((1 << 19) // len(piece))
    # A search whose time grows faster than the text would exceed the time limit of a test.
    list(find_secrets(text))


def test_a_key_of_openssh_has_a_row_of_equal_letters_in_its_head() -> None:
    head = (
        b"openssh-key-v1\0\0\0\0\4none\0\0\0\4none\0\0\0\0\0\0\0\1\0\0\0\x33\0\0\0\x0bssh-ed25519"
    )
    body = base64.b64encode(head + random.Random(7).randbytes(180)).decode()
    lines = [body[at : at + 70] for at in range(0, len(body), 70)]
    text = "\n".join(
        ("-----BEGIN OPENSSH PRIVATE KEY-----", *lines, "-----END OPENSSH PRIVATE KEY-----")
    )
    assert "AAAAAAAA" in text
    assert [(each.kind, each.start, each.stop) for each in find_secrets(text)] == [
        ("private-key", 0, len(text))
    ]
