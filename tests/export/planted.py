"""Secrets to plant, made up by the rules of their issuers and valid nowhere.

Each kind is drawn when it is needed, so that no scanner finds a key in this file.
"""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Callable, Iterator
from typing import NamedTuple

ALNUM = string.ascii_letters + string.digits
LOWER = string.ascii_lowercase + string.digits
UPPER = string.ascii_uppercase + string.digits
WORD = ALNUM + "-_"
HEX = "0123456789abcdef"
BASE32 = string.ascii_uppercase + "234567"
BASE64 = ALNUM + "+/"
DIGITS = "0123456789"


class Dice:
    """Draws the same values each time."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def __call__(self, size: int, letters: str = ALNUM) -> str:
        return "".join(self._random.choice(letters) for _ in range(size))

    def uuid(self) -> str:
        return "-".join(self(size, HEX) for size in (8, 4, 4, 4, 12))


Make = Callable[[Dice], str]


def _jwt(dice: Dice) -> str:
    head = base64.urlsafe_b64encode(b'{"alg":"HS256","typ":"JWT"}').decode().rstrip("=")
    body = json.dumps({"sub": dice(12), "iss": dice(8), "iat": 1760000000}).encode()
    return f"{head}.{base64.urlsafe_b64encode(body).decode().rstrip('=')}.{dice(43, WORD)}"


def _private_key(kind: str) -> Make:
    def make(dice: Dice) -> str:
        lines = "\n".join(dice(64, BASE64) for _ in range(12))
        return f"-----BEGIN {kind}PRIVATE KEY-----\n{lines}\n-----END {kind}PRIVATE KEY-----"

    return make


KINDS: dict[str, Make] = {
    # AI vendors
    "anthropic": lambda d: f"sk-ant-api03-{d(93, WORD)}AA",
    "anthropic admin": lambda d: f"sk-ant-admin01-{d(93, WORD)}AA",
    "anthropic oauth": lambda d: f"sk-ant-oat01-{d(93, WORD)}AA",
    "openai": lambda d: "sk-" + d(20) + "T3BlbkFJ" + d(20),
    "openai project": lambda d: f"sk-proj-{d(74, WORD)}T3BlbkFJ{d(74, WORD)}",
    "openai service": lambda d: f"sk-svcacct-{d(60, WORD)}T3BlbkFJ{d(60, WORD)}",
    "openrouter": lambda d: f"sk-or-v1-{d(64, HEX)}",
    "deepseek": lambda d: f"sk-{d(32, HEX)}",
    "hugging face": lambda d: f"hf_{d(34)}",
    "groq": lambda d: f"gsk_{d(52)}",
    "xai": lambda d: f"xai-{d(80)}",
    "replicate": lambda d: f"r8_{d(37)}",
    "perplexity": lambda d: f"pplx-{d(48)}",
    "google ai": lambda d: f"AIza{d(35, WORD)}",
    "cerebras": lambda d: f"csk-{d(48, LOWER)}",
    "nvidia": lambda d: f"nvapi-{d(64, WORD)}",
    "tavily": lambda d: f"tvly-dev-{d(32)}",
    "langsmith": lambda d: f"lsv2_pt_{d(32, HEX)}_{d(10, HEX)}",
    "pinecone": lambda d: f"pcsk_{d(6)}_{d(63)}",
    "elevenlabs": lambda d: f"sk_{d(48, HEX)}",
    # clouds
    "aws": lambda d: f"AKIA{d(16, BASE32)}",
    "aws session": lambda d: f"ASIA{d(16, BASE32)}",
    "google oauth": lambda d: f"GOCSPX-{d(28, WORD)}",
    "google access": lambda d: f"ya29.{d(120, WORD)}",
    "digitalocean": lambda d: f"dop_v1_{d(64, HEX)}",
    "databricks": lambda d: f"dapi{d(32, HEX)}",
    "supabase": lambda d: f"sbp_{d(40, HEX)}",
    "vault": lambda d: f"hvs.{d(95, WORD)}",
    "grafana": lambda d: f"glsa_{d(32)}_{d(8, HEX)}",
    "doppler": lambda d: f"dp.st.dev.{d(40)}",
    # code
    "github": lambda d: f"ghp_{d(36)}",
    "github app": lambda d: f"ghs_{d(36)}",
    "github fine": lambda d: f"github_pat_{d(22)}_{d(59)}",
    "gitlab": lambda d: f"glpat-{d(20, WORD)}",
    "npm": lambda d: f"npm_{d(36)}",
    "pypi": lambda d: f"pypi-AgEIcHlwaS5vcmc{d(140, WORD)}",
    "docker": lambda d: f"dckr_pat_{d(27, WORD)}",
    "rubygems": lambda d: f"rubygems_{d(48, HEX)}",
    "crates": lambda d: f"cio{d(32)}",
    # services
    "slack bot": lambda d: f"xoxb-{d(12, DIGITS)}-{d(13, DIGITS)}-{d(24)}",
    "slack user": lambda d: f"xoxp-{d(12, DIGITS)}-{d(12, DIGITS)}-{d(12, DIGITS)}-{d(32, HEX)}",
    "slack app": lambda d: f"xapp-1-A{d(10, UPPER)}-{d(13, DIGITS)}-{d(64, HEX)}",
    "slack hook": lambda d: (
        f"https://hooks.slack.com/services/T{d(10, UPPER)}/B{d(10, UPPER)}/{d(24)}"
    ),
    "stripe": lambda d: f"sk_live_{d(24)}",
    "stripe long": lambda d: f"rk_live_{d(99)}",
    "sendgrid": lambda d: f"SG.{d(22, WORD)}.{d(43, WORD)}",
    "mailgun": lambda d: f"key-{d(32, HEX)}",
    "twilio": lambda d: f"SK{d(32, HEX)}",
    "telegram": lambda d: f"{d(10, '123456789')}:AA{d(33, WORD)}",
    "discord": lambda d: f"MTA{d(21)}.{d(6, WORD)}.{d(38, WORD)}",
    "notion": lambda d: f"ntn_{d(46)}",
    "linear": lambda d: f"lin_api_{d(40)}",
    "shopify": lambda d: f"shpat_{d(32, HEX)}",
    "figma": lambda d: f"figd_{d(40, WORD)}",
    "jwt": _jwt,
    # blocks and places
    "rsa key": _private_key("RSA "),
    "openssh key": _private_key("OPENSSH "),
    "pkcs8 key": _private_key(""),
    "postgres url": lambda d: f"postgres://app:{d(20)}@db.orchard.io:5432/pears",
    "https url": lambda d: f"https://deploy:{d(24)}@git.orchard.io/pears.git",
    "mongodb url": lambda d: f"mongodb+srv://root:{d(18)}@c0.orchard.io/pears?retryWrites=true",
    # known only by their names
    "env mistral": lambda d: f"MISTRAL_API_KEY={d(32)}",
    "env cohere": lambda d: f"COHERE_API_KEY={d(40)}",
    "env secret": lambda d: f"CLIENT_SECRET={d(32, WORD)}",
    "env aws secret": lambda d: f"AWS_SECRET_ACCESS_KEY={d(40, BASE64)}",
    "azure account": lambda d: f"AccountKey={d(86, BASE64)}==",
    "env password": lambda d: f"DB_PASSWORD={d(24)}",
    "bearer": lambda d: f"Authorization: Bearer {d(40)}",
    "yaml token": lambda d: f"auth_token: {d(36)}",
}


class Planted(NamedTuple):
    """A text with a secret in it."""

    kind: str
    place: str
    text: str
    secret: str
    """The characters that must not be visible."""


CONTEXTS: dict[str, Callable[[str], str]] = {
    "bare": lambda key: key,
    "sentence": lambda key: f"please use {key} for the deployment, it is new.",
    "end of sentence": lambda key: f"The key is {key}.",
    "quoted": lambda key: f'the value "{key}" goes there',
    "single quotes": lambda key: f"token='{key}'",
    "backticks": lambda key: f"I set it to `{key}` yesterday",
    "env": lambda key: f"# .env\nPORT=8080\nTHE_VALUE={key}\nDEBUG=1\n",
    "exported": lambda key: f"export THE_VALUE={key}\nmake deploy",
    "json": lambda key: json.dumps({"name": "orchard", "value": key, "port": 1}),
    "json in json": lambda key: json.dumps({"arguments": json.dumps({"value": key})}),
    "pretty json": lambda key: json.dumps({"config": {"value": key}}, indent=2),
    "yaml": lambda key: f"service:\n  value: {json.dumps(key)}\n  port: 1\n",
    "toml": lambda key: f"[service]\nvalue = {json.dumps(key)}\n",
    "python": lambda key: f"client = Client(value={key!r}, timeout=30)",
    "javascript": lambda key: f"const client = new Client({{ value: {json.dumps(key)} }});",
    "shell": lambda key: f"$ curl -H 'X-Value: {key}' https://orchard.io/v1/pears",
    "url": lambda key: f"GET https://orchard.io/v1/pears?value={key}&page=2",
    "xml": lambda key: f"<service><value>{key}</value></service>",
    "diff": lambda key: f"-value = old\n+value = {key}\n unchanged",
    "log": lambda key: f"2026-03-02 09:00:03 ERROR [auth] rejected: {key} (401)",
    "tool output": lambda key: f"     1\t# settings\n     2\t{key}\n     3\tport = 1",
    "table": lambda key: f"| name | value |\n|---|---|\n| orchard | {key} |",
    "fence": lambda key: f"Here it is:\n\n```\n{key}\n```\n\nDone.",
    "umlauts": lambda key: f"Schlüssel für Äpfel: {key} – fertig",
}
ONE_LINE = frozenset(CONTEXTS) - {
    "fence",
    "bare",
    "tool output",
    "json",
    "json in json",
    "pretty json",
}
"""Places in which a secret of several lines does not occur."""


def hidden(text: str) -> str:
    """Return the part of a secret that must not be visible: a setting's value, a URL's password."""
    if text.startswith("-----BEGIN"):
        return text.split("\n")[4]
    if "hooks.slack.com" in text:
        return text.rpartition("/")[2]
    if "://" in text:
        return text.partition("://")[2].partition("@")[0].partition(":")[2]
    for mark in ("=", ": ", "Bearer "):
        name, found, value = text.partition(mark)
        if found and name.replace("_", "").isalpha() and not name.startswith("eyJ"):
            return value.removeprefix("Bearer ").rstrip("=")
    return text


def planted(dice: Dice, rounds: int) -> Iterator[Planted]:
    """Yield every kind in every place, a number of times."""
    for kind, make in KINDS.items():
        for place, around in CONTEXTS.items():
            for _ in range(rounds):
                key = make(dice)
                if "\n" in key and place in ONE_LINE:
                    continue
                if kind.startswith(("env", "azure", "bearer", "yaml")) and place in NAMED_ELSEWHERE:
                    continue
                yield Planted(kind, place, around(key), hidden(key))


NAMED_ELSEWHERE = frozenset({"python"})
"""A whole setting cannot be an argument."""
