"""Channel authentication records where a channel accepts a caller: who is refused, and that nothing is lost."""

from __future__ import annotations

import socket
from threading import Thread

from mqtools.admin import channels
from mqtools.admin.channel_authentication import records
from mqtools.admin.mqsc.run import run_mqsc
from mqtools.channel import caller, frames
from mqtools.channel.acceptor import Origin, serve
from mqtools.channel.link import Link
from mqtools.channel.protocol import Accept
from mqtools.channel.streams import SocketStream
from mqtools.constants.reasons import MQRC_NOT_AUTHORIZED
from mqtools.errors import MQError
from mqtools.rules.security.channel_authentication import AuthenticationRecord

from .conftest import HELLO, Ends, fails

NOBODY = "SET CHLAUTH('*') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS)"


def accepts(ends: Ends, origin: Origin) -> bool:
    """Whether QM2 accepts QM1 as the caller of its receiver, from a place; if not, it is not authorized."""
    ours, theirs = socket.socketpair()

    def run() -> None:
        try:
            serve(ends.two.connect_apart, Link(SocketStream(theirs)), origin=origin, note=ends.notes.append)
        except MQError:
            return  # the caller was told

    thread = Thread(target=run)
    thread.start()
    link = Link(SocketStream(ours))
    link.send(frames.HELLO, HELLO)
    try:
        link.expect(frames.ACCEPT, Accept, timeout_s=60)
        return True
    except MQError as error:
        if error.reason != MQRC_NOT_AUTHORIZED:
            raise
        return False
    finally:
        link.close()
        thread.join()


def test_a_refused_caller_is_told_why_and_loses_nothing(ends: Ends) -> None:
    ends.two.mqsc(NOBODY)
    ends.one.put("kept")
    with fails(MQRC_NOT_AUTHORIZED) as caught:
        ends.drain()
    assert "QM1.TO.QM2 of QM2 refuses queue manager QM1: blocked by a channel authentication record" in str(
        caught.value
    )
    assert "NOACCESS" not in str(caught.value)
    assert ends.notes == ["channel QM1.TO.QM2: queue manager QM1 is refused by CHLAUTH(*) TYPE(ADDRESSMAP) ADDRESS(*)"]
    assert (ends.one.depth("QM2"), ends.two.depth(), ends.one.status().state) == (1, 0, channels.INACTIVE)
    ends.two.mqsc("SET CHLAUTH('QM1.TO.QM2') TYPE(QMGRMAP) QMNAME(QM1) USERSRC(CHANNEL)")
    ends.drain()
    assert ends.two.data() == [b"kept"]


def test_disabled_records_refuse_nobody(ends: Ends) -> None:
    ends.two.mqsc(NOBODY, "ALTER QMGR CHLAUTH(DISABLED)")
    ends.one.put("free")
    ends.drain()
    assert ends.two.data() == [b"free"]


def test_a_ping_is_refused_like_any_caller(ends: Ends) -> None:
    ends.two.mqsc(NOBODY)
    with fails(MQRC_NOT_AUTHORIZED):
        caller.ping(ends.one.main, "QM1.TO.QM2", note=ends.notes.append)


def test_an_address_decides(ends: Ends) -> None:
    ends.two.mqsc(NOBODY, "SET CHLAUTH('QM1.*') TYPE(ADDRESSMAP) ADDRESS('10.0.0.*') USERSRC(CHANNEL)")
    assert accepts(ends, Origin("10.0.0.7"))
    assert not accepts(ends, Origin("10.0.1.7"))
    ends.two.mqsc("SET CHLAUTH('*') TYPE(BLOCKADDR) ADDRLIST('10.0.0.7')")
    assert not accepts(ends, Origin("10.0.0.7"))
    assert accepts(ends, Origin("10.0.0.8"))


def test_the_user_that_the_kernel_names_decides(ends: Ends) -> None:
    ends.two.mqsc(NOBODY, "SET CHLAUTH('*') TYPE(USERMAP) CLNTUSER('ana') USERSRC(CHANNEL)")
    assert accepts(ends, Origin(user="ana"))
    assert not accepts(ends, Origin(user="bob"))
    assert not accepts(ends, Origin("10.0.0.1"))


def test_a_channel_without_a_user_is_blocked_as_that_of_the_owner(ends: Ends) -> None:
    assert accepts(ends, Origin())  # the record of every new queue manager is for clients
    ends.two.mqsc("SET CHLAUTH('*') TYPE(BLOCKUSER) USERLIST('*MQADMIN')")
    assert not accepts(ends, Origin())
    ends.two.mqsc("SET CHLAUTH('*') TYPE(BLOCKUSER) USERLIST('*MQADMIN') ACTION(REMOVEALL)")
    assert accepts(ends, Origin())


def test_warn_lets_in_and_is_noted(ends: Ends) -> None:
    ends.two.mqsc(NOBODY + " WARN(YES)")
    assert accepts(ends, Origin("10.0.0.7"))
    assert any("at 10.0.0.7 would be refused but for WARN(YES)" in note for note in ends.notes)


def own_records(ends: Ends) -> list[AuthenticationRecord]:
    """The records of QM2 without those of every new queue manager."""
    return [each for each in records(ends.two.main.db) if not each.description.startswith("Default rule")]


def test_entries_are_added_to_a_list_and_removed_from_it(ends: Ends) -> None:
    ends.two.mqsc(
        "SET CHLAUTH('*') TYPE(BLOCKADDR) ADDRLIST('10.0.0.1', '10.0.0.2')",
        "SET CHLAUTH('*') TYPE(BLOCKADDR) ADDRLIST('10.0.0.3,10.0.0.2')",
        "SET CHLAUTH('*') TYPE(BLOCKADDR) ADDRLIST('10.0.0.1') ACTION(REMOVE)",
    )
    (record,) = own_records(ends)
    assert record.addresses == ("10.0.0.2", "10.0.0.3")
    ends.two.mqsc("SET CHLAUTH('*') TYPE(BLOCKADDR) ADDRLIST('10.0.0.3', '10.0.0.2') ACTION(REMOVE)")
    assert own_records(ends) == []


def test_a_map_is_added_once_replaced_and_removed(ends: Ends) -> None:
    text = "SET CHLAUTH('A') TYPE(QMGRMAP) QMNAME(QM1) MCAUSER('app')"
    ends.two.mqsc(text)
    assert run_mqsc(ends.two.main, text).failed == 1
    ends.two.mqsc(text.replace("app", "web") + " ACTION(REPLACE)")
    assert [each.mca_user for each in own_records(ends)] == ["web"]
    ends.two.mqsc("SET CHLAUTH('A') TYPE(QMGRMAP) QMNAME(QM1) ACTION(REMOVE)")
    assert own_records(ends) == []
    assert run_mqsc(ends.two.main, text + " ACTION(REMOVE)").failed == 1
