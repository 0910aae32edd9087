"""Cost of gets and puts among groups: independent of the incomplete groups in front.

Counted in steps of SQLite's machine, and seen in the plans of its statements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from mqtools.admin import queue_managers
from mqtools.constants.message import MQMF_LAST_MSG_IN_GROUP, MQMF_LAST_SEGMENT, MQMF_MSG_IN_GROUP, MQMF_SEGMENT
from mqtools.constants.options import (
    MQGMO_ALL_MSGS_AVAILABLE,
    MQGMO_ALL_SEGMENTS_AVAILABLE,
    MQGMO_BROWSE_FIRST,
    MQGMO_COMPLETE_MSG,
    MQGMO_LOGICAL_ORDER,
    MQMO_MATCH_CORREL_ID,
    MQMO_MATCH_GROUP_ID,
    MQOO_BROWSE,
    MQOO_INPUT_SHARED,
    MQOO_OUTPUT,
    MQPMO_LOGICAL_ORDER,
    MQPMO_SYNCPOINT,
)
from mqtools.errors import NoMessageAvailable
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import Connection, connect
from mqtools.mqi.handle import Handle
from mqtools.mqi.objects.definitions import define_queue

from ..costs import steps_of

pytestmark = pytest.mark.slow

IN, LAST_IN = MQMF_MSG_IN_GROUP, MQMF_MSG_IN_GROUP | MQMF_LAST_MSG_IN_GROUP
SEGMENT, LAST_SEGMENT = MQMF_SEGMENT, MQMF_SEGMENT | MQMF_LAST_SEGMENT
ANY = MQOO_INPUT_SHARED | MQOO_BROWSE | MQOO_OUTPUT
SHALLOW, DEEP = 20, 2_000
#: Steps of SQLite that a branch of a statement may take more or less, such as that of a new highest depth.
BRANCH = 16
BEHIND, SEEN = b"B" * 24, b"C" * 24
LOGICAL, COMPLETE = MQGMO_LOGICAL_ORDER, MQGMO_COMPLETE_MSG
ALL_MSGS, ALL_SEGMENTS = MQGMO_ALL_MSGS_AVAILABLE, MQGMO_ALL_SEGMENTS_AVAILABLE

Place = tuple[int, int, int]

#: What is missing, to what is there of each group or logical message: sequence number, offset, flags.
FILLINGS: dict[str, tuple[Place, ...]] = {
    "first message": (*((seq, 0, IN) for seq in range(2, 6)), (6, 0, LAST_IN)),
    "last message": tuple((seq, 0, IN) for seq in range(1, 6)),
    "first segment": (*((1, 10 * number, SEGMENT) for number in range(1, 5)), (1, 50, LAST_SEGMENT)),
    "last segment": tuple((1, 10 * number, SEGMENT) for number in range(5)),
}

#: What is missing, to options that pass over what is left.
CASES = [
    *(
        (missing, logical | ALL_MSGS | more)
        for missing in FILLINGS
        for logical in (0, LOGICAL)
        for more in (0, COMPLETE)
    ),
    *((f"{which} segment", options) for which in ("first", "last") for options in (COMPLETE, ALL_SEGMENTS)),
    *((f"{which} segment", LOGICAL | options) for which in ("first", "last") for options in (COMPLETE, ALL_SEGMENTS)),
    *((f"first {what}", LOGICAL) for what in ("message", "segment")),
    ("first message", LOGICAL | COMPLETE),
]


def queue_of(missing: str) -> str:
    return missing.replace(" ", ".")


def incomplete(missing: str, number: int) -> Iterator[Message]:
    """Make so many messages of groups, or segments, of which something is missing."""
    for made in range(0, number, 5):
        for seq, offset, flags in FILLINGS[missing]:
            md = MQMD(group_id=b"%024d" % made, msg_seq_number=seq, offset=offset, msg_flags=flags)
            yield Message(b"0123456789", md)


def new(path: str) -> Connection:
    connection = connect(queue_managers.create(path))
    with connection.work() as work:
        for missing in FILLINGS:
            define_queue(work, "QLOCAL", queue_of(missing), {"max_q_depth": 100_000})
    return connection


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[int, Connection]]:
    """Connections to queue managers whose queues begin with few and with many incomplete groups."""
    made = {}
    for depth in (SHALLOW, DEEP):
        made[depth] = new(str(tmp_path_factory.mktemp("deep") / f"QM{depth}.db"))
        for missing in FILLINGS:
            with made[depth].open(queue_of(missing), ANY) as handle:
                handle.put_many(incomplete(missing, depth))
    yield made
    for connection in made.values():
        connection.disconnect()


def put_behind(handle: Handle) -> None:
    """Put a message by itself, one in two segments, and a group of two behind everything."""
    handle.put(Message(b"alone", MQMD(correl_id=SEEN)))
    for offset, flags in ((0, SEGMENT), (10, LAST_SEGMENT)):
        handle.put(Message(b"0123456789", MQMD(group_id=BEHIND[:-1] + b"S", offset=offset, msg_flags=flags)))
    for seq, flags in ((1, IN), (2, LAST_IN)):
        handle.put(Message(b"member", MQMD(group_id=BEHIND, msg_seq_number=seq, msg_flags=flags)))


def life(handle: Handle, options: int) -> dict[str, Callable[[], object]]:
    """Verbs in an order in which each finds what it needs."""
    by_group = {"md": MQMD(group_id=BEHIND), "match_options": MQMO_MATCH_GROUP_ID}
    by_id = {"md": MQMD(correl_id=SEEN), "match_options": MQMO_MATCH_CORREL_ID}
    return {
        "get nothing": lambda: handle.get(options),
        "put": lambda: put_behind(handle),
        "browse": lambda: handle.get(options | MQGMO_BROWSE_FIRST),
        "browse by group": lambda: handle.get(options | MQGMO_BROWSE_FIRST, **by_group),
        "get by id": lambda: handle.get(options, **by_id),
        "get of segments": lambda: handle.get(options),
        "get again": lambda: handle.get(options),
        "get of the group": lambda: handle.get(options),
        "get to the end": lambda: handle.get(options),
        "get nothing again": lambda: handle.get(options),
    }


@pytest.mark.parametrize(("missing", "options"), CASES)
def test_incomplete_groups_ahead_cost_nothing(filled: dict[int, Connection], missing: str, options: int) -> None:
    costs = {}
    for depth, connection in filled.items():
        with connection.open(queue_of(missing), ANY) as handle:
            costs[depth] = {name: steps_of(connection.db, call) for name, call in life(handle, options).items()}
            with suppress(NoMessageAvailable):  # leave the queue as it was
                while True:
                    handle.get(options)
    differences = {name: steps - costs[SHALLOW][name] for name, steps in costs[DEEP].items()}
    assert {name: steps for name, steps in differences.items() if abs(steps) > BRANCH} == {}


@pytest.mark.parametrize("missing", FILLINGS)
@pytest.mark.parametrize("options", [0, LOGICAL, COMPLETE, ALL_MSGS, ALL_SEGMENTS])
def test_a_browse_from_the_beginning_costs_no_more(filled: dict[int, Connection], missing: str, options: int) -> None:
    costs = {}
    for depth, connection in filled.items():
        with connection.open(queue_of(missing), ANY) as handle:
            costs[depth] = steps_of(connection.db, partial(handle.get, options | MQGMO_BROWSE_FIRST))
    assert costs[DEEP] == costs[SHALLOW]


# -- long groups


@pytest.mark.parametrize("flags", [(IN, LAST_IN), (SEGMENT, LAST_SEGMENT)], ids=["group", "segments"])
@pytest.mark.parametrize("options", [0, MQPMO_SYNCPOINT], ids=["at once", "under syncpoint"])
def test_putting_and_getting_a_long_group_is_linear(tmp_path: Path, flags: tuple[int, int], options: int) -> None:
    size = 2000
    connection = new(str(tmp_path / "QM.db"))
    handle = connection.open(queue_of("last message"), ANY)

    def put(number: int) -> None:
        handle.put(Message(b"x", MQMD(msg_flags=flags[number == size])), MQPMO_LOGICAL_ORDER | options)

    puts = [steps_of(connection.db, partial(put, number)) for number in range(1, size + 1)]
    commit = steps_of(connection.db, connection.commit)
    assert puts[-2] <= 3 * puts[10]
    # The put, or commit, that makes the group complete tells each member so, once.
    assert sum(puts) + commit <= 3 * size * (puts[10] + 400)
    gets = [steps_of(connection.db, lambda: handle.get(LOGICAL | ALL_MSGS)) for _ in range(size)]
    assert gets[-2] <= 3 * gets[10]
    assert sum(gets) <= 3 * size * gets[10]
    connection.disconnect()
