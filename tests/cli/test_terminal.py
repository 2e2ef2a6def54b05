"""On a real terminal: content never acts, only Talktree emits colours, the pager is used."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from unicodedata import category

import pytest

from tests.cli.transcript import DATA, environment

OWN_COLOR = re.compile(r"\x1b\[[0-9;]*m")
HOSTILE = (
    "\x1b]0;title\x07\x1b]52;c;ZWNobw==\x1b\\\x1b[2J\x9b31m\x90q\x9c\x1b]8;;http://x\x07link\x08\x7f"
    "\u202eevil\u2066\u200b\ufeff\u2028\u2029\U000e0041\r\x00\x05end"
)
SAMPLE = DATA / "claude-messages" / "good" / "tools-and-branches.jsonl"


def on_terminal(
    arguments: list[str], folder: Path, extra: Mapping[str, str] | None = None
) -> tuple[str, int]:
    """Return what the program sends to a terminal, on stdout and stderr, and its exit code."""
    ours, theirs = pty.openpty()
    given = {**environment(), "TERM": "xterm-256color", "PAGER": "", **(extra or {})}
    process = subprocess.Popen(
        ["talktree", *arguments], stdin=theirs, stdout=theirs, stderr=theirs, env=given, cwd=folder
    )
    os.close(theirs)
    received = b""
    while True:
        try:
            block = os.read(ours, 1 << 16)
        except OSError:  # Linux reports a closed other side like this
            break
        if not block:
            break
        received += block
    os.close(ours)
    return received.decode().replace("\r\n", "\n"), process.wait(60)


def hostile_session(folder: Path) -> Path:
    """Return a session with hostile text in every place; its name is hostile, too."""
    base = {"sessionId": HOSTILE, "timestamp": "2026-03-02T09:00:00.000Z", "cwd": HOSTILE}
    said = {"role": "user", "content": HOSTILE}
    call = {"type": "tool_use", "id": HOSTILE, "name": HOSTILE, "input": {HOSTILE: HOSTILE}}
    shell = {"type": "tool_use", "id": "2", "name": "Bash", "input": {"command": HOSTILE}}
    edit = {"file_path": HOSTILE, "old_string": HOSTILE, "new_string": f"{HOSTILE}\n+"}
    change = {"type": "tool_use", "id": "3", "name": "Edit", "input": edit}
    thought = {"type": "thinking", "thinking": HOSTILE, "signature": HOSTILE}
    odd = {"type": HOSTILE, HOSTILE: HOSTILE}
    answer = {"type": "tool_result", "tool_use_id": "2", "content": HOSTILE, "is_error": True}
    usage = {"input_tokens": 1, "output_tokens": 1}
    spoken = {"role": "assistant", "model": HOSTILE, "id": HOSTILE, "usage": usage,
              "content": [thought, call, shell, change, odd]}  # fmt: skip
    lines = [
        {"type": "summary", "summary": HOSTILE, "leafUuid": HOSTILE},
        {"type": "user", "uuid": f"{HOSTILE}1", "parentUuid": None, "message": said, **base},
        {"type": "assistant", "uuid": f"{HOSTILE}2", "parentUuid": f"{HOSTILE}1",
         "message": spoken, **base},
        {"type": "user", "uuid": f"{HOSTILE}3", "parentUuid": f"{HOSTILE}2",
         "message": {"role": "user", "content": [answer]}, **base},
        {"type": "system", "subtype": HOSTILE, "uuid": f"{HOSTILE}4",
         "parentUuid": f"{HOSTILE}3", "content": HOSTILE, **base},
        {"type": HOSTILE, "uuid": f"{HOSTILE}5", "parentUuid": f"{HOSTILE}4", **base},
        {"type": "user", "uuid": f"{HOSTILE}6", "parentUuid": HOSTILE, "message": said, **base},
    ]  # fmt: skip
    name = HOSTILE.replace("\0", "").replace("/", "")[:60]
    path = folder / f"{name}.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines) + "\ntorn {", encoding="utf-8")
    return path


COMMANDS = [
    ["show"],
    ["show", "--all", "--thinking", "--full"],
    ["show", "--branch", f"{HOSTILE}2".replace("\0", "")],
    ["show", "--json", "--all"],
    ["show", "--conversation", HOSTILE.replace("\0", "")],
    ["show", "--from", HOSTILE.replace("\0", "")],
    ["tree"],
    ["tree", "--all"],
    ["tree", "--json"],
    ["stats"],
    ["stats", "--json"],
    ["detect"],
    ["detect", "--json", HOSTILE.replace("\0", "")],
    ["convert", "-t", "native", "-o", "-"],
    ["convert", "-t", "muse", "-o", "x.json"],
    ["convert", "-t", "muse", "--dry-run"],
    ["convert", "-t", "muse", "-o", "x.json", "--json"],
    ["convert", "-t", "muse", "-o", "x.json", "--branch", HOSTILE.replace("\0", "")],
    ["convert", "-t", "muse", "-o", "x", "--strict", "--allow", HOSTILE.replace("\0", "")],
    ["convert", "-t", "muse", "-o", "x", "--progress", "json", "--each"],
    ["convert", "-t", "muse", "-o", "x", "--progress", "none", "--each", "missing" + HOSTILE[:9]],
    ["show", "--carried"],
    ["convert", "-t", HOSTILE.replace("\0", ""), "-o", "x"],
    [HOSTILE.replace("\0", "")],
    [f"--{HOSTILE}".replace("\0", "")],
]


@pytest.mark.parametrize(
    "command", COMMANDS, ids=lambda words: " ".join(words)[:20].split("\x1b")[0]
)
@pytest.mark.parametrize("colors", ["colors", "no colors"])
def test_no_content_reaches_the_terminal_as_a_command(
    command: list[str], colors: str, tmp_path: Path
) -> None:
    path = hostile_session(tmp_path)
    extra = {"NO_COLOR": "1"} if colors == "no colors" else {}
    text, _ = on_terminal([*command, path.name], tmp_path, extra)
    assert text
    seen = OWN_COLOR.sub("", text) if colors == "colors" else text
    acting = {
        hex(ord(char))
        for char in seen
        if category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"} and char not in "\t\n"
    }
    assert acting == set()
    assert "Traceback" not in text
    assert "internal error" not in text


@pytest.mark.parametrize("how", [[], ["--full"], ["--json"]])
def test_embedded_data_reaches_the_terminal_only_escaped(how: list[str], tmp_path: Path) -> None:
    path = hostile_session(tmp_path)
    call = ["talktree", "convert", path.name, "-t", "chatbuilder", "-o", "out", "-q"]
    subprocess.run(call, cwd=tmp_path, env=environment(), check=True)
    text, code = on_terminal(["show", "out", "--carried", *how], tmp_path)
    assert (code, "title" in text) == (0, True)
    seen = OWN_COLOR.sub("", text)
    acting = [char for char in seen if category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"}]
    assert set(acting) <= {"\t", "\n"}


def test_names_in_a_progress_bar_cannot_act(tmp_path: Path) -> None:
    path = hostile_session(tmp_path)
    more = [str(path.with_name(f"{number}{path.name}")) for number in range(8)]
    for each in more:
        Path(each).write_bytes(path.read_bytes())
    shown, code = on_terminal(["convert", *more, "-t", "native", "-o", "out"], tmp_path)
    assert (code, "converting to native" in shown) == (0, True)
    for word in ("\x1b]", "\x1b[2J", "\x9b", "\x90", "\u202e", "\u200b", "\u2028"):
        assert word not in shown


def test_colour_on_a_terminal_unless_it_is_not_wanted(tmp_path: Path) -> None:
    colored, code = on_terminal(["show", str(SAMPLE)], tmp_path)
    assert code == 0
    assert "\x1b[1;34mUser\x1b[0m" in colored
    for arguments, extra in (
        (["--color", "never"], {}),
        ([], {"NO_COLOR": "1"}),
        ([], {"TERM": "dumb"}),
    ):
        plain, _ = on_terminal(["show", str(SAMPLE), *arguments], tmp_path, extra)
        assert "\x1b" not in plain
        assert plain == OWN_COLOR.sub("", colored)
    wanted, _ = on_terminal(["show", str(SAMPLE), "--color", "always"], tmp_path, {"NO_COLOR": "1"})
    assert wanted == colored


def test_long_text_is_wrapped_to_the_terminal(tmp_path: Path) -> None:
    line = {"type": "user", "uuid": "a", "message": "word " * 100}
    (tmp_path / "a.jsonl").write_text(json.dumps(line))
    shown, _ = on_terminal(["show", "a.jsonl"], tmp_path, {"COLUMNS": "50"})
    body = OWN_COLOR.sub("", shown).splitlines()[3:]
    assert len(body) > 8
    assert all(len(each) <= 50 for each in body)


def test_the_pager_is_used_on_a_terminal_only_and_only_if_wanted(tmp_path: Path) -> None:
    pager = {"PAGER": "sh -c 'cat > paged.txt'"}
    paged = tmp_path / "paged.txt"
    shown, code = on_terminal(["tree", str(SAMPLE)], tmp_path, pager)
    assert (shown, code) == ("", 0)
    assert "Write a script that greets me" in paged.read_text()
    paged.unlink()
    shown, _ = on_terminal(["tree", str(SAMPLE), "--no-pager"], tmp_path, pager)
    assert "Write a script that greets me" in shown
    piped = subprocess.run(
        ["talktree", "tree", str(SAMPLE)],
        capture_output=True,
        cwd=tmp_path,
        env={**environment(), **pager},
        check=True,
    )
    assert b"Write a script that greets me" in piped.stdout
    assert not paged.exists()


@pytest.mark.parametrize("pager", ["true", "no-such-pager-here", "'unclosed"])
def test_a_pager_that_quits_or_is_missing_is_not_an_error(pager: str, tmp_path: Path) -> None:
    shown, code = on_terminal(["show", str(SAMPLE)], tmp_path, {"PAGER": pager})
    assert code == 0
    assert "Traceback" not in shown
