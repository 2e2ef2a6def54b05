"""One conversion as a process: no partial output in any failure."""

from __future__ import annotations

import json
import resource
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from talktree import api
from talktree.conversion.batch import WORK
from talktree.conversion.losses import KINDS
from talktree.conversion.options import Options
from talktree.errors import ChangedMeanwhile
from tests.cli.test_terminal import on_terminal
from tests.cli.transcript import DATA, environment

SAMPLE = DATA / "claude-messages" / "good" / "tools-and-branches.jsonl"
STRICT = ["--clean", "--strict"]


def convert(
    *arguments: str, cwd: Path, first: Callable[[], None] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run the command with these arguments."""
    return subprocess.run(
        ["talktree", "convert", *arguments],
        capture_output=True,
        env=environment(),
        cwd=cwd,
        check=False,
        preexec_fn=first,
        timeout=300,
    )


def _little_room_for_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))


@pytest.mark.parametrize("target", ["muse", "chatbuilder", "sage", "native"])
def test_a_full_disk_leaves_no_files(target: str, tmp_path: Path) -> None:
    done = convert(
        str(SAMPLE), "-t", target, "-o", "out", cwd=tmp_path, first=_little_room_for_files
    )
    assert done.returncode == 3
    assert b"cannot write: File too large\nhint: nothing was written" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_in_a_batch_is_reported_of_each(tmp_path: Path) -> None:
    more = [str(DATA / "studio" / "good" / "one-comment.json"), str(SAMPLE)]
    done = convert(*more, "-t", "native", "-o", "out", cwd=tmp_path, first=_little_room_for_files)
    assert done.returncode == 3
    reported = done.stderr.decode()
    assert "out/claude-messages/good/tools-and-branches.jsonl: cannot write" in reported
    assert WORK not in reported
    assert [path.name for path in (tmp_path / "out").rglob("*.json*")] != []


def test_a_folder_that_may_not_be_written(tmp_path: Path) -> None:
    # Not even root can create a file there.
    done = convert(str(SAMPLE), "-t", "muse", "-o", "/proc/out.json", cwd=tmp_path)
    assert (done.returncode, b"cannot write" in done.stderr) == (3, True)


def test_a_file_in_the_place_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = convert(str(SAMPLE), "-t", "muse", "-o", "file/out.json", cwd=tmp_path)
    assert (done.returncode, b"cannot write" in done.stderr) == (3, True)


def test_a_folder_that_is_not_empty_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").write_text("mine")
    done = convert(str(SAMPLE), "-t", "sage", "-o", "out", cwd=tmp_path)
    assert (done.returncode, b"already exists" in done.stderr) == (2, True)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["mine"]


def test_a_file_is_replaced_and_keeps_its_rights(tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    target.write_text("old")
    target.chmod(0o600)
    said = convert(str(SAMPLE), "-t", "muse", "-o", "out.json", "--force", cwd=tmp_path)
    assert said.returncode == 0
    assert (api.detect(target).format.info.slug, target.stat().st_mode & 0o777) == ("muse", 0o600)


def test_a_source_that_changes_while_it_is_read(
    tmp_path: Path,
) -> None:
    source = tmp_path / "source.jsonl"
    source.write_bytes(SAMPLE.read_bytes())
    document = api.read(source)
    source.write_bytes(SAMPLE.read_bytes()[:500])
    with pytest.raises(ChangedMeanwhile, match="changed while it was being read") as caught:
        api.convert(document, tmp_path / "out.json", to="muse")
    assert caught.value.exit_code == 5
    assert [path.name for path in tmp_path.iterdir()] == ["source.jsonl"]


@pytest.mark.parametrize("out", ["out.json", "-"])
def test_strict_writes_nothing(out: str, tmp_path: Path) -> None:
    done = convert(str(SAMPLE), "-t", "muse", "-o", out, *STRICT, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (4, b"")
    assert list(tmp_path.iterdir()) == []


def test_strict_accepts_allowed_and_embedded_losses(tmp_path: Path) -> None:
    assert convert(
        str(SAMPLE), "-t", "muse", "-o", "a.json", "--strict", cwd=tmp_path
    ).returncode == 0  # fmt: skip
    refused = convert(str(SAMPLE), "-t", "muse", "-o", "b.json", *STRICT, "--json", cwd=tmp_path)
    assert json.loads(refused.stderr)["error"]["kind"] == "would-lose"
    lost = api.preview(api.read(SAMPLE), to="muse", options=Options(carry=False)).count_by_kind()
    allowed = [word for kind, _ in lost for word in ("--allow", kind)]
    done = convert(str(SAMPLE), "-t", "muse", "-o", "b.json", *STRICT, *allowed, cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_forbidden_kinds_may_not_even_be_embedded(tmp_path: Path) -> None:
    done = convert(str(SAMPLE), "-t", "muse", "-o", "a.json", "--forbid", "branch", cwd=tmp_path)
    assert (done.returncode, list(tmp_path.iterdir())) == (4, [])


@pytest.mark.parametrize("option", ["--allow", "--forbid"])
def test_unknown_kinds_get_a_hint(option: str, tmp_path: Path) -> None:
    done = convert(str(SAMPLE), "-t", "muse", "-o", "a", "--strict", option, "tols", cwd=tmp_path)
    assert done.returncode == 2
    assert b"no kind of loss tols, did you mean todos?" in done.stderr
    assert all(kind.encode() in done.stderr for kind in KINDS)


def test_the_saved_loss_report_is_the_printed_one_and_is_saved_also_if_refused(
    tmp_path: Path,
) -> None:
    printed = convert(
        str(SAMPLE), "-t", "muse", "-o", "a.json", "--json", "--ledger", "l.json", cwd=tmp_path
    )
    assert printed.stdout == (tmp_path / "l.json").read_bytes()
    reported = json.loads(printed.stdout)
    loss_report = api.preview(api.read(SAMPLE), to="muse")
    assert [each["kind"] for each in reported["losses"]] == [
        loss.kind for loss in loss_report.losses
    ]
    assert reported["carried_bytes"] == loss_report.carried_bytes > 0
    assert reported["written"] == [
        {"path": "a.json", "bytes": (tmp_path / "a.json").stat().st_size}
    ]
    convert(str(SAMPLE), "-t", "muse", "-o", "b.json", *STRICT, "--ledger", "m.json", cwd=tmp_path)
    assert json.loads((tmp_path / "m.json").read_text())["written"] == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.json", "l.json", "m.json"]


def test_large_output_to_stdout_is_all_there(tmp_path: Path) -> None:
    lines = [
        {"type": "user", "uuid": f"m{number}", "message": "word " * 2000} for number in range(800)
    ]
    source = tmp_path / "long.jsonl"
    source.write_text("".join(json.dumps(line) + "\n" for line in lines))
    done = convert(str(source), "-t", "native", "-o", "-", "-q", cwd=tmp_path)
    made = api.convert_document(api.read(source), to="native")
    (pieces,) = made.files.values()
    assert done.stdout == b"".join(pieces)
    assert done.stderr == b""


def test_a_long_conversion_shows_a_bar_on_a_terminal(tmp_path: Path) -> None:
    lines = [{"type": "user", "uuid": f"m{number}", "message": "word"} for number in range(6000)]
    source = tmp_path / "long.jsonl"
    source.write_text("".join(json.dumps(line) + "\n" for line in lines))
    shown, code = on_terminal(["convert", "long.jsonl", "-t", "native", "-o", "x"], tmp_path)
    assert (code, "converting to native" in shown) == (0, True)
