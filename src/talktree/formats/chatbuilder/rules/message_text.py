"""CHB4: the text of messages: fences, and links to other messages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import join, normpath

from talktree.formats.chatbuilder.body import RAW, Habit, detect_habit, escape, unescape
from talktree.formats.chatbuilder.parse import parse_layout
from talktree.formats.chatbuilder.rules.header_fields import FORMATS, get_layout
from talktree.formats.chatbuilder.write import folder_of, parse_digits
from talktree.formats.fixes import repair_value
from talktree.formats.rule import Diagnostic, make_safe_fix, rule
from talktree.formats.rule_context import RuleRecord
from talktree.model.message import Message
from talktree.text.json.value import Json

_LINK = re.compile(
    r"\]\(<?((?:\./|\.\./|[\w-]{1,100}/){0,8}[0-9]{1,9}\.md)(?:#[^\s()]{0,200})?>?\)"
)
MOST_LINKS = 1000
LONGEST_SHOWN = 60


def _escape_fences(seen: RuleRecord, diagnostic: Diagnostic) -> Json:
    text = seen.value
    if not isinstance(text, str):
        return text
    found = parse_layout(text)
    habit: Habit = detect_habit(found.body, default="first")
    body = escape(unescape(found.body), "first" if habit == "raw" else habit)
    return found._replace(body=body).text


@rule(
    "CHB401",
    "unescaped-fence",
    "note",
    on="message",
    formats=FORMATS,
    fix=make_safe_fix(repair_value(_escape_fences)),
)
def unescaped_fence(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A code block starts or ends with backticks that have no backslash before them.

    Why: the document escapes code blocks, so that a message file can itself stand in a code block.
    There, a fence without a backslash ends the block in the middle of the message. Many files that
    are loaded on their own do without.

    Bad:
        ; role: user


        ```python
        print("hello")
        ```

    Fix (safe): each fence gets its backslash, in the way the other fences of the file have it.
    Reading takes it away again, so the text stays the same.
    """
    found = get_layout(seen)
    if "```" not in found.body or not found.lines:
        return
    fence = RAW.search(found.body)
    if fence is not None:
        line = found.body.count("\n", 0, fence.start())
        before = len(found.text) - len(found.body)
        line += found.text.count("\n", 0, before) + 1
        yield Diagnostic("a fence without a backslash before it", line=line)


@rule("CHB402", "missing-message", "warning", on="message", formats=FORMATS)
def missing_message(seen: RuleRecord) -> Iterator[Diagnostic]:
    """A text links to another message file that is not here.

    Why: a reader who follows the link finds nothing. Either the file was renamed, or a part of the
    conversation is missing.

    Bad:
        As said in [the first draft](../draft/7.md), we start at eight.

    Fix: none, because it is not known where the file went.
    """
    message = seen.entry
    assert isinstance(message, Message)
    source = seen.talk.origin.source
    if not source.folder or ".md" not in message.text:
        return
    diagnostic = set[str]()
    for number, found in enumerate(_LINK.finditer(message.text)):
        if number == MOST_LINKS:
            break
        path = normpath(join(folder_of(seen.record.path), found.group(1)))
        # Files above the named folder are not known here.
        if path.startswith("..") or parse_digits(path) is None or path in diagnostic:
            continue
        if path not in source.files:
            diagnostic.add(path)
            yield Diagnostic(f"{path[:LONGEST_SHOWN]} is not here")
