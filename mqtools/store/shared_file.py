"""A file that this process has open: what all databases of it share."""

from __future__ import annotations

import errno
import os

from mqtools.store import fork
from mqtools.store.descriptors import open_error


class SharedFile:
    """The descriptors of a file beside those of SQLite.

    Invariant: they are closed after the last database of the file, because closing any descriptor of a file drops the
    locks that the process has on it.
    key: device and number of the file.  descriptor: for its mark (``log_mark``).
    flushed_mark: the one that is known to be on disk.
    """

    __slots__ = ("_index", "_is_open", "_kept_open", "_path", "_spare", "descriptor", "flushed_mark", "key")

    def __init__(self, key: tuple[int, int], path: str) -> None:
        """path: without links.  Raises StorageError where the file cannot be opened."""
        self.key = key
        self._path = path
        self.descriptor = _open_file(path)
        self.flushed_mark: int | None = None
        self._index = -1
        self._is_open = True
        self._spare: list[int] = []
        self._kept_open: list[int] = []

    def index(self) -> int:
        """Return a descriptor of the index of the log (``-shm``), which has locks too. The file was read before."""
        if self._index < 0:
            self._index = _open_file(f"{self._path}-shm")
        return self._index

    def take_spare(self) -> int | None:
        """Return a descriptor, open to be read, that an earlier connection has left; None where there is none."""
        return self._spare.pop() if self._spare else None

    def keep_spare(self, descriptor: int, *, is_usable: bool) -> None:
        """Keep a descriptor that is registered with ``fork``. is_usable: for another connection."""
        if not self._is_open:
            fork.close(descriptor)
            return
        (self._spare if is_usable else self._kept_open).append(descriptor)

    def forget_spares(self) -> None:
        """Forget the descriptors that were kept, in a child that has none of them."""
        self._spare, self._kept_open = [], []

    def close(self) -> None:
        """Close all descriptors."""
        self._is_open = False
        os.close(self.descriptor)
        if self._index >= 0:
            os.close(self._index)
        for descriptor in self._spare + self._kept_open:
            fork.close(descriptor)


def _open_file(path: str) -> int:
    try:
        try:
            return os.open(path, os.O_RDWR | os.O_CLOEXEC)
        except OSError as error:
            if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
                raise
            return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise open_error(error, path) from error
