"""MCAUSER and PUTAUT of a receiving channel: under which user its messages are put, and what that user may do."""

from __future__ import annotations

import pytest

from mqtools.constants import cmqcfc as c
from mqtools.constants import message as mc
from mqtools.constants import objects as o
from mqtools.constants.reasons import MQRC_NOT_AUTHORIZED
from mqtools.headers.chain import read_dlh
from mqtools.headers.pcf import CFH, CFIN, CFST
from mqtools.headers.pcf_bytes import pack_pcf, unpack_cfh
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect
from mqtools.mqi.file_owner import owner_name

from ..rows import queue_names
from .conftest import CHANNEL, Ends, fails

USER = "nobody.here"
ALTER = f"ALTER CHANNEL({CHANNEL}) CHLTYPE(RCVR)"


def allow(ends: Ends, profile: str, words: str, user: str = USER) -> None:
    ends.two.mqsc(f"SET AUTHREC PROFILE('{profile}') OBJTYPE(QUEUE) PRINCIPAL('{user}') AUTHADD({words})")


@pytest.fixture
def restricted(ends: Ends) -> Ends:
    """The receiver runs under a user that may connect."""
    ends.two.mqsc(f"{ALTER} MCAUSER('{USER}')", f"SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('{USER}') AUTHADD(CONNECT)")
    return ends


def dead_letters(ends: Ends) -> list[tuple[int, str]]:
    found = (read_dlh(dead.message.md, dead.message.data) for dead in ends.two.got("DLQ"))
    return [(header.reason, header.dest_q_name) for header in found]


def test_the_name_of_the_owner_is_no_restriction(ends: Ends) -> None:
    ends.two.mqsc(f"{ALTER} MCAUSER('{owner_name(ends.two.main.db)}')")
    ends.one.put("free")
    ends.drain()
    assert ends.two.data() == [b"free"]


def test_a_user_that_may_not_connect_is_refused_and_nothing_is_lost(ends: Ends) -> None:
    ends.two.mqsc(f"{ALTER} MCAUSER('{USER}')")
    ends.one.put("kept")
    with fails(MQRC_NOT_AUTHORIZED):
        ends.drain()
    assert (ends.one.depth("QM2"), ends.two.depth(), ends.two.depth("DLQ")) == (1, 0, 0)


def test_a_put_without_authority_stays_where_it_is_when_there_is_no_dead_letter_queue(restricted: Ends) -> None:
    restricted.two.mqsc("ALTER QMGR DEADQ(' ')")
    restricted.one.put("kept")
    with fails(2283):
        restricted.drain()
    assert (restricted.one.depth("QM2"), restricted.two.depth()) == (1, 0)


def test_a_user_puts_where_it_is_authorized(restricted: Ends) -> None:
    allow(restricted, "ORD*", "PUT,SETALL")
    restricted.one.put("allowed")
    restricted.drain()
    assert restricted.two.data() == [b"allowed"]


def test_authority_that_is_taken_away_counts_at_once(restricted: Ends) -> None:
    allow(restricted, "**", "ALL")
    restricted.one.put("first")
    restricted.drain()
    restricted.two.mqsc("SET AUTHREC PROFILE('ORDERS') OBJTYPE(QUEUE) PRINCIPAL('nobody.here') AUTHADD(NONE)")
    restricted.one.put("second")
    restricted.drain()
    assert restricted.two.data() == [b"first"]
    assert dead_letters(restricted) == [(MQRC_NOT_AUTHORIZED, "ORDERS")]


def test_the_name_that_is_put_to_is_checked_not_the_queue_behind_it(restricted: Ends) -> None:
    restricted.two.mqsc("DEFINE QALIAS(DOOR) TARGET(ORDERS)")
    allow(restricted, "DOOR", "PUT,SETALL")
    restricted.one.main.put1("DOOR", Message(b"in", MQMD(persistence=1)), q_mgr_name="QM2")
    restricted.one.put("out")
    restricted.drain()
    assert restricted.two.data() == [b"in"]
    assert dead_letters(restricted) == [(MQRC_NOT_AUTHORIZED, "ORDERS")]


REPORTS = {
    "arrival": mc.MQRO_COA_WITH_FULL_DATA,
    "delivery": mc.MQRO_COD_WITH_FULL_DATA,
    "expiration": mc.MQRO_EXPIRATION_WITH_FULL_DATA,
    "exception": mc.MQRO_EXCEPTION_WITH_FULL_DATA,
}


def send_asking_for(ends: Ends, kind: str, q_name: str, reply_to_q_mgr: str = "QM2") -> None:
    """Send a message whose report is to lie on PAYMENTS, and get it at QM2."""
    md = MQMD(report=REPORTS[kind], reply_to_q="PAYMENTS", reply_to_q_mgr=reply_to_q_mgr, persistence=1, expiry=36_000)
    ends.one.main.put1(q_name, Message(b"PAY 900", md), q_mgr_name="QM2")
    ends.drain()
    ends.two.got("ORDERS")


@pytest.mark.parametrize("kind", REPORTS)
def test_no_report_lies_on_a_queue_that_the_user_may_not_put_to(restricted: Ends, kind: str) -> None:
    restricted.two.mqsc("DEFINE QLOCAL(PAYMENTS)")
    allow(restricted, "ORDERS", "PUT,SETALL")
    send_asking_for(restricted, kind, "NO.SUCH.QUEUE" if kind == "exception" else "ORDERS")
    assert restricted.two.depth("PAYMENTS") == 0
    assert dead_letters(restricted)


@pytest.mark.parametrize("kind", ["arrival", "delivery"])
def test_a_report_lies_where_the_user_may_put(restricted: Ends, kind: str) -> None:
    restricted.two.mqsc("DEFINE QLOCAL(PAYMENTS)")
    allow(restricted, "ORDERS", "PUT,SETALL")
    allow(restricted, "PAYMENTS", "PUT")
    send_asking_for(restricted, kind, "ORDERS")
    assert restricted.two.data("PAYMENTS") == [b"PAY 900"]


def test_a_report_to_the_partner_needs_no_authority(restricted: Ends) -> None:
    allow(restricted, "ORDERS", "PUT,SETALL")
    send_asking_for(restricted, "delivery", "ORDERS", "QM1")
    assert (restricted.two.depth("QM1"), dead_letters(restricted)) == (1, [])


def test_a_record_maps_the_caller_to_a_user(ends: Ends) -> None:
    ends.two.mqsc(
        f"SET CHLAUTH('{CHANNEL}') TYPE(QMGRMAP) QMNAME(QM1) MCAUSER('{USER}')",
        f"SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('{USER}') AUTHADD(CONNECT)",
    )
    ends.one.put("refused")
    ends.drain()
    assert dead_letters(ends) == [(MQRC_NOT_AUTHORIZED, "ORDERS")]


def send_as(ends: Ends, user: str) -> None:
    with connect(ends.one.path, appl_name="test", user_identifier=user) as connection:
        connection.put1("ORDERS", Message(user.encode(), MQMD(persistence=1)))


def test_putaut_ctx_checks_the_user_of_each_message(ends: Ends) -> None:
    ends.two.mqsc(f"{ALTER} PUTAUT(CTX)")
    allow(ends, "ORDERS", "PUT", "ben")
    send_as(ends, "ben")
    send_as(ends, "eve")
    ends.drain()
    assert ends.two.data() == [b"ben"]
    assert dead_letters(ends) == [(MQRC_NOT_AUTHORIZED, "ORDERS")]


def test_putaut_ctx_needs_authority_to_act_for_others(restricted: Ends) -> None:
    restricted.two.mqsc(f"{ALTER} PUTAUT(CTX)")
    allow(restricted, "ORDERS", "PUT", "ben")
    send_as(restricted, "ben")
    with fails(MQRC_NOT_AUTHORIZED):
        restricted.drain()
    restricted.two.mqsc(f"SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('{USER}') AUTHADD(ALTUSR)")
    restricted.drain()
    assert restricted.two.data() == [b"ben"]


def test_putaut_ctx_does_not_believe_a_message_that_names_the_owner(restricted: Ends) -> None:
    restricted.two.mqsc(f"{ALTER} PUTAUT(CTX)", f"SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('{USER}') AUTHADD(ALTUSR)")
    send_as(restricted, owner_name(restricted.two.main.db)[:12])
    restricted.drain()
    assert dead_letters(restricted) == [(MQRC_NOT_AUTHORIZED, "ORDERS")]


# -- Commands in PCF that a restricted channel brings

COMMANDS = "SYSTEM.ADMIN.COMMAND.QUEUE"


def send_command(ends: Ends, number: int, *parameters: CFST | CFIN) -> int:
    """Send a command from QM1 to QM2, and return the reason of the reply."""
    md = MQMD(msg_type=mc.MQMT_REQUEST, format="MQADMIN", reply_to_q="ANSWERS", reply_to_q_mgr="QM2", persistence=1)
    message = Message(pack_pcf(CFH(number), list(parameters), mc.MQENC_NATIVE), md)
    ends.one.main.put1(COMMANDS, message, q_mgr_name="QM2")
    ends.drain()
    (reason,) = {unpack_cfh(data, mc.MQENC_NATIVE)[0].reason for data in ends.two.data("ANSWERS")}
    return reason


@pytest.fixture
def commanded(restricted: Ends) -> Ends:
    """Commands of channels are carried out at QM2, and the user may put them."""
    restricted.two.mqsc("DEFINE QLOCAL(ANSWERS)", "ALTER QMGR RCMDS(YES)")
    allow(restricted, COMMANDS, "PUT,SETALL")
    allow(restricted, "ANSWERS", "PUT")
    return restricted


def named(text: str, parameter: int = o.MQCA_Q_NAME) -> CFST:
    return CFST(parameter, text.encode())


def test_a_command_needs_the_authority_of_the_user_that_the_channel_runs_under(commanded: Ends) -> None:
    create = (c.MQCMD_CREATE_Q, named("PLANTED"), CFIN(o.MQIA_Q_TYPE, o.MQQT_LOCAL))
    assert send_command(commanded, *create) == MQRC_NOT_AUTHORIZED
    assert "PLANTED" not in queue_names(commanded.two.main)
    allow(commanded, "PLANTED", "CRT")
    assert send_command(commanded, *create) == 0
    assert send_command(commanded, c.MQCMD_DELETE_Q, named("PLANTED")) == MQRC_NOT_AUTHORIZED


def test_an_inquiry_needs_authority_to_display(commanded: Ends) -> None:
    assert send_command(commanded, c.MQCMD_INQUIRE_Q, named("ORDERS")) == MQRC_NOT_AUTHORIZED
    allow(commanded, "ORDERS", "DSP")
    assert send_command(commanded, c.MQCMD_INQUIRE_Q, named("ORDERS")) == 0
    assert send_command(commanded, c.MQCMD_INQUIRE_Q, named("ORD*")) == MQRC_NOT_AUTHORIZED
    commanded.two.mqsc(f"SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('{USER}') AUTHADD(DSP)")
    assert send_command(commanded, c.MQCMD_INQUIRE_Q, named("ORD*")) == 0
    assert send_command(commanded, c.MQCMD_CHANGE_Q_MGR) == MQRC_NOT_AUTHORIZED


def test_a_reply_lies_on_no_queue_that_the_user_may_not_put_to(commanded: Ends) -> None:
    commanded.two.mqsc("DEFINE QLOCAL(PAYROLL)")
    md = MQMD(msg_type=mc.MQMT_REQUEST, format="MQADMIN", reply_to_q="PAYROLL", reply_to_q_mgr="QM2", persistence=1)
    ping = pack_pcf(CFH(c.MQCMD_PING_Q_MGR), [], mc.MQENC_NATIVE)
    commanded.one.main.put1(COMMANDS, Message(ping, md), q_mgr_name="QM2")
    commanded.drain()
    assert commanded.two.data("PAYROLL") == []
    assert commanded.two.data(COMMANDS) == []


def test_nobody_but_the_owner_grants_authority_by_a_command(commanded: Ends) -> None:
    allow(commanded, "**", "ALL")
    commanded.two.mqsc(f"SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('{USER}') AUTHADD(ALL)")
    grant = named("**", c.MQCACF_AUTH_PROFILE_NAME), CFIN(c.MQIACF_OBJECT_TYPE, o.MQOT_Q)
    assert send_command(commanded, c.MQCMD_SET_AUTH_REC, *grant) == MQRC_NOT_AUTHORIZED
    escape = named(CHANNEL, c.MQCACH_CHANNEL_NAME), named("", c.MQCACH_MCA_USER_ID)
    assert send_command(commanded, c.MQCMD_CHANGE_CHANNEL, *escape) == MQRC_NOT_AUTHORIZED
