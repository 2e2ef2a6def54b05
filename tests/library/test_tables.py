"""The library as tables: all formats, one row per item, for pandas, polars, DuckDB and files."""

from __future__ import annotations

import builtins
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa  # type: ignore[import-untyped]
import pytest
from pyarrow import csv, parquet

from talktree import api
from talktree.errors import MissingExtra, TalktreeError, UsageError
from talktree.library.library import Library
from talktree.library.tables import batches as batching
from talktree.library.tables.batches import schema_of
from talktree.library.tables.export import KINDS, write_table
from talktree.library.tables.schemas import TABLES
from tests.library import made
from tests.library.made import Session, Tokens, Truth

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Library]:
    monkeypatch.setenv("TALKTREE_HOME", str(tmp_path / "home"))
    with Library.open(write=True) as opened:
        yield opened


@pytest.fixture
def truth(library: Library, tmp_path: Path) -> Truth:
    """Return the truth of a made history that was imported."""
    truth = made.history(tmp_path / "made")
    library.import_([tmp_path / "made"])
    return truth


def rows(library: Library, name: str, **filters: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = library.table(name, **filters).read_all().to_pylist()
    return found


def test_messages_are_those_of_the_files(library: Library, truth: Truth) -> None:
    found = rows(library, "messages")
    by_id: dict[str, list[dict[str, Any]]] = {}
    for row in found:
        by_id.setdefault(row["id"], []).append(row)
    assert set(truth.said) <= set(by_id)
    for said in truth.said.values():
        for row in by_id[said.uuid]:
            assert row["time"].strftime("%Y-%m-%dT%H:%M:%S.000Z") == said.time
            assert (row["sidechain"], row["error"]) == (said.sidechain, said.error)
            assert (row["calls"], row["results"]) == (said.kind == "call", said.kind == "result")
            if said.kind in ("prompt", "text"):
                assert (row["text"], row["thinking"]) == (said.text, "")
            elif said.kind == "thinking":
                assert (row["text"], row["thinking"]) == ("", said.text)
    per_file = Counter(row["source"] for row in found)
    counts = {
        path: sum(1 for talk in api.read(path, alone=True).conversations for _ in talk.messages())
        for path in truth.files
    }
    assert sorted(per_file.values()) == sorted(counts.values())


def test_calls_have_their_results(library: Library, truth: Truth) -> None:
    found = rows(library, "calls")
    counted = [row for row in found if row["counted"]]
    assert Counter(row["tool"] for row in counted) == truth.calls
    assert Counter(row["tool"] for row in counted if row["state"] == "failed") == +truth.failures
    assert len({row["call"] for row in counted}) == len(counted) < len(found)
    (grep,) = [row for row in counted if row["tool"] == "Grep"]
    assert json.loads(grep["input"]) == {"pattern": "lamp"}
    assert (grep["output"], grep["seconds"], grep["sidechain"]) == ("lamp.py:2:lamp", 1.0, True)
    assert (grep["conversation"], grep["session"]) == ("a1", made.session_id(1))


def test_a_call_without_a_result_is_open(library: Library, tmp_path: Path) -> None:
    session = Session(Truth(), 1)
    session.call("Bash", command="sleep 1000")
    session.save(tmp_path / "made")
    library.import_([tmp_path / "made"])
    (row,) = rows(library, "calls")
    assert (row["state"], row["seconds"], row["output"], row["counted"]) == (
        "open", None, None, True,
    )  # fmt: skip


def test_usage_is_that_of_the_counts(library: Library, truth: Truth) -> None:
    found = rows(library, "usage")
    counted = [row for row in found if row["counted"]]
    assert len(counted) == len(truth.spent) < len(found)
    names = ("input", "output", "cache_write", "cache_read")
    assert Tokens(*(sum(row[name] for row in counted) for name in names)) == truth.tokens
    cost = sum(row["cost_usd"] for row in counted)
    assert cost == pytest.approx(library.stats().spent.dollars)


def test_files_are_those_that_are_named(library: Library, truth: Truth) -> None:
    found = rows(library, "files")
    named = {(row["kind"], row["tool"], row["path"]) for row in found}
    assert named == {
        ("call", "Read", "/home/ana/harbour/lamp.py"),
        ("call", "Edit", "/home/ana/harbour/lamp.py"),
        ("call", "Write", "/home/ana/tide-tables/neap.csv"),
        ("snapshot", None, "lamp.py"),
    }
    assert {row["message"] for row in found if row["kind"] == "call"} <= set(truth.said)


def test_all_formats_have_messages(library: Library, tmp_path: Path) -> None:
    others = made.others(tmp_path / "others")
    library.import_([tmp_path / "others"])
    found = Counter(row["format"] for row in rows(library, "messages"))
    assert found == {other.slug: other.messages for other in others}
    for other in others:
        texts = [repr(row).lower() for row in rows(library, "messages", format=other.slug)]
        calls = [repr(row).lower() for row in rows(library, "calls", format=other.slug)]
        assert any(other.word in text for text in texts + calls), other.slug


def test_filters_select_rows(library: Library, truth: Truth) -> None:
    tides = rows(library, "messages", project="tide-tables")
    assert {row["project"] for row in tides} == {"/home/ana/tide-tables"}
    opus = rows(library, "usage", model="opus")
    assert {row["model"] for row in opus} == {made.OTHER_MODEL}
    day = 86_400 * 10**9
    later = 20_517 * day  # 2026-03-05
    for name in TABLES:
        found = rows(library, name, since=later)
        assert found, name
        assert all(f"{row['time']:%Y-%m-%d}" >= "2026-03-05" for row in found)
        rest = rows(library, name, until=later)
        assert len(found) + len(rest) == len(rows(library, name))
    alone = rows(library, "messages", conversation="b2")
    assert {(row["conversation"], row["session"]) for row in alone} == {("b2", made.session_id(3))}
    assert rows(library, "messages", format="sage") == []


def test_the_archive_is_read_not_the_files(library: Library, truth: Truth) -> None:
    before = {name: rows(library, name) for name in TABLES}
    for path in truth.files:
        path.unlink()
    assert {name: rows(library, name) for name in TABLES} == before


def test_batches_are_bounded(
    library: Library, truth: Truth, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = rows(library, "messages")
    monkeypatch.setattr(batching, "MOST_ROWS", 7)
    sizes = [batch.num_rows for batch in library.table("messages")]
    assert max(sizes) == 7
    assert sum(sizes) == len(whole)
    monkeypatch.setattr(batching, "MOST_TEXT", 1)
    assert {batch.num_rows for batch in library.table("messages")} == {1}
    assert rows(library, "messages") == whole


def test_halves_of_characters_do_no_harm(library: Library, tmp_path: Path) -> None:
    session = Session(Truth(), 1)
    session.say("half @@")
    path = session.save(tmp_path / "made")
    path.write_bytes(path.read_bytes().replace(b"@@", rb"\ud83d"))
    library.import_([path])
    (row,) = rows(library, "messages")
    assert row["text"] == "half \ufffd"


def asked(stream: Any, sql: str) -> list[Any]:
    """Return DuckDB's answer about a table that it knows as `stream`."""
    with duckdb.connect() as connection:
        connection.register("stream", stream)
        found: list[Any] = connection.execute(sql).fetchall()
        return found


@pytest.mark.parametrize("name", TABLES)
def test_duckdb_reads_a_stream(library: Library, truth: Truth, name: str) -> None:
    sql = "SELECT count(*), count(DISTINCT source) FROM stream"
    expected = rows(library, name)
    assert asked(library.table(name), sql) == [
        (len(expected), len({row["source"] for row in expected}))
    ]


def test_duckdb_counts_what_stats_count(library: Library, truth: Truth) -> None:
    sql = (
        "SELECT strftime(time AT TIME ZONE 'UTC', '%Y-%m-%d') AS day, sum(output)::BIGINT"
        " FROM stream WHERE counted GROUP BY day ORDER BY day"
    )
    reported = [(group.name, group.spent.output) for group in library.stats().group_by("day")]
    assert asked(library.table("usage"), sql) == reported


@pytest.mark.parametrize("name", TABLES)
def test_pandas_reads_a_stream(library: Library, truth: Truth, name: str) -> None:
    pytest.importorskip("pandas")
    frame = library.table(name).read_pandas()
    assert list(frame.columns) == [column.name for column in TABLES[name]]
    assert len(frame) == len(rows(library, name))


@pytest.mark.parametrize("name", TABLES)
def test_polars_reads_a_stream(library: Library, truth: Truth, name: str) -> None:
    polars = pytest.importorskip("polars")
    frame = polars.from_arrow(library.table(name))
    assert frame.columns == [column.name for column in TABLES[name]]
    assert len(frame) == len(rows(library, name))


@pytest.mark.parametrize("name", TABLES)
def test_files_hold_the_same(library: Library, truth: Truth, tmp_path: Path, name: str) -> None:
    table = library.table(name).read_all()
    for kind in KINDS:
        path = tmp_path / f"out.{kind}"
        done = write_table(library, name, path)
        assert (done.rows, done.failed) == (table.num_rows, ())
        assert path.stat().st_mode & 0o777 & ~0o644 == 0
    assert parquet.read_table(tmp_path / "out.parquet").equals(table)
    assert pa.ipc.open_file(tmp_path / "out.arrow").read_all().equals(table)
    assert csv.read_csv(tmp_path / "out.csv", parse_options=csv.ParseOptions(
        newlines_in_values=True)).num_rows == table.num_rows  # fmt: skip


def test_an_empty_library_gives_empty_tables(library: Library, tmp_path: Path) -> None:
    for name in TABLES:
        path = tmp_path / f"{name}.parquet"
        assert write_table(library, name, path).rows == 0
        assert parquet.read_table(path).schema.names == [column.name for column in TABLES[name]]


def test_output_appears_whole_or_not_at_all(library: Library, truth: Truth, tmp_path: Path) -> None:
    path = tmp_path / "out.parquet"
    path.write_bytes(b"before")
    library.db.run("UPDATE extents SET size = size + 1 WHERE generation = 3")
    with pytest.raises(TalktreeError):
        library.table("messages").read_all()
    done = write_table(library, "messages", tmp_path / "rest.parquet")
    assert len(done.failed) == 1
    assert done.rows < len(truth.said) * 2
    with pytest.raises(UsageError, match="nothing"):
        write_table(library, "nothing", path)
    with pytest.raises(UsageError, match="xlsx"):
        write_table(library, "messages", path, to="xlsx")
    assert path.read_bytes() == b"before"
    assert sorted(each.name for each in tmp_path.glob("*out*")) == ["out.parquet"]


def test_without_pyarrow_the_way_to_get_it_is_reported(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def without(name: str, *more: Any) -> Any:
        if name.split(".")[0] == "pyarrow":
            raise ImportError(name)
        return real(name, *more)

    monkeypatch.setattr(builtins, "__import__", without)
    monkeypatch.delitem(sys.modules, "pyarrow")
    with pytest.raises(MissingExtra) as caught:
        library.table("messages")
    assert (caught.value.exit_code, caught.value.hint) == (6, "pip install 'talktree[data]'")


def test_the_page_of_tables_is_true() -> None:
    page = (ROOT / "docs" / "reference" / "tables.md").read_text()
    reported = re.findall(r"^## (\w+)$|^\| `(\w+)` \| (\w+) \| (.*) \|$", page, re.MULTILINE)
    found: dict[str, list[tuple[str, str, str]]] = {}
    name = ""
    for title, column, kind, what in reported:
        if title:
            name = title
        else:
            found.setdefault(name, []).append((column, kind, what))
    words = {"int": "integer", "float": "number", "bool": "boolean", "text": "text", "time": "time"}
    assert found == {
        table: [
            (each.name, words[each.kind], each.what + ("" if each.always else "; may be missing"))
            for each in columns
        ]
        for table, columns in TABLES.items()
    }


def test_schemas_say_what_columns_mean() -> None:
    for name, columns in TABLES.items():
        for column, field in zip(columns, schema_of(name), strict=True):
            assert (field.name, field.nullable) == (column.name, not column.always)
            assert field.metadata[b"what"].decode() == column.what


@pytest.mark.parametrize("page", ["what-did-this-cost", "load-it-in-pandas"])
def test_examples_of_the_how_to_pages_run(
    library: Library, truth: Truth, page: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (ROOT / "docs" / "how-to" / f"{page}.md").read_text()
    if "pandas" in page:
        pytest.importorskip("pandas")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, page, "exec"), {})
        assert capsys.readouterr().out
