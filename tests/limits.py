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
    "archive.crew": ("SMALL",),
    "archive.packing": ("CHUNK", "LEAST"),
    "archive.queue": ("AHEAD", "TOGETHER"),
    "archive.reading": ("KEPT",),
    "encryption.file_erasure": ("BLOCK",),
    "erasure.disk_files": ("_BLOCK",),
    "erasure.packed_members": ("_STEP",),
    "erasure.rewriting": ("_CHUNK",),
    "erasure.structure": ("WHOLE",),
    "fulltext.checksums": ("PART",),
    "fulltext.encrypted_writing": ("BATCH_CHARACTERS", "BATCH_DOCUMENTS", "FEW_CHARACTERS"),
    "importing.blocks": ("BLOCK", "LONGEST_LINE"),
    "importing.facts": ("_MOST_ROWS",),
    "importing.intake": ("SMALL", "MOST_WAITING", "QUEUED", "LONG"),
    "importing.keeping": ("GUARD", "SAMPLE", "PART"),
    "importing.lines": ("LARGE",),
    "importing.oversized": ("_BLOCK",),
    "importing.pieces": ("GROUP",),
    "importing.work": ("BATCH_BYTES", "PUBLISH_BYTES", "LARGE"),
    "reading.claude_code": ("NEAR",),
    "reading.record": ("FIRST_LOOK",),
    "reading.shape": ("_FEW",),
    "reading.telling": ("MOST_OPEN",),
    "reading.usage": ("WORTHWHILE", "BATCH"),
    "reading.usage_lines": ("BLOCK",),
    "search.excerpt": ("_BLOCK",),
    "search.kept": ("_LINES_KEPT", "_LONG"),
    "search.run": ("_LARGEST_PAGE",),
    "sources.recognise": ("GLANCE", "HEAD", "PART", "LONGEST_FIRST"),
    "stats.settle": ("MOST_KEYS", "FEW_KEYS"),
    "tables.batches": ("MOST_ROWS", "MOST_TEXT"),
}
"""The sizes of each module; where one is imported into another module it is there again."""
FIXED = {
    "archive.chunks": {"_NEEDED"},
    "archive.restore": {"_NEW"},
    "database.connection": {"PAGE", "CACHE", "WRITERS_CACHE", "LOG", "LOG_KEPT"},
    "erasure.packed_members": {"_MOST_EXTRA"},
    "erasure.rolling_hash": {"_WORD", "_TABLE"},
    "erasure.copy_finder": {"_HEAD"},
    "erasure.scrub": {"MOST"},
    "erasure.secret_forms": {"LONGEST_MATCH"},
    "database.failures": {"_SHARED_SIZE"},
    "database.residue": {"_HEADER"},
    "fulltext.erasing": {"_ALL_DELETED"},
    "database.cipher": {"CIPHER_PAGE"},
    "encryption.agent_protocol": {"LONGEST"},
    "encryption.key_file": {"_LONGEST"},
    "encryption.key_slots": {"MEMORY", "MOST_MEMORY"},
    "encryption.switch": {"PAGE"},
    "encryption.unlocking": {"_LONGEST"},
    "fulltext.encrypted_index": {"LONGEST_WORD", "LEAF"},
    "fulltext.encrypted_writing": {"BULK_CACHE", "BULK_HASH", "SMALL_HASH", "LONGEST_WORD"},
    "fulltext.words": {"LONGEST_WORD"},
    "fulltext.writing": {"LEAST_HEAP"},
    "importing.intake": {"LITTLE_HEAP", "LARGE_HEAP"},
    "reading.claude_code": {"SECOND"},
    "reading.keys": {"MOST", "LATEST"},
    "reading.shape": {"_LOWER"},
    "reading.told": {"MODULUS"},
    "search.syntax": {"LONGEST"},
    "sources.find": {"POSITIVE"},
    "sources.open": {"_FLAGS", "_TICK"},
    "stats.days": {"_EPOCH"},
    "stats.prices": {"UNIT", "PER_TOKEN", "_EPOCH"},
    "stats.stretches": {"LATEST"},
    "importing.expiry": {"DAY"},
    "retention.age": {"DAY"},
    "retention.apply": {"ABSURD", "LONGEST_PAUSE", "TOLERANCE"},
    "stats.chosen": {"DAY"},
}
"""Large numbers that belong to the system, to SQLite or tantivy, or mean something to people."""
LARGE = 1_000


def shrink(monkeypatch: pytest.MonkeyPatch, by: int = 64) -> None:
    """Divide all sizes for the time of a test."""
    for name, sizes in SIZES.items():
        module = import_module(f"{ROOT}.{name}")
        for size in sizes:
            monkeypatch.setattr(module, size, max(1, getattr(module, size) // by))
    chunks = import_module(f"{ROOT}.archive.chunks")
    monkeypatch.setattr(chunks, "_NEEDED", chunks.MOST + chunks._LOOKED_AT)


def large_numbers() -> Iterator[tuple[str, str]]:
    """The modules and names of all large numbers at the top of modules of the library."""
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
