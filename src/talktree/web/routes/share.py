"""Sharing: what would be given away, and the file that is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from talktree.conversion.ledger import Ledger
from talktree.conversion.options import Made
from talktree.export.choice import PAGES, Choice, Scope
from talktree.export.export import exported, redactor_for
from talktree.export.hidden import find_hidden
from talktree.export.redaction import secrets_of
from talktree.export.scope import positions, visible
from talktree.formats import by_slug
from talktree.text.file_names import plain
from talktree.text.secret_kinds import KIND_COUNT
from talktree.web.desk.desk import Opened
from talktree.web.jobs import Progress, Result
from talktree.web.route import Call, Route
from talktree.web.shapes.general import Job
from talktree.web.shapes.share import LookedFor, SecretPlace, Secrets, Share, SharePreview
from talktree.web.work.writing_out import alone, written

if TYPE_CHECKING:
    from talktree.web.studio import Studio

MOST_PLACES = 500
LONGEST_PREVIEW = 1 << 16


class SecretsQuery(Struct, frozen=True, kw_only=True):
    """What would be shared: a branch, some messages, or all."""

    leaf: str | None = None
    ids: tuple[str, ...] = ()
    include_deleted: bool = False
    words: tuple[str, ...] = ()
    personal: bool = False


def _secrets(studio: Studio, call: Call) -> Secrets:
    query: SecretsQuery = call.query
    opened = studio.desk.open(call.path["cid"])
    scope = Scope(leaf=query.leaf or None, ids=query.ids)
    hidden = find_hidden(opened.conversation)
    every = positions(opened.conversation, scope)
    shared = every if query.include_deleted else list(visible(every, hidden.flags))
    rows = opened.rows(query.leaf or None)
    redactor = redactor_for(Choice(words=query.words, personal=query.personal))
    places: list[SecretPlace] = []
    total = 0
    for place in secrets_of(opened.conversation, shared, redactor):
        total += 1
        if len(places) < MOST_PLACES:
            places.append(
                SecretPlace(
                    message=place.message,
                    number=rows.number_of(place.message),
                    kind=place.kind,
                    what=place.what,
                    shown=place.shown,
                    placeholder=place.words,
                )
            )
    distinct = sum(redactor.counts.values())
    targets = redactor.targets
    return Secrets(
        looked_for=LookedFor(
            kinds=KIND_COUNT,
            words=len(targets.words),
            patterns=len(targets.patterns),
            personal=targets.personal,
        ),
        total=total,
        distinct=distinct,
        places=tuple(places),
        hidden=dict(hidden.counts(every)),
    )


def _share(studio: Studio, call: Call) -> Job:
    asked: Share = call.body
    opened = studio.desk.open(call.path["cid"])
    choice = _choice(opened, asked)

    def work(progress: Progress) -> Result:
        """Make the file; nothing is left of it if somebody does not want it any more."""
        return _made(opened, choice, progress, studio)

    return studio.jobs.start("share", work)


def _preview(studio: Studio, call: Call) -> SharePreview:
    asked: Share = call.query
    opened = studio.desk.open(call.path["cid"])
    choice = _choice(opened, asked)
    # A page is shown by its words, which are the same; what formats write is shown as it is.
    shown = replace(choice, to="md") if choice.to == "html" else choice
    redactor = redactor_for(shown)
    made = exported(alone(opened), shown, redactor=redactor)
    data, is_whole = _beginning(made.files.values())
    replaced = sum(redactor.counts.values()) if choice.redact else 0
    text = data.decode("utf-8", "replace")
    return SharePreview(text=text, is_whole=is_whole, replaced=replaced)


def _beginning(files: Iterable[Iterable[bytes]]) -> tuple[bytes, bool]:
    """The first bytes of files, and whether that is all."""
    held = b""
    for pieces in files:
        for piece in pieces:
            held += piece[: LONGEST_PREVIEW + 1]
            if len(held) > LONGEST_PREVIEW:
                return held[:LONGEST_PREVIEW], False
    return held, True


def _choice(opened: Opened, asked: Share) -> Choice:
    to = asked.to if asked.to in PAGES else by_slug(asked.to).info.slug
    leaf = None if asked.everything else asked.leaf
    scope = Scope(leaf=leaf or None, ids=() if asked.everything else asked.ids)
    # A message that is not there is told at once, and not by the job.
    for id in (*scope.ids, *((leaf,) if leaf and leaf != "active" else ())):
        opened.conversation.position(id)
    return Choice(
        to=to,
        scope=scope,
        detail=asked.detail,
        redact=asked.redact,
        words=asked.words,
        personal=asked.personal,
        images=asked.images,
        theme=asked.theme,
        include_deleted=asked.include_deleted,
    )


def _made(opened: Opened, choice: Choice, progress: Progress, studio: Studio) -> Result:
    total = opened.conversation.record_count

    def tell(done: int) -> None:
        """So many messages are written, or none yet."""
        text = f"writing {choice.to}" if done else "looking for secrets"
        progress.tell(min(done, total), total, text)

    redactor = redactor_for(choice)
    made = exported(alone(opened), choice, tell=tell, redactor=redactor)
    suffix = PAGES.get(choice.to) or by_slug(choice.to).info.suffixes[0]
    # A title is a name of the file, too, and may hold what is taken out of the rest.
    title = redactor.name(opened.title) if choice.redact else opened.title
    name = plain(title, otherwise="conversation")
    files = Made(made.files, folder=made.folder, ledger=Ledger())
    return written(files, name, suffix, studio.scratch, progress)


ROUTES = (
    Route(
        "GET", "/c/{cid}/secrets", _secrets, "The secrets in what would be shared.",
        query=SecretsQuery, gives=Secrets,
    ),
    Route(
        "GET", "/c/{cid}/share/preview", _preview, "How the file begins that would be shared.",
        query=Share, gives=SharePreview,
    ),
    Route(
        "POST", "/c/{cid}/share", _share, "Make a file for other people, to be downloaded.",
        body=Share, gives=Job,
    ),
)  # fmt: skip
