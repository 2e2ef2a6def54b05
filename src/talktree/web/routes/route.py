"""What a route is: how it is asked, what it takes, who answers, what it gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from starlette.requests import Request

    from talktree.web.studio import StudioContext


API = "/api/v1"


class RouteCall(NamedTuple):
    """One question, read and checked."""

    path: Mapping[str, str]
    """The parts of the address that vary, decoded."""
    query: Any
    """An instance of the route's `query`, or None."""
    body: Any
    """An instance of the route's `body`, or None."""
    request: Request


class Route(NamedTuple):
    """A line of the table. Answers run in threads; they may take as long as they need."""

    method: Literal["GET", "POST", "DELETE"]
    path: str
    """Below `/api/v1`, with `{names}`; after two slashes it stands for itself."""
    answer: Callable[[StudioContext, RouteCall], Any]
    """Gives a struct (sent as JSON), None (204), or a Starlette response."""
    about: str
    """One sentence."""
    query: type | None = None
    """A struct whose fields are the parameters; all have defaults."""
    body: type | None = None
    gives: type | None = None
    effects: bool = False
    """Whether it changes anything; those are refused by a read-only studio."""
    when_locked: bool = False
    """Whether it answers while the library is locked; then `answer` gets None for the studio."""
    media: str | None = None
    """The media type of an answer that is bytes, or can be; of events `gives` is what each holds.
    Without this and `gives` the answer is empty (204)."""

    @property
    def address(self) -> str:
        """The whole path."""
        return self.path[1:] if self.path.startswith("//") else API + self.path
