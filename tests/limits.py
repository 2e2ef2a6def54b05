"""The sizes at which the library changes its behaviour, and how to make them small.

Files in tests are small. With all sizes divided, a small file has many chunks, blocks and batches,
as a large one has with the real sizes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import talktree.library

ROOT = "talktree.library"
SIZES: dict[str, tuple[str, ...]] = {
    "archive.chunks": ("CHUNK", "LEAST", "MOST"),
    "archive.compaction": ("CHUNK", "LEAST"),
    "archive.queue": ("AHEAD", "TOGETHER"),
    "archive.reader": ("KEPT",),
    "archive.threads": ("SMALL",),
    "encryption.file_erasure": ("BLOCK",),
    "erasure.disk_files": ("_BLOCK",),
    "erasure.packed_members": ("_STEP",),
    "erasure.replacement": ("_CHUNK",),
    "erasure.structure": ("WHOLE",),
    "extract.claude_code": ("NEAR",),
    "extract.claude_usage": ("BLOCK",),
    "extract.collector": ("MOST_OPEN",),
    "extract.packed_tree": ("_FEW",),
    "extract.record": ("FIRST_LOOK",),
    "fulltext.champions": ("COMMON", "STEP"),
    "fulltext.encrypted_writer": ("BATCH_CHARACTERS", "BATCH_DOCUMENTS", "FEW_CHARACTERS"),
    "fulltext.index_checksums": ("PART",),
    "importing.archive_writer": ("GUARD", "PART", "SAMPLE"),
    "importing.context": ("LONG", "MOST_WAITING", "QUEUED", "SMALL"),
    "importing.fact_rows": ("_MOST_ROWS",),
    "importing.import_run": ("BATCH_BYTES", "LARGE", "PUBLISH_BYTES"),
    "importing.import_source": ("GROUP",),
    "importing.lines": ("BLOCK", "LONGEST_LINE", "LARGE"),
    "importing.oversized": ("_BLOCK",),
    "search.backend": ("_LINES_KEPT", "_LONG"),
    "search.excerpt": ("_BLOCK",),
    "search.run": ("_LARGEST_PAGE",),
    "sources.detect": ("GLANCE", "HEAD", "LONGEST_FIRST", "PART"),
    "stats.from_files": ("BATCH", "WORTHWHILE"),
    "stats.totals": ("FEW_KEYS", "MOST_KEYS"),
    "tables.batches": ("MOST_ROWS", "MOST_TEXT"),
}
"""The sizes of each module; where one is imported into another module it is listed again."""
FIXED = {
    "archive.chunks": {"_NEEDED"},
    "archive.restore": {"_NEW"},
    "database.cipher": {"CIPHER_PAGE"},
    "database.connection": {"CACHE", "LOG", "LOG_KEPT", "PAGE", "WRITERS_CACHE"},
    "database.database_errors": {"_SHARED_SIZE"},
    "database.residue": {"_HEADER"},
    "encryption.agent_protocol": {"LONGEST"},
    "encryption.key_file": {"_LONGEST"},
    "encryption.key_slots": {"MEMORY", "MOST_MEMORY"},
    "encryption.switch": {"PAGE"},
    "encryption.unlocking": {"_LONGEST"},
    "erasure.copy_finder": {"_HEAD"},
    "erasure.packed_members": {"_MOST_EXTRA"},
    "erasure.rolling_hash": {"_TABLE", "_WORD"},
    "erasure.scrub": {"MOST"},
    "erasure.secret_forms": {"LONGEST_MATCH"},
    "extract.claude_code": {"SECOND"},
    "extract.facts": {"LATEST", "MOST", "MODULUS"},
    "extract.packed_tree": {"_LOWER"},
    "fulltext.encrypted_index": {"LEAF", "LONGEST_WORD"},
    "fulltext.encrypted_writer": {"BULK_CACHE", "BULK_HASH", "LONGEST_WORD", "SMALL_HASH"},
    "fulltext.erasure": {"_ALL_DELETED"},
    "fulltext.tokenizer": {"LONGEST_WORD"},
    "fulltext.writer": {"LEAST_HEAP"},
    "importing.context": {"LARGE_HEAP", "LITTLE_HEAP"},
    "importing.expiry": {"DAY"},
    "retention.age": {"DAY"},
    "retention.apply": {"ABSURD", "LONGEST_GAP", "TOLERANCE"},
    "search.parse": {"LONGEST"},
    "sources.open": {"_FLAGS", "_TICK"},
    "sources.scan": {"POSITIVE"},
    "stats.filter": {"DAY"},
    "stats.prices": {"PER_TOKEN", "UNIT", "_EPOCH"},
    "stats.totals": {"_EPOCH", "LATEST"},
}
"""Large numbers that belong to the system, to SQLite or tantivy, or have a meaning for users."""
LARGE = 1_000


def shrink(monkeypatch: pytest.MonkeyPatch, by: int = 64) -> None:
    """Divide all sizes for the duration of a test."""
    for name, sizes in SIZES.items():
        module = import_module(f"{ROOT}.{name}")
        for size in sizes:
            monkeypatch.setattr(module, size, max(1, getattr(module, size) // by))
    chunks = import_module(f"{ROOT}.archive.chunks")
    monkeypatch.setattr(chunks, "_NEEDED", chunks.MOST + chunks._LOOKED_AT)


def large_numbers() -> Iterator[tuple[str, str]]:
    """Return the modules and names of all large numbers at the top of modules of the library."""
    folder = Path(talktree.library.__file__).parent
    for path in sorted(folder.rglob("*.py")):
        name = ".".join(path.relative_to(folder).with_suffix("").parts)
        module = None
        for statement in ast.parse(path.read_text()).body:
            if not isinstance(statement, ast.Assign):
                continue
            (target,) = statement.targets
            for each in ast.walk(target):
                if isinstance(each, ast.Name) and each.id.isupper():
                    module = module or import_module(f"{ROOT}.{name}")
                    value = getattr(module, each.id)
                    if isinstance(value, int) and value >= LARGE:
                        yield name, each.id
