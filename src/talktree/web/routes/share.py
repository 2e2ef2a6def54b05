"""Sharing: what would be given away, and the file that is."""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING

from starlette.responses import Response

from talktree.conversion.losses import Ledger
from talktree.conversion.options import Made
from talktree.export.choice import PAGES, Choice, Scope
from talktree.export.export import exported, redactor_for
from talktree.export.hidden import find_hidden
from talktree.export.redaction import Redactor, secrets_of
from talktree.export.scope import positions, visible
from talktree.formats import by_slug
from talktree.text.file_names import plain
from talktree.text.secrets.patterns import KIND_COUNT
from talktree.web.actions.save import alone, written
from talktree.web.documents.cache import Opened
from talktree.web.job_runner import Progress, Result
from talktree.web.routes.route import Call, Route
from talktree.web.schemas.general import Job
from talktree.web.schemas.sharing import (
    FindSecrets,
    LookedFor,
    PreviewFile,
    SecretPlace,
    Secrets,
    Share,
    SharePreview,
)

if TYPE_CHECKING:
    from talktree.web.studio import Studio

MOST_PLACES = 500
LONGEST_PREVIEW = 1 << 16
LONGEST_PAGE = 4 << 20
MOST_FILES = 20
"""How many files of a folder are previewed."""
PAGE_ADDRESS = "/artifact/preview/{preview}"
"""Below the only address from which the studio's page may load a frame."""
PAGE_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'self'"
)
"""It runs nothing and loads nothing, as the file itself."""


def _secrets(studio: Studio, call: Call) -> Secrets:
    query: FindSecrets = call.body
    opened = studio.desk.open(call.path["cid"])
    scope = Scope(leaf=query.leaf or None, ids=query.ids)
    hidden = find_hidden(opened.conversation)
    every = positions(opened.conversation, scope)
    shared = every if query.include_deleted else list(visible(every, hidden.flags))
    rows = opened.rows(query.leaf or None)
    redactor = _redactor(studio, opened, Choice(words=query.words, personal=query.personal))
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

    return studio.jobs.start("share", work, source=opened.kept.source)


def _preview(studio: Studio, call: Call) -> SharePreview:
    opened = studio.desk.open(call.path["cid"])
    choice = _choice(opened, call.body)
    redactor = _redactor(studio, opened, choice)
    made = exported(alone(opened), choice, redactor=redactor)
    is_page = choice.to == "html"
    left = LONGEST_PAGE if is_page else LONGEST_PREVIEW
    files: list[PreviewFile] = []
    page, is_whole = None, len(made.files) <= MOST_FILES
    for name, pieces in islice(made.files.items(), MOST_FILES):
        data, is_all = _beginning(pieces, left)
        left -= len(data)
        is_whole = is_whole and is_all
        if is_page:
            page = PAGE_ADDRESS.format(preview=studio.previews.add(data))
        files.append(PreviewFile(name=name, text=None if is_page else _text(data)))
        if left <= 0:
            is_whole = is_whole and len(files) == len(made.files)
            break
    replaced = sum(redactor.counts.values()) if choice.redact else 0
    return SharePreview(files=tuple(files), page=page, is_whole=is_whole, replaced=replaced)


def _page(studio: Studio, call: Call) -> Response:
    data = studio.previews.page(call.path["preview"])
    return Response(data, media_type="text/html", headers={"Content-Security-Policy": PAGE_POLICY})


def _beginning(pieces: Iterable[bytes], most: int) -> tuple[bytes, bool]:
    """The first bytes of a file, and whether that is all."""
    held = bytearray()
    for piece in pieces:
        held += piece[: most + 1]
        if len(held) > most:
            return bytes(held[:most]), False
    return bytes(held), True


def _text(data: bytes) -> str | None:
    """The beginning of a file as text; None if it is not text."""
    try:
        # Its last character may be cut off.
        return getincrementaldecoder("utf-8")().decode(data)
    except UnicodeDecodeError:
        return None


def _redactor(studio: Studio, opened: Opened, choice: Choice) -> Redactor:
    """What replaces secrets; the list, the preview and the file have the same placeholders."""
    return redactor_for(choice, studio.previews.redaction_key(opened.cid, opened.stamp))


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

    redactor = _redactor(studio, opened, choice)
    made = exported(alone(opened), choice, tell=tell, redactor=redactor)
    suffix = PAGES.get(choice.to) or by_slug(choice.to).info.suffixes[0]
    # A title is a name of the file, too, and may hold what is taken out of the rest.
    title = redactor.name(opened.title) if choice.redact else opened.title
    name = plain(title, otherwise="conversation")
    files = Made(made.files, folder=made.folder, ledger=Ledger())
    return written(files, name, suffix, studio.scratch, progress)


ROUTES = (
    Route(
        "POST", "/c/{cid}/secrets", _secrets, "The secrets in what would be shared.",
        body=FindSecrets, gives=Secrets,
    ),
    Route(
        "POST", "/c/{cid}/share/preview", _preview, "How the file begins that would be shared.",
        body=Share, gives=SharePreview,
    ),
    Route(
        "GET", f"/{PAGE_ADDRESS}", _page, "A page as it would be shared, in its sandbox.",
        media="text/html",
    ),
    Route(
        "POST", "/c/{cid}/share", _share, "Make a file for other people, to be downloaded.",
        body=Share, gives=Job,
    ),
)  # fmt: skip
