"""The records of access as MQSC: what is written makes the same records."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from mqtools.admin import queue_managers
from mqtools.admin.access_export import access_commands
from mqtools.admin.channel_authentication import records
from mqtools.admin.mqsc.run import run_mqsc
from mqtools.mqi import authority
from mqtools.mqi.connection import Connection, connect

from ..mqi.conftest import QM

SET = """
SET CHLAUTH('*') TYPE(BLOCKADDR) ADDRLIST('10.0.0.1', '10.1.*')
SET CHLAUTH('A.*') TYPE(BLOCKUSER) USERLIST('*MQADMIN', 'it''s me')
SET CHLAUTH('A.*') TYPE(ADDRESSMAP) ADDRESS('10.0.0.1-9') USERSRC(NOACCESS) WARN(YES) DESCR('nobody')
SET CHLAUTH(A.B) TYPE(SSLPEERMAP) SSLPEER('CN=A,O="B, C"') ADDRESS('10.*') MCAUSER('app')
SET CHLAUTH(A.B) TYPE(QMGRMAP) QMNAME('QM*') USERSRC(CHANNEL)
SET CHLAUTH(A.B) TYPE(USERMAP) CLNTUSER('ana') MCAUSER('app')
SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('app') AUTHADD(CONNECT, DSP)
SET AUTHREC PROFILE('ORDERS.**') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(ALL)
SET AUTHREC PROFILE(ORDERS.SECRET) OBJTYPE(QUEUE) GROUP('clerks') AUTHADD(NONE)
"""


def access_of(connection: Connection) -> tuple[object, object]:
    found = [replace(record, alteration_date="", alteration_time="") for record in records(connection.db)]
    return found, authority.records(connection.db)


def test_what_is_written_makes_the_same_records(qm: QM, tmp_path: Path) -> None:
    assert not run_mqsc(qm.main, SET).mistakes
    text = "\n".join(" ".join([begin, *words]) for begin, words in access_commands(qm.main.db))
    with connect(queue_managers.create(str(tmp_path / "COPY.db"))) as copy:
        for _ in range(2):
            report = run_mqsc(copy, text)
            assert (report.read, report.failed, report.mistakes) == (9, 0, [])
            assert access_of(copy) == access_of(qm.main)
