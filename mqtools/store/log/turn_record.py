"""Record of the holder of the writer lock, in the memory of the lock's file: process id and time.

Eight bytes each, the lowest first: the process id, and milliseconds since 1970. It is written without a system call.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mmap import mmap

LENGTH = 16


def map_record(folder: str) -> mmap | None:
    """Map the record of a run folder; None where that cannot be, which takes nothing but the words away.

    By a descriptor of its own: a forked child has the mapping too, which would keep the lock of the other one.
    """
    try:
        from mmap import mmap  # a file of its own, which few descriptors cannot open

        descriptor = os.open(f"{folder}/writer", os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except (OSError, ImportError):
        return None
    try:
        if os.fstat(descriptor).st_size < LENGTH:
            os.pwrite(descriptor, bytes(LENGTH), 0)  # not by truncation: the block must be there on a full disk
        return mmap(descriptor, LENGTH)
    except (OSError, ValueError):
        return None
    finally:
        os.close(descriptor)


def read_record(descriptor: int) -> tuple[int, int | None]:
    """Return process id and time (milliseconds since 1970) of the last holder; 0 and None where there was none."""
    record = os.pread(descriptor, LENGTH, 0)
    return int.from_bytes(record[:8], "little"), int.from_bytes(record[8:], "little") or None
