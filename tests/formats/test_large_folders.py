"""A folder of many files is detected by its names and by a few of its files."""

from __future__ import annotations

from pathlib import Path

import pytest

from talktree import api
from talktree.errors import ChangedMeanwhile, Unreadable
from talktree.files import OnDisk, load
from talktree.files.source import natural_sort_key
from talktree.formats.sage.places import name_sessions

MANY = 400
FEW = 100


def _fill(folder: Path, name: str, text: str) -> None:
    for number in range(1, MANY + 1):
        (folder / name.format(number)).write_text(text)


@pytest.mark.parametrize(
    ("name", "text", "format"),
    [
        ("{}.md", "; role: user\n\nhello\n", "chatbuilder"),
        ("note{}.txt", "notes\n", None),
        ("{}.json", '{"name": "thing"}', None),
    ],
)
def test_detection_asks_few_files(tmp_path: Path, name: str, text: str, format: str | None) -> None:
    _fill(tmp_path, name, text)
    source = load(tmp_path, lazy=True)
    if format is None:
        with pytest.raises(Exception, match="no known conversation format"):
            api.detect(source)
    else:
        assert api.detect(source).format.info.slug == format
    assert len(source.files) == MANY
    asked = [path for path, content in source.files.items() if "_found" in vars(content)]
    assert len(asked) < FEW


def test_a_lazy_source_has_the_same_files(tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    _fill(tmp_path, "{}.md", "; role: user\n\nhello\n")
    _fill(tmp_path / "inside", "{}.md", "; role: user\n\nhello again\n")
    (tmp_path / "link.md").symlink_to("1.md")
    eager, lazy = load(tmp_path), load(tmp_path, lazy=True)
    assert list(lazy.files) == list(eager.files)
    assert lazy.skipped == eager.skipped == ("link.md",)
    assert lazy.as_bytes() == eager.as_bytes()
    assert all(lazy.files[path].size == eager.files[path].size for path in eager.files)


def test_a_file_that_became_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("secret")
    (tmp_path / "file").write_text("mine")
    content = OnDisk(tmp_path / "file", lazy=True)
    (tmp_path / "file").unlink()
    (tmp_path / "file").symlink_to("elsewhere")
    with pytest.raises(ChangedMeanwhile):
        content.read()


def test_a_file_that_is_gone_cannot_be_read(tmp_path: Path) -> None:
    content = OnDisk(tmp_path / "file", lazy=True)
    with pytest.raises(Unreadable):
        content.read()


def test_names_are_in_natural_order() -> None:
    names = ["a", "a1", "a2b", "a2b1", "a10", "b", "1", "02", "2", "10", "9.md", "10.md", "x1y02"]
    assert sorted(["10.md", "9.md", "1.md"], key=natural_sort_key) == ["1.md", "9.md", "10.md"]
    assert sorted(["2", "02", "1", "10"], key=natural_sort_key) == ["1", "02", "2", "10"]
    assert len({natural_sort_key(each) for each in names}) == len(names)


def test_sessions_of_the_same_name_are_distinguished_by_their_folders() -> None:
    found = name_sessions(["a/x", "b/x", "b/y", ""], "root")
    assert found == {"a/x": "a/x", "b/x": "b/x", "b/y": "y", "": "root"}
