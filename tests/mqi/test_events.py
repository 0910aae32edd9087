"""Events of MQI calls: what causes each, its queue, reason, qualifier and parameters; none where they are off."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from mqtools.admin import queue_managers
from mqtools.admin.mqsc.run import run_mqsc
from mqtools.constants import objects as o
from mqtools.constants.options import MQOO_INPUT_SHARED, MQOO_OUTPUT, MQPMO_SYNCPOINT
from mqtools.errors import MQError
from mqtools.message import Message
from mqtools.mqi import authority
from mqtools.rules.events import EVENT_QUEUES

from .children import output_of, start_ready
from .conftest import QM
from .event_story import events, names, only

APPLICATION = {"MQIA_APPL_TYPE": "MQAT_UNIX", "MQCACF_APPL_NAME": "test"}
EVERYTHING = "AUTHOREV INHIBTEV LOCALEV REMOTEEV PERFMEV STRSTPEV CHLEV SSLEV CONFIGEV CMDEV"


def enable(qm: QM, keywords: str) -> None:
    assert not run_mqsc(qm.main, f"ALTER QMGR {' '.join(f'{each}(ENABLED)' for each in keywords.split())}").failed


def attempt(call: Callable[[], object]) -> None:
    with suppress(MQError):
        call()


def prepare(qm: QM) -> None:
    """Define what the table of failures names."""
    qm.define("ALIAS.OF.NOTHING", "QALIAS", base_q_name="NOTHING")
    qm.define("ALIAS.OF.ALIAS", "QALIAS", base_q_name="ALIAS.OF.NOTHING")
    qm.define("NO.PUT", inhibit_put=1)
    qm.define("NO.GET", inhibit_get=1)
    qm.define("BY.NOTHING", "QREMOTE", remote_q_name="X", remote_q_mgr_name="QM2", xmit_q_name="NOTHING")
    qm.define("BY.ALIAS", "QREMOTE", remote_q_name="X", remote_q_mgr_name="QM2", xmit_q_name="ALIAS.OF.NOTHING")
    qm.define("BY.Q", "QREMOTE", remote_q_name="X", remote_q_mgr_name="QM2", xmit_q_name="Q")
    qm.define("NO.NAME", "QREMOTE", remote_q_mgr_name="QM2")
    qm.define("MODEL", "QMODEL")


#: Call that fails, by its queue, to the event and what it has beyond the queue manager, the queue and the application.
FAILURES: dict[str, tuple[str, str, dict[str, object]]] = {
    "NO.PUT": ("Put Inhibited", "MQRC_PUT_INHIBITED", {}),
    "NO.GET": ("Get Inhibited", "MQRC_GET_INHIBITED", {}),
    "NO.SUCH.Q": ("Unknown Object Name", "MQRC_UNKNOWN_OBJECT_NAME", {}),
    "ALIAS.OF.NOTHING": (
        "Unknown Alias Base Queue", "MQRC_UNKNOWN_ALIAS_BASE_Q", {"MQCA_BASE_Q_NAME": "NOTHING"}
    ),
    "ALIAS.OF.ALIAS": (
        "Alias Base Queue Type Error", "MQRC_ALIAS_BASE_Q_TYPE_ERROR",
        {"MQCA_BASE_Q_NAME": "ALIAS.OF.NOTHING", "MQIA_Q_TYPE": "MQQT_ALIAS"},
    ),
    "X@QM9": ("Unknown Remote Queue Manager", "MQRC_UNKNOWN_REMOTE_Q_MGR", {"MQCACF_OBJECT_Q_MGR_NAME": "QM9"}),
    "BY.NOTHING": ("Unknown Transmission Queue", "MQRC_UNKNOWN_XMIT_Q", {"MQCA_XMIT_Q_NAME": "NOTHING"}),
    "BY.ALIAS": (
        "Transmission Queue Type Error", "MQRC_XMIT_Q_TYPE_ERROR",
        {"MQCA_XMIT_Q_NAME": "ALIAS.OF.NOTHING", "MQIA_Q_TYPE": "MQQT_ALIAS"},
    ),
    "BY.Q": ("Transmission Queue Usage Error", "MQRC_XMIT_Q_USAGE_ERROR", {"MQCA_XMIT_Q_NAME": "Q"}),
    "NO.NAME": ("Remote Queue Name Error", "MQRC_REMOTE_Q_NAME_ERROR", {}),
    "MODEL": ("Queue Type Error", "MQRC_Q_TYPE_ERROR", {}),
}  # fmt: skip


def fail(qm: QM, name: str) -> None:
    if name == "NO.GET":
        with qm.open(name, MQOO_INPUT_SHARED) as handle:
            attempt(handle.get)
        return
    q_name, _, q_mgr_name = name.partition("@")
    attempt(lambda: qm.main.put1(q_name, Message(b"x"), q_mgr_name=q_mgr_name))


@pytest.mark.parametrize("name", FAILURES)
def test_a_failed_call_is_an_event(qm: QM, name: str) -> None:
    prepare(qm)
    enable(qm, "INHIBTEV LOCALEV REMOTEEV")
    fail(qm, name)
    event, reason, more = FAILURES[name]
    found = only(qm.main)
    assert (found["event"], found["reason"]) == (event, reason)
    assert found["parameters"] == {
        "MQCA_Q_MGR_NAME": "QM1", "MQCA_Q_NAME": name.partition("@")[0], **APPLICATION, **more
    }  # fmt: skip


@pytest.mark.parametrize(
    ("default", "event"),
    [
        ("NOTHING", "Unknown Default Transmission Queue"),
        ("Q", "Default Transmission Queue Usage Error"),
        ("NO.NAME", "Default Transmission Queue Type Error"),
    ],
)
def test_a_wrong_default_transmission_queue_is_an_event(qm: QM, default: str, event: str) -> None:
    prepare(qm)
    qm.alter_qmgr(def_xmit_q_name=default)
    enable(qm, "REMOTEEV")
    fail(qm, "X@QM9")
    found = only(qm.main)
    assert found["event"] == event
    assert found["parameters"]["MQCA_XMIT_Q_NAME"] == default


def test_each_way_of_a_call_puts_the_event_once(qm: QM) -> None:
    enable(qm, "INHIBTEV LOCALEV")
    qm.define("NO", inhibit_put=1, inhibit_get=1)
    with qm.open("NO", MQOO_INPUT_SHARED | MQOO_OUTPUT) as handle:
        calls: list[Callable[[], Any]] = [
            lambda: qm.main.put_each("NO", [Message(b"x"), Message(b"y")]),
            lambda: handle.put(Message(b"x")),
            lambda: handle.put_many([Message(b"x")]),
            lambda: handle.get(),
            lambda: handle.get_each(5),
            lambda: qm.main.open("NO.SUCH.Q", MQOO_OUTPUT),
        ]
        for call in calls:
            attempt(call)
            assert len(events(qm.main)) == 1
        with qm.main.batch():  # a transaction around it is not undone
            attempt(lambda: handle.put(Message(b"x")))
            qm.put("kept")
    assert len(events(qm.main)) == 1
    assert qm.data() == [b"kept"]


def test_without_events_nothing_is_put(qm: QM) -> None:
    prepare(qm)
    qm.alter("Q", max_q_depth=1, q_depth_high_event=1, q_service_interval_event=1)
    for name in FAILURES:
        fail(qm, name)
    for _ in range(3):
        attempt(lambda: qm.put())
    qm.got()
    assert run_mqsc(qm.main, "ALTER QLOCAL(Q) DESCR('x')\nDISPLAY QMGR").failed == 0
    assert {name: qm.depth(name) for name in EVENT_QUEUES.values()} == dict.fromkeys(EVENT_QUEUES.values(), 0)


@pytest.mark.parametrize("values", [{"max_q_depth": 0}, {"inhibit_put": 1}])
def test_an_event_queue_that_takes_nothing_loses_the_event(qm: QM, values: dict[str, object]) -> None:
    for name in EVENT_QUEUES.values():
        qm.open(name).close()
        qm.alter(name, **values)
    enable(qm, EVERYTHING)
    qm.alter("Q", max_q_depth=1, q_depth_high_event=1)
    qm.put("one")
    attempt(lambda: qm.put("two"))
    fail(qm, "NO.SUCH.Q")
    assert qm.data() == [b"one"]
    assert not any(qm.depth(name) for name in EVENT_QUEUES.values())


def test_an_event_queue_has_no_events_of_its_own(qm: QM) -> None:
    enable(qm, EVERYTHING)
    events(qm.main, "PERFM")
    qm.alter("SYSTEM.ADMIN.PERFM.EVENT", max_q_depth=1, q_depth_high_event=1, q_depth_max_event=1)
    qm.put("x", "SYSTEM.ADMIN.PERFM.EVENT")
    attempt(lambda: qm.put("y", "SYSTEM.ADMIN.PERFM.EVENT"))
    assert qm.data("SYSTEM.ADMIN.PERFM.EVENT") == [b"x"]


def test_a_missing_authority_is_an_event(qm: QM, monkeypatch: pytest.MonkeyPatch) -> None:
    enable(qm, "AUTHOREV")
    run_mqsc(qm.main, "ALTER QMGR AUTHCHK(ALL)")
    with monkeypatch.context() as patch:
        patch.setattr(authority, "is_run_by_owner", lambda _db: False)
        patch.setattr(authority, "local_user", lambda: "stranger")
        attempt(lambda: qm.open("Q", MQOO_OUTPUT))
        attempt(lambda: qm.put())
        run_mqsc(qm.main, "CLEAR QLOCAL(Q)")
    opened, put, command = events(qm.main)
    about = {"MQCA_Q_MGR_NAME": "QM1", "MQCACF_USER_IDENTIFIER": "stranger"}
    for found in (opened, put):
        assert found["event"] == "Not Authorized (type 2)"
        assert found["parameters"] == {
            **about, "MQIACF_REASON_QUALIFIER": "MQRQ_OPEN_NOT_AUTHORIZED", "MQIACF_OPEN_OPTIONS": MQOO_OUTPUT,
            **APPLICATION, "MQCA_Q_NAME": "Q",
        }  # fmt: skip
    assert command["event"] == "Not Authorized (type 4)"
    assert command["parameters"] == {
        **about, "MQIACF_REASON_QUALIFIER": "MQRQ_CMD_NOT_AUTHORIZED", "MQIACF_COMMAND": "MQCMD_CLEAR_Q"
    }  # fmt: skip


# Performance


def test_depth_events_enable_each_other(qm: QM) -> None:
    enable(qm, "PERFMEV")
    qm.alter("Q", max_q_depth=10, q_depth_high_limit=80, q_depth_low_limit=20, q_depth_high_event=1)

    def switches() -> tuple[object, ...]:
        with qm.open() as handle:
            return tuple(
                handle.inquire([o.MQIA_Q_DEPTH_HIGH_EVENT, o.MQIA_Q_DEPTH_LOW_EVENT, o.MQIA_Q_DEPTH_MAX_EVENT])
            )

    assert switches() == (1, 0, 1)
    for _ in range(7):
        qm.put()
    assert names(qm.main) == []
    qm.put()
    assert names(qm.main) == ["Queue Depth High"]
    assert switches() == (0, 1, 1)
    for _ in range(4):
        attempt(lambda: qm.put())
    assert names(qm.main) == ["Queue Full"]
    assert switches() == (0, 1, 0)
    with qm.open() as handle:
        for _ in range(7):
            handle.get()
        assert names(qm.main) == []
        handle.get()
        assert names(qm.main) == ["Queue Depth Low"]
        handle.get()
    assert names(qm.main) == []
    assert switches() == (1, 0, 1)


def test_a_performance_event_has_the_statistics_and_resets_them(qm: QM, advance: Callable[[float], None]) -> None:
    run_mqsc(qm.main, "ALTER QMGR PERFMEV(ENABLED)")
    qm.alter("Q", max_q_depth=10, q_depth_high_event=1)
    for _ in range(4):
        qm.put()
    with qm.open() as handle:
        handle.get()
    qm.main.put_each("Q", [Message(b"x")] * 6)
    first = only(qm.main, "PERFM")["parameters"]
    assert (first["MQIA_MSG_ENQ_COUNT"], first["MQIA_MSG_DEQ_COUNT"], first["MQIA_HIGH_Q_DEPTH"]) == (10, 1, 9)
    advance(61)
    with qm.open() as handle:
        handle.get_each(7)
    assert only(qm.main, "PERFM")["parameters"] == {
        "MQCA_Q_MGR_NAME": "QM1", "MQCA_BASE_Q_NAME": "Q", "MQIA_TIME_SINCE_RESET": 61, "MQIA_HIGH_Q_DEPTH": 9,
        "MQIA_MSG_ENQ_COUNT": 0, "MQIA_MSG_DEQ_COUNT": 7,
    }  # fmt: skip


def test_a_unit_of_work_puts_its_events_at_once_and_a_backout_leaves_them(qm: QM) -> None:
    enable(qm, "PERFMEV")
    qm.alter("Q", max_q_depth=2, q_depth_high_event=1)
    qm.put(options=MQPMO_SYNCPOINT)
    qm.put(options=MQPMO_SYNCPOINT)
    with qm.connect() as other:
        assert names(other) == ["Queue Depth High"]
        qm.main.backout()
        assert names(other) == []
    assert qm.depth() == 0


def test_service_interval_events(qm: QM, advance: Callable[[float], None]) -> None:
    enable(qm, "PERFMEV")
    qm.alter("Q", q_service_interval_event=1, q_service_interval=10_000)
    with qm.open() as handle:
        qm.put()
        advance(9)
        handle.get()  # in time, but only HIGH is enabled
        advance(60)
        qm.put()  # the queue was empty
        assert names(qm.main) == []
        advance(11)
        qm.put()
        assert names(qm.main) == ["Queue Service Interval High"]
        advance(1)
        handle.get()  # late, and OK is enabled
        assert names(qm.main) == []
        advance(9)
        handle.get()
        assert names(qm.main) == ["Queue Service Interval OK"]
        qm.put()
        advance(11)
        handle.get()
    assert names(qm.main) == ["Queue Service Interval High"]


CROSSER = """
with connect(path) as connection:
    handle = connection.open("Q", MQOO_OUTPUT | MQOO_INPUT_SHARED)
    print("ready", flush=True)
    sys.stdin.readline()
    for n in range(100):
        for _ in range(3):
            handle.put(Message(b"x"))
        for _ in range(3):
            handle.get()
"""


@pytest.mark.slow
def test_many_processes_that_cross_a_mark_cause_one_event(qm: QM) -> None:
    enable(qm, "PERFMEV")
    qm.alter("Q", max_q_depth=1000, q_depth_high_limit=80, q_depth_low_limit=0, q_depth_high_event=1)
    qm.main.put_each("Q", [Message(b"x")] * 799)
    children = [start_ready(CROSSER, qm.path) for _ in range(4)]
    for child in children:
        assert child.stdin is not None
        child.stdin.write("\n")
        child.stdin.flush()
    for child in children:
        output_of(child)
    assert names(qm.main) == ["Queue Depth High"]


FAILER = """
with connect(path) as connection:
    rounds = 0
    while True:
        try:
            connection.put1("Q", Message(b"x"))
        except MQError:
            handle = connection.open("Q", MQOO_INPUT_SHARED)
            handle.get_each(10)
            handle.close()
            rounds += 1
            if rounds == 3:
                print("ready", flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("turn", range(4))
def test_a_killed_process_leaves_each_event_once(qm: QM, turn: int) -> None:
    enable(qm, "PERFMEV")
    qm.alter("Q", max_q_depth=10, q_depth_high_limit=100, q_depth_low_limit=0, q_depth_high_event=1)
    child = start_ready(FAILER, qm.path)
    time.sleep(turn * 0.013)  # it dies wherever it is
    os.kill(child.pid, signal.SIGKILL)
    child.communicate()
    found = names(qm.main)
    # High, (full,) low, high ...: an event that was lost or doubled breaks the circle.
    circle = [name for name in found if name != "Queue Full"]
    assert len(circle) > 2
    assert circle == ["Queue Depth High", "Queue Depth Low"] * (len(circle) // 2) + circle[:1] * (len(circle) % 2)
    with qm.open() as handle:
        high = handle.inquire([o.MQIA_Q_DEPTH_HIGH_EVENT])[0]
    assert (high == 1) == (len(circle) % 2 == 0)


# Start and stop


def test_a_start_is_an_event_and_a_stop_where_it_can_last(qm: QM) -> None:
    def restart(*, immediate: bool = False) -> list[tuple[object, object]]:
        for connection in qm.connections:
            if not connection.has_ended:
                connection.disconnect()
        queue_managers.end(qm.path, immediate=immediate)
        queue_managers.start(qm.path)
        with qm.connect() as connection:
            return [(row["event"], row["qualifier"]) for row in events(connection)]

    assert restart() == [("Queue Manager Active", None)]
    qm.main = qm.connect()
    qm.alter("SYSTEM.ADMIN.QMGR.EVENT", def_persistence=1)
    stopped = "Queue Manager Not Active"
    assert restart() == [(stopped, "MQRQ_Q_MGR_QUIESCING"), ("Queue Manager Active", None)]
    assert restart(immediate=True) == [(stopped, "MQRQ_Q_MGR_STOPPING"), ("Queue Manager Active", None)]
    qm.main = qm.connect()
    run_mqsc(qm.main, "ALTER QMGR STRSTPEV(DISABLED)")
    assert restart() == []
