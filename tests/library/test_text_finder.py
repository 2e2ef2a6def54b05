"""`talktree library find`: a text is found wherever its bytes are stored, and nowhere else."""

import gzip
import json
import os
import subprocess
import sys
import unicodedata
import uuid
from pathlib import Path

import pytest
import zstandard

NAME = "Zoë Müller"
DECOMPOSED = unicodedata.normalize("NFD", NAME)
UNFIT = [(), ("x",), (" ",), ("--pattern", "("), ("--pattern", "x*"), ("a b", "--pattern", "c")]


def run(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "HOME": str(home), "TALKTREE_HOME": str(home / "data")}
    environment |= {"PYTHONSAFEPATH": "1", "XDG_CONFIG_HOME": str(home / "config")}
    return subprocess.run(
        [Path(sys.executable).with_name("talktree"), *arguments],
        env=environment, cwd=home, capture_output=True, text=True,
    )  # fmt: skip


def found(home: Path, *arguments: str) -> list[dict[str, object]]:
    done = run(home, "library", "find", "--json", *arguments)
    matches = json.loads(done.stdout)["found"]
    assert done.returncode == (0 if matches else 1), done.stderr
    return list(matches)


def chat(text: str, *, ascii: bool = False, name: str = "about") -> str:
    """Return a session of Claude Code with one message."""
    id = str(uuid.uuid5(uuid.NAMESPACE_URL, name))
    line = {
        "type": "user", "uuid": id, "parentUuid": None, "sessionId": id, "cwd": "/home/ana/app",
        "timestamp": "2026-03-04T09:00:00.000Z", "message": {"role": "user", "content": text},
    }  # fmt: skip
    return json.dumps(line, ensure_ascii=ascii) + "\n"


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(chat(f"Ask {NAME}.").encode(), id="UTF-8"),
        pytest.param(chat(f"Ask {NAME}.", ascii=True).encode(), id="escapes"),
        pytest.param(chat(f"Ask {NAME}.").encode("utf-16"), id="UTF-16"),
        pytest.param(chat(f"Ask {NAME.upper()}.").encode(), id="upper case"),
        pytest.param(chat(f"Ask {NAME.lower()}.").encode(), id="lower case"),
        pytest.param(chat(DECOMPOSED).encode(), id="NFD"),
        pytest.param(chat(DECOMPOSED, ascii=True).encode(), id="NFD escaped"),
        pytest.param(chat("Ask Zoë\n  Müller.").encode(), id="line break"),
        pytest.param(chat("In /home/zoë-müller/app").encode(), id="path"),
        pytest.param(chat("feature/Zoë_Müller, zoë.müller@example.org").encode(), id="branch"),
        pytest.param(chat("?who=Zoë%20Müller").encode(), id="address"),
        pytest.param(chat(json.dumps({"for": NAME})).encode(), id="JSON in a string"),
        pytest.param(gzip.compress(chat(NAME).encode()), id="gzip"),
        pytest.param(zstandard.compress(chat(NAME).encode()), id="Zstandard"),
    ],
)  # fmt: skip
def test_a_text_is_found_however_it_is_spelled(tmp_path: Path, data: bytes) -> None:
    chats = tmp_path / "chats"
    chats.mkdir()
    (chats / "about.jsonl").write_bytes(data)
    (chats / "other.jsonl").write_text(chat("Ask Zoë, or ask Müller.", name="other"))
    done = run(tmp_path, "import", "chats")
    assert done.returncode == 0, done.stderr
    matches = found(tmp_path, NAME)
    assert [(each["path"], each["versions"]) for each in matches] == [
        (str(chats / "about.jsonl"), [1])
    ]
    assert found(tmp_path, unicodedata.normalize("NFD", NAME)) == matches
    assert not found(tmp_path, "Zoë Mullerin")


def test_it_says_which_versions_hold_a_text(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    for text in ("nothing", f"to {NAME}", f"to {NAME}, later", "nothing again"):
        path.write_text(chat(text))
        assert run(tmp_path, "import", "chat.jsonl").returncode == 0
    [match] = found(tmp_path, NAME)
    assert match["versions"] == [2, 3]
    for version in (1, 2, 3, 4):
        into = f"version-{version}"
        restored = run(
            tmp_path, "library", "restore", "chat.jsonl", "--version", str(version), "--into", into
        )
        assert restored.returncode == 0, restored.stderr
        held = any(
            NAME.encode() in each.read_bytes() for each in (tmp_path / into).rglob("*.jsonl")
        )
        assert held == (version in (2, 3))


def test_it_finds_names_paths_and_edits(tmp_path: Path) -> None:
    folder = tmp_path / "for Zoë Müller"
    folder.mkdir()
    (folder / "chat.jsonl").write_text(chat("Hello."))
    (tmp_path / "edited.jsonl").write_text(chat("Hello.", name="edited"))
    assert run(tmp_path, "import", str(folder), "edited.jsonl").returncode == 0
    id = json.loads((tmp_path / "edited.jsonl").read_text())["sessionId"]
    done = run(tmp_path, "edit", id, "--reply", id, "--text", f"To {NAME}.")
    assert done.returncode == 0, done.stderr
    matches = {Path(str(each["path"])).name: each for each in found(tmp_path, NAME)}
    assert matches["chat.jsonl"]["in_name"]
    assert matches["chat.jsonl"]["versions"] == [1]
    assert f"To {NAME}." in json.dumps(matches["edited.jsonl"]["edits"], ensure_ascii=False)
    assert matches["edited.jsonl"]["versions"] == [1]


def test_a_pattern_is_matched_with_bytes(tmp_path: Path) -> None:
    (tmp_path / "chat.jsonl").write_text(chat("Pay invoice-4711 and INVOICE-12."))
    assert run(tmp_path, "import", "chat.jsonl").returncode == 0
    [match] = found(tmp_path, "--pattern", "(?i)invoice-[0-9]+")
    assert match["occurrences"] == 2
    assert not found(tmp_path, "--pattern", "invoice-[0-9]{9}")


@pytest.mark.parametrize("arguments", UNFIT)
def test_an_impossible_search_is_refused(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = run(tmp_path, "library", "find", *arguments)
    assert done.returncode == 2
    assert "hint:" in done.stderr
    assert "Traceback" not in done.stderr


def test_several_conversations_are_forgotten_together_or_not_at_all(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"chat{number}.jsonl").write_text(
            chat(f"Word{number} for {NAME}.", name=str(number))
        )
    assert run(tmp_path, "import", *(f"chat{number}.jsonl" for number in range(3))).returncode == 0
    wrong = run(tmp_path, "library", "forget", "--yes", "chat0.jsonl", "nowhere.jsonl")
    assert wrong.returncode == 2
    assert "nowhere.jsonl" in wrong.stderr
    assert len(found(tmp_path, NAME)) == 3
    done = run(tmp_path, "library", "forget", "--yes", "--json", "chat0.jsonl", "chat1.jsonl")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert [Path(each["path"]).name for each in said["conversations"]] == [
        "chat0.jsonl",
        "chat1.jsonl",
    ]
    assert [Path(str(each["path"])).name for each in found(tmp_path, NAME)] == ["chat2.jsonl"]
    again = run(tmp_path, "library", "forget", "--yes", "chat0.jsonl", "chat2.jsonl")
    assert again.returncode == 0, again.stderr
    assert "chat0.jsonl was forgotten before" in again.stderr
    assert not found(tmp_path, NAME)
