"""The front door: what ``import mqtools`` offers to a Python program."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import mqtools as mq
from mqtools.constants.reasons import MQRC_PROPERTY_TYPE_ERROR, MQRC_Q_FULL, MQRC_UNKNOWN_OBJECT_NAME

from ..errors import fails


@pytest.fixture
def orders(qmgr):
    assert not qmgr.mqsc("DEFINE QLOCAL(ORDERS) MAXDEPTH(5)").failed
    return qmgr.queue("ORDERS")


def other(qmgr):
    """Connect once more, as another program does."""
    return mq.connect(qmgr.connection.db.path)


def test_what_is_put_is_got_with_its_properties(orders):
    put = orders.put("pay 100", priority=7, properties={"region": "EU", "urgent": True}, expiry=60, reply_to="R@QM2")
    got = orders.get()
    assert (got.data, got.md.format, got.md.priority, got.md.msg_id) == (b"pay 100", "MQSTR", 7, put.md.msg_id)
    assert {name: prop.value for name, prop in got.properties.items()} == {"region": "EU", "urgent": True}
    assert (got.md.reply_to_q, got.md.reply_to_q_mgr) == ("R", "QM2")
    assert 0 < got.md.expiry <= 600


def test_a_connection_with_nothing_open_is_displayed(qmgr):
    (report,) = qmgr.mqsc("DISPLAY CONN(*) PID").commands
    assert str(os.getpid()) in [found.attributes["PID"] for found in report.objects]


def test_bytes_have_no_format_and_a_message_is_put_as_it_is(orders):
    orders.put(b"\x00\xff")
    assert orders.get().md.format == ""
    message = mq.Message(b"x", mq.MQMD(format="MYFMT", correl_id=b"c" * 24))
    orders.put(message)
    orders.put(message, priority=3)
    assert [(got.md.format, got.md.correl_id[:1], got.md.priority) for got in (orders.get(), orders.get())] == [
        ("MYFMT", b"c", 3),
        ("MYFMT", b"c", 0),
    ]
    assert message.md.msg_id == bytes(24)


@pytest.mark.parametrize("data", [12, None, ["x"]])
def test_data_that_is_neither_text_nor_bytes_is_refused(orders, data):
    with pytest.raises(TypeError):
        orders.put(data)
    assert orders.depth == 0


def test_a_transaction_commits_at_its_end(qmgr, orders):
    with other(qmgr) as second, qmgr.transaction():
        orders.put("one")
        assert list(second.queue("ORDERS").browse()) == []
    assert [message.data for message in orders.browse()] == [b"one"]


def test_an_exception_backs_a_transaction_out(qmgr, orders):
    orders.put("kept")

    def fail():
        with qmgr.transaction():
            assert orders.get().data == b"kept"
            orders.put("undone")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    (message,) = orders.browse()
    assert (message.data, message.md.backout_count) == (b"kept", 1)


def test_a_transaction_inside_another_is_refused_and_the_outer_one_goes_on(qmgr, orders):
    with qmgr.transaction():
        orders.put("one")
        with pytest.raises(RuntimeError, match="open already"), qmgr.transaction():
            pass
    assert orders.depth == 1


def test_put_each_puts_all_or_none_and_get_each_gets_what_there_is(orders):
    put = orders.put_each(["one", b"two", mq.Message(b"three")])
    assert [message.md.format for message in put] == ["MQSTR", "", ""]
    with fails(MQRC_Q_FULL):
        orders.put_each(["x"] * 3)
    assert [message.data for message in orders.get_each(2)] == [b"one", b"two"]
    assert [message.data for message in orders.get_each(9, wait=5)] == [b"three"]
    assert orders.get_each(9, wait=0.05) == []


@pytest.mark.parametrize("fails", [False, True])
def test_a_batch_commits_or_backs_out_like_any_transaction(qmgr, orders, fails):
    orders.put("first")

    def batch():
        with qmgr.transaction(batch=True):
            assert orders.get().data == b"first"
            orders.put_each(["one", "two"])
            with pytest.raises(RuntimeError, match="cannot wait"):
                orders.get(wait=1)
            return 1 // (not fails)

    if fails:
        with pytest.raises(ZeroDivisionError):
            batch()
    else:
        batch()
    left = [(message.data, message.md.backout_count) for message in orders.get_each(9)]
    assert left == ([(b"first", 1)] if fails else [(b"one", 0), (b"two", 0)])


def test_browse_changes_nothing_and_a_selector_narrows(orders):
    for region in ("EU", "US", "EU"):
        orders.put(region, properties={"region": region})
    assert [message.data for message in orders.browse(where="region = 'EU'")] == [b"EU", b"EU"]
    assert orders.get(where="region = 'US'").data == b"US"
    assert orders.depth == 2


def test_a_browse_that_is_left_early_leaves_no_handle_open(qmgr, orders):
    orders.put("one")
    for _ in orders.browse():
        break
    assert [handle for handle in qmgr.connection.handles if handle.options & mq.OpenOption.BROWSE] == []


def test_get_by_identifier(orders):
    first, second = orders.put("one"), orders.put("two", correl_id=b"k" * 24)
    assert orders.get(correl_id=b"k" * 24).md.msg_id == second.md.msg_id
    assert orders.get(msg_id=first.md.msg_id).data == b"one"


def test_nothing_there_is_an_error_of_its_own(orders):
    with pytest.raises(mq.NoMessageAvailable):
        orders.get()
    with pytest.raises(mq.NoMessageAvailable):
        orders.get(wait=0.05)


def test_errors_carry_their_reason(qmgr, orders):
    for n in range(5):
        orders.put(str(n))
    with pytest.raises(mq.MQError) as full:
        orders.put("6")
    assert full.value.reason == MQRC_Q_FULL == mq.Reason.Q_FULL
    with fails(MQRC_UNKNOWN_OBJECT_NAME):
        qmgr.queue("NOWHERE").put("x")
    with fails(MQRC_PROPERTY_TYPE_ERROR):
        orders.put("x", properties={"a": [1]})


def test_a_get_waits_for_another_program(qmgr, orders):
    code = f"import mqtools as mq\nwith mq.connect({qmgr.connection.db.path!r}) as qm: qm.queue('ORDERS').put('late')"
    with subprocess.Popen([sys.executable, "-c", code]) as program:
        assert orders.get(wait=60).data == b"late"
    assert program.returncode == 0


def test_every_name_of_the_front_door_is_there_and_no_other():
    for name in mq.__all__:
        assert getattr(mq, name).__name__.rpartition(".")[2] == name
    assert set(mq.__all__) <= set(dir(mq))
    with pytest.raises(AttributeError, match="nothing"):
        _ = mq.nothing


def test_import_loads_nothing_until_a_name_is_used():
    code = "import sys, mqtools; print(sorted(name for name in sys.modules if name.startswith('mqtools.')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_front_door_needs_no_click():
    code = "import sys, mqtools as mq; mq.connect; print({'click', 'textual', 'rich', 'pyspark'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_python_m_mqtools_is_the_command():
    done = subprocess.run([sys.executable, "-m", "mqtools", "--version"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.startswith("mqx, version ")) == (0, True)
    done = subprocess.run(
        [sys.executable, "-m", "mqtools", "explain", "2053"], capture_output=True, text=True, check=False
    )
    assert "MQRC_Q_FULL" in done.stdout
