"""The way of a get through the code: how many functions and modules whoever reads it has to follow."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from mqtools.admin import queue_managers
from mqtools.constants.message import MQPER_PERSISTENT
from mqtools.constants.options import MQOO_INPUT_SHARED, MQOO_OUTPUT
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect
from mqtools.mqi.objects.definitions import define_queue

#: Of the log's flushes, after which all flushes are alike.
FIRST_FLUSHES = 20


def walk(call: Callable[[], object]) -> set[tuple[str, str]]:
    """Return the functions of the library that a call walks: module and name."""
    walked = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        module = frame.f_globals.get("__name__", "")
        if event == "call" and module.startswith("mqtools."):
            walked.add((module, frame.f_code.co_qualname))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)
    return walked


def test_a_get_of_the_first_message_walks_few_functions_in_few_modules(tmp_path: Path) -> None:
    """What only some gets need is not on its way: identifiers, groups, cursors, properties, waits, other forms."""
    path = queue_managers.create(str(tmp_path / "QM1.db"))
    with connect(path) as connection, connection.work() as work:
        define_queue(work, "QLOCAL", "Q", {})
    with connect(path) as connection, connection.open("Q", MQOO_INPUT_SHARED | MQOO_OUTPUT) as handle:
        for _ in range(FIRST_FLUSHES):
            handle.put(Message(b"x", MQMD(persistence=MQPER_PERSISTENT)))
        handle.get()
        walked = walk(handle.get)
    modules = {module for module, _ in walked}
    assert ("mqtools.mqi.get.get", "search") in walked
    assert len(walked) <= 65
    assert len(modules) <= 24
    assert {module for module in modules if module.startswith("mqtools.mqi.get.")} == {
        "mqtools.mqi.get.get",
        "mqtools.mqi.get.removal",
        "mqtools.mqi.get.request",
        "mqtools.mqi.get.search",
        "mqtools.mqi.get.select_message",
    }
