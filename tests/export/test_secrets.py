"""Planted secrets: how many are found, how many texts are false positives, and what is left."""

from __future__ import annotations

import json
import random
from base64 import b64encode
from collections import Counter
from pathlib import Path

import pytest

from talktree import api
from talktree.errors import TalktreeError
from talktree.export.choice import ExportOptions
from talktree.export.export import export_document
from talktree.export.redaction import Redactor, find_replacements
from talktree.files import Source
from talktree.formats import slugs
from talktree.text.secrets import find_secrets, without_secrets
from tests.export.planted import CONTEXTS, KINDS, Dice, planted
from tests.export.talks import call, document, made, result, said

ROOT = Path(__file__).parent.parent.parent


def test_at_least_98_of_100_planted_secrets_are_found_in_every_place() -> None:
    assert len(KINDS) >= 40
    asked: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    for each in planted(Dice(41), 4):
        left = without_secrets(each.text, lambda secret, held: "#")
        for about in ("all", f"kind {each.kind}", f"place {each.place}"):
            asked[about] += 1
            missed[about] += each.secret in left or json.dumps(each.secret)[1:-1] in left
    shares = {about: 1 - missed[about] / asked[about] for about in asked}
    assert shares["all"] >= 0.98
    assert all(share >= 0.95 for about, share in shares.items() if about.startswith("place"))
    assert all(share >= 0.90 for share in shares.values())


def test_clean_messages_are_rarely_reported_as_secrets() -> None:
    messages = alarms = 0
    for path in sorted((ROOT / "demo").rglob("*")):
        try:
            read = api.read(path)
        except TalktreeError:
            continue
        for conversation in read.conversations:
            positions = range(len(conversation))
            messages += len(positions)
            alarms += sum(1 for _ in find_replacements(conversation, positions))
    for text in _sources():
        messages += 1
        alarms += sum(1 for _ in find_secrets(text))
    assert messages > 1000
    assert alarms * 1000 <= messages


def _sources() -> list[str]:
    """Return the usual content of conversations with agents: code and its documentation, in
    pieces."""
    paths = [*(ROOT / "src").rglob("*.py"), *(ROOT / "docs").rglob("*.md")]
    texts = [path.read_text() for path in paths]
    # Not the rules about secrets themselves, and their pages: those hold examples.
    texts = [text for text in texts if "SEC201" not in text]
    return [text[at : at + 3000] for text in texts for at in range(0, len(text), 3000)]


# in whole conversations


KEYS = {name: KINDS[name](Dice(3)) for name in ("anthropic", "github", "stripe", "google ai")}
NAMED = Dice(4)(32)
PASSWORD = Dice(5)(20)
PRIVATE = KINDS["rsa key"](Dice(6))


def _with_secrets() -> tuple[object, ...]:
    key, github, stripe, google = KEYS.values()
    return (
        said("user", "u1", None, f"use {key} and postgres://app:{PASSWORD}@db.orchard.io/x"),
        said(
            "assistant",
            "a1",
            "u1",
            [
                {"type": "thinking", "thinking": f"the key {key[:40]}… is long", "signature": "s"},
                {"type": "text", "text": f"Also {github}, {NAMED} and {key}."},
                call("t1", "Bash", command=f"curl -H 'x: {stripe}'", env={"api_key": NAMED}),
            ],
            cwd=f"/home/ida/{google}",
        ),
        said("user", "r1", "a1", [result("t1", f"API_TOKEN={NAMED}\n{PRIVATE}")],
             toolUseResult={"stdout": PRIVATE, "file": {"content": github}}),
        {"type": "summary", "summary": f"About {key}", "leafUuid": "r1"},
    )  # fmt: skip


def _hidden() -> list[str]:
    lines = PRIVATE.split("\n")
    return [*KEYS.values(), *(each[:32] for each in KEYS.values() if len(each) > 60), NAMED,
            PASSWORD, lines[2], lines[9]]  # fmt: skip


@pytest.mark.parametrize("to", ["html", "md", "text", *slugs()])
def test_no_planted_secret_is_in_the_bytes_of_any_export(to: str) -> None:
    read = document(*_with_secrets())  # type: ignore[arg-type]
    done = export_document(read, ExportOptions(to=to))
    data = b"".join(piece for pieces in done.files.values() for piece in pieces)
    for secret in _hidden():
        assert secret.encode() not in data, (to, secret)
    assert sum(done.secrets.values()) == 7
    assert b"[redacted: Anthropic key " in data


def test_equal_secrets_get_equal_words_under_a_key_of_each_export() -> None:
    key = KEYS["github"]
    read = document(said("user", "u1", None, f"{key} and {key}"), said("user", "u2", "u1", key))
    first, second = made(read, ExportOptions(to="text")), made(read, ExportOptions(to="text"))
    words = [word for word in first.split("[") if word.startswith("redacted")]
    signs = {word.partition("]")[0] for word in words}
    assert len(words) == 3 + 2  # the title repeats the beginning
    assert len(signs) == 1
    assert signs.isdisjoint({word.partition("]")[0] for word in second.split("[")})
    same = [made(read, ExportOptions(to="text"), redactor=Redactor(b"k" * 32)) for _ in range(2)]
    assert same[0] == same[1]


def test_redacting_can_be_turned_off_and_changes_nothing_where_there_is_no_secret() -> None:
    read = document(*_with_secrets())  # type: ignore[arg-type]
    assert KEYS["anthropic"] in made(read, ExportOptions(to="md", redact=False))
    plain = document(said("user", "u1", None, "how are the pears"))
    kept, redacted = ExportOptions(to="claude-code", redact=False), ExportOptions(to="claude-code")
    assert made(plain, kept) == made(plain, redacted)


@pytest.mark.parametrize("to", slugs())
def test_the_tree_stays_as_it_is_and_nothing_new_is_wrong_with_it(to: str) -> None:
    read = document(*_with_secrets())  # type: ignore[arg-type]
    shapes = []
    for redact in (False, True):
        done = export_document(read, ExportOptions(to=to, redact=redact))
        files = {path: b"".join(pieces) for path, pieces in done.files.items()}
        again = api.read(
            Source.of_files(files) if done.folder else Source.of_bytes(*files.values()), format=to
        )
        assert not any(found.severity == "error" for found in again.findings)
        shapes.append(
            [(list(each.skeleton.ids), list(each.skeleton.parents)) for each in again.conversations]
        )
    assert len(shapes[0]) == len(shapes[1])
    for before, after in zip(*shapes, strict=True):
        assert before[1] == after[1]


def test_every_line_stays_json_and_ids_stay_theirs() -> None:
    read = document(*_with_secrets())  # type: ignore[arg-type]
    before = made(read, ExportOptions(to="claude-code", redact=False)).splitlines()
    after = made(read, ExportOptions(to="claude-code")).splitlines()
    for one, two in zip(before, after, strict=True):
        old, new = json.loads(one), json.loads(two)
        assert (old.get("uuid"), old.get("parentUuid")) == (new.get("uuid"), new.get("parentUuid"))
        assert old.keys() == new.keys()


def test_secrets_are_previewed_without_being_shown() -> None:
    read = document(*_with_secrets())  # type: ignore[arg-type]
    places = list(find_replacements(read.conversation, range(len(read.conversation))))
    assert {place.message for place in places} >= {"u1", "a1", "r1"}
    reported = json.dumps([place._asdict() for place in places])
    for secret in _hidden():
        assert secret not in reported


def test_a_secret_that_only_one_place_gives_away_is_redacted_in_all_others() -> None:
    value = Dice(9)(40)
    read = document(
        said("user", "u1", None, f"it is {value}"), said("user", "u2", "u1", f"API_KEY={value}")
    )
    assert value not in made(read, ExportOptions(to="html"))


def test_a_short_password_does_not_redact_a_word() -> None:
    read = document(
        said("user", "u1", None, "https://ida:Quince7@orchard.io and the Quince7 is a tree")
    )
    text = made(read, ExportOptions(to="md"))
    assert "Quince7@" not in text
    assert "the Quince7 is" in text


def test_secrets_in_attached_files_and_in_escapes_are_found() -> None:
    key = KEYS["github"]
    file = b64encode(f"token: {key}\n".encode()).decode()
    source = {"type": "base64", "media_type": "text/plain", "data": file}
    lines = json.dumps(said("user", "u1", None, [{"type": "document", "source": source}]))
    escaped = "".join(f"\\u{ord(each):04x}" for each in key)
    more = json.dumps(said("user", "u2", "u1", "see KEY")).replace("KEY", escaped)
    read = api.read(Source.of_bytes(f"{lines}\n{more}\n".encode()), format="claude-code")
    text = made(read, ExportOptions(to="claude-code"))
    assert key not in text
    assert file not in text
    for line in text.splitlines():
        assert key not in json.dumps(json.loads(line))


@pytest.mark.parametrize("spaces", [(",", ":"), (", ", ": "), (" ,\t", " :  ")])
def test_secrets_in_attached_files_are_found_however_the_line_is_laid_out(
    spaces: tuple[str, str],
) -> None:
    key = KEYS["github"]
    file = b64encode(f"token: {key}\n".encode()).decode()
    source = {"type": "base64", "media_type": "text/plain", "data": file}
    line = said("user", "u1", None, [{"type": "document", "source": source}])
    data = json.dumps(line, separators=spaces).encode() + b"\n"
    read = api.read(Source.of_bytes(data), format="claude-code")
    assert file not in made(read, ExportOptions(to="claude-code"))


@pytest.mark.parametrize("seed", range(3))
def test_any_mix_of_secrets_and_places_leaves_nothing(seed: int) -> None:
    dice = random.Random(seed)
    sample = dice.sample(list(planted(Dice(seed + 70), 1)), 30)
    found = [
        each for each in sample if each.secret not in without_secrets(each.text, lambda s, h: "")
    ]
    parent = None
    lines = []
    for number, each in enumerate(found):
        lines.append(said("user", f"u{number}", parent, each.text))
        parent = f"u{number}"
    for to in ("html", "native"):
        text = made(document(*lines), ExportOptions(to=to))
        assert not [each for each in found if each.secret in text]


def test_all_places_are_used() -> None:
    assert {each.place for each in planted(Dice(1), 1)} == set(CONTEXTS)
