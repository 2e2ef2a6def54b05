"""Taking in a source that is read as a whole, through the model: any file or folder of any format.

Its bytes go into the archive first, and what is told of it is read from there: so an import and a
later `reindex` tell the same.
"""

from __future__ import annotations

import os

from talktree.errors import Failure, TalktreeError, failure_of, mistake
from talktree.files.source import give_back_large_blocks
from talktree.formats import by_slug
from talktree.library.archive.file_content import archived_source
from talktree.library.extract.general import told as told_of_source
from talktree.library.importing.context import Intake
from talktree.library.importing.pieces import keep_pieces
from talktree.library.importing.result import DAMAGED, without_path
from talktree.library.importing.source_writer import Taking

COPY_AGAIN = "what could be read was imported; copy the file again, or restore it from a backup"


def tell_whole(intake: Intake, taking: Taking, format: str) -> Failure | None:
    """Tell a source anew from the archive; what went wrong, if something did."""
    give_back_large_blocks()
    source = archived_source(intake.db, intake.archive, taking.id)
    taking.forget()
    failure = None
    try:
        told = told_of_source(source, by_slug(format))
    except TalktreeError as error:
        failure = failure_of(error)
    except Exception as error:
        failure = mistake(os.fsdecode(taking.path), error)
    else:
        intake.result.records += len(told.links)
        taking.tell(told)
        keep_pieces(intake.db, taking.id, told.pieces, told.ids)
        intake.index(taking.id, told.pieces)
        if told.damage is not None:
            why = f"{os.fsdecode(taking.path)}: {told.damage}; the rest is missing"
            failure = Failure(DAMAGED, why, COPY_AGAIN, 3)
    taking.archived = sum(content.size for content in source.files.values())
    taking.trouble = None if failure is None else without_path(failure.message, taking.path)
    return failure
