"""The built page: its files by address, and the notice shown when it is not built."""

from __future__ import annotations

import mimetypes
from pathlib import Path

from starlette.responses import FileResponse, HTMLResponse, Response

STATIC = Path(__file__).parent / "static"
INDEX = "index.html"
MISSING = "the page of the studio is not built"
HOW = "run `make frontend` in the source tree, or install talktree with pip"


def is_built(folder: Path = STATIC) -> bool:
    """Whether the page is built."""
    return (folder / INDEX).is_file()


HIDDEN = "frame/"
"""Scripts of the sandboxed frame are inlined in its page and not available by address."""
FOREVER = "public, max-age=31536000, immutable"
TYPES = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
    ".json": "application/json",
    ".woff2": "font/woff2",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".txt": "text/plain",
}
"""The system's own table may differ, and a script with a wrong type is not executed."""
NOT_BUILT = f"""<!doctype html><html lang="en"><meta charset="utf-8"><title>Talktree</title>
<h1>Nothing to show</h1><p>The server runs, but {MISSING}: {HOW}.</p></html>"""


class Page:
    """The files below a folder, and nothing else."""

    def __init__(self, folder: Path = STATIC) -> None:
        self.folder = folder
        self._files: dict[str, Path] = {}
        self._seen: int | None = None

    def has_file(self, address: str) -> bool:
        """Whether an address is a file of the page."""
        return _to_file_name(address) == INDEX or _to_file_name(address) in self._list_files()

    def get_file(self, address: str) -> Response | None:
        """Return the file with an address. It is looked up by name, so no address leaves the
        folder."""
        name = _to_file_name(address)
        if name == INDEX and not is_built(self.folder):
            return HTMLResponse(NOT_BUILT, status_code=503)
        found = self._list_files().get(name)
        if found is None:
            return None
        cache = {"Cache-Control": FOREVER} if name.startswith("assets/") else {}
        return FileResponse(found, media_type=_guess_type(found), headers=cache)

    def _list_files(self) -> dict[str, Path]:
        """Return all files by name, listed again when the page was rebuilt."""
        if not is_built(self.folder):
            return {}
        seen = (self.folder / INDEX).stat().st_mtime_ns
        if seen != self._seen:
            paths = (path for path in self.folder.rglob("*") if path.is_file())
            named = {path.relative_to(self.folder).as_posix(): path for path in paths}
            self._files = {name: p for name, p in named.items() if not name.startswith(HIDDEN)}
            self._seen = seen
        return self._files


def _to_file_name(address: str) -> str:
    return address.removeprefix("/") or INDEX


def _guess_type(path: Path) -> str:
    return (
        TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    )
