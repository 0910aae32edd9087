"""Growth: what a put costs with the number of messages there, of writers, and of bytes."""

from __future__ import annotations

from measure import fill, new_qmgr, open_all, per_call_us, put_one, report
from writers import puts_of

from mqtools.constants.message import MQPER_PERSISTENT
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect
from mqtools.mqi.objects.definitions import alter_qmgr, alter_queue

DEPTHS = (100, 10_000, 1_000_000)
WRITERS = (1, 2, 4, 8, 16)
LENGTHS = (100, 10_000, 1_000_000, 10_000_000)


def growth() -> None:
    """Measure the growth curves."""
    for depth in DEPTHS:
        path = new_qmgr()
        fill(path, depth)
        with connect(path) as connection:
            handle = open_all(connection)
            put_one(handle, 0)
            us = per_call_us(lambda handle=handle: put_one(handle, 0), 300)  # type: ignore[misc]
        report("growth", f"put nonpersistent at depth {depth:,}", f"{us:.0f} us")
    for number in WRITERS:
        report("growth", f"puts of {number} writers together", f"{puts_of(number, 1.0):.0f}/s")
    for length in LENGTHS:
        _length(length)


def _length(length: int) -> None:
    path = new_qmgr()
    with connect(path) as connection:
        with connection.work() as work:
            alter_queue(work, "QLOCAL", "BENCH", {"max_msg_length": max(length, 1000)})
            alter_qmgr(work, {"max_msg_length": 104857600})
        body = bytes(length)
        count = max(1, min(100, 10_000_000 // length))
        us = per_call_us(lambda: connection.put1("BENCH", Message(body, MQMD(persistence=MQPER_PERSISTENT))), count)
    report("growth", f"put persistent of {length:,} bytes", f"{us / 1000:.2f} ms")
