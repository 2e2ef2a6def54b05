"""Rewriting segments of the full-text index without the deleted documents.

A segment is never changed: deleted documents are only marked, and their words stay in the files
until the segment is merged. tantivy's writer has no way to request that. So each segment that holds
deleted documents is put alone into an index of its own, whose manifest claims enough deletions for
the merge policy to rewrite it immediately. The result is compared with what was expected, and then
replaces the segment in the manifest.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tantivy import Index

from talktree.errors import NotSaved
from talktree.files.creation_mode import private_umask
from talktree.files.durable import sync_folder
from talktree.library.fulltext.index import FullText, register_tokenizers, translate_failures
from talktree.library.fulltext.location import MANIFEST
from talktree.library.fulltext.writer import LEAST_HEAP

MANAGED = ".managed.json"
"""The list of files that tantivy may delete."""
FOLDER = "rewriting"
_ALL_DELETED = (1 << 32) - 1
"""More deletions than a segment has documents; as a 32-bit number, one more is left than it has."""
_BOTH = 2
"""How many segments are written at the same time."""

Segment = dict[str, Any]


class _Rewrite(NamedTuple):
    """A segment in an index of its own."""

    segment: Segment
    folder: Path
    left: int
    """How many documents it has when it is rewritten."""


class CannotRewrite(NotSaved):
    """The index was not written as expected; it has to be rebuilt from the archive."""


@private_umask()
def rewrite_segments(index: FullText) -> int:
    """Rewrite all segments with deleted documents; return how many.

    No writer may be open. An interrupted run is cleaned up and repeated.
    """
    aside = index.folder.parent / FOLDER
    shutil.rmtree(aside, ignore_errors=True)
    manifest = _read_manifest(index.folder)
    touched = [each for each in manifest["segments"] if each.get("deletes")]
    new: dict[str, Segment | None] = {}
    try:
        for first in range(0, len(touched), _BOTH):
            new |= _rewrite_each_segment(index, manifest, touched[first : first + _BOTH], aside)
        if touched:
            _replace_segments(index.folder, aside, manifest, new)
        remove_unknown_files(index.folder)
    except OSError as error:
        raise NotSaved(
            f"the full-text index could not be written: {error.strerror}",
            hint="make room on the disk and run `talktree library forget --finish`",
        ) from error
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return len(touched)


def remove_unknown_files(folder: Path) -> None:
    """Delete files of segments that the manifest does not name, and older indexes next to it."""
    known = set()
    for segment in _read_manifest(folder)["segments"]:
        deletes = segment.get("deletes")
        known.add(f"{_segment_file_stem(segment)}.{deletes['opstamp']}.del" if deletes else "")
        known.update(f"{_segment_file_stem(segment)}.{kind}" for kind in _KINDS)
    for entry in list(os.scandir(folder)):
        if "." in entry.name[1:] and entry.name[:1] != "." and entry.name not in known | {MANIFEST}:
            os.unlink(entry.path)
    _write_managed(folder)
    for entry in list(os.scandir(folder.parent)):
        if entry.name != folder.name and entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path, ignore_errors=True)
    sync_folder(folder)


_KINDS = ("store", "term", "idx", "pos", "fast", "fieldnorm", "temp")


def _rewrite_each_segment(
    index: FullText, manifest: dict[str, Any], segments: Sequence[Segment], aside: Path
) -> dict[str, Segment | None]:
    """Return the new segment for each of some; None if it has no documents left."""
    new: dict[str, Segment | None] = {}
    rewrites = []
    for segment in segments:
        left = segment["max_doc"] - segment["deletes"]["num_deleted_docs"]
        if left <= 0:
            new[segment["segment_id"]] = None
            continue
        folder = aside / _segment_file_stem(segment)
        folder.mkdir(parents=True, mode=0o700)
        _isolate_segment(index.folder, folder, manifest, segment)
        rewrites.append(_Rewrite(segment, folder, left))
    with translate_failures():
        writers = [_open_merging_writer(each.folder) for each in rewrites]
        for writer in writers:
            writer.wait_merging_threads()
    for segment, folder, left in rewrites:
        found = _read_manifest(folder)["segments"]
        if len(found) != 1 or found[0]["max_doc"] != left or found[0].get("deletes"):
            raise CannotRewrite(
                "the full-text index was not written as expected",
                hint="`talktree library reindex` makes it again from the archive",
            )
        new[segment["segment_id"]] = found[0]
    return new


def _open_merging_writer(folder: Path) -> Any:  # noqa: ANN401
    """Return a writer that merges the only segment of an index."""
    index = Index.open(str(folder))
    register_tokenizers(index)
    writer = index.writer(LEAST_HEAP, 1)
    writer.commit()
    return writer


def _isolate_segment(
    source: Path, folder: Path, manifest: dict[str, Any], segment: Segment
) -> None:
    """Create an index that has one segment, with a manifest that triggers its merge."""
    names = [
        name for name in os.listdir(source) if name.startswith(f"{_segment_file_stem(segment)}.")
    ]
    for name in names:
        _link(source / name, folder / name)
    deletes = {**segment["deletes"], "num_deleted_docs": _ALL_DELETED}
    alone = {**manifest, "segments": [{**segment, "deletes": deletes}]}
    (folder / MANIFEST).write_text(json.dumps(alone))
    (folder / MANAGED).write_text(json.dumps([*names, MANIFEST]))


def _replace_segments(
    folder: Path, aside: Path, manifest: dict[str, Any], new: dict[str, Segment | None]
) -> None:
    """Replace the old segments in the manifest by the new ones."""
    segments = []
    for segment in manifest["segments"]:
        made = new.get(segment["segment_id"], segment)
        if made is not None:
            segments.append(made)
        if made is None or made is segment:
            continue
        place = aside / _segment_file_stem(segment)
        for name in os.listdir(place):
            if name.startswith(f"{_segment_file_stem(made)}."):
                _sync(place / name)
                _link(place / name, folder / name)
                os.chmod(folder / name, 0o600)
    _replace(folder / MANIFEST, json.dumps({**manifest, "segments": segments}, indent=2) + "\n")


def _write_managed(folder: Path) -> None:
    """List all existing files, so that tantivy deletes them when they are not needed."""
    names = [name for name in os.listdir(folder) if not name.startswith(".")]
    _replace(folder / MANAGED, json.dumps(sorted(names)) + "\n")


def _replace(path: Path, text: str) -> None:
    draft = path.with_name(f".{path.name.lstrip('.')}.new")
    file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(file, "w") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    os.replace(draft, path)
    sync_folder(path.parent)


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except FileExistsError:
        raise
    except OSError:
        shutil.copyfile(source, target)  # not every file system has links


def _sync(path: Path) -> None:
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def _read_manifest(folder: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads((folder / MANIFEST).read_bytes())
        segments: Iterable[Any] = found["segments"]
        if all(isinstance(each, dict) for each in segments):
            return found
    except (OSError, ValueError, KeyError, TypeError):
        pass
    raise CannotRewrite(
        "the full-text index cannot be read",
        hint="`talktree library reindex` makes it again from the archive",
    )


def _segment_file_stem(segment: Segment) -> str:
    return str(segment["segment_id"]).replace("-", "")
