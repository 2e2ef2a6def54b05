"""Store the statements of the newest schema: `python -m tests.library.store_schema`.

What was stored for a released schema stays unchanged; see `test_database.py`.
"""

from __future__ import annotations

from pathlib import Path

from talktree.library.database.schema import DDL, SCHEMA

STORED = Path(__file__).parent.parent / "data" / "library"
"""A library of each earlier schema, as the statements that make it."""

ROWS = f"""
INSERT INTO about (key, value) VALUES ('schema', '{SCHEMA}'), ('made', '1767225600000000000');
INSERT INTO names (text) VALUES ('claude-opus-4-1-20250805');
INSERT INTO sources (path, format) VALUES (x'{b"/home/ana/a.jsonl".hex()}', 'claude-code');
"""


def store() -> None:
    """Write the file."""
    statements = "\n".join(" ".join(statement.split()) + ";" for statement in DDL)
    (STORED / f"schema-{SCHEMA}.sql").write_text(statements + ROWS)


if __name__ == "__main__":
    store()
