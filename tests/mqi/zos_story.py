"""A queue manager of the profile zos: what it does not say to be outside a unit of work is inside one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from mqtools.admin import queue_managers
from mqtools.constants.objects import MQIT_GROUP_ID
from mqtools.constants.options import MQPMO_NO_SYNCPOINT
from mqtools.errors import MQError
from mqtools.message import MQMD

from ..copied import copy_of
from .conftest import QM


class ZosQM(QM):
    """A QM whose puts are outside the unit of work unless a test says otherwise."""

    def put(
        self, data: bytes | str = b"x", q_name: str = "Q", options: int = MQPMO_NO_SYNCPOINT, **fields: object
    ) -> MQMD:
        return super().put(data, q_name, options, **fields)

    def set_profile(self, profile: str) -> None:
        """Make another queue manager of it."""
        with self.main.db.writing():
            self.main.db.run("update qmgr set profile = ?", (profile,))

    def restart(self) -> None:
        """End the queue manager, whoever is connected, and start it again."""
        queue_managers.end(self.path, immediate=True)
        queue_managers.start(self.path)
        self.main = self.connect()


def _create(path: str) -> None:
    made = ZosQM(queue_managers.create(path, profile="zos"))
    for name in ("Q", "P"):
        made.define(name, index_type=MQIT_GROUP_ID, def_persistence=1)
    for name in ("R", "DLQ"):
        made.define(name, def_persistence=1)
    made.alter_qmgr(dead_letter_q_name="DLQ")
    made.main.disconnect()


@contextmanager
def zos_in(folder: Path) -> Iterator[ZosQM]:
    """Make a queue manager with the queues Q and P, indexed by group id, R for replies, and DLQ; all persistent."""
    made = ZosQM(copy_of(_create, str(folder / "QM1.db")))
    yield made
    for connection in made.connections:
        with suppress(MQError):  # those of before a restart are broken
            connection.disconnect()
