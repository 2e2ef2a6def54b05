"""SYN4: other files in a source, and records that could not be understood."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from talktree.formats.fixes import Change, RemakeFile
from talktree.formats.format import CARRY
from talktree.formats.jsonl_file import LineSheet
from talktree.formats.nested_file import PieceSheet
from talktree.formats.record_file import Sheet
from talktree.formats.rule import Diagnostic, make_safe_fix, rule, to_diagnostics
from talktree.formats.rule_context import CheckedConversation, RuleRecord, Setting
from talktree.model.entries import Opaque
from talktree.model.findings import READING, Finding
from talktree.model.message import Message
from talktree.text.json.value import Json

OWN_FOLDER = "attachments/"
"""The folder in which conversions store the contents of attachments."""
NAMELESS = ("unknown", "unreadable", "")
"""How records without a kind are called."""
SHOWN = 60
MISSING = READING["missing-file"].code


@rule("SYN401", "unrelated-file", "note", on="source")
def unrelated_file(setting: Setting) -> Iterable[Diagnostic]:
    """A file lies in the folder that is no part of the conversation.

    Why: it is kept as it is and never read, so its content is neither shown nor converted.

    Bad:
        session/messages.jsonl
        session/shopping-list.txt

    Fix: none, because the file may be the user's own; it does no harm.
    """
    for path in setting.origin.foreign_files:
        if not path.startswith(OWN_FOLDER) and not path.rpartition("/")[2].startswith(CARRY):
            yield Diagnostic("not a part of the conversation; kept as it is", path=path)


@rule("SYN402", "link-or-special-file", "note", on="source")
def link_or_special_file(setting: Setting) -> Iterable[Diagnostic]:
    """A symbolic link, a socket or another special file lies in the folder.

    Why: a link may lead anywhere, so it is not followed; what it leads to is missing here.

    Bad:
        session/messages.jsonl -> /elsewhere/messages.jsonl

    Fix: none, because whether the link should be replaced by what it leads to is for its owner to
    say.
    """
    for path in setting.origin.source.skipped:
        yield Diagnostic("a link, a special file or a closed folder; not followed", path=path)


@rule("SYN403", "unknown-record", "note", on="talk")
def unknown_record(talk: CheckedConversation) -> Iterable[Diagnostic]:
    """Records of a kind that the format is not known to have.

    Why: a newer program, or a plug-in, wrote something that is kept as it is but not understood. It
    is reported once for each kind.

    Bad:
        {"type":"hologram","beam":4}

    Fix: none, because nothing is wrong with the records themselves.
    """
    if _has_no_known_speaker(talk):
        # If nothing at all was understood, that is reported instead.
        return
    for kind, position, count in _find_unknown_kinds(talk):
        named = f"of the unknown kind {kind[:SHOWN]}" if kind else "of no known kind"
        yield Diagnostic(
            f"{_format_count(count)} {named}; kept, but not understood", position=position
        )


@rule("SYN404", "newer-version", "warning", on="reading")
def newer_version(noticed: Finding) -> list[Diagnostic]:
    """The file says that it was written in a newer version of its format than is known here.

    Why: what the new version added is kept but not understood, and may change what the rest means.

    Bad:
        {"talktree":{"version":7}}

    Fix: none, because only a newer program knows what the file means.
    """
    return to_diagnostics(noticed)


def _remake_file(setting: Setting, diagnostic: Diagnostic) -> Iterator[Change]:
    talk, path = diagnostic.about, diagnostic.path
    if isinstance(talk, CheckedConversation) and path is not None:
        data = talk.format.rebuild_file(path, talk)
        if data is not None:
            yield RemakeFile(path, data)


@rule("SYN405", "missing-file", "warning", on="source", fix=make_safe_fix(_remake_file))
def missing_file(setting: Setting) -> Iterator[Diagnostic]:
    """A file is not there that belongs to every conversation of the format.

    Why: its own programs do not list or open a conversation without it.

    Bad:
        session-1/messages.jsonl without session-1/metadata.json

    Fix (safe): where the format can make the file from what else is there, it is made; it says
    nothing that does not stand in the conversation.
    """
    talks = {talk.id: talk for talk in setting.talks}
    for sheet in setting.origin.sheets:
        for each in _list_noted(sheet):
            if each.code == MISSING:
                talk = talks.get(sheet.group)
                known = talk is not None and talk.facts.spoken > 0
                yield Diagnostic(each.message, path=each.path, fixable=known, about=talk)


def _list_noted(sheet: Sheet) -> Iterable[Finding]:
    """Return the problems noted when a file was split into records, without reading it again."""
    match sheet:
        case LineSheet():
            return sheet.damage
        case PieceSheet():
            return sheet.findings
        case _:
            return ()


@rule("SYN406", "secrets-left-out", "note", on="source")
def secrets_left_out(setting: Setting) -> Iterable[Diagnostic]:
    """A file lies beside the conversation that may hold keys or passwords.

    Why: it is neither opened nor copied, so that no key ends up in a conversion, a report or a
    backup. If you share the folder, you should know that the file is in it.

    Bad:
        .sage/config.json

    Fix: none, because the file belongs to the program, not to the conversation.
    """
    for path in setting.origin.source.withheld:
        yield Diagnostic("it may hold keys; neither opened nor copied", path=path)


@rule("SYN407", "parsed-to-nothing", "error", on="talk")
def parsed_to_nothing(talk: CheckedConversation) -> Iterable[Diagnostic]:
    """A conversation has records, and nothing of what was said was understood.

    Why: the program that wrote it changed its format. Reading it as an empty conversation would
    hide that all of it is lost to the reader.

    Bad:
        {"type":"turn","uuid":"1","by":"user","segments":["When is the frost?"]}
        {"type":"turn","uuid":"2","by":"model","segments":["Tonight."]}

    Fix: none, because it takes a reader that knows the new form; nothing is lost meanwhile.
    """
    facts = talk.facts
    if _has_no_known_speaker(talk):
        unknown = list(_find_unknown_kinds(talk))
        count = sum(each for _, _, each in unknown)
        if unknown:
            yield Diagnostic(
                f"{_format_count(count)} and no message among them", position=unknown[0][1]
            )
    elif facts.silent and len(facts.silent) == facts.spoken:
        first = facts.silent[0]
        said = talk.format.read_content(talk.read_record(first).value)
        if not _is_empty(said):
            count = len(facts.silent)
            what = f"{_format_count(count)} of messages and no word of them was understood"
            yield Diagnostic(f"{what}: the first is {_describe_shape(said)}", position=first)


@rule("SYN408", "mixed-versions", "note", on="talk")
def mixed_versions(talk: CheckedConversation) -> Iterable[Diagnostic]:
    """The conversation was written by several versions of its program.

    Why: records of one kind may have different forms, so tools made for one version may understand
    only some of them. It happens whenever a program is updated during a long conversation.

    Bad:
        {"type":"user","uuid":"1","version":"1.0.60"}
        {"type":"user","uuid":"2","version":"2.1.97"}

    Fix: none, because each record is right for the version it names.
    """
    versions = talk.facts.versions
    if len(versions) > 1:
        names = list(versions)
        shown = ", ".join(name[:SHOWN] for name in names[:4])
        more = f" and {len(names) - 4} more" if len(names) > 4 else ""
        yield Diagnostic(f"versions {shown}{more}", position=versions[names[1]])


def _has_no_known_speaker(talk: CheckedConversation) -> bool:
    """Whether no message has a role that the format knows."""
    roles = talk.format.can.roles
    return not talk.facts.roles if roles is None else talk.facts.roles.keys().isdisjoint(roles)


def _format_count(count: int) -> str:
    return f"{count:,} records" if count != 1 else "1 record"


def _find_unknown_kinds(talk: CheckedConversation) -> Iterator[tuple[str, int, int]]:
    """Yield unknown kinds of records, the position of the first one, and how many there are."""
    known, roles = talk.format.known_kinds, talk.format.can.roles
    nameless = [talk.facts.others[kind] for kind in NAMELESS if kind in talk.facts.others]
    nameless = [each for each in nameless if _is_itself_unknown(talk.read_record(each[0]))]
    if nameless:
        yield "", min(each[0] for each in nameless), sum(each[1] for each in nameless)
    for kind, (position, count) in talk.facts.others.items():
        if kind in known or kind in NAMELESS:
            continue
        if _is_itself_unknown(talk.read_record(position)):
            yield kind, position, count
    for role, position in talk.facts.roles.items() if roles else ():
        if role in known or role in NAMELESS or role in (roles or ()):
            continue
        if _says_nothing(talk.read_record(position)):
            yield role, position, talk.skeleton.roles.count(role) or 1


def _is_itself_unknown(seen: RuleRecord) -> bool:
    """Whether the record itself is unknown, rather than containing something unknown."""
    entry, talk = seen.entry, seen.talk
    if not isinstance(entry, Opaque) or entry.value is not seen.value:
        return False
    sheet, index = talk.sheet(seen.position)
    # An object that only holds the records of the conversation is its frame.
    return not isinstance(sheet, PieceSheet) or sheet.pieces[index].hole is None


def _says_nothing(seen: RuleRecord) -> bool:
    return isinstance(seen.entry, Message) and not seen.entry.parts


def _is_empty(said: Json) -> bool:
    return said is None or said == "" or said == [] or said == {}


def _describe_shape(value: Json) -> str:
    if isinstance(value, dict):
        return f"an object with {', '.join(name[:SHOWN] for name in list(value)[:4])}"
    if isinstance(value, list):
        return f"a list of {len(value):,}"
    return "a number" if isinstance(value, int | float) else "a value of another kind"
