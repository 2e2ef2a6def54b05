"""The user's own configuration: one place for limits, and never a command from elsewhere."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from talktree import api
from talktree.cli.main import run
from talktree.errors import TalktreeError
from talktree.home import config_file
from talktree.model.parts import Attachment
from talktree.settings.attachments import DEFAULT_SIZE, attachment_settings
from talktree.text.attachment_scan import EICAR
from tests.cli.transcript import environment

NOTES = """\
{"talktree":{"version":1}}
{"conversation":{"id":"c","format":null,"title":"Pears"}}
{"message":{"id":"m","role":"user","parts":[{"part":"attachment","name":"a.txt",\
"media_type":"text/plain","url":"data:text/plain,pear"}],"time":"2026-02-03T08:00:01.000Z"}}
"""


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TALKTREE_HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    return tmp_path / "home" / "config.toml"


def test_without_a_file_the_defaults_hold(config: Path) -> None:
    assert attachment_settings().max_size == DEFAULT_SIZE
    assert attachment_settings().scan_command == ()


@pytest.mark.parametrize(
    ("written", "size"),
    [("123", 123), ('"10 MB"', 10**7), ('"1.5 MiB"', 1_572_864), ('"20kB"', 20_000), ('"7"', 7)],
)
def test_sizes_are_numbers_or_words(config: Path, written: str, size: int) -> None:
    config.write_text(f"[attachments]\nmax-size = {written}\n")
    assert attachment_settings().max_size == size


@pytest.mark.parametrize(
    "wrong",
    [
        "[attachments]\nmax-size = -1",
        "[attachments]\nmax-size = 0",
        "[attachments]\nmax-size = true",
        '[attachments]\nmax-size = "much"',
        '[attachments]\nmax-size = "10 TB"',
        "[attachments]\nmax_size = 10",
        "[attachment]\nmax-size = 10",
        "attachments = 1",
        "[attachments",
        '[attachments]\nscan-command = "clamdscan"',
        '[attachments]\nscan-command = "clamdscan \'{path}"',
        '[attachments]\nscan-command = ["clamdscan", "{path}"]',
        "[attachments]\nscan-timeout = 0",
    ],
)
def test_a_wrong_value_is_an_error_with_the_path(config: Path, wrong: str) -> None:
    config.write_text(wrong)
    with pytest.raises(TalktreeError) as found:
        attachment_settings()
    assert str(config) in found.value.message
    assert found.value.hint


def test_a_command_is_taken_only_from_a_file_that_others_cannot_write(config: Path) -> None:
    config.write_text("[attachments]\nscan-command = 'clamdscan --no-summary {path}'\n")
    assert attachment_settings().scan_command == ("clamdscan", "--no-summary", "{path}")
    config.chmod(0o666)
    with pytest.raises(TalktreeError, match="others can change this file"):
        attachment_settings()


@pytest.mark.parametrize("name", ["talktree.toml", "pyproject.toml", "config.toml"])
def test_a_folder_of_another_user_brings_no_command(
    config: Path,
    tmp_path: Path,
    name: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder, trace = tmp_path / "theirs", tmp_path / "trace"
    (folder / "talktree").mkdir(parents=True)
    (folder / "talk.jsonl").write_text(NOTES)
    table = "tool.talktree.attachments" if name == "pyproject.toml" else "attachments"
    (folder / name).write_text(f"[{table}]\nscan-command = 'touch {trace} {{path}}'\n")
    shutil.copy(folder / name, folder / "talktree" / "config.toml")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_CONFIG_HOME", ".")
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    if name == "config.toml":
        assert run(["check", "talk.jsonl"]) == 0
    else:
        assert run(["check", "talk.jsonl"]) == 2
        reported = capsys.readouterr().err
        assert f"{name}: [attachments] does not count in the files of a project" in reported
        assert str(tmp_path / "user" / ".config" / "talktree" / "config.toml") in reported
    assert run(["check", "talk.jsonl", "--config", name]) == 2
    assert not trace.exists()
    (folder / name).unlink()
    config.write_text(f"[attachments]\nscan-command = 'touch {trace} {{path}}'\n")
    assert run(["check", "talk.jsonl"]) == 0
    assert trace.exists()


def _talktree(home: Path, config: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command with a data folder and a folder of settings."""
    env = {**environment(), "TALKTREE_HOME": str(home), "XDG_CONFIG_HOME": str(config)}
    command = ["talktree", *words]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=60)


def test_the_file_of_the_user_counts_if_the_home_has_none(tmp_path: Path) -> None:
    home, settings = tmp_path / "home", tmp_path / "settings"
    own, users = home / "config.toml", settings / "talktree" / "config.toml"
    talk = tmp_path / "talk.jsonl"
    talk.write_text(NOTES)
    _talktree(home, settings, "import", str(talk))

    def _applies(path: Path, *, exists: bool = True) -> str:
        found = _talktree(home, settings, "library", "info", "--json")
        shape = json.loads(found.stdout)
        assert (shape["config_file"], shape["config_exists"]) == (str(path), exists)
        line = f"configuration  {path}{'' if exists else ' (does not exist)'}"
        assert line in _talktree(home, settings, "library", "info").stdout.splitlines()
        return _talktree(home, settings, "check", str(talk)).stdout

    assert "SYN505" not in _applies(users, exists=False)
    users.parent.mkdir(parents=True)
    users.write_text("[attachments]\nmax-size = 3\n")
    assert "SYN505" in _applies(users)
    own.write_text("[attachments]\nmax-size = 4\n")
    assert "SYN505" not in _applies(own)
    own.write_text("")
    assert "SYN505" not in _applies(own)
    own.unlink()
    own.symlink_to("nowhere")
    done = _talktree(home, settings, "check", str(talk))
    assert done.returncode == 3
    assert done.stderr == (
        f"talktree: {own}: a link to nowhere, which does not exist\nhint: fix it, or remove it\n"
    )


def test_no_test_reads_the_settings_of_the_developer() -> None:
    # A command that a test runs with a separate data folder needs a settings folder as well.
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Dict):
                continue
            names = {each.value for each in node.keys if isinstance(each, ast.Constant)}
            spread = [
                value for key, value in zip(node.keys, node.values, strict=True) if key is None
            ]
            if "TALKTREE_HOME" in names and not spread:
                assert names & {"HOME", "XDG_CONFIG_HOME"}, f"{path}:{node.lineno}"


def test_a_relative_folder_of_settings_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TALKTREE_HOME")
    monkeypatch.setenv("XDG_CONFIG_HOME", ".")
    assert config_file().is_absolute()


def test_check_finds_what_is_over_the_limit(config: Path, tmp_path: Path) -> None:
    (tmp_path / "talk.jsonl").write_text(NOTES)
    config.write_text("[attachments]\nmax-size = 3\n")
    assert api.check(tmp_path / "talk.jsonl").codes == {"SYN505"}
    config.write_text("[attachments]\nmax-size = 4\n")
    assert api.check(tmp_path / "talk.jsonl").codes == set()


def test_an_import_names_what_is_over_the_limit_and_leaves_nothing_out(
    config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    talks = tmp_path / "talks"
    talks.mkdir()
    (talks / "talk.jsonl").write_text(NOTES)
    config.write_text("[attachments]\nmax-size = 3\n")
    assert run(["import", str(talks)]) == 0
    reported = capsys.readouterr().err
    assert f"{talks / 'talk.jsonl'}: 1 attachment over the size limit" in reported
    assert run(["import", str(talks)]) == 0
    assert "over the size limit" not in capsys.readouterr().err
    config.write_text("[attachments]\nmax-size = []\n")
    (talks / "more.jsonl").write_text(NOTES)
    assert run(["import", str(talks)]) == 2
    assert str(config) in capsys.readouterr().err


def test_an_edit_attaches_by_the_same_limit_and_rules(
    config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    talk, file, out = tmp_path / "talk.jsonl", tmp_path / "pear.txt", tmp_path / "out.jsonl"
    talk.write_text(NOTES)
    edit = ["edit", str(talk), "--attach", "m", "--file", str(file), "-o", str(out)]
    file.write_bytes(b"pears")
    config.write_text("[attachments]\nmax-size = 4\n")
    assert run(edit) == 2
    assert "an attachment may have 4" in capsys.readouterr().err
    config.unlink()
    file.write_bytes(EICAR)
    assert run([*edit, "--accept-suspicious"]) == 3
    assert "EICAR" in capsys.readouterr().err
    file.write_bytes(b"#!/bin/sh")
    assert run(edit) == 3
    assert "--accept-suspicious" in capsys.readouterr().err
    assert not out.exists()
    assert run([*edit, "--accept-suspicious"]) == 0
    (message,) = api.read(out).conversations[0].messages()
    assert message.parts[-1] == Attachment(
        "pear.txt", "text/plain", "data:text/plain;base64,IyEvYmluL3No"
    )
