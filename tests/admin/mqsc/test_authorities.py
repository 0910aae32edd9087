"""SET, DELETE and DISPLAY AUTHREC, and DISPLAY ENTAUTH."""

from __future__ import annotations

import pytest

from mqtools.admin.mqsc.run import check_mqsc, run_mqsc
from mqtools.mqi.connection import Connection
from mqtools.mqi.file_owner import owner_name

from ...mqi.conftest import QM


@pytest.mark.parametrize(
    ("command", "mistake"),
    [
        ("SET AUTHREC PROFILE(Q) PRINCIPAL('a') AUTHADD(PUT)", "needs OBJTYPE"),
        ("SET AUTHREC OBJTYPE(QUEUE) PRINCIPAL('a') AUTHADD(PUT)", "needs PROFILE"),
        ("SET AUTHREC PROFILE('A B') OBJTYPE(QUEUE) PRINCIPAL('a') AUTHADD(PUT)", "not a queue name"),
        ("SET AUTHREC PROFILE(Q) OBJTYPE(QUEUE) AUTHADD(PUT)", "needs PRINCIPAL or GROUP"),
        ("SET AUTHREC PROFILE(Q) OBJTYPE(QUEUE) PRINCIPAL('a')", "needs AUTHADD or AUTHRMV"),
        ("SET AUTHREC PROFILE(Q) OBJTYPE(QUEUE) PRINCIPAL('a') AUTHADD(PUT,FLY)", "FLY is not an authority on a QUEUE"),
        ("SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('a') AUTHADD(PUT)", "PUT is not an authority on a QMGR"),
        ("SET AUTHREC OBJTYPE(CHANNEL) PRINCIPAL('a') AUTHADD(ALL)", "mqx does not have OBJTYPE(CHANNEL)"),
        ("SET AUTHREC OBJTYPE(Q) PRINCIPAL('a') AUTHADD(ALL)", "OBJTYPE must be one of QUEUE QMGR"),
        ("SET AUTHREC OBJTYPE(QMGR) PRINCIPAL(' ') AUTHADD(ALL)", "1 to 64 characters"),
        ("DISPLAY ENTAUTH OBJTYPE(QUEUE) PRINCIPAL('a')", "needs OBJNAME"),
        ("DISPLAY ENTAUTH OBJTYPE(QMGR)", "needs OBJTYPE and PRINCIPAL"),
    ],
)
def test_mistakes_are_found_before_anything_is_set(command: str, mistake: str) -> None:
    (report,) = check_mqsc(command).commands
    assert mistake in " ".join(each.text for each in report.mistakes)


def shown(connection: Connection, command: str) -> list[dict[str, str | None]]:
    return [item.attributes for item in run_mqsc(connection, command).commands[0].objects]


@pytest.fixture
def recorded(qm: QM) -> Connection:
    report = run_mqsc(
        qm.main,
        "SET AUTHREC PROFILE('ORDERS.**') OBJTYPE(QUEUE) PRINCIPAL('ana','ben') AUTHADD(PUT,GET,BROWSE)\n"
        "SET AUTHREC PROFILE('ORDERS.**') OBJTYPE(QUEUE) PRINCIPAL('ana') AUTHADD(INQ) AUTHRMV(GET)\n"
        "SET AUTHREC PROFILE('ORDERS.SECRET') OBJTYPE(QUEUE) GROUP('clerks') AUTHADD(NONE)\n"
        "SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('ana') AUTHADD(CONNECT, INQ)\n",
    )
    assert not report.failed
    assert not report.mistakes
    return qm.main


def test_authorities_are_added_and_removed(recorded: Connection) -> None:
    (record,) = shown(recorded, "DISPLAY AUTHREC PROFILE('ORDERS.**') PRINCIPAL('ana')")
    assert record == {
        "PROFILE": "ORDERS.**", "ENTITY": "ana", "ENTTYPE": "PRINCIPAL", "OBJTYPE": "QUEUE",
        "AUTHLIST": "BROWSE,INQ,PUT",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("command", "entities"),
    [
        ("DISPLAY AUTHREC", ["clerks", "ana", "ana", "ben"]),
        ("DISPLAY AUTHREC OBJTYPE(QMGR)", ["ana"]),
        ("DISPLAY AUTHREC PROFILE(ORDERS.SECRET)", ["clerks", "ana", "ben"]),
        ("DISPLAY AUTHREC PROFILE(ORDERS.SECRET) MATCH(EXACT)", ["clerks"]),
        ("DISPLAY AUTHREC PROFILE('ORDERS*') GROUP('clerks')", ["clerks"]),
        ("DISPLAY AUTHREC PROFILE(NONE)", []),
    ],
)
def test_display_chooses_records(recorded: Connection, command: str, entities: list[str]) -> None:
    assert sorted(str(each["ENTITY"]) for each in shown(recorded, command)) == sorted(entities)


def test_entauth_shows_what_a_user_has_in_the_end(recorded: Connection) -> None:
    (found,) = shown(recorded, "DISPLAY ENTAUTH OBJTYPE(QUEUE) OBJNAME(ORDERS.NEW.EU) PRINCIPAL('ana')")
    assert (found["OBJNAME"], found["AUTHLIST"]) == ("ORDERS.NEW.EU", "BROWSE,INQ,PUT")
    (nothing,) = shown(recorded, "DISPLAY ENTAUTH OBJTYPE(QUEUE) OBJNAME(BILLS) PRINCIPAL('ana')")
    assert nothing["AUTHLIST"] == "NONE"
    (owner,) = shown(recorded, f"DISPLAY ENTAUTH OBJTYPE(QMGR) PRINCIPAL('{owner_name(recorded.db)}')")
    assert "CONNECT" in str(owner["AUTHLIST"])


def test_a_record_is_deleted_once(recorded: Connection) -> None:
    text = "DELETE AUTHREC PROFILE('ORDERS.**') OBJTYPE(QUEUE) PRINCIPAL('ana')"
    assert not run_mqsc(recorded, text).failed
    assert run_mqsc(recorded, text).failed == 1
