"""Ports of the servers of a queue manager."""

from __future__ import annotations

import socket

from mqtools.admin import error_log
from mqtools.admin.error_log import Inserts
from mqtools.constants.reasons import MQRC_HOST_NOT_AVAILABLE
from mqtools.errors import MQError

#: Connections that wait to be accepted.
BACKLOG = 1024


def listen(path: str, address: str, port: int) -> socket.socket:
    """Return a socket that listens at an address and port; a failure is in the error log of a queue manager.

    path: of the queue manager.  Raises MQError: MQRC_HOST_NOT_AVAILABLE when the port cannot be bound.
    """
    try:
        return bind(address, port)
    except MQError as error:
        error_log.note(path, "AMQ9218E", error, Inserts(connection_name=f"{address}({port})"))
        raise


def bind(address: str, port: int) -> socket.socket:
    """Return a socket that listens at an address and port. Raises MQError: MQRC_HOST_NOT_AVAILABLE."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        return socket.create_server((address, port), family=family, backlog=BACKLOG)
    except OSError as error:
        words = (error.strerror or str(error)).partition(" (while")[0]  # socket adds the address, as a tuple
        raise MQError(f"{address}({port}): {words}", MQRC_HOST_NOT_AVAILABLE) from error
