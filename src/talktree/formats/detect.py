"""Which format a source is in: every format is asked, and the surest answer wins."""

from __future__ import annotations

import re
from typing import NamedTuple, TypedDict

from talktree.errors import UnknownFormat
from talktree.files import Source, read_plain_head
from talktree.files.compression import GZIP, ZSTD
from talktree.formats import GROUP, all_formats, get_format, is_built_in, slugs
from talktree.formats.format import CARRY, Detection, Format, Probe
from talktree.formats.secrets import without_secrets
from talktree.plugins import describe_failure, warn_once

AT_LEAST = 0.3
MOST_TOGETHER = 64
"""A folder with more files than this is read file by file."""
CONTENTS = "attachments/"
"""The folder with contents of attachments beside a conversation."""
SEARCHED = 1 << 22
HEAD = 512
_WRITTEN_AS = re.compile(
    rb'"x-talktree":\{"of":"[^"]*+",[^{]*?"origin":\{"name":"(?:[^"\\]|\\.)*+","to":"([a-z-]++)"'
)
_OTHERS = (
    (b"PK\x03\x04", 0, "a ZIP archive", "unpack it and name the folder"),
    (b"ustar", 257, "a tar archive", "unpack it and name the folder"),
    *(
        (sign, 0, "a packed file", "unpack it and name what was in it")
        for sign in (GZIP, ZSTD, b"BZh", b"\xfd7zXZ")
    ),
    (b"7z\xbc\xaf\x27\x1c", 0, "a 7z archive", "unpack it and name the folder"),
    (b"SQLite format 3\x00", 0, "a database", "name the files or folders of the sessions"),
)
"""Other files that users try: how they begin, what they are, and what helps."""


class FormatGuess(NamedTuple):
    """A format and the reason for it."""

    format: Format
    confidence: float
    reason: str


def rank_formats(source: Source) -> list[FormatGuess]:
    """Return all formats that recognise the source, surest first."""
    source = source.without_companions()
    answers = _collect_guesses(without_secrets(source, all_formats())) if source.files else []
    return [guess for guess in answers if guess.confidence >= AT_LEAST]


def detect(source: Source, *, named: bool = False) -> FormatGuess:
    """Return the format of a source; with companion files, that of the file that was named.

    Text that could be anything may be an empty conversation only if the user named the file.
    """
    source = source.without_companions()
    if not any(content.size for content in source.files.values()):
        raise UnknownFormat(source.shown, slugs(), why="nothing in it to recognise a format by")
    # Files that may hold keys are never opened.
    source = without_secrets(source, all_formats())
    answers = _collect_guesses(source)
    sure = [guess for guess in answers if guess.confidence >= AT_LEAST]
    found = (
        _guess_converted_folder(source)
        or _guess_only_file(source, sure)
        or _guess_from_embedded(source)
    )
    if not found and named:
        found = _without_messages(source)
    if not found:
        refusals = [guess for guess in answers if guess.confidence == 0]
        why = _explain_refusal(refusals[0]) if refusals else _describe_other(source)
        raise UnknownFormat(source.shown, slugs(), **why)
    return found[0]


def _collect_guesses(source: Source) -> list[FormatGuess]:
    """Return the answers of all formats that recognise the source, surest first."""
    probe = Probe(source)
    asked = ((format, _ask_format(format, probe)) for format in all_formats())
    found = [FormatGuess(format, *answer) for format, answer in asked if answer is not None]
    return sorted(found, key=lambda guess: -guess.confidence)


def _ask_format(format: Format, probe: Probe) -> Detection | None:
    """Return a format's answer; an error in another package must not prevent detection."""
    if is_built_in(format):
        return format.detect(probe)
    try:
        return format.detect(probe)
    except Exception as error:  # the code of another package: it may raise anything
        warn_once(describe_failure(GROUP, format.info.slug, error))
        return None


class _Why(TypedDict, total=False):
    """A reason and a hint that replace those for any unknown file."""

    why: str
    hint: str


def _explain_refusal(guess: FormatGuess) -> _Why:
    """Explain why a source is refused whose records look like a format's, but not its messages."""
    slug = guess.format.info.slug
    return {
        "why": f"no known conversation format; it resembles {slug}, but {guess.reason}",
        "hint": f"--from {slug} reads it nevertheless, without what does not fit",
    }


def _describe_other(source: Source) -> _Why:
    """Describe a single file that may hold conversations in a form that cannot be read."""
    if source.folder:
        return {}
    ((path, content),) = source.files.items()
    head = content.read(0, HEAD)
    if head.startswith((GZIP, ZSTD)) and not read_plain_head(path, content, HEAD):
        return {
            "why": "a damaged compressed file; nothing of it can be decompressed",
            "hint": "copy the file again, or restore it from a backup",
        }
    for sign, at, what, hint in _OTHERS:
        if head.startswith(sign, at):
            return {"why": f"{what}, no conversation", "hint": hint}
    return {}


def _guess_only_file(source: Source, found: list[FormatGuess]) -> list[FormatGuess]:
    """Return the guesses for a folder; a folder with a single file is what that file is."""
    if not source.folder or len(source.files) != 1 or not found:
        return found
    ((path, content),) = source.files.items()
    alone = rank_formats(Source(path, {path: content}, folder=False))[:1]
    if (
        alone
        and alone[0].format.info.layout == "file"
        and alone[0].confidence > found[0].confidence
    ):
        return alone
    return found


def _guess_from_embedded(source: Source) -> list[FormatGuess]:
    """Return the format that the source data embedded in a conversation without messages names.

    Only files that no format recognises by their content are examined.
    """
    named: set[str] = set()
    for path, content in list(source.files.items())[:MOST_TOGETHER]:
        found = _WRITTEN_AS.search(content.read(0, Probe.HEAD))
        if found is None:
            return []
        named.add(found.group(1).decode())
        if source.folder and rank_formats(Source(path, {path: content}, folder=False)):
            return []
    if len(named) != 1 or not named <= set(slugs()):
        return []
    (slug,) = named
    return [
        FormatGuess(
            get_format(slug), 0.9, "it has no messages; the source data embedded in it says so"
        )
    ]


def _without_messages(source: Source) -> list[FormatGuess]:
    """Return the format that writes exactly this text for a conversation without messages."""
    if source.folder:
        return []
    ((path, content),) = source.files.items()
    text = read_plain_head(path, content, HEAD).strip() if content.size < HEAD else b""
    return [
        FormatGuess(each, AT_LEAST, "it has no messages, and no other format writes that so")
        for each in all_formats()
        if each.empty_text and each.empty_text == text
    ]


def _guess_converted_folder(source: Source) -> list[FormatGuess]:
    """Return the format of a folder of files from one conversion, by their embedded source data."""
    files = {
        path: content for path, content in source.files.items() if not path.startswith(CONTENTS)
    }
    if not source.folder or len(files) > MOST_TOGETHER:
        return []
    found: list[FormatGuess] = []
    for path, content in files.items():
        if CARRY.encode() not in content.read(0, SEARCHED):
            return []
        best = rank_formats(Source(path, {path: content}, folder=False))[:1]
        if not best or best[0].format.info.layout != "file":
            return []
        found += best
    if len({guess.format.info.slug for guess in found}) != 1:
        return []
    return [
        found[0]._replace(
            reason=f"{len(found)} files that belong together, each: {found[0].reason}"
        )
    ]
