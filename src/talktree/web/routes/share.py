"""Sharing: what would be given away, and the file that is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from talktree.conversion.ledger import Ledger
from talktree.conversion.options import Made
from talktree.export.choice import PAGES, Choice, Scope
from talktree.export.export import exported
from talktree.export.hidden import find_hidden
from talktree.export.redaction import Redactor, secrets_of
from talktree.export.scope import positions, visible
from talktree.formats import by_slug
from talktree.text.file_names import plain
from talktree.web.desk.desk import Opened
from talktree.web.jobs import Progress, Result
from talktree.web.route import Call, Route
from talktree.web.shapes.general import Job
from talktree.web.shapes.share import SecretPlace, Secrets, Share
from talktree.web.work.writing_out import alone, written

if TYPE_CHECKING:
    from talktree.web.studio import Studio

MOST_PLACES = 500


class SecretsQuery(Struct, frozen=True, kw_only=True):
    """What would be shared: a branch, some messages, or all."""

    leaf: str | None = None
    ids: tuple[str, ...] = ()
    include_deleted: bool = False


def _secrets(studio: Studio, call: Call) -> Secrets:
    query: SecretsQuery = call.query
    opened = studio.desk.open(call.path["cid"])
    scope = Scope(leaf=query.leaf or None, ids=query.ids)
    hidden = find_hidden(opened.conversation)
    every = positions(opened.conversation, scope)
    shared = every if query.include_deleted else list(visible(every, hidden.flags))
    rows = opened.rows(query.leaf or None)
    redactor = Redactor()
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
    return Secrets(
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

    redactor = Redactor()
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
        "POST", "/c/{cid}/share", _share, "Make a file for other people, to be downloaded.",
        body=Share, gives=Job,
    ),
)  # fmt: skip
