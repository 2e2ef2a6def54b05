"""Redaction through the command line: secrets by name and place, words, patterns, personal data."""

from __future__ import annotations

import json
import subprocess
import sys
import unicodedata
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.secrets.contexts import planted
from bench.secrets.lookalikes import lookalikes
from talktree.export.redaction import Redactor
from talktree.export.targets import RedactionTargets
from talktree.text.bank_accounts import is_iban
from talktree.text.personal_data import find_personal_data, is_card
from talktree.text.safe_patterns import UnsafePattern, compile_pattern
from talktree.text.secrets import find_secrets, without_secrets
from talktree.text.word_pattern import WordPattern, normalize_word
from tests.cli.transcript import environment
from tests.export.leaks import as_json, leaks


def _left(text: str) -> str:
    return without_secrets(text, lambda secret, held: "#")


def test_secrets_of_a_corpus_that_no_rule_was_made_for_are_found() -> None:
    texts = [each for seed in (101, 102) for each in leaks(seed)]
    missed = [text for text, secret in texts if secret in _left(text)]
    assert len(missed) <= len(texts) * 0.02, missed
    within = [text for text, secret in texts if json.dumps(secret)[1:-1] in _left(as_json(text))]
    assert len(within) <= len(texts) * 0.02, within


def test_every_kind_of_the_benchmark_is_found_and_no_lookalike() -> None:
    texts = list(planted(7))
    assert len({each.kind for each in texts}) >= 100
    missed = [each for each in texts if each.secret in _left(each.text)]
    assert len(missed) <= len(texts) * 0.02, missed
    harmless = [text for _, text in lookalikes(7)]
    assert len(harmless) >= 500
    assert [text for text in harmless if list(find_secrets(text))] == []


# through the program


def _session(*texts: str, cwd: str = "/srv") -> str:
    lines: list[dict[str, object]] = []
    for number, text in enumerate(texts):
        call = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": text}}
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": text}
        for role, content in (
            ("assistant", [{"type": "text", "text": text}, call]),
            ("user", [result]),
        ):
            lines.append(
                {
                    "type": role,
                    "uuid": f"{role}{number}",
                    "parentUuid": lines[-1]["uuid"] if lines else None,
                    "sessionId": "s",
                    "cwd": cwd,
                    "timestamp": "2026-03-02T09:00:00Z",
                    "message": {"role": role, "content": content},
                }
            )
    return "".join(json.dumps(line) + "\n" for line in lines)


def _export(
    folder: Path, text: str, to: str, *options: str, home: str = ""
) -> subprocess.CompletedProcess[bytes]:
    source = folder / "session.jsonl"
    source.write_text(text)
    command = [sys.executable, "-m", "talktree.cli.main", "export", str(source), "--to", to]
    env = {**environment(), "TALKTREE_HOME": home or str(folder / "home")}
    return subprocess.run(
        [*command, "-o", "-", *options], capture_output=True, check=False, env=env
    )


@pytest.mark.parametrize("to", ["md", "html", "native", "claude-code", "studio"])
def test_no_leaked_secret_is_in_the_bytes_of_an_export(tmp_path: Path, to: str) -> None:
    texts = list(leaks(301))
    done = _export(tmp_path, _session(*(text for text, _ in texts)), to)
    assert done.returncode == 0, done.stderr
    missed = [
        text
        for text, secret in texts
        if secret.encode() in done.stdout or json.dumps(secret)[1:-1].encode() in done.stdout
    ]
    assert len(missed) <= len(texts) * 0.02, missed


def test_a_password_with_quotes_and_backslashes_is_replaced_in_every_wrapping(
    tmp_path: Path,
) -> None:
    password = 'p"q\\r7!x'
    inner = json.dumps({"password": password})
    texts = (inner, json.dumps({"body": inner}), f"DB_PASSWORD='{password}'")
    done = _export(tmp_path, _session(*texts), "claude-code")
    assert b"r7!x" not in done.stdout
    for line in done.stdout.splitlines():
        json.loads(line)


def test_words_and_personal_data_are_replaced_on_request_and_ids_stay(tmp_path: Path) -> None:
    text = (
        "Project Quince of ida.meyer@orchard.io, card 4111 1111 1111 1111, "
        "IBAN DE89 3704 0044 0532 0130 00, QUINCE again"
    )
    session = _session(text, cwd="/home/idam/orchard")
    plain = _export(tmp_path, session, "claude-code")
    assert b"Quince" in plain.stdout
    assert b"not for personal data" in plain.stderr
    done = _export(tmp_path, session, "claude-code", "--redact", "quince", "--redact", "pii")
    assert done.returncode == 0, done.stderr
    for gone in (b"Quince", b"QUINCE", b"ida.meyer", b"4111", b"DE89", b"idam"):
        assert gone not in done.stdout
    before = [json.loads(line) for line in plain.stdout.splitlines()]
    after = [json.loads(line) for line in done.stdout.splitlines()]
    assert [each["uuid"] for each in before] == [each["uuid"] for each in after]
    said = after[0]["message"]["content"][0]["text"]
    words = [part.partition("]")[0] for part in said.split("[redacted: ") if "word" in part[:6]]
    assert len(words) == 2
    assert len(set(words)) == 1, "equal words have equal placeholders"
    assert b"1 word, personal data" in done.stderr


def test_the_report_names_what_was_looked_for_even_if_nothing_was_found(tmp_path: Path) -> None:
    done = _export(tmp_path, _session("how are the pears"), "md")
    assert b"redacted 0 values" in done.stderr
    assert b"kinds of keys, tokens and passwords" in done.stderr


def test_words_that_formats_are_built_with_do_not_break_them(tmp_path: Path) -> None:
    done = _export(tmp_path, _session("the user says hello"), "claude-code", "--redact", "user")
    assert done.returncode == 0, done.stderr
    roles = [json.loads(line)["message"]["role"] for line in done.stdout.splitlines()]
    assert roles == ["assistant", "user"]
    assert b"the user says" not in done.stdout


def test_words_and_patterns_of_the_configuration(tmp_path: Path) -> None:
    home = tmp_path / "own"
    home.mkdir()
    config = home / "config.toml"
    config.write_text('[redaction]\nwords = ["Orchard"]\npatterns = ["PEAR-[0-9]{4}"]\n')
    done = _export(tmp_path, _session("Orchard has PEAR-1234"), "md", home=str(home))
    assert b"Orchard" not in done.stdout
    assert b"PEAR-1234" not in done.stdout
    assert b"1 word, 1 pattern" in done.stderr
    for bad, why in (
        ('patterns = ["(a+)+$"]', b"repetition"),
        ('patterns = ["("]', b"not a regular expression"),
        ("words = 3", b"not a list"),
        ("wordz = []", b"unknown setting"),
    ):
        config.write_text(f"[redaction]\n{bad}\n")
        done = _export(tmp_path, _session("hello"), "md", home=str(home))
        assert done.returncode == 2, done.stderr
        assert why in done.stderr
        assert b"Traceback" not in done.stderr


def test_contradicting_and_empty_wishes_are_refused(tmp_path: Path) -> None:
    for options in (("--redact", "pear", "--no-redact"), ("--redact", " ")):
        done = _export(tmp_path, _session("hello"), "md", *options)
        assert done.returncode == 2


# parts


@pytest.mark.parametrize(
    "pattern",
    [
        *("(a+)+", "(a*)*b", "(?:x|(y+)+)z", "(.*)*", ".*.*.*.*.*=.*x", "", "x*", r"\b", "(?=a)"),
        *("(a|aa)+$", "(a|ab|b)*c", "(foo|foobar)+x", "(a?){30}a{30}", "a?" * 40 + "a" * 40),
        *("(?=(a+)+$)b", "([a-z]{1,50}){1,50}$", "a*a*a*b", r"(a*)\1\1b", "(ab?)+b"),
        "[a-z]{0,2000}[a-z]{0,2000}q",
    ],
)
def test_patterns_that_may_take_forever_are_refused(pattern: str) -> None:
    with pytest.raises(UnsafePattern):
        compile_pattern(pattern)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"[\w.+-]+@[\w-]+\.[a-z]{2,10}", "ida@orchard.test"),
        (r"PEAR-[0-9]{4}", "PEAR-0042"),
        (r"(?:\d{1,3}\.){3}\d{1,3}", "10.0.0.7"),
        (r"(?i)project (quince|medlar)s?", "Project Quinces"),
        (r"ORD-\d+-\w+", "ORD-77-x"),
        (r"https?://[^\s/]+\.orchard\.test/\S*", "https://a.orchard.test/b"),
        (r"(?<=id=)[0-9a-f]+", "07af"),
        (r".*internal.*", "x internal y"),
    ],
)
def test_ordinary_patterns_are_taken_and_end_on_any_text(pattern: str, text: str) -> None:
    compiled = compile_pattern(pattern)
    line = f"id={text}"
    assert any(line[start:stop].endswith(text) for start, stop in compiled.find_matches(line))
    # A search that tries every length of every part would exceed the time limit of a test.
    for piece in ("a", "0", "a.", "1.1.", "a-", "/a", "internal", "ORD-7-"):
        list(compiled.find_matches(piece * (20_000 // len(piece)) + "\x01"))


def test_a_pattern_is_matched_in_long_lines_and_never_over_lines() -> None:
    text = "x" * 1990 + "PEAR-12345" + "\nPEAR-\n1 PEAR-7"
    found = [text[start:stop] for start, stop in compile_pattern("PEAR-[0-9]+").find_matches(text)]
    assert found == ["PEAR-12345", "PEAR-7"]


WORDS = (
    "Orchard",
    "Müller",
    "Việt Nam",
    "Łódź",
    "Straße",
    "foo_bar",
    "한국",
    "a*b",
    "naïve",
    "Zoë",
)
FORMS: tuple[Literal["NFC", "NFD"], ...] = ("NFC", "NFD")
SPLITS = ("\u200b", "\u00ad", "\u200d", "\ufeff", "**", "*", "_", "`", "~~", "***")


def _left_of(word: str, text: str) -> str:
    redactor = Redactor(b"k" * 32, RedactionTargets([word]))
    return redactor.redact_text(text).replace(redactor.make_target_placeholder(word, "word"), "#")


@given(st.data())
def test_a_word_is_found_in_every_spelling_and_split(data: st.DataObject) -> None:
    word = data.draw(st.sampled_from(WORDS))
    asked, written = (unicodedata.normalize(data.draw(st.sampled_from(FORMS)), word) for _ in "12")
    if data.draw(st.booleans()):
        written = data.draw(st.sampled_from([written.lower(), written.upper()]))
    pieces = list(unicodedata.normalize("NFC", written))
    split = data.draw(st.sampled_from(("", *SPLITS)))
    first, last = sorted(data.draw(st.integers(1, len(pieces) - 1)) for _ in "12")
    inner = "".join(pieces[first:last])
    if split and inner.isalpha() and all(each.isalpha() for each in pieces):
        around = split if split in ("*", "_", "`", "~~", "**", "***") else ""
        joined = "".join(pieces[:first]) + split + inner + (around or split)
        written = unicodedata.normalize(
            data.draw(st.sampled_from(FORMS)), joined + "".join(pieces[last:])
        )
    if normalize_word(written) == normalize_word(word):
        assert _left_of(asked, f"from {written} on") == "from # on"
        nested = json.dumps(json.dumps(f"from {written} on"))
        assert _left_of(asked, nested) == json.dumps(json.dumps("from # on"))


@given(st.lists(st.sampled_from([*"OrcharaMuül", *SPLITS, "\u0308", " ", "."]), max_size=40))
def test_matches_of_a_word_read_like_it(pieces: list[str]) -> None:
    text = "".join(pieces)
    for word in ("Orchard", "Mul", "Mül", "ara"):
        for start, stop in WordPattern([word]).find_matches(text):
            assert normalize_word(text[start:stop]) == normalize_word(word)
            assert not unicodedata.combining(text[stop : stop + 1] or " ")


def test_signs_that_are_not_emphasis_split_no_word() -> None:
    kept = "or*chard or_chard my_or_chard or~chard Or**chard 2*or*x or-chard orch ard or.chard"
    assert _left_of("Orchard", kept) == kept
    assert _left_of("Cafe", "Cafe\u0301 Café") == "Cafe\u0301 Café"
    for text in ("**Or**chard", "Or**chard**", "Or*cha*rd", "Or_cha_rd", "_Or_chard", "Or`ch`ard"):
        assert _left_of("Orchard", f"{text}.") == "#."
    assert _left_of("Orchard", "**the Or**chard grew") == "**the # grew"


@pytest.mark.parametrize(
    ("word", "text", "clean"),
    [
        ("Orchard", "an O<b>rch</b>ard", "an #"),
        ("Orchard", "an Or&shy;chard", "an #"),
        ("Orchard", "[Or](x)chard", "#"),
        ("Orchard", "[Orchard](x)", "[#](x)"),
        ("Müller", "M&uuml;ller & son", "# & son"),
        ("Müller", "?q=M%C3%BCller", "?q=#"),
        ("Orchard", "Or&amp;chard 100% Or](chard", "Or&amp;chard 100% Or](chard"),
    ],
)
def test_a_word_is_found_in_markup_and_escapes(word: str, text: str, clean: str) -> None:
    assert _left_of(word, text) == clean


@pytest.mark.parametrize(
    "piece",
    ["Or**", "O*", "a*", "\u200b", "\\\\u200b", "*_`", "Mu\u0308", "<b>", "[a](b)", "&amp;", "%C3"],
)
def test_the_search_of_a_word_ends(piece: str) -> None:
    # A search whose time grows faster than the text would exceed the time limit of a test.
    list(WordPattern(["Orchard", "a*b", "aa", "Müller", "_" * 40]).find_matches(piece * 200_000))


def test_personal_data_needs_its_check_digits() -> None:
    right = "4111111111111111 DE89370400440532013000 86095742719 12345678Z RSSMRA85T10A562S"
    assert len(list(find_personal_data(right))) == 5
    wrong = "4111111111111112 DE88370400440532013000 86095742718 12345678A RSSMRA85T10A562T"
    assert list(find_personal_data(wrong)) == []
    assert is_card("5500000000000004")
    assert is_iban("GB82WEST12345698765432")
    calm = "2026-03-02 10:11:12, 1.2.3, git@github.com:a/b, 3fa85f64-5717-4562-b3fc-2c963f66afa6"
    assert list(find_personal_data(calm)) == []


@pytest.mark.parametrize(
    "piece",
    ["password=", 'token="', "\\", '\\"', "Cookie: a=", "curl -u a:", "$6$", "sig=", "auth=('",
     "1//0", "password is ", "a@", "-us1", '"password": "', "\n  password: |\n  "],
)  # fmt: skip
def test_the_search_of_hostile_text_ends(piece: str) -> None:
    text = piece * ((1 << 18) // len(piece))
    # A search whose time grows faster than the text would exceed the time limit of a test.
    list(find_secrets(text))
    list(find_personal_data(text))
