"""The log of a repair can hold any broken file, including bytes that are not text."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from talktree import api
from talktree.errors import Unreadable
from talktree.files import Source, save
from talktree.repairs.log import undo_repair, write_log
from talktree.repairs.run import repair_document
from tests.conversion.trips import Files
from tests.damage.clean import clean
from tests.damage.lines import ALL

NO_TEXT = b"\xff\xb0"


def _with_bytes_that_are_no_text(slug: str) -> Files:
    """Return files with such bytes in the middle of their texts."""
    files = clean(slug, 3).files
    mark = b"No. 4:"
    broken = {path: data.replace(mark, mark + NO_TEXT) for path, data in files.items()}
    return Files(broken, clean(slug, 3).folder)


@pytest.mark.parametrize("slug", ALL)
@pytest.mark.parametrize("unsafe", [False, True])
def test_bytes_that_are_not_text_can_be_reverted(
    slug: str, *, unsafe: bool, tmp_path: Path
) -> None:
    files = _with_bytes_that_are_no_text(slug)
    broken = tmp_path / (slug if files.folder else next(iter(files.files)))
    save({path: [data] for path, data in files.files.items()}, broken, folder=files.folder)
    done = api.repair(api.read(broken, format=slug), unsafe=unsafe)
    api.write_repair(done, tmp_path / "out" / broken.name)
    back = api.revert_repair(tmp_path / "out" / broken.name)
    assert sorted(back.as_bytes().values()) == sorted(files.files.values())


def test_a_name_that_is_not_text_can_be_reverted() -> None:
    files = clean("chatbuilder", 3).files
    odd = os.fsdecode(b"odd\xff")
    broken = {f"{odd}/{path}": b"\xef\xbb\xbf" + data for path, data in files.items()}
    source = Source.of_files(broken, name="talk")
    done = repair_document(api.read(source, format="chatbuilder"))
    assert done.changed
    assert undo_repair(done.source, write_log(done)).as_bytes() == broken


@pytest.mark.parametrize(
    "line", [b"", b"{", b"[]", b"null", b'{"is":"else"}', b"\xff", b"[" * 100_000]
)
def test_a_file_that_is_not_a_log_is_refused(line: bytes) -> None:
    with pytest.raises(Unreadable):
        undo_repair(Source.of_bytes(b"", name="x"), [line])
