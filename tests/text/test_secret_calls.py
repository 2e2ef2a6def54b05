"""Secrets without a name: arguments, commands, dialogs, and other signs that mark a secret."""

from __future__ import annotations

import base64
import json
import random
import string
from typing import Any

import pytest

from talktree.export import redacted_strings
from talktree.export.redaction import Redactor
from talktree.text.secrets import Secret, find_secrets, find_secrets_by_form

_dice = random.Random(23)
_LETTERS = string.ascii_letters + string.digits
PASSWORD = "Orchard-77x"
DRAWN = "".join(_dice.choice(_LETTERS) for _ in range(32))
ACCESS = "AKIA" + "".join(_dice.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") for _ in range(16))
CRATE = f"cio{DRAWN}"
BYTES = base64.b64encode(_dice.randbytes(32)).decode()
HALF = base64.b64encode(_dice.randbytes(48)).decode()
HOOK = DRAWN[:24]
HEX = _dice.randbytes(16).hex()
LOGIN = base64.b64encode(f"\0ida\0{PASSWORD}".encode()).decode()
SEED = "kettle walnut meadow quartz ribbon copper violin harbor lantern saddle pepper glacier"

CALLS = {
    "php database": (f"new PDO('mysql:host=h', 'root', '{PASSWORD}');", PASSWORD),
    "php connection": (f"mysqli_connect('h', 'u', '{PASSWORD}', 'db');", PASSWORD),
    "variable before": (f"ftp_connect($c, $user, '{PASSWORD}')", PASSWORD),
    "java connection": (f'DriverManager.getConnection(url, "sa", "{PASSWORD}")', PASSWORD),
    "lines of arguments": (f"connect(\n    'h',\n    'u',\n    '{PASSWORD}',\n)", PASSWORD),
    "login": (f'server.login("ida", "{PASSWORD}")', PASSWORD),
    "net user": (f"net user ida {PASSWORD} /add", PASSWORD),
    "net use": (f"net use Z: \\\\h\\s /user:ida {PASSWORD}", PASSWORD),
    "net use before": (f"net use Z: \\\\h\\s {PASSWORD} /user:ida", PASSWORD),
    "wireless code": (f"WIFI:S:Home;T:WPA;P:{PASSWORD};;", PASSWORD),
    "vault": (f"$ vault login {PASSWORD}", PASSWORD),
    "sudo": (f'echo "{PASSWORD}" | sudo -S apt update', PASSWORD),
    "snmp": (f"snmp-server community {PASSWORD} RO", PASSWORD),
    "snmp agent": (f"rocommunity {PASSWORD} 10.0.0.0/8", PASSWORD),
    "redis": (f"AUTH {PASSWORD}", PASSWORD),
    "redis prompt": (f"127.0.0.1:6379> AUTH default {PASSWORD}\nOK", PASSWORD),
    "mail": (f"AUTH PLAIN {LOGIN}", LOGIN),
    "mail dialog": (
        f"C: AUTH LOGIN\nS: 334 VXNlcm5hbWU6\nC: aWRh\nS: 334 UGFzc3dvcmQ6\nC: {LOGIN}\n",
        LOGIN,
    ),
    "openssl": (f"useradd -p $(openssl passwd -6 '{PASSWORD}') ida", PASSWORD),
    "directory": (f"bindpw {PASSWORD}", PASSWORD),
    "hidden in logs": (f"echo '::add-mask::{PASSWORD}'", PASSWORD),
    "laravel": (f"'key' => 'base64:{BYTES}',", BYTES),
    "seed phrase": (f"Seed phrase: {SEED}\n", SEED),
    "mnemonic": (json.dumps({"mnemonic": SEED}), SEED),
    "azure vault": (
        '{"attributes": {"enabled": true}, "id": "https://kv.vault.azure.net/secrets/db/1",'
        f' "tags": {{}}, "value": "{PASSWORD}"}}',
        PASSWORD,
    ),
    "terraform": (f'{{"db": {{"sensitive": true, "value": "{PASSWORD}"}}}}', PASSWORD),
    "terraform after": (f'{{"db": {{"value": "{PASSWORD}", "sensitive": true}}}}', PASSWORD),
    "postman": (f'{{"key": "db", "value": "{PASSWORD}", "type": "secret"}}', PASSWORD),
    "glued access key": (f"backup_{ACCESS}_old", ACCESS),
    "access key behind letters": (f"key{ACCESS}", ACCESS),
    "glued crate token": (f"backup_{CRATE}_old", CRATE),
    "bedrock": (f"ABSKAOuBt3BqPrUu/{BYTES[:-1] * 3}", BYTES[:-1]),
    "mail protocol": (f"USER ida\n+OK\nPASS {PASSWORD}\n+OK", PASSWORD),
    "identified with": (f"CREATE USER a IDENTIFIED WITH caching_sha2 BY '{PASSWORD}';", PASSWORD),
    "putty": (f"Private-Lines: 2\n{HALF}\n{HALF}\nPrivate-MAC: 0", HALF),
    "slack workflow": (
        f"https://hooks.slack.com/workflows/T0AB12CD3/A0EF45GH6/123456789/{HOOK}",
        HOOK,
    ),
    "teams": (f"https://a.webhook.office.com/webhookb2/g/IncomingWebhook/{HEX}/g", HEX),
    "wallet": (f"new ethers.Wallet('0x{HEX}{HEX}')", HEX),
    "saved": (f'<Pass encoding="base64">{PASSWORD}</Pass>', PASSWORD),
    "default": (f"process.env.DB_PASSWORD || '{PASSWORD}'", PASSWORD),
    "plan before": (f'~ password = "{PASSWORD}" -> "Cedar-88x"', PASSWORD),
    "plan after": (f'~ password = "Cedar-88x" -> "{PASSWORD}"', PASSWORD),
    "package source": (f"dotnet nuget add source u -u ida -p {PASSWORD} --name a", PASSWORD),
    "desktop": (f"xfreerdp /u:ida /p:{PASSWORD} /v:h", PASSWORD),
    "unseal": (f"Unseal Key 1: {BYTES}", BYTES),
    "directory daemon": (f"ldap_default_authtok = {PASSWORD}", PASSWORD),
    "installer": (f"rootpw --plaintext {PASSWORD}", PASSWORD),
    "line numbers": (f"     1\t- name: DB_PASSWORD\n     2\t  value: {PASSWORD}\n", PASSWORD),
}
HARMLESS = (
    "button.connect('clicked', 'window', 'file-open')",
    "sock.connect(('localhost', 8080))",
    "connect(host, user, password)",
    "net user ida /delete",
    "net use Z: \\\\server\\share",
    "vault login -method=userpass username=ida",
    "snmp-server community public RO",
    "our community welcomes you2",
    "AUTH failed for 3 users",
    "AUTH required",
    'login("user", "password")',
    "WIFI:S:Home;T:nopass;;",
    '{"sensitive": false, "value": "eu-west-1"}',
    '{"type": "string", "value": "eu-west-1"}',
    '{"sensitive": true, "name": "db"}, {"value": "eu-west-1"}',
    "data:image/png;base64:iVBORw0KGgo",
    "The seed phrase is a list of words from which the keys of the wallet are made, so keep it",
    "echo done | sudo -S true",
    "AKIAIOSFODNN7EXAMPLE_old",
    "bindpw secret",
    "PASS src/a2.test.ts",
    "msbuild a.sln /p:Configuration=Release2",
    "rootpw --lock",
    "const password = options.password || 'password'",
    '~ password = "old" -> (sensitive value)',
    "hooks.slack.com/workflows/README",
    "Wallet('0x0000')",
)


@pytest.mark.parametrize("place", CALLS)
def test_a_secret_is_found_without_a_name(place: str) -> None:
    text, secret = CALLS[place]
    assert secret not in Redactor().redact_text(text)
    for ascii_only in (True, False):
        line = json.dumps({"type": "user", "text": text}, ensure_ascii=ascii_only).encode()
        data = b'{"other": "text"}\n' * 3000 + line + b"\n"
        for given in (line, data):
            redactor = Redactor()
            for kind, start, stop, what in find_secrets_by_form(given):
                held = given[start:stop].decode()
                redactor.make_placeholder(Secret(kind, 0, len(held), what), held)
            clean = redacted_strings.redact_json(given, redactor, every=False).decode()
            assert secret not in redactor.without_known(clean)


@pytest.mark.parametrize("text", HARMLESS)
def test_text_that_only_looks_like_a_secret_stays(text: str) -> None:
    assert [text[each.start : each.stop] for each in find_secrets(text)] == []


@pytest.mark.parametrize("indent", [None, 2])
def test_a_kubernetes_secret_is_an_object_in_a_tool_call(indent: int | None) -> None:
    call: dict[str, Any] = {
        "name": "apply",
        "input": {
            "data": {"note": "plain words"},
            "manifest": {
                "kind": "Secret",
                "metadata": {"name": "db", "annotations": {"data": "a note"}},
                "stringData": {"conn": "amber", "config": '{"a": "cedar falcon"}'},
                "data": {"tls": BYTES},
            },
            "other": {"kind": "ConfigMap", "data": {"mode": "production"}},
        },
    }
    raw = json.dumps(call, indent=indent).encode()
    clean = json.loads(redacted_strings.redact_json(raw, Redactor(), every=False))
    inside = clean["input"].pop("manifest")
    assert all(each not in json.dumps(inside) for each in ("amber", "cedar", BYTES))
    assert inside["metadata"] == call["input"]["manifest"].pop("metadata")
    call["input"].pop("manifest")
    assert clean == call


@pytest.mark.parametrize(
    "piece",
    ["password=", "token=", "psk=", "connect(", "net user a ", '"sensitive": true {', "WIFI:S:a;"],
)
def test_the_search_of_such_texts_ends(piece: str) -> None:
    # A search whose time grows faster than the text would exceed the time limit of a test.
    list(find_secrets(piece * ((1 << 16) // len(piece))))
