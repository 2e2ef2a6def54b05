"""Batches: a bad source does not stop the others, nothing is done twice, no foreign file is
replaced."""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from pathlib import Path

import pytest

from talktree import api
from talktree.conversion.batch import WORK, Batch, ConversionJobResult, name_outputs
from talktree.conversion.batch_state import STATE, BatchLocked
from talktree.conversion.options import Options
from talktree.errors import UsageError
from talktree.files import OutputGate
from talktree.formats.sources import SourceCandidate, Stamp, find_sources

DATA = Path(__file__).parent.parent / "data"
MUSE = DATA / "muse" / "good" / "application.json"
STUDIO = DATA / "studio" / "good" / "app-export.json"
CODE = DATA / "claude-code" / "good" / "one-session.jsonl"


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """Return a folder that is in no format as a whole, with conversations and other files in it."""
    root = tmp_path / "exports"
    (root / "deep").mkdir(parents=True)
    shutil.copy(MUSE, root / "a.json")
    shutil.copy(STUDIO, root / "b.json")
    shutil.copy(STUDIO, root / "deep" / "b.json")
    (root / "notes.txt").write_text("nothing of interest")
    return root


def done(
    paths: list[Path] | Path, out: Path | None, to: str = "native", **how: object
) -> list[ConversionJobResult]:
    """Return the outcomes of a batch, in order."""
    given = {"options": Options(), **how}
    listed = [str(each) for each in (paths if isinstance(paths, list) else [paths])]
    with Batch(listed, to=to, out=None if out is None else str(out), **given) as batch:  # type: ignore[arg-type]
        return sorted(batch.outcomes(), key=lambda outcome: outcome.number)


def tally(outcomes: list[ConversionJobResult]) -> dict[str, int]:
    """Return the number of outcomes for each status."""
    return dict(Counter(outcome.status for outcome in outcomes))


def contents(folder: Path) -> dict[str, bytes]:
    """Return the outputs in a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != STATE
    }


def test_each_source_becomes_what_it_becomes_alone(sources: Path, tmp_path: Path) -> None:
    assert tally(done(sources, tmp_path / "out")) == {"converted": 3, "skipped": 1}
    expected = {}
    for name in ("a", "b", "deep/b"):
        made = api.convert_document(api.read(sources / f"{name}.json"), to="native")
        (pieces,) = made.files.values()
        expected[f"{name}.jsonl"] = b"".join(pieces)
    assert contents(tmp_path / "out") == expected
    assert not (tmp_path / "out" / WORK).exists()


@pytest.mark.parametrize("to", ["native", "chatbuilder"])
def test_a_second_run_does_only_what_changed(to: str, sources: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done(sources, out, to)
    before = contents(out)
    assert tally(done(sources, out, to)) == {"unchanged": 3, "skipped": 1}
    shutil.copy(STUDIO.with_name("one-comment.json"), sources / "b.json")
    assert tally(done(sources, out, to)) == {"unchanged": 2, "converted": 1, "skipped": 1}
    after = contents(out)
    changed = {path for path in before | after if before.get(path) != after.get(path)}
    assert changed
    assert all(path.startswith("b") for path in changed)
    assert tally(done(sources, out, to, fresh=True)) == {"converted": 3, "skipped": 1}
    assert contents(out) == after


def test_another_way_of_converting_is_done_anew(sources: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done(sources, out, "muse")
    clean = done(sources, out, "muse", options=Options(carry=False))
    assert tally(clean) == {"converted": 3, "skipped": 1}
    assert all(outcome.carried_bytes == 0 for outcome in clean)
    # Another format in the same folder has a separate state.
    assert tally(done(sources, out, "native")) == {"converted": 3, "skipped": 1}
    assert tally(done(sources, out, "native")) == {"unchanged": 3, "skipped": 1}


def test_an_output_that_is_gone_is_made_again(sources: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done(sources, out)
    before = contents(out)
    (out / "a.jsonl").unlink()
    assert tally(done(sources, out)) == {"converted": 1, "unchanged": 2, "skipped": 1}
    assert contents(out) == before


def test_edited_files_are_not_replaced(sources: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done(sources, out)
    with (out / "a.jsonl").open("ab") as file:
        file.write(b"\n")
    edited = (out / "a.jsonl").read_bytes()
    assert tally(done(sources, out)) == {"unchanged": 3, "skipped": 1}
    os.utime(sources / "a.json", ns=(1, 1))
    outcomes = done(sources, out)
    assert tally(outcomes) == {"failed": 1, "unchanged": 2, "skipped": 1}
    assert outcomes[0].failure is not None
    assert (outcomes[0].failure.kind, outcomes[0].failure.exit_code) == ("changed", 5)
    assert (out / "a.jsonl").read_bytes() == edited
    forced = done(sources, out, gate=OutputGate([sources], force=True))
    assert tally(forced) == {"converted": 1, "unchanged": 2, "skipped": 1}
    assert (out / "a.jsonl").read_bytes() != edited


def test_foreign_outputs_are_not_replaced(sources: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "a.jsonl").write_text("mine")
    (out / "b.jsonl").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match="already exists"):
        done(sources, out)
    (out / STATE).touch()
    outcomes = done(sources, out)
    assert tally(outcomes) == {"failed": 2, "converted": 1, "skipped": 1}
    assert (out / "a.jsonl").read_text() == "mine"
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("force", [True, False])
def test_a_folder_with_files_of_others_is_never_replaced(
    force: bool, sources: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    (out / "a").mkdir(parents=True)
    (out / "a" / "mine.txt").write_text("mine")
    (out / STATE).touch()
    gate = OutputGate([sources], force=force)
    outcomes = done(sources, out, "chatbuilder", fresh=True, gate=gate)
    assert tally(outcomes) == {"failed": 1, "converted": 2, "skipped": 1}
    assert contents(out / "a") == {"mine.txt": b"mine"}


def test_equal_outputs_are_not_foreign_files_though_the_state_is_gone(
    sources: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    done(sources, out, "chatbuilder")
    (out / STATE).write_bytes(b"")
    assert tally(done(sources, out, "chatbuilder")) == {"converted": 3, "skipped": 1}


@pytest.mark.parametrize("damage", [b'{"source": "x', b"\0\0\0\n", b"[1]\n", b'{"source": 3}\n'])
def test_damaged_lines_of_the_state_count_for_nothing(
    damage: bytes, sources: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    done(sources, out)
    with (out / STATE).open("ab") as file:
        file.write(damage)
    (out / "a.jsonl").unlink()
    assert tally(done(sources, out)) == {"converted": 1, "unchanged": 2, "skipped": 1}
    assert tally(done(sources, out)) == {"unchanged": 3, "skipped": 1}


def test_a_bad_source_stops_no_other(sources: Path, tmp_path: Path) -> None:
    paths = [sources / "notes.txt", sources / "a.json", tmp_path / "missing", sources / "b.json"]
    outcomes = done(paths, tmp_path / "out")
    assert [outcome.status for outcome in outcomes] == [
        "failed", "converted", "failed", "converted"
    ]  # fmt: skip
    kinds = [outcome.failure.kind for outcome in outcomes if outcome.failure]
    assert kinds == ["unknown-format", "not-found"]
    # Failed sources are tried again.
    assert tally(done(paths, tmp_path / "out")) == {"failed": 2, "unchanged": 2}


def test_conversions_with_losses_are_not_written(sources: Path, tmp_path: Path) -> None:
    strict = Options(carry=False, strict=True)
    outcomes = done(
        [sources / "a.json", sources / "b.json"], tmp_path / "out", "muse", options=strict
    )
    codes = [outcome.failure.exit_code for outcome in outcomes if outcome.failure]
    assert codes
    assert set(codes) == {4}
    assert len(contents(tmp_path / "out")) == len(outcomes) - len(codes)


def test_an_empty_write_leaves_no_file(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "x.txt").write_text("no conversation")
    assert tally(done(tmp_path / "in", tmp_path / "out")) == {"skipped": 1}
    assert not (tmp_path / "out").exists()


def test_without_an_output_folder_nothing_is_written(sources: Path, tmp_path: Path) -> None:
    before = sorted(tmp_path.rglob("*"))
    outcomes = done(sources, None, "muse")
    assert tally(outcomes) == {"converted": 3, "skipped": 1}
    assert any(outcome.counts for outcome in outcomes)
    assert sorted(tmp_path.rglob("*")) == before


def test_the_output_folder_holds_no_input(sources: Path) -> None:
    for out in (sources, sources.parent, sources / "out"):
        with pytest.raises(UsageError):
            done(sources, out)


def test_one_batch_at_a_time_works_in_a_folder(sources: Path, tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    with (
        Batch([str(sources)], to="native", out=out, options=Options()),
        pytest.raises(BatchLocked),
    ):
        Batch([str(sources)], to="native", out=out, options=Options())


def test_losses_are_kept_one_by_one_if_wanted(sources: Path, tmp_path: Path) -> None:
    (tmp_path / "losses").mkdir()
    outcomes = done(sources, None, "muse", losses=str(tmp_path / "losses"))
    for outcome in outcomes:
        if outcome.status == "converted":
            assert outcome.losses is not None
            lines = [json.loads(line) for line in Path(outcome.losses).read_text().splitlines()]
            reported = Counter((line["kind"], line["kept"]) for line in lines)
            assert reported == {(kind, kept): count for kind, kept, count in outcome.counts}


# which sources are found, and how they are named


def test_folders_of_one_format_are_one_source_unless_each_file_is_wanted(sources: Path) -> None:
    for number in range(6):
        (sources / f"junk-{number}.jsonl").write_text("{}\n")
    shutil.copytree(DATA / "claude-code" / "good" / "project", sources / "deep" / "project")
    names = {one.relative for one in find_sources([str(sources)])}
    assert {"a", "deep/b", "deep/project"} <= names
    assert not any(name.startswith("deep/project/") for name in names)
    apart = {one.relative for one in find_sources([str(sources)], each=True)}
    assert "deep/project/agent-77aa" in apart
    assert "deep/project" not in apart


def a_find(relative: str, number: int) -> SourceCandidate:
    return SourceCandidate(f"/{number}", relative, relative, asked=True, stamp=Stamp())


def test_names_are_unique_and_none_is_the_folder_of_another() -> None:
    given = ["a", "A", "a/b", "b", "b", ".talktree-batch", "c/d", "c"]
    names = name_outputs([a_find(each, number) for number, each in enumerate(given)], {})
    assert len({name.lower() for name in names}) == len(names)
    for name in names:
        assert not any(other.lower().startswith(f"{name.lower()}/") for other in names)
    assert names[2] == "a/b"
    assert ".talktree-batch" not in names


def test_a_source_keeps_the_name_it_was_given() -> None:
    jobs = [a_find("b", 0), a_find("b", 1)]
    assert name_outputs(jobs, {"/1": "b"}) == ["b-2", "b"]
