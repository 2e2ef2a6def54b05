"""Renderers for tools, kinds of parts, media types and types of messages.

Other packages add renderers through an entry point in the group `talktree.renderers` that names a
function taking the registry. The results of their views pass the gate; if a view fails, the
built-in one is used.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TypeAlias, TypeVar

from msgspec.structs import replace

from talktree.errors import BrokenPlugin
from talktree.model.derived import normalize_tool_name
from talktree.model.message import Message
from talktree.model.parts import (
    Artifact,
    Attachment,
    Event,
    Text,
    ToolCall,
    ToolResult,
    UnknownPart,
)
from talktree.plugins import Plugin, describe_failure, load_plugin, plugin_names
from talktree.text.media import normalize_media_type
from talktree.views.html.block import MessageBlock
from talktree.views.html.gate import sanitize_html
from talktree.views.html.look import RenderOptions

GROUP = "talktree.renderers"
ToolView: TypeAlias = Callable[[ToolCall, ToolResult | None, RenderOptions], MessageBlock | None]
PartView: TypeAlias = Callable[[Event | UnknownPart | Text, RenderOptions], MessageBlock | None]
MediaView: TypeAlias = Callable[[Attachment | Artifact, RenderOptions], MessageBlock | None]
MessageView: TypeAlias = Callable[[Message, RenderOptions], tuple[MessageBlock, ...] | None]
_View = TypeVar("_View")


class Registry:
    """The added views; a view that returns None leaves the part to the built-in one."""

    def __init__(self) -> None:
        self._tools: dict[str, ToolView] = {}
        self._parts: dict[str, PartView] = {}
        self._media: dict[str, MediaView] = {}
        self._messages: dict[str, MessageView] = {}
        self.troubles: list[str] = []
        """Errors while loading or running views, in words; at most a hundred."""

    # called by plug-ins

    def tool(self, name: str, view: ToolView) -> None:
        """Add a view for calls of a tool; `my_tool` and `MyTool` are the same."""
        self._tools[normalize_tool_name(name)] = view

    def part(self, kind: str, view: PartView) -> None:
        """Add a view for events and unknown parts of a kind."""
        self._parts[kind] = view

    def media(self, media_type: str, view: MediaView) -> None:
        """Add a view for attachments and artifacts of a type."""
        self._media[normalize_media_type(media_type)] = view

    def message(self, role: str, view: MessageView) -> None:
        """Add a view for whole messages of a type."""
        self._messages[role] = view

    # called by the renderer

    @property
    def is_empty(self) -> bool:
        """Whether no view was added."""
        return not (self._tools or self._parts or self._media or self._messages)

    def render_call(
        self, call: ToolCall, result: ToolResult | None, look: RenderOptions
    ) -> MessageBlock | None:
        """Return a call as a plug-in shows it."""
        view = self._tools.get(normalize_tool_name(call.name))
        return None if view is None else self._render_block(lambda: view(call, result, look))

    def render_part(self, part: Event | UnknownPart, look: RenderOptions) -> MessageBlock | None:
        """Return an event or an unknown part as a plug-in shows it."""
        view = self._parts.get(part.kind)
        return None if view is None else self._render_block(lambda: view(part, look))

    def render_media(self, part: Attachment | Artifact, look: RenderOptions) -> MessageBlock | None:
        """Return an attachment or an artifact as a plug-in shows it."""
        view = self._media.get(normalize_media_type(part.media_type or ""))
        return None if view is None else self._render_block(lambda: view(part, look))

    def render_message(
        self, message: Message, look: RenderOptions
    ) -> tuple[MessageBlock, ...] | None:
        """Return a whole message as a plug-in shows it."""
        view = self._messages.get(message.role)
        if view is None:
            return None
        made = self._try_view(lambda: view(message, look))
        return None if made is None else tuple(_sanitize_block(each) for each in made)

    def _render_block(self, view: Callable[[], MessageBlock | None]) -> MessageBlock | None:
        made = self._try_view(view)
        return None if made is None else _sanitize_block(made)

    def _try_view(self, view: Callable[[], _View | None]) -> _View | None:
        try:
            return view()
        except Exception as trouble:  # whatever a plug-in raises, the message is shown
            self.note(f"a renderer failed: {type(trouble).__name__}: {trouble}")
            return None

    def note(self, trouble: str) -> None:
        """Record an error."""
        if len(self.troubles) < 100:
            self.troubles.append(trouble)


def _sanitize_block(block: MessageBlock) -> MessageBlock:
    return replace(block, html=sanitize_html(block.html)) if block.html else block


@lru_cache(maxsize=1)
def load_registry() -> Registry:
    """Return the registry with everything that is installed."""
    made = Registry()
    for name in plugin_names(GROUP):
        try:
            plugin = load_plugin(GROUP, name, _find_fault)
            if plugin is not None:
                plugin.value(made)
        except BrokenPlugin as error:
            made.note(error.message)
        except Exception as error:  # code of another package: it may raise anything
            made.note(describe_failure(GROUP, name, error))
    return made


def _find_fault(plugin: Plugin) -> str | None:
    """Return what is wrong with the renderers of another package."""
    return None if callable(plugin.value) else "it is no function"
