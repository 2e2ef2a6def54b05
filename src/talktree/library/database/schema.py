"""The tables of a new library.

`docs/design/library.md` describes each one. To change a statement here, raise `SCHEMA` and add the
step that leads there to `migrations`. Numbers of sources, files and chunks are never reused, so an
old number finds nothing instead of something else.
"""

from __future__ import annotations

SCHEMA = 10

GENERAL = """
CREATE TABLE about (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL,
  checksum INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE TABLE names (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE places (
  id INTEGER PRIMARY KEY,
  path BLOB NOT NULL UNIQUE,
  added INTEGER NOT NULL,
  checksum INTEGER NOT NULL DEFAULT 0
);
"""

SOURCES = """
CREATE TABLE sources (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  path BLOB NOT NULL UNIQUE,
  format TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'here',
  trouble TEXT,
  native TEXT,
  title TEXT,
  project INTEGER,
  branch INTEGER,
  first INTEGER,
  last INTEGER,
  messages INTEGER NOT NULL DEFAULT 0,
  branches INTEGER NOT NULL DEFAULT 0,
  sidechains INTEGER NOT NULL DEFAULT 0,
  errors INTEGER NOT NULL DEFAULT 0,
  size INTEGER NOT NULL DEFAULT 0,
  archived INTEGER NOT NULL DEFAULT 0,
  indexed INTEGER NOT NULL DEFAULT 0,
  lines INTEGER NOT NULL DEFAULT 0,
  heading BLOB,
  shape BLOB,
  parent TEXT,
  kept_until INTEGER,
  checksum INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX sources_native ON sources (native);
CREATE INDEX sources_last ON sources (last);
CREATE INDEX sources_dirty ON sources (id) WHERE indexed <> archived;
CREATE INDEX sources_parent ON sources (parent) WHERE parent IS NOT NULL;
CREATE TABLE files (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  source INTEGER NOT NULL,
  path BLOB NOT NULL UNIQUE,
  size INTEGER NOT NULL,
  modified INTEGER NOT NULL,
  changed INTEGER NOT NULL,
  inode INTEGER NOT NULL,
  device INTEGER NOT NULL,
  state TEXT NOT NULL DEFAULT 'here',
  generation INTEGER,
  guard BLOB,
  trouble TEXT,
  checksum INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX files_source ON files (source);
"""

ARCHIVE = """
CREATE TABLE generations (
  id INTEGER PRIMARY KEY,
  file INTEGER NOT NULL,
  number INTEGER NOT NULL,
  length INTEGER NOT NULL,
  began INTEGER NOT NULL,
  checksum INTEGER NOT NULL DEFAULT 0,
  UNIQUE (file, number)
);
CREATE TABLE versions (
  generation INTEGER NOT NULL,
  length INTEGER NOT NULL,
  seen INTEGER NOT NULL,
  modified INTEGER NOT NULL,
  verified INTEGER NOT NULL DEFAULT 1,
  checksum INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (generation, length)
) WITHOUT ROWID;
CREATE INDEX versions_provisional ON versions (generation) WHERE verified = 0;
CREATE TABLE chunks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  hash BLOB NOT NULL UNIQUE,
  size INTEGER NOT NULL,
  base INTEGER,
  data BLOB NOT NULL,
  checksum INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX chunks_base ON chunks (base) WHERE base IS NOT NULL;
CREATE TABLE extents (
  generation INTEGER NOT NULL,
  start INTEGER NOT NULL,
  chunk INTEGER NOT NULL,
  size INTEGER NOT NULL,
  checksum INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (generation, start)
) WITHOUT ROWID;
CREATE INDEX extents_chunk ON extents (chunk);
CREATE TABLE landmarks (
  mark INTEGER NOT NULL,
  chunk INTEGER NOT NULL,
  checksum INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (mark, chunk)
) WITHOUT ROWID;
CREATE INDEX landmarks_chunk ON landmarks (chunk);
"""

FACTS = """
CREATE TABLE replies (
  key INTEGER NOT NULL,
  source INTEGER NOT NULL,
  at INTEGER NOT NULL,
  time INTEGER,
  model INTEGER,
  project INTEGER,
  input INTEGER NOT NULL,
  output INTEGER NOT NULL,
  cache_read INTEGER NOT NULL,
  cache_write INTEGER NOT NULL,
  cache_write_hour INTEGER NOT NULL,
  PRIMARY KEY (key, source)
) WITHOUT ROWID;
CREATE INDEX replies_source ON replies (source);
CREATE TABLE calls (
  key INTEGER NOT NULL,
  source INTEGER NOT NULL,
  at INTEGER NOT NULL,
  time INTEGER,
  tool INTEGER NOT NULL,
  reply INTEGER,
  state INTEGER NOT NULL DEFAULT 0,
  took INTEGER,
  PRIMARY KEY (key, source)
) WITHOUT ROWID;
CREATE INDEX calls_source ON calls (source);
CREATE TABLE measures (
  id INTEGER PRIMARY KEY,
  source INTEGER NOT NULL,
  time INTEGER,
  name INTEGER NOT NULL,
  value NOT NULL
);
CREATE INDEX measures_source ON measures (source);
CREATE TABLE pieces (
  source INTEGER NOT NULL,
  first INTEGER NOT NULL,
  data BLOB NOT NULL,
  PRIMARY KEY (source, first)
);
CREATE TABLE operations (
  id INTEGER PRIMARY KEY,
  source INTEGER NOT NULL,
  time INTEGER NOT NULL,
  kind TEXT NOT NULL,
  value BLOB NOT NULL,
  checksum INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX operations_source ON operations (source);
"""

SUMS = """
CREATE TABLE spent (
  source INTEGER NOT NULL,
  day INTEGER,
  model INTEGER,
  project INTEGER,
  long INTEGER NOT NULL,
  replies INTEGER NOT NULL,
  input INTEGER NOT NULL,
  output INTEGER NOT NULL,
  cache_read INTEGER NOT NULL,
  cache_write INTEGER NOT NULL,
  cache_write_hour INTEGER NOT NULL
);
CREATE INDEX spent_source ON spent (source);
CREATE TABLE used (
  source INTEGER NOT NULL,
  day INTEGER,
  tool INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  answered INTEGER NOT NULL,
  failures INTEGER NOT NULL
);
CREATE INDEX used_source ON used (source);
"""
"""Replies and calls that count, summed by `stats/totals.py`."""

ROLES = """
CREATE TABLE roles (
  source INTEGER NOT NULL,
  role INTEGER NOT NULL,
  messages INTEGER NOT NULL,
  PRIMARY KEY (source, role)
) WITHOUT ROWID;
"""
"""How many messages of each role a source has."""

BRANCHES = """
CREATE TABLE branch_names (
  source INTEGER NOT NULL,
  conversation TEXT NOT NULL,
  leaf TEXT NOT NULL,
  name TEXT NOT NULL,
  time INTEGER NOT NULL,
  checksum INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (source, conversation, leaf)
) WITHOUT ROWID;
"""
"""Names that users give to branches; they cannot be rebuilt."""

CONVERSATIONS = """
CREATE TABLE conversations (
  source INTEGER NOT NULL,
  number INTEGER NOT NULL,
  start INTEGER NOT NULL,
  key TEXT,
  native TEXT,
  title TEXT,
  first INTEGER,
  last INTEGER,
  messages INTEGER NOT NULL,
  threads INTEGER NOT NULL,
  branches INTEGER NOT NULL,
  sidechains INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  PRIMARY KEY (source, number)
) WITHOUT ROWID;
CREATE INDEX conversations_native ON conversations (native);
"""
"""The conversations of each source: the unit of lists, searches and counts.

A source is what the archive keeps, and may hold many conversations. `start` is the place of the
first record of a conversation; it ends where the next one starts.
"""

FORGOTTEN = """
CREATE TABLE tombstones (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  format TEXT NOT NULL,
  time INTEGER NOT NULL,
  checksum INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE tombstone_hashes (
  hash BLOB NOT NULL,
  tombstone INTEGER NOT NULL,
  kind TEXT NOT NULL,
  checksum INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (hash, tombstone)
) WITHOUT ROWID;
CREATE TABLE scrubs (
  hash BLOB PRIMARY KEY,
  size INTEGER NOT NULL,
  probe INTEGER NOT NULL,
  time INTEGER NOT NULL,
  checksum INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE TABLE erasures (source INTEGER PRIMARY KEY);
"""
"""Tombstones and scrubbed secrets as keyed hashes, and unfinished erasures.

A row of `erasures` is the number of a source whose words may still be in a file; 0 means that only
the database file is left to clean.
"""

CHECKSUMS = """
CREATE TABLE checksums (
  name TEXT PRIMARY KEY,
  rows INTEGER NOT NULL,
  total INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO checksums (name, rows, total) VALUES
  ('about', 0, 0), ('places', 0, 0), ('sources', 0, 0), ('files', 0, 0), ('generations', 0, 0),
  ('versions', 0, 0), ('chunks', 0, 0), ('extents', 0, 0), ('landmarks', 0, 0),
  ('operations', 0, 0), ('branch_names', 0, 0), ('tombstones', 0, 0),
  ('tombstone_hashes', 0, 0), ('scrubs', 0, 0);
CREATE TABLE fulltext_files (
  name TEXT PRIMARY KEY,
  size INTEGER NOT NULL,
  checksum INTEGER NOT NULL
) WITHOUT ROWID;
"""
"""Maintained by `row_checksums.py` for tables, by `fulltext/index_checksums.py` for the index."""

REBUILDABLE = ("replies", "calls", "measures", "pieces", "spent", "used", "roles", "conversations")
"""The tables that can be rebuilt from the archive."""

DDL: tuple[str, ...] = tuple(
    statement.strip()
    for part in (
        *(GENERAL, SOURCES, ARCHIVE, FACTS, SUMS, BRANCHES, ROLES, CONVERSATIONS),
        *(FORGOTTEN, CHECKSUMS),
    )
    for statement in part.split(";")
    if statement.strip()
)
"""The statements that create an empty library, one by one."""
