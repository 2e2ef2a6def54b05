"""A separate file system whose power can be cut.

An image file is formatted and mounted; shutting the file system down by ioctl drops what was not
synced, as a power cut does; mounting it again replays its journal, as the next boot does.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import struct
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

SHUTDOWN = 0x8004587D
"""XFS_IOC_GOINGDOWN, which ext4 understands too."""
FLUSH_ALL, FLUSH_JOURNAL, FLUSH_NOTHING = 0, 1, 2
SIZE = {"ext4": 48 << 20, "xfs": 320 << 20}
"""XFS does not format smaller ones."""
PATIENCE = 120.0
"""Seconds after which killed processes have ended."""
FORMAT = {
    "ext4": ("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0"),
    "xfs": ("mkfs.xfs", "-q", "-f"),
}
OPTIONS = {"ext4": "noauto_da_alloc", "xfs": "nouuid"}
"""Without the option ext4 hides renames of files that were not synced."""


def why_not(kind: str) -> str | None:
    """Return why such images cannot be used on this machine; None if they can."""
    for command in (FORMAT[kind][0], "mount", "umount", "losetup"):
        if shutil.which(command) is None:
            return f"{command} is not installed"
    if os.geteuid() != 0:
        return "mounting needs root"
    if not os.path.exists("/dev/loop-control"):
        return "there are no loop devices"
    return None


class Image:
    """A mounted image."""

    def __init__(self, folder: Path, kind: str) -> None:
        self.kind = kind
        self.file = folder / f"{kind}.img"
        self.place = folder / f"{kind}-mounted"
        self.place.mkdir(exist_ok=True)
        with open(self.file, "wb") as file:
            file.truncate(SIZE[kind])
        subprocess.run([*FORMAT[kind], str(self.file)], check=True, capture_output=True)
        self.mount()

    def mount(self) -> None:
        """Mount it, replaying its journal."""
        options = f"loop,{OPTIONS[self.kind]}"
        command = ["mount", "-t", self.kind, "-o", options, str(self.file), str(self.place)]
        subprocess.run(command, check=True, capture_output=True)

    def unmount(self) -> None:
        """Unmount it, as soon as killed processes have released it."""
        end = time.monotonic() + PATIENCE
        while True:
            done = subprocess.run(["umount", str(self.place)], capture_output=True, check=False)
            if done.returncode == 0:
                return
            if time.monotonic() > end:
                raise OSError(done.stderr.decode())
            time.sleep(0.05)

    def cut_power(self, flags: int) -> None:
        """Lose everything that was not synced."""
        descriptor = os.open(self.place, os.O_RDONLY)
        try:
            fcntl.ioctl(descriptor, SHUTDOWN, struct.pack("I", flags))
        finally:
            os.close(descriptor)

    def boot(self) -> None:
        """Mount it again, as when the power is back."""
        self.unmount()
        self.mount()


@contextlib.contextmanager
def image(folder: Path, kind: str) -> Iterator[Image]:
    """Mount an image that is removed afterwards."""
    made = Image(folder, kind)
    try:
        yield made
    finally:
        subprocess.run(["umount", "-l", str(made.place)], check=False, capture_output=True)
        made.file.unlink(missing_ok=True)
