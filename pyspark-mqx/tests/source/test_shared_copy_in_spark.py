"""Several tasks of Spark that read one state of a file, while its messages move."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("pyspark")


from mqtools.constants.options import MQOO_INPUT_SHARED
from mqtools.message import Message
from mqtools.mqi.connection import connect

from .filling import fill


@pytest.fixture
def moving(qm: Any) -> Iterator[list[bytes]]:
    """Move messages between Q and R all the time, each in one transaction; return their data."""
    sent = fill(qm, 20)
    ended = threading.Event()

    def move() -> None:
        with connect(qm.path) as connection:
            while not ended.is_set():
                for source, target in (("Q", "R"), ("R", "Q")) * 5:
                    with connection.work(), connection.open(source, MQOO_INPUT_SHARED) as handle:
                        connection.put1(target, Message(handle.get().message.data))

    thread = threading.Thread(target=move)
    thread.start()
    yield sent
    ended.set()
    thread.join()


def test_spark_sees_each_message_once_while_all_of_them_move(read: Callable[..., Any], moving: list[bytes]) -> None:
    for _ in range(3):
        found = read("queue string, data binary", numpartitions=6)
        assert Counter(bytes(row.data) for row in found.collect()) == Counter(moving)
        assert found.rdd.getNumPartitions() >= 6
