"""Commands in PCF that a channel brings: refused on every way to the command queue, unless RCMDS(YES)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from mqtools.channel import frames
from mqtools.channel.protocol import Accept
from mqtools.channel.transport import call, parse_address
from mqtools.constants import cmqcfc as c
from mqtools.constants import objects as o
from mqtools.constants.message import MQENC_NATIVE, MQMT_REQUEST
from mqtools.constants.reasons import MQRC_NOT_AUTHORIZED
from mqtools.dlq.dry_run import dry_run
from mqtools.dlq.handler import Handler
from mqtools.dlq.redrive import Redrive, plan
from mqtools.dlq.rules_table import parse_rules_table
from mqtools.headers.chain import prefix_dlh, read_dlh, strip_dlh
from mqtools.headers.pcf import CFH, CFIN, CFST
from mqtools.headers.pcf_bytes import pack_pcf, unpack_cfh
from mqtools.message import MQMD, Message
from mqtools.mqi.put import PutResult
from mqtools.operations import move, selection

from ..rows import keys, queue_names
from .conftest import HELLO, Ends, fails

COMMANDS = "SYSTEM.ADMIN.COMMAND.QUEUE"
COMMAND = pack_pcf(
    CFH(c.MQCMD_CREATE_Q),
    [CFST(o.MQCA_Q_NAME, b"PLANTED"), CFIN(o.MQIA_Q_TYPE, o.MQQT_LOCAL)],
    MQENC_NATIVE,
)


def command(ends: Ends, q_name: str = COMMANDS, *, persistence: int = 1) -> None:
    """Send a command from QM1 to a queue name at QM2."""
    md = MQMD(
        msg_type=MQMT_REQUEST,
        format="MQADMIN",
        reply_to_q="REPLIES",
        reply_to_q_mgr="QM2",
        persistence=persistence,
    )
    ends.one.main.put1(q_name, Message(COMMAND, md), q_mgr_name="QM2")


def was_carried_out(ends: Ends) -> bool:
    return "PLANTED" in queue_names(ends.two.main)


def reply_reasons(ends: Ends) -> list[int]:
    return [unpack_cfh(data, MQENC_NATIVE)[0].reason for data in ends.two.data("REPLIES")]


@pytest.fixture
def served(ends: Ends) -> Ends:
    """QM2 has a command queue, and other names for it."""
    ends.two.mqsc(
        "DEFINE QLOCAL(REPLIES)",
        f"DEFINE QALIAS(ALIAS) TARGET({COMMANDS})",
        f"DEFINE QREMOTE(REMOTE) RNAME({COMMANDS}) RQMNAME(QM2)",
    )
    return ends


@pytest.mark.parametrize("persistence", [0, 1])
@pytest.mark.parametrize("q_name", [COMMANDS, "ALIAS", "REMOTE"])
def test_a_command_that_a_channel_brings_is_dead_lettered(served: Ends, q_name: str, persistence: int) -> None:
    command(served, q_name, persistence=persistence)
    served.drain()
    assert not was_carried_out(served)
    (dead,) = served.two.got("DLQ")
    assert read_dlh(dead.message.md, dead.message.data).reason == MQRC_NOT_AUTHORIZED
    assert strip_dlh(dead.message.md, dead.message.data)[1] == COMMAND
    assert (served.two.depth(COMMANDS), served.two.depth("REPLIES")) == (0, 0)


@pytest.mark.parametrize("q_name", [COMMANDS, "ALIAS", "REMOTE"])
def test_a_command_that_a_channel_brings_is_carried_out_where_rcmds_says_so(served: Ends, q_name: str) -> None:
    served.two.mqsc("ALTER QMGR RCMDS(YES)")
    command(served, q_name)
    served.drain()
    assert was_carried_out(served)
    assert reply_reasons(served) == [0]


def test_a_command_that_waits_is_refused_when_rcmds_is_no_by_then(served: Ends) -> None:
    served.two.mqsc("ALTER QMGR RCMDS(YES)", f"ALTER QLOCAL({COMMANDS}) GET(DISABLED)")
    command(served)
    served.drain()
    served.two.mqsc("ALTER QMGR RCMDS(NO)", f"ALTER QLOCAL({COMMANDS}) GET(ENABLED)")
    ping = pack_pcf(CFH(c.MQCMD_PING_Q_MGR), [], MQENC_NATIVE)
    served.two.main.put1(COMMANDS, Message(ping, MQMD(msg_type=MQMT_REQUEST, format="MQADMIN", reply_to_q="REPLIES")))
    assert not was_carried_out(served)
    assert reply_reasons(served) == [MQRC_NOT_AUTHORIZED, 0]


def test_a_dead_letter_queue_that_is_the_command_queue_is_no_way_in(served: Ends) -> None:
    served.two.mqsc(f"ALTER QMGR DEADQ({COMMANDS})")
    command(served, "UNKNOWN")
    with fails(2283):
        served.drain()
    assert served.two.depth(COMMANDS) == 0


def forge_dead_letter(ends: Ends) -> None:
    """Send a dead letter from QM1 whose header asks for the command queue, to the dead-letter queue of QM2."""
    md = MQMD(msg_type=MQMT_REQUEST, format="MQADMIN", reply_to_q="REPLIES", reply_to_q_mgr="QM2", persistence=1)
    md.coded_char_set_id = 1208
    dead, data = prefix_dlh(
        md, COMMAND, reason=2053, dest_q_name=COMMANDS, dest_q_mgr_name="QM2", put_appl_type=6,
        put_appl_name="x", put_date="20260101", put_time="00000000",
    )  # fmt: skip
    ends.one.main.put1("DLQ", Message(data, dead), q_mgr_name="QM2")
    ends.drain()


def handle(ends: Ends) -> None:
    table = parse_rules_table("REASON(*) ACTION(RETRY)\n")
    rows = list(dry_run(ends.two.main, table, "DLQ"))
    assert [row["fails"] for row in rows] == ["MQRC_NOT_AUTHORIZED"]
    Handler(ends.two.main, table, "DLQ", once=True, say=ends.notes.append).run()


def redrive(ends: Ends) -> None:
    todo = plan(ends.two.main, "DLQ", selection.Selection())
    balance = Redrive(ends.two.main, todo, say=lambda *_: None).run()
    assert list(balance.failed) == [((COMMANDS, "QM2"), MQRC_NOT_AUTHORIZED)]


@pytest.mark.parametrize("way", [handle, redrive])
def test_a_dead_letter_is_not_put_back_on_the_command_queue(served: Ends, way: Callable[[Ends], None]) -> None:
    forge_dead_letter(served)
    way(served)
    assert not was_carried_out(served)
    assert (served.two.depth("DLQ"), served.two.depth(COMMANDS)) == (1, 0)


def test_a_dead_letter_is_put_back_and_carried_out_where_rcmds_says_so(served: Ends) -> None:
    forge_dead_letter(served)
    served.two.mqsc("ALTER QMGR RCMDS(YES)")
    todo = plan(served.two.main, "DLQ", selection.Selection())
    Redrive(served.two.main, todo, say=lambda *_: None).run()
    assert was_carried_out(served)


@pytest.mark.parametrize("keeps_original", [False, True], ids=["move", "copy"])
def test_what_a_channel_brought_elsewhere_is_not_moved_to_the_command_queue(served: Ends, keeps_original: bool) -> None:
    command(served, "ORDERS")
    served.drain()
    main = served.two.main
    done = move.carry_batch(main, move.Route("ORDERS", COMMANDS, keeps_original=keeps_original), keys(main, "ORDERS"))
    assert done.error is not None
    assert done.error.reason == MQRC_NOT_AUTHORIZED
    assert not was_carried_out(served)


def test_a_command_of_a_local_program_is_carried_out_whatever_rcmds_says(served: Ends) -> None:
    md = MQMD(msg_type=MQMT_REQUEST, format="MQADMIN", reply_to_q="REPLIES")
    result: PutResult = served.two.main.put1(COMMANDS, Message(COMMAND, md))
    assert result.reason == 0
    assert was_carried_out(served)


@pytest.mark.parametrize("name", ["SYSTEM.DEF.RECEIVER", "SYSTEM.DEF.REQUESTER", "CLIENTS"])
def test_a_channel_that_is_a_definition_only_lets_nobody_in(ends: Ends, name: str) -> None:
    ends.two.mqsc("DEFINE CHANNEL(CLIENTS) CHLTYPE(SVRCONN)")
    with call(parse_address(f"qmgr:{ends.two.path}"), {}, ends.notes.append) as link:
        link.send(frames.HELLO, replace(HELLO, channel=name))
        with fails(2043):
            link.expect(frames.ACCEPT, Accept, timeout_s=60)
