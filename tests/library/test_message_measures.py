"""What message histories record about messages: statistics, tables, search and studio agree.

The oracle reads the JSON itself and does not know formats.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from talktree.cli.main import run
from talktree.library.library import Library
from talktree.library.search.parse import BadQuery

START = 1_764_000_000_000
CLASSES = "front_desk_classification_results"
MEMBERS = {
    "user_language": "language",
    "is_safe": "safe",
    "unity_topics": "topic",
    "sentiment": "sentiment",
    "plugins": "plugin",
    "external_knowledge": "external_knowledge",
}
BESIDE = {
    "tags": "tag",
    "author": "author",
    "preferred": "preferred",
    "opt_status": "opt_status",
    "is_beta_request": "beta",
}
SECONDS = ("seconds_until_streaming", "seconds_until_finished")


def message(number: int, **more: object) -> dict[str, object]:
    role = "assistant" if number % 2 else "user"
    return {
        "id": f"m{number}",
        "request_id": f"r{number // 2}",
        "timestamp": START + number * 60_000,
        "role": role,
        "content": f"words number{number}",
        "author": "assistant" if role == "assistant" else "Ada Lovelace",
        "tags": [],
        **more,
    }


MESSAGES = [
    message(
        0,
        tags=["project:9c1e", "urgent"],
        opt_status="in",
        is_beta_request=True,
        **{
            CLASSES: {
                "user_language": "en",
                "is_safe": True,
                "unity_topics": ["Physics", "Rigid Body"],
                "sentiment": "neutral",
                "plugins": ["code", "muse"],
                "external_knowledge": "intermediate",
            }
        },
    ),
    message(
        1,
        preferred=True,
        message_tokens={"prompt": 100, "completion": 20, "total": 120},
        seconds_until_streaming=1.5,
        seconds_until_finished=4,
    ),
    message(
        2,
        opt_status="out",
        is_beta_request=False,
        **{
            CLASSES: {
                "user_language": "deutsch",
                "is_safe": False,
                "unity_topics": ["Physics"],
                "sentiment": "negative",
                "plugins": None,
                "external_knowledge": "none",
            }
        },
    ),
    message(3, preferred=False, message_tokens={"input": 7, "output": 3}),
    message(4, tags=["urgent"], **{CLASSES: None}),
    message(5, message_tokens={"total": 55}, seconds_until_finished=9.5),
    message(6, message_tokens={"usage": {"prompt": 9}}, preferred=None),
    message(7, message_tokens={"prompt": -1, "completion": 5}),
]


@pytest.fixture
def history(tmp_path: Path) -> Path:
    path = tmp_path / "history.json"
    value = {
        "_id": "ObjectId('1')",
        "schema_version": 2,
        "conversation_id": "c1",
        "message_history": MESSAGES,
        "last_updated_timestamp": START + 7 * 60_000,
    }
    path.write_text(json.dumps(value))
    return path


def words_of(path: Path) -> dict[str, dict[str, int]]:
    """Count each word directly in the file."""
    found: dict[str, Counter[str]] = {}
    for each in json.loads(path.read_text())["message_history"]:
        classes = each.get(CLASSES) or {}
        reported = {name: classes.get(key) for key, name in MEMBERS.items()}
        reported |= {name: each.get(key) for key, name in BESIDE.items()}
        for name, value in reported.items():
            for word in value if isinstance(value, list) else [] if value is None else [value]:
                shown = str(word).lower() if isinstance(word, bool) else word
                found.setdefault(name, Counter())[shown] += 1
    return {name: dict(counts) for name, counts in found.items()}


def numbers_of(path: Path, name: str) -> list[float]:
    listed = json.loads(path.read_text())["message_history"]
    return [each[name] for each in listed if name in each]


def output(capfd: pytest.CaptureFixture[str], *arguments: str) -> str:
    code = run(arguments)
    out, err = capfd.readouterr()
    assert code == 0, err
    return out


def check_measures(measures: dict[str, Any], history: Path) -> None:
    """Compare the member `measures` of `stats --json` with the file."""
    expected = words_of(history) | {
        "uncounted_tokens": {'{"usage":{"prompt":9}}': 1, '{"prompt":-1}': 1}
    }
    words = {name: each for name, each in measures.items() if isinstance(each, list)}
    assert {
        name: {each["value"]: each["count"] for each in found} for name, found in words.items()
    } == expected
    for name in SECONDS:
        values = numbers_of(history, name)
        assert (measures[name]["count"], measures[name]["max"]) == (len(values), max(values))
    assert measures["total_tokens"]["total"] == 120 + 55
    assert measures["input_tokens"]["total"] == 100 + 7
    assert measures["output_tokens"]["total"] == 20 + 3 + 5


def test_statistics_of_a_file(history: Path, capfd: pytest.CaptureFixture[str]) -> None:
    found = json.loads(output(capfd, "stats", str(history), "--json"))
    check_measures(found["measures"], history)
    totals = found["totals"]
    assert (totals["input_tokens"], totals["output_tokens"]) == (107, 28)
    assert totals["api_messages"] == 3
    # Recorded seconds, and the minute between the times of the other two replies.
    assert totals["timed_replies"] == 4
    assert (totals["reply_seconds_median"], totals["reply_seconds_max"]) == (60.0, 60.0)
    shown = output(capfd, "stats", str(history))
    assert "Rigid Body" in shown
    assert "Until streaming" in shown
    assert '{"usage":{"prompt":9}}' in shown


def test_statistics_of_the_library(
    history: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    kept = ("--library", str(tmp_path / "library"))
    output(capfd, "import", str(history), *kept)
    of_file = json.loads(output(capfd, "stats", str(history), "--json"))
    found = json.loads(output(capfd, "stats", "--json", *kept))
    check_measures(found["measures"], history)
    assert found["measures"] == of_file["measures"]
    for name in ("input_tokens", "output_tokens", "api_messages"):
        assert found["totals"][name] == of_file["totals"][name]
    assert "Rigid Body" in output(capfd, "stats", *kept)


def test_show_prints_them_message_by_message(
    history: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (talk,) = json.loads(output(capfd, "show", str(history), "--json"))["conversations"]
    shown = {each["id"]: each for each in talk["messages"]}
    assert shown["m0"]["measures"] == {
        "tags": ["project:9c1e", "urgent"],
        "authors": ["Ada Lovelace"],
        "language": "en",
        "safe": True,
        "topics": ["Physics", "Rigid Body"],
        "sentiment": "neutral",
        "plugins": ["code", "muse"],
        "external_knowledge": "intermediate",
        "opt_status": "in",
        "beta": True,
    }
    used = {"input": 100, "output": 20, "cache_read": 0, "cache_write": 0}
    assert (shown["m1"]["usage"], shown["m1"]["measures"]["total_tokens"]) == (used, 120)
    assert shown["m6"]["usage"] is None
    assert shown["m6"]["measures"]["uncounted_tokens"] == '{"usage":{"prompt":9}}'


def test_tables_have_columns_for_them(library: Library, history: Path) -> None:
    pytest.importorskip("pyarrow")
    library.import_([history])
    rows = {row["id"]: row for row in library.table("messages").read_all().to_pylist()}
    first, second = rows["m0"], rows["m1"]
    assert (first["language"], first["safe"], first["beta"]) == ("en", True, True)
    assert json.loads(first["topics"]) == ["Physics", "Rigid Body"]
    assert json.loads(first["tags"]) == ["project:9c1e", "urgent"]
    assert (first["preferred"], rows["m3"]["preferred"]) == (None, False)
    assert (second["input_tokens"], second["output_tokens"], second["total_tokens"]) == (
        100, 20, 120,
    )  # fmt: skip
    assert (second["seconds_until_streaming"], second["seconds_until_finished"]) == (1.5, 4.0)


QUERIES = {
    "tag:urgent": {"m0", "m4"},
    "tag:9c1e": {"m0"},
    "author:lovelace": {"m0", "m2", "m4", "m6"},
    'author:"Ada Lovelace" -tag:urgent': {"m2", "m6"},
    "sentiment:negative": {"m2"},
    "topic:physics": {"m0", "m2"},
    'topic:"rigid body"': {"m0"},
    "language:en": {"m0"},
    "language:deutsch OR language:en": {"m0", "m2"},
    "safe:true": {"m0"},
    "safe:no": {"m2"},
    "number0 safe:yes": {"m0"},
}


def found_by(library: Library, query: str) -> set[str | None]:
    return {hit.message for hit in library.search(query, limit=None)}


def test_each_is_a_field_of_queries(library: Library, history: Path) -> None:
    library.import_([history])
    assert {query: found_by(library, query) for query in QUERIES} == QUERIES
    with pytest.raises(BadQuery, match="neither true nor false"):
        library.search("safe:maybe")


def test_queries_on_the_command_line(
    history: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    kept = ("--library", str(tmp_path / "library"))
    output(capfd, "import", str(history), *kept)
    found = json.loads(output(capfd, "search", "topic:physics safe:false", "--json", *kept))
    assert [hit["message"] for hit in found["hits"]] == ["m2"]
    output(capfd, "library", "reindex", *kept)
    assert "topic:" not in output(capfd, "library", "check", "--read-data", *kept)
    again = json.loads(output(capfd, "search", "topic:physics safe:false", "--json", *kept))
    assert again == found


def test_an_older_library_gets_them_with_the_next_import(history: Path, tmp_path: Path) -> None:
    root = tmp_path / "library"
    with Library.open(root, write=True) as library:
        library.import_([history])
        path = library.db.path
    older = sqlite3.connect(path)
    older.executescript(
        "DELETE FROM measures; UPDATE about SET value = '7', checksum = 0 WHERE key = 'schema';"
        "DROP TABLE tombstones; DROP TABLE tombstone_hashes; DROP TABLE scrubs;"
        "DROP TABLE erasures;"
        "DELETE FROM checksums WHERE name IN ('tombstones', 'tombstone_hashes', 'scrubs');"
    )
    older.close()
    with Library.open(root, write=True) as library:
        library.import_([history])
        assert {each.name for each in library.stats().measures.words} >= {"topic", "tag", "safe"}
        assert found_by(library, "topic:physics") == {"m0", "m2"}


def test_authors_of_any_format_are_a_field(library: Library, tmp_path: Path) -> None:
    comments = [
        {"id": f"c{number}", "userId": name, "timestamp": START, "type": kind, "content": "Hi"}
        for number, (name, kind) in enumerate([("grace", "user"), ("gpt", "assistant")])
    ]
    path = tmp_path / "comments.json"
    path.write_text(json.dumps([{**comments[0], "children": [{**comments[1], "children": []}]}]))
    library.import_([path])
    assert found_by(library, "author:grace") == {"c0"}
    (authors,) = library.stats().measures.words
    assert (authors.name, dict(authors.words)) == ("author", {"grace": 1, "gpt": 1})
