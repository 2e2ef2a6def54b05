"""Talktree: the pandoc and the git of AI conversations.

    >>> import talktree
    >>> document = talktree.read("session.jsonl")                    # doctest: +SKIP
    >>> [message.text for message in document.conversation.path()]   # doctest: +SKIP

Names are imported when they are first used, so that `import talktree` costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__version__ = "0.1.0.dev0"

if TYPE_CHECKING:
    from talktree.api import (
        apply_edits,
        check,
        convert,
        create_session,
        detect,
        merge,
        migrate,
        open_library,
        open_session,
        preview,
        read,
        repair,
        repair_in_place,
        revert_repair,
        to_bytes,
        write,
        write_repair,
    )
    from talktree.authoring import Draft, edit, new
    from talktree.checks.report import Report
    from talktree.conversion.losses import Loss, LossReport
    from talktree.conversion.options import Options
    from talktree.errors import TalktreeError
    from talktree.files import Source
    from talktree.formats import slugs
    from talktree.formats.collection import Collection
    from talktree.library.library import Library
    from talktree.model.conversation import Conversation
    from talktree.model.counts import ConversationCounts
    from talktree.model.document import Document
    from talktree.model.entries import Entry, FileState, Head, Opaque, Snapshot
    from talktree.model.findings import Finding
    from talktree.model.message import (
        Author,
        Context,
        Message,
        ThinkingLevel,
        ThinkingSetting,
        Todo,
        Usage,
    )
    from talktree.model.parts import (
        Artifact,
        Attachment,
        Event,
        Part,
        Text,
        Thinking,
        ToolCall,
        ToolResult,
        UnknownPart,
    )
    from talktree.model.tree import Branch, Tree
    from talktree.repairs.run import Repair
    from talktree.session.session import Session
    from talktree.session.store import Store

_HOMES = {
    "talktree.api": (
        "check",
        "convert",
        "create_session",
        "detect",
        "apply_edits",
        "merge",
        "migrate",
        "open_library",
        "open_session",
        "preview",
        "read",
        "repair",
        "repair_in_place",
        "to_bytes",
        "revert_repair",
        "write",
        "write_repair",
    ),
    "talktree.authoring": ("Draft", "edit", "new"),
    "talktree.checks.report": ("Report",),
    "talktree.conversion.losses": ("LossReport", "Loss"),
    "talktree.conversion.options": ("Options",),
    "talktree.errors": ("TalktreeError",),
    "talktree.files": ("Source",),
    "talktree.formats": ("slugs",),
    "talktree.formats.collection": ("Collection",),
    "talktree.library.library": ("Library",),
    "talktree.repairs.run": ("Repair",),
    "talktree.model.conversation": ("Conversation",),
    "talktree.model.counts": ("ConversationCounts",),
    "talktree.model.document": ("Document",),
    "talktree.model.entries": ("Entry", "FileState", "Head", "Opaque", "Snapshot"),
    "talktree.model.findings": ("Finding",),
    "talktree.model.message": (
        "Author",
        "Context",
        "Message",
        "ThinkingLevel",
        "ThinkingSetting",
        "Todo",
        "Usage",
    ),
    "talktree.model.parts": (
        "Artifact",
        "Attachment",
        "Event",
        "Part",
        "Text",
        "Thinking",
        "ToolCall",
        "ToolResult",
        "UnknownPart",
    ),
    "talktree.model.tree": ("Branch", "Tree"),
    "talktree.session.session": ("Session",),
    "talktree.session.store": ("Store",),
}
"""The module of each public name."""

__all__ = [
    "Artifact",
    "Attachment",
    "Author",
    "Branch",
    "Collection",
    "Context",
    "Conversation",
    "ConversationCounts",
    "Document",
    "Draft",
    "Entry",
    "Event",
    "FileState",
    "Finding",
    "Head",
    "Library",
    "Loss",
    "LossReport",
    "Message",
    "Opaque",
    "Options",
    "Part",
    "Repair",
    "Report",
    "Session",
    "Snapshot",
    "Source",
    "Store",
    "TalktreeError",
    "Text",
    "Thinking",
    "ThinkingLevel",
    "ThinkingSetting",
    "Todo",
    "ToolCall",
    "ToolResult",
    "Tree",
    "UnknownPart",
    "Usage",
    "__version__",
    "apply_edits",
    "check",
    "convert",
    "create_session",
    "detect",
    "edit",
    "merge",
    "migrate",
    "new",
    "open_library",
    "open_session",
    "preview",
    "read",
    "repair",
    "repair_in_place",
    "revert_repair",
    "slugs",
    "to_bytes",
    "write",
    "write_repair",
]


def __getattr__(name: str) -> object:
    from importlib import import_module

    for module, names in _HOMES.items():
        if name in names:
            found: object = getattr(import_module(module), name)
            globals()[name] = found
            return found
    raise AttributeError(f"module 'talktree' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
