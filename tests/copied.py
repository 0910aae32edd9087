"""Queue managers for tests: each kind is created once in a process and copied for each test, which costs a tenth."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

from mqtools.admin import queue_managers
from mqtools.configuration import locate
from mqtools.mqi.connection import connect
from mqtools.mqi.objects.definitions import alter_qmgr, define_queue


def copy_of(create: Callable[[str], object], name: str) -> str:
    """Copy what a function creates under a path to a queue manager's name or path; return its path.

    create: a function of a module, with no effects but on the file; it runs once for each name in a process.
    """
    path = locate.path_of(name)
    queue_managers.make_folder(os.path.dirname(path))
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(_created(create, os.path.basename(path)))
    return path


def developers(name: str) -> str:
    """Copy a queue manager with the developer's queues; return its path."""
    return copy_of(_create_for_developers, name)


def three_queues(name: str) -> str:
    """Copy a queue manager with the local queues Q, R and DLQ, its dead-letter queue; return its path."""
    return copy_of(_create_with_three, name)


def _create_with_three(path: str) -> None:
    queue_managers.create(path)
    with connect(path) as connection, connection.work() as work:
        for name in ("Q", "R", "DLQ"):
            define_queue(work, "QLOCAL", name, {})
        alter_qmgr(work, {"dead_letter_q_name": "DLQ"})


def _create_for_developers(path: str) -> None:
    queue_managers.create(path, developer=True)


@cache
def _created(create: Callable[[str], object], name: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        create(str(path))
        assert {found.name for found in Path(folder).iterdir()} <= {name, f"{name}-run", f"{name}-reserve"}, (
            "it is still open"
        )
        return path.read_bytes()
