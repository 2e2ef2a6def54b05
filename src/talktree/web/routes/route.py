"""What a route is: its method and address, its parameters, its handler and its result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from starlette.requests import Request

    from talktree.web.studio import StudioContext


API = "/api/v1"


class RouteCall(NamedTuple):
    """One request, parsed and validated."""

    path: Mapping[str, str]
    """The variable parts of the address, decoded."""
    query: Any
    """An instance of the route's `query`, or None."""
    body: Any
    """An instance of the route's `body`, or None."""
    request: Request


class Route(NamedTuple):
    """A row of the route table. Handlers run in threads; they may take as long as they need."""

    method: Literal["GET", "POST", "DELETE"]
    path: str
    """Below `/api/v1`, with `{names}`; a path that starts with two slashes is used as it is."""
    answer: Callable[[StudioContext, RouteCall], Any]
    """Returns a struct (sent as JSON), None (204), or a Starlette response."""
    about: str
    """One sentence."""
    query: type | None = None
    """A struct whose fields are the parameters; all have defaults."""
    body: type | None = None
    gives: type | None = None
    effects: bool = False
    """Whether it changes anything; a read-only studio refuses it then."""
    when_locked: bool = False
    """Whether it answers while the library is locked; then `answer` gets None as the studio."""
    media: str | None = None
    """The media type of an answer that is, or may be, bytes; of events, `gives` is the type of
    each. Without this and `gives`, the answer is empty (204)."""

    @property
    def address(self) -> str:
        """The whole path."""
        return self.path[1:] if self.path.startswith("//") else API + self.path
