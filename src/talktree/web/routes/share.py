"""Sharing: preview what would be shared, and make the file."""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING

from starlette.responses import Response

from talktree.conversion.losses import LossReport
from talktree.conversion.options import ConversionResult
from talktree.export.choice import PAGES, ExportOptions, Scope
from talktree.export.export import export_document, make_redactor
from talktree.export.hidden import find_hidden
from talktree.export.redaction import Redactor, find_replacements
from talktree.export.scope import select_positions, select_visible
from talktree.formats import get_format
from talktree.text.file_names import to_portable_name
from talktree.text.secrets.patterns import KIND_COUNT
from talktree.web.actions.save import isolate_document, write_result
from talktree.web.documents.cache import OpenConversation
from talktree.web.job_runner import JobProgress, JobResult
from talktree.web.routes.route import Route, RouteCall
from talktree.web.schemas.general import JobState
from talktree.web.schemas.sharing import (
    FindSecrets,
    PreviewFile,
    RedactionTarget,
    SecretPlace,
    Secrets,
    Share,
    SharePreview,
)

if TYPE_CHECKING:
    from talktree.web.studio import StudioContext

MOST_PLACES = 500
LONGEST_PREVIEW = 1 << 16
LONGEST_PAGE = 4 << 20
MOST_FILES = 20
"""Maximum number of files of a folder that are previewed."""
PAGE_ADDRESS = "/artifact/preview/{preview}"
"""Below the only address from which the studio's page may load a frame."""
PAGE_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'self'"
)
"""It runs and loads nothing, like the file itself."""


def _secrets(studio: StudioContext, call: RouteCall) -> Secrets:
    query: FindSecrets = call.body
    opened = studio.cache.open(call.path["cid"])
    scope = Scope(leaf=query.leaf or None, ids=query.ids)
    hidden = find_hidden(opened.conversation)
    every = select_positions(opened.conversation, scope)
    shared = every if query.include_deleted else list(select_visible(every, hidden.flags))
    rows = opened.get_rows(query.leaf or None)
    redactor = _make_redactor(
        studio, opened, ExportOptions(words=query.words, personal=query.personal)
    )
    places: list[SecretPlace] = []
    total = 0
    for place in find_replacements(opened.conversation, shared, redactor):
        total += 1
        if len(places) < MOST_PLACES:
            places.append(
                SecretPlace(
                    message=place.message,
                    number=rows.find_number(place.message),
                    kind=place.kind,
                    what=place.what,
                    shown=place.shown,
                    placeholder=place.words,
                )
            )
    distinct = sum(redactor.counts.values())
    targets = redactor.targets
    return Secrets(
        looked_for=RedactionTarget(
            kinds=KIND_COUNT,
            words=len(targets.words),
            patterns=len(targets.patterns),
            personal=targets.personal,
        ),
        total=total,
        distinct=distinct,
        places=tuple(places),
        hidden=dict(hidden.count_kinds(every)),
    )


def _share(studio: StudioContext, call: RouteCall) -> JobState:
    asked: Share = call.body
    opened = studio.cache.open(call.path["cid"])
    choice = _to_choice(opened, asked)

    def work(progress: JobProgress) -> JobResult:
        """Make the file; nothing remains of it if the job is cancelled."""
        return _write_share(opened, choice, progress, studio)

    return studio.jobs.start("share", work, source=opened.kept.source)


def _preview(studio: StudioContext, call: RouteCall) -> SharePreview:
    opened = studio.cache.open(call.path["cid"])
    choice = _to_choice(opened, call.body)
    redactor = _make_redactor(studio, opened, choice)
    made = export_document(isolate_document(opened), choice, redactor=redactor)
    is_page = choice.to == "html"
    left = LONGEST_PAGE if is_page else LONGEST_PREVIEW
    files: list[PreviewFile] = []
    page, is_whole = None, len(made.files) <= MOST_FILES
    for name, pieces in islice(made.files.items(), MOST_FILES):
        data, is_all = _read_beginning(pieces, left)
        left -= len(data)
        is_whole = is_whole and is_all
        if is_page:
            page = PAGE_ADDRESS.format(preview=studio.previews.add(data))
        files.append(PreviewFile(name=name, text=None if is_page else _decode_text(data)))
        if left <= 0:
            is_whole = is_whole and len(files) == len(made.files)
            break
    replaced = sum(redactor.counts.values()) if choice.redact else 0
    return SharePreview(files=tuple(files), page=page, is_whole=is_whole, replaced=replaced)


def _page(studio: StudioContext, call: RouteCall) -> Response:
    data = studio.previews.get_page(call.path["preview"])
    return Response(data, media_type="text/html", headers={"Content-Security-Policy": PAGE_POLICY})


def _read_beginning(pieces: Iterable[bytes], most: int) -> tuple[bytes, bool]:
    """Return the first bytes of a file, and whether that is all of it."""
    held = bytearray()
    for piece in pieces:
        held += piece[: most + 1]
        if len(held) > most:
            return bytes(held[:most]), False
    return bytes(held), True


def _decode_text(data: bytes) -> str | None:
    """Return the beginning of a file as text; None if it is not text."""
    try:
        # The last character may be cut off.
        return getincrementaldecoder("utf-8")().decode(data)
    except UnicodeDecodeError:
        return None


def _make_redactor(
    studio: StudioContext, opened: OpenConversation, choice: ExportOptions
) -> Redactor:
    """Return what replaces secrets; the list, the preview and the file use the same
    placeholders."""
    return make_redactor(choice, studio.previews.get_redaction_key(opened.cid, opened.stamp))


def _to_choice(opened: OpenConversation, asked: Share) -> ExportOptions:
    to = asked.to if asked.to in PAGES else get_format(asked.to).info.slug
    leaf = None if asked.everything else asked.leaf
    scope = Scope(leaf=leaf or None, ids=() if asked.everything else asked.ids)
    # A missing message is reported immediately, and not by the job.
    for id in (*scope.ids, *((leaf,) if leaf and leaf != "active" else ())):
        opened.conversation.find_position(id)
    return ExportOptions(
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


def _write_share(
    opened: OpenConversation, choice: ExportOptions, progress: JobProgress, studio: StudioContext
) -> JobResult:
    total = opened.conversation.record_count

    def tell(done: int) -> None:
        """Report how many messages are written."""
        text = f"writing {choice.to}" if done else "looking for secrets"
        progress.report(min(done, total), total, text)

    redactor = _make_redactor(studio, opened, choice)
    made = export_document(isolate_document(opened), choice, tell=tell, redactor=redactor)
    suffix = PAGES.get(choice.to) or get_format(choice.to).info.suffixes[0]
    # The title is also the file name, and may contain what is redacted elsewhere.
    title = redactor.redact_title(opened.title) if choice.redact else opened.title
    name = to_portable_name(title, otherwise="conversation")
    files = ConversionResult(made.files, folder=made.folder, loss_report=LossReport())
    return write_result(files, name, suffix, studio.scratch, progress)


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
        body=Share, gives=JobState,
    ),
)  # fmt: skip
