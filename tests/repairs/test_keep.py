"""Writing a repair: the input stays, the log can revert it, and concurrent writers are detected."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from talktree import api
from talktree.errors import ChangedMeanwhile, DamagedRecord, UsageError
from talktree.files import save
from talktree.repairs.log import SUFFIX
from tests.damage.clean import clean
from tests.damage.lines import ALL, main_file, with_file

TRUNCATED = b'{"type":"user","uuid":"7a'


def _broken(slug: str, place: Path) -> Path:
    """Write a broken file or folder to disk."""
    files = clean(slug, 2)
    path = main_file(files, slug)
    # XML may begin with a byte order mark, so the file is damaged at its end.
    whole = files.files[path]
    broken = whole[:-12] if slug == "studio-xml" else b"\xef\xbb\xbf" + whole
    files = with_file(files, path, broken)
    target = place / ("folder" if files.folder else path)
    save({name: [data] for name, data in files.files.items()}, target, folder=files.folder)
    return target


def _bytes(path: Path) -> dict[str, bytes]:
    if path.is_file():
        return {"": path.read_bytes()}
    return {str(each.relative_to(path)): each.read_bytes() for each in sorted(path.rglob("*.*"))}


@contextmanager
def _writer(path: Path) -> Iterator[None]:
    """Start another process that has a file open for writing."""
    code = "import sys; f = open(sys.argv[1], 'ab'); print('open', flush=True); sys.stdin.read()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        process.stdout.readline()
        yield
    finally:
        process.communicate()


@pytest.mark.parametrize("slug", ALL)
def test_the_log_leads_back_to_the_very_bytes(slug: str, tmp_path: Path) -> None:
    broken = _broken(slug, tmp_path / "in")
    before = _bytes(broken)
    target = tmp_path / "out" / broken.name
    api.write_repair(api.repair(api.read(broken, format=slug)), target)
    assert _bytes(broken) == before, "the input was touched"
    assert _bytes(target) != before
    back = api.revert_repair(target)
    assert sorted(back.as_bytes().values()) == sorted(before.values())


def test_a_log_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    broken = _broken("claude-code", tmp_path)
    target = tmp_path / "mended.jsonl"
    api.write_repair(api.repair(api.read(broken)), target)
    target.write_bytes(target.read_bytes() + b"\n")
    with pytest.raises(DamagedRecord):
        api.revert_repair(target)


def test_in_place_keeps_a_backup_and_a_log(tmp_path: Path) -> None:
    broken = _broken("claude-code", tmp_path)
    before = broken.read_bytes()
    api.repair_in_place(api.repair(api.read(broken)), broken)
    assert broken.read_bytes() == before.removeprefix(b"\xef\xbb\xbf")
    (backup,) = tmp_path.glob("*.backup")
    assert backup.read_bytes() == before
    assert api.revert_repair(broken).as_bytes() == {broken.name: before}
    assert not api.repair(api.read(broken)).changed


def test_the_input_is_never_the_output(tmp_path: Path) -> None:
    broken = _broken("claude-code", tmp_path)
    before = _bytes(broken)
    with pytest.raises(UsageError):
        api.write_repair(api.repair(api.read(broken)), broken)
    assert _bytes(broken) == before
    assert not list(tmp_path.glob(f"*{SUFFIX}"))


def test_a_file_that_is_being_written_is_left_alone(tmp_path: Path) -> None:
    broken = _broken("claude-code", tmp_path)
    repair = api.repair(api.read(broken))
    with _writer(broken), pytest.raises(ChangedMeanwhile):
        api.write_repair(repair, tmp_path / "out.jsonl")
    with _writer(broken), pytest.raises(ChangedMeanwhile):
        api.repair_in_place(repair, broken)
    assert not (tmp_path / "out.jsonl").exists()
    assert not list(tmp_path.glob("*.backup"))


def test_a_file_that_grew_meanwhile_is_left_alone(tmp_path: Path) -> None:
    broken = _broken("claude-code", tmp_path)
    repair = api.repair(api.read(broken))
    with open(broken, "ab") as file:
        file.write(TRUNCATED)
    grown = broken.read_bytes()
    with pytest.raises(ChangedMeanwhile):
        api.repair_in_place(repair, broken)
    with pytest.raises(ChangedMeanwhile):
        api.write_repair(repair, tmp_path / "out.jsonl")
    assert broken.read_bytes() == grown
    assert not list(tmp_path.glob(f"*{SUFFIX}"))


def test_replacing_waits_until_the_file_has_settled(tmp_path: Path) -> None:
    broken = _broken("claude-code", tmp_path)
    repair = api.repair(api.read(broken))
    before = broken.stat().st_mtime_ns
    api.repair_in_place(repair, broken)
    # Two readings of one clock; on a busy machine the later one is only later.
    assert broken.stat().st_ctime_ns - before >= 1_900_000_000
