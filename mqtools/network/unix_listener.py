"""Listener on a UNIX socket: only the owner of the file, and users that the operator names, may call.

The kernel says which user is at the other end of a connection; the mode of the socket is not relied on.
"""

from __future__ import annotations

import os
import socket
import stat
import struct
from collections.abc import Collection
from contextlib import suppress
from typing import Any

from mqtools.admin.bound_port import BACKLOG
from mqtools.channel.acceptor import Origin
from mqtools.constants.reasons import MQRC_ENVIRONMENT_ERROR, MQRC_HOST_NOT_AVAILABLE, MQRC_NOT_AUTHORIZED
from mqtools.errors import MQError
from mqtools.mqi.file_owner import user_name
from mqtools.network.dispatch import Service
from mqtools.network.listener import BaseListener

#: Process, user and group at the other end, as Linux returns them.
_CREDENTIALS = struct.Struct("3i")
_OWNER_ONLY, _EVERYBODY = 0o600, 0o666


class UnixListener(BaseListener):
    """Listener on a UNIX socket.

    path: of the socket, made here and removed by ``close``; one without a listener is replaced.
    user_ids: of users that may call, in addition to the user of this process.
    Raises MQError: MQRC_HOST_NOT_AVAILABLE when the path cannot be bound, MQRC_ENVIRONMENT_ERROR where the kernel does
    not say who calls.
    """

    def __init__(self, service: Service, path: str, user_ids: Collection[int] = ()) -> None:
        if not hasattr(socket, "SO_PEERCRED"):
            raise MQError("this system does not tell which user calls on a UNIX socket", MQRC_ENVIRONMENT_ERROR)
        self.path = os.path.abspath(path)
        self._user_ids = {os.geteuid(), *user_ids}
        super().__init__(service, self._bind(_EVERYBODY if user_ids else _OWNER_ONLY))
        self._identity = self._identify()

    def _bind(self, mode: int) -> socket.socket:
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        before = os.umask(0o777 & ~_OWNER_ONLY)
        try:
            self._remove_abandoned()
            listening.bind(self.path)
            os.chmod(self.path, mode)
            listening.listen(BACKLOG)
        except OSError as error:
            listening.close()
            raise MQError(f"unix:{self.path}: {error.strerror or error}", MQRC_HOST_NOT_AVAILABLE) from error
        finally:
            os.umask(before)
        return listening

    def _remove_abandoned(self) -> None:
        """Remove a socket of this user that a listener has left behind. Raises OSError for one that is in use."""
        try:
            found = os.lstat(self.path)
        except FileNotFoundError:
            return
        if not stat.S_ISSOCK(found.st_mode) or found.st_uid != os.geteuid():
            return  # the bind says that the name is taken
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            try:
                probe.connect(self.path)
            except ConnectionRefusedError:
                os.unlink(self.path)

    def _identify(self) -> tuple[int, int]:
        found = os.lstat(self.path)
        return found.st_dev, found.st_ino

    def _origin(self, connected: socket.socket, address: Any) -> tuple[str, Origin]:  # noqa: ARG002 - see BaseListener
        _, user_id, _ = _CREDENTIALS.unpack(
            connected.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
        )
        user = user_name(user_id)
        if user_id not in self._user_ids:
            raise MQError(f"user {user} may not use this listener", MQRC_NOT_AUTHORIZED)
        return f"user {user}", Origin(user=user)

    def close(self) -> None:
        """Close the listening socket, and remove it unless another listener has taken its name."""
        super().close()
        with suppress(OSError):
            if self._identify() == self._identity:
                os.unlink(self.path)
