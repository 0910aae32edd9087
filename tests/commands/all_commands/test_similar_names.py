"""A name that is not there: the error names it, and the hint the similar one that is there."""

from __future__ import annotations

import pytest

Q = "DEV.QUEUE.1"


@pytest.mark.parametrize(
    ("line", "status", "meant"),
    [
        (["get", "DEV.QEUE.1"], 5, Q),
        (["stats", "DEV.QEUE.1"], 5, Q),
        (["tui", "DEV.QEUE.1"], 5, Q),
        (["diff", "DEV.QEUE.1", Q], 5, Q),
        (["mqsc", "DELETE QLOCAL(DEV.QEUE.1)"], 5, Q),
        (["mqsc", "DELETE TOPIC(SPROTS)"], 5, "SPORTS"),
        (["mqsc", "ALTER NAMELIST(NAME) NAMES(A)"], 5, "NAMES"),
        (["mqsc", f"ALTER QLOCAL({Q}) MAXDEPHT(3)"], 2, "MAXDEPTH"),
        (["channel", "start", "QM1.TO.QM3"], 5, "QM1.TO.QM2"),
        (["qmgr", "dislpay"], 2, "display"),
        (["channel", "statsu"], 2, "status"),
        (["get", Q, "--msgid", "3"], 2, "--msg-id"),
        (["browse", Q, "--reason", "MQRC_Q_FUL"], 2, "MQRC_Q_FULL"),
        (["browse", Q, "--reason", "mqfb_expiraton"], 2, "MQFB_EXPIRATION"),
        (["browse", Q, "--where", "Root.MQMD.Prioriy = 3"], 2, "Root.MQMD.Priority"),
        (["man", "gett"], 2, "get"),
    ],
)
def test_the_similar_name_is_in_the_hint(qm, mqx, line, status, meant):
    mqx("mqsc", "DEFINE CHANNEL(QM1.TO.QM2) CHLTYPE(RCVR)", "DEFINE TOPIC(SPORTS) TOPICSTR('sports')", check=True)
    mqx("mqsc", "DEFINE NAMELIST(NAMES)", check=True)
    done = mqx(*line)
    assert (done.status, done.out if line[0] != "mqsc" else b"") == (status, b"")
    assert f"did you mean {meant}?" in (done.err + done.out.decode())


def test_an_unknown_subcommand_is_told_as_an_unknown_command_is(mqx):
    assert mqx("qmgr", "xyzzy").err == "mqx: qmgr: no such command: xyzzy\nhint: mqx qmgr --help\n"
    assert mqx("trash", "lst").err == "mqx: trash: no such command: lst\nhint: did you mean list?\n"
