"""Which kind of file system something is on."""

from __future__ import annotations

import os

_FAR = ("nfs", "cifs", "smb", "9p", "ceph", "afs", "glusterfs", "lustre", "ncp", "fuse.sshfs")


def network_file_system(fd: int) -> str | None:
    """The name of the network file system a descriptor is on, if it is on one."""
    try:
        device = os.fstat(fd).st_dev
        wanted = f"{os.major(device)}:{os.minor(device)}"
        with open("/proc/self/mountinfo", encoding="utf-8", errors="replace") as mounts:
            for line in mounts:
                # id, parent, device, root, place, options, optional fields, "-", kind, source, …
                fields = line.split()
                if fields[2] == wanted and "-" in fields:
                    kind = fields[fields.index("-") + 1]
                    return kind if kind.startswith(_FAR) else None
    except (OSError, IndexError):
        pass
    return None
