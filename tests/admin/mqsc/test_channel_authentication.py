"""SET CHLAUTH and DISPLAY CHLAUTH."""

from __future__ import annotations

import pytest

from mqtools.admin.mqsc.run import check_mqsc, run_mqsc
from mqtools.mqi.connection import Connection

from ...mqi.conftest import QM

SET = "SET CHLAUTH('QM1.*') TYPE"


@pytest.mark.parametrize(
    ("command", "mistake"),
    [
        ("SET CHLAUTH TYPE(BLOCKADDR) ADDRLIST('*')", "needs a channel name"),
        ("SET CHLAUTH('A B') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(CHANNEL)", "needs a channel name"),
        ("SET CHLAUTH('*')", "needs TYPE"),
        (f"{SET}(BLOCKADDR) ADDRLIST('1.2.3.4')", "for all channels"),
        ("SET CHLAUTH('*') TYPE(BLOCKADDR) ADDRLIST('example.org')", "not an IP address"),
        (f"{SET}(BLOCKUSER)", "needs USERLIST"),
        (f"{SET}(ADDRESSMAP) MCAUSER('a')", "needs ADDRESS"),
        (f"{SET}(ADDRESSMAP) ADDRESS('*')", "needs MCAUSER"),
        (f"{SET}(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS) MCAUSER('a')", "cannot be combined"),
        (f"{SET}(ADDRESSMAP) ADDRESS('*') QMNAME(QM1) MCAUSER('a')", "QMNAME is not a parameter"),
        (f"{SET}(SSLPEERMAP) SSLPEER('XX=1') MCAUSER('a')", "cannot be read at XX=1"),
        (f"{SET}(USERMAP) CLNTUSER('a') MCAUSER('{'x' * 65}')", "at most 64"),
        (f"{SET}(NOMAP) ADDRESS('*')", "TYPE must be one of"),
        ("DISPLAY CHLAUTH('A*') MATCH(RUNCHECK) ADDRESS('10.0.0.1') QMNAME(QM1)", "cannot be generic"),
        ("DISPLAY CHLAUTH(A) MATCH(RUNCHECK) QMNAME(QM1)", "needs ADDRESS"),
        ("DISPLAY CHLAUTH(A) MATCH(RUNCHECK) ADDRESS('10.0.0.1')", "needs QMNAME or CLNTUSER"),
    ],
)
def test_mistakes_are_found_before_anything_is_set(command: str, mistake: str) -> None:
    (report,) = check_mqsc(command).commands
    assert mistake in " ".join(each.text for each in report.mistakes)


def shown(connection: Connection, command: str) -> list[dict[str, str | None]]:
    report = run_mqsc(connection, command)
    return [item.attributes for item in report.commands[0].objects]


@pytest.fixture
def recorded(qm: QM) -> Connection:
    report = run_mqsc(
        qm.main,
        f"{SET}(ADDRESSMAP) ADDRESS('10.0.0.*') MCAUSER('net') DESCR('the network')\n"
        "SET CHLAUTH('QM1.TO.QM2') TYPE(QMGRMAP) QMNAME(QM1) MCAUSER('qm')\n"
        "SET CHLAUTH('*') TYPE(BLOCKUSER) USERLIST('nobody')\n",
    )
    assert not report.failed
    assert not report.mistakes
    return qm.main


def test_display_shows_the_attributes_of_the_type(recorded: Connection) -> None:
    (found,) = shown(recorded, "DISPLAY CHLAUTH('QM1.*') TYPE(ADDRESSMAP)")
    assert {**found, "ALTDATE": "", "ALTTIME": ""} == {
        "CHLAUTH": "QM1.*", "TYPE": "ADDRESSMAP", "DESCR": "the network", "ADDRESS": "10.0.0.*", "USERSRC": "MAP",
        "CHCKCLNT": "ASQMGR",
        "MCAUSER": "net", "WARN": "NO", "ALTDATE": "", "ALTTIME": "",
    }  # fmt: skip
    (listed,) = shown(recorded, "DISPLAY CHLAUTH(*) TYPE(BLOCKUSER) USERLIST")
    assert listed == {"CHLAUTH": "*", "TYPE": "BLOCKUSER", "USERLIST": "*MQADMIN,nobody"}


@pytest.mark.parametrize(
    ("command", "profiles"),
    [
        ("DISPLAY CHLAUTH(*)", ["QM1.*", "SYSTEM.*", "SYSTEM.ADMIN.SVRCONN", "*", "QM1.TO.QM2"]),
        ("DISPLAY CHLAUTH('QM1.*')", ["QM1.*", "QM1.TO.QM2"]),
        ("DISPLAY CHLAUTH('QM1.*') MATCH(EXACT)", ["QM1.*"]),
        ("DISPLAY CHLAUTH(QM1.TO.QM2) MATCH(ALL)", ["QM1.*", "*", "QM1.TO.QM2"]),
        ("DISPLAY CHLAUTH(*) WHERE(MCAUSER EQ 'qm')", ["QM1.TO.QM2"]),
        ("DISPLAY CHLAUTH(OTHER)", []),
    ],
)
def test_display_chooses_by_profile(recorded: Connection, command: str, profiles: list[str]) -> None:
    assert [each["CHLAUTH"] for each in shown(recorded, command)] == profiles


@pytest.mark.parametrize(
    ("caller", "decides"),
    [
        ("ADDRESS('10.0.0.1') QMNAME(QM1)", {"TYPE": "QMGRMAP", "MCAUSER": "qm"}),
        ("ADDRESS('10.0.0.1') QMNAME(QM9)", {"TYPE": "ADDRESSMAP", "MCAUSER": "net"}),
        ("ADDRESS('10.1.0.1') CLNTUSER('ana')", {"TYPE": "BLOCKUSER", "MCAUSER": None}),
    ],
)
def test_runcheck_shows_the_record_that_decides(
    recorded: Connection, caller: str, decides: dict[str, str | None]
) -> None:
    (found,) = shown(recorded, f"DISPLAY CHLAUTH(QM1.TO.QM2) MATCH(RUNCHECK) {caller}")
    assert {keyword: found.get(keyword) for keyword in decides} == decides


def test_runcheck_without_a_record_says_under_whom_the_channel_runs(qm: QM) -> None:
    report = run_mqsc(qm.main, "DISPLAY CHLAUTH(A.B) MATCH(RUNCHECK) ADDRESS('10.0.0.1') QMNAME(QM1)")
    assert "the channel runs under the owner" in report.commands[0].messages[1]
