"""The time and author of a message file: an error if missing, and only invented on request."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.documents.command_line import command

NAMES = (
    "Block-UUID",
    "Component",
    "Version",
    "Description",
    "Language",
    "Created-at",
    "Authors",
)
IDS = [f"32d9afc7-aeac-4a67-ba94-0c926786040{number}" for number in range(5)]


def message(number: int, role: str, without: tuple[str, ...] = ()) -> str:
    """Return a message file with the required fields of the document, except for some."""
    values = {
        "Block-UUID": IDS[number],
        "Component": f"{role.capitalize()}Message",
        "Version": "1.0.0",
        "Description": "About bread",
        "Language": "markdown",
        "Created-at": f"2025-04-21T18:1{number}:00.000Z",
        "Authors": "Ines Okafor (v1.0.0)" if role == "user" else "Claude 3.7 Sonnet (v1.0.0)",
    }
    lines = [f"; {name}: {value}\n" for name, value in values.items() if name not in without]
    return f"{''.join(lines)};\n; role: {role}\n\n\nWho brings the bread?\n"


def placed(folder: Path, *texts: str) -> Path:
    """Write a conversation of these files."""
    folder.mkdir()
    for number, text in enumerate(texts, 1):
        (folder / f"{number}.md").write_text(text)
        os.utime(folder / f"{number}.md", (1_700_000_000 + number, 1_700_000_000 + number))
    return folder


def header(path: Path) -> dict[str, str]:
    lines = path.read_text().split("\n\n\n")[0].splitlines()
    return dict(line[2:].split(": ", 1) for line in lines if ": " in line)


@pytest.mark.parametrize("name", NAMES)
def test_a_missing_required_field_is_an_error(name: str, tmp_path: Path) -> None:
    talk = placed(tmp_path / "talk", message(1, "user", (name,)), message(2, "assistant"))
    done = command("check", "--json", str(talk))
    (found,) = json.loads(done.out)["findings"]
    assert (done.code, found["severity"]) == (1, "error")
    assert name in found["message"]


def test_a_safe_repair_invents_neither_a_time_nor_an_author(tmp_path: Path) -> None:
    lacking = message(2, "assistant", ("Created-at", "Authors", "Version"))
    talk = placed(tmp_path / "talk", message(1, "user"), lacking)
    done = command("repair", str(talk), "-o", str(tmp_path / "out"))
    assert header(tmp_path / "out" / "2.md").keys() == {*NAMES, "role"} - {"Created-at", "Authors"}
    assert "1 error left; --unsafe mends 1 of them" in done.err


def test_an_unsafe_repair_says_what_it_invents_and_from_what(tmp_path: Path) -> None:
    both = ("Created-at", "Authors")
    talk = placed(
        tmp_path / "talk",
        message(1, "user"),
        message(2, "assistant", both),
        message(3, "user", both),
        message(4, "assistant"),
    )
    out = tmp_path / "out"
    done = command("repair", str(talk), "-o", str(out), "--unsafe")
    second, third = header(out / "2.md"), header(out / "3.md")
    assert (second["Created-at"], second["Authors"]) == (
        "2025-04-21T18:11:00.000Z", "Claude 3.7 Sonnet (v1.0.0)",
    )  # fmt: skip
    assert (third["Created-at"], third["Authors"]) == (
        "2025-04-21T18:11:00.000Z", "Ines Okafor (v1.0.0)",
    )  # fmt: skip
    said = (
        "invented: Created-at 2025-04-21T18:11:00.000Z (the time of 1.md, the nearest message "
        "before it), Authors Claude 3.7 Sonnet (v1.0.0) (those of 4.md, the nearest message of the "
        "assistant behind it)"
    )
    assert said in done.out
    assert command("check", str(out)).code == 0
    again = command("repair", str(out), "-o", str(tmp_path / "again"), "--unsafe", "--json")
    assert json.loads(again.out)["plan"] == []


def test_the_log_names_inventions_and_leads_back(tmp_path: Path) -> None:
    talk = placed(tmp_path / "talk", message(1, "user"), message(2, "assistant", ("Authors",)))
    out, back = tmp_path / "out", tmp_path / "back"
    done = command("repair", str(talk), "-o", str(out), "--unsafe", "--json")
    (step,) = json.loads(done.out)["plan"]
    assert step["invented"] == "Authors Unknown (no other message of the assistant names any)"
    (log,) = [path for path in tmp_path.rglob("*.repair") if path.is_file()]
    assert step["invented"] in log.read_text()
    assert command("repair", str(out), "--back", "-o", str(back)).code == 0
    assert (back / "2.md").read_bytes() == (talk / "2.md").read_bytes()


def test_the_time_of_a_file_is_the_last_resort(tmp_path: Path) -> None:
    talk = placed(tmp_path / "talk", message(1, "user", ("Created-at",)))
    done = command("repair", str(talk), "-o", str(tmp_path / "out"), "--unsafe")
    assert header(tmp_path / "out" / "1.md")["Created-at"] == "2023-11-14T22:13:21.000Z"
    assert "(when the file was last changed, which copying changes too)" in done.out


def test_an_empty_line_of_the_header_is_filled(tmp_path: Path) -> None:
    empty = message(2, "user").replace("2025-04-21T18:12:00.000Z", "")
    talk = placed(tmp_path / "talk", message(1, "user"), empty)
    assert command("repair", str(talk), "-o", str(tmp_path / "out"), "--unsafe").code == 0
    text = (tmp_path / "out" / "2.md").read_text()
    assert text.count("Created-at") == 1
    assert header(tmp_path / "out" / "2.md")["Created-at"] == "2025-04-21T18:11:00.000Z"


def test_without_a_known_time_the_finding_has_no_fix() -> None:
    import talktree
    from talktree.files import Source

    source = Source.of_bytes(message(1, "user", ("Created-at",)).encode(), name="1.md")
    (found,) = talktree.check(source).findings
    assert (found.code, found.fix) == ("CHB102", None)
