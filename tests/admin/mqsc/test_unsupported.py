"""MQSC of IBM MQ that mqx lacks: left out where the text may have it, else refused in clear words."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqtools.admin.mqsc.run import run_mqsc

from .mqsc_story import attributes, only, run

DUMPED = Path(__file__).with_name("dumped.mqsc").read_text(encoding="utf-8")


def test_all_that_dmpmqcfg_writes_is_taken_and_what_is_left_out_is_named(connection):
    report = run_mqsc(connection, DUMPED, skips_unsupported=True)
    assert [each.messages for each in report.commands if each.outcome not in ("ok", "skipped")] == []
    assert report.skipped[0].startswith("line 9: ACTIVREC ")
    assert report.skipped[1:] == [
        "line 105: CLCHNAME STREAMQ(ORDERS.COPY)",
        "line 162: CLCHNAME",
        "line 178: DEFTYPE(SHAREDYN)",
        "line 231: SPLPROT",
        "line 279: DEFINE CHANNEL('SYSTEM.DEF.CLUSRCVR') CHLTYPE(CLUSRCVR)",
        "line 291: DEFINE CHANNEL('SYSTEM.DEF.CLUSSDR') CHLTYPE(CLUSSDR)",
        "line 295: DEFINE CHANNEL('SYSTEM.DEF.AMQP') CHLTYPE(AMQP)",
        "line 306: COMPHDR(SYSTEM,NONE) COMPMSG(ZLIBFAST) MREXIT(/opt/exits/retry(Retry)) SSLCAUTH(OPTIONAL)",
        "line 359: DEFINE COMMINFO('SYSTEM.DEFAULT.COMMINFO.MULTICAST')",
        "line 389: DEFINE SUB('SYSTEM.DEFAULT.SUB')",
        "line 416: SET AUTHREC PROFILE('@class')",
        "line 421: AUTHADD(SYSTEM) AUTHADD(CTRL)",
        "line 426: AUTHADD(CLR) AUTHADD(CTRL)",
        "line 436: SET AUTHREC OBJTYPE(CHANNEL)",
        "line 441: SET AUTHREC OBJTYPE(RQMNAME)",
        "line 446: CUSTOM",
        "line 453: CUSTOM",
        "line 461: SSLCERTI",
        "line 469: SET POLICY('SECRET')",
    ]
    assert attributes(connection, "ORDERS", "BOTHRESH", "DESCR", "STREAMQ") == ["3", "Orders of the shop", ""]
    (granted,) = run(connection, "DISPLAY AUTHREC OBJTYPE(QUEUE)")
    assert granted.attributes["AUTHLIST"] == "BROWSE,GET,INQ,PUT"


VALID = """
DEFINE QLOCAL(Q) IGNSTATE(YES) CMDSCOPE(' ') QSGDISP(QMGR) CFSTRUCT(' ') STGCLASS('DEFAULT') INDXTYPE(NONE)
ALTER QL(Q) CLUSTER(C) CLCHNAME(' ') OTELTRAC(QMGR) FORCE
DEFINE CHANNEL(C) CHLTYPE(SVRCONN) PUTAUT(ONLYMCA) DEFCDISP(PRIVATE) TRPTYPE(LU62) SPLPROT(PASSTHRU)
ALTER CHL(SYSTEM.DEF.SVRCONN) CHLTYPE(SVRCONN) MAXINST(10) COMPMSG(ANY) RCVEXIT('a(b)','c(d)')
DEFINE TOPIC(T) TOPICSTR('a') CLROUTE(DIRECT) QSGDISP(QMGR)
DEFINE SUB(S) LIKE(SYSTEM.DEFAULT.SUB) TOPICSTR('a') DESTCLAS(MANAGED)
DEFINE LISTENER(L) TRPTYPE(TCP) PORT(1414) CONTROL(QMGR)
START LISTENER(L) IGNSTATE(YES)
DISPLAY LSSTATUS(*)
DISPLAY QUEUE(*) CLUSQMGR CLUSTER CLUSDATE
DISPLAY QUEUE(*) WHERE(STGCLASS EQ 'DEFAULT')
DISPLAY QUEUE(*) TYPE(QCLUSTER)
DISPLAY QUEUE(Q) CMDSCOPE(*) QSGDISP(ALL) ALL
DISPLAY QMGR CONNAUTH VERSION QMNAME
DISPLAY QMGR PUBSUB
DISPLAY QSTATUS(Q) TYPE(QUEUE) MSGAGE QTIME MONITOR
DISPLAY QSTATUS(Q) QTIME PSBNAME IPPROCS
DISPLAY CONN(*) TYPE(ALL) ALL
DISPLAY CONN(*) WHERE(CHANNEL NE 'C')
DISPLAY CHANNEL(*) CHLTYPE(ALL) SPLPROT
DISPLAY CHANNEL(*) TYPE(CLUSSDR)
SET CHLAUTH('*') TYPE(BLOCKUSER) USERLIST('*MQADMIN') CUSTOM(' ')
DISPLAY CHLAUTH(*) TYPE(BLOCKUSER) CHCKCLNT
DISPLAY TOPIC(*) CLUSINFO TOPICSTR
DISPLAY SECURITY ALL
DISPLAY PUBSUB TYPE(ALL)
DISPLAY POLICY(*)
REFRESH SECURITY TYPE(CONNAUTH)
REFRESH SECURITY(*)
REF QMGR TYPE(CONFIGEV) OBJECT(ALL)
REFRESH CLUSTER(*) REPOS(YES)
RVERIFY SECURITY('user')
START CHINIT INITQ(SYSTEM.CHANNEL.INITQ)
DEFINE CHANNEL(R) CHLTYPE(RCVR) MREXIT('retry(Retry)')
STOP CHANNEL(R) MODE(FORCE) STATUS(INACTIVE)
SUSPEND QMGR CLUSTER(C)
SET AUTHREC OBJTYPE(NAMELIST) PROFILE('**') GROUP('g') AUTHADD(INQ)
SET AUTHREC PROFILE('Q') OBJTYPE(QUEUE) GROUP('g') AUTHADD(GET) SERVCOMP('MQSeries.UNIX.auth.service')
SET CHLAUTH(C) TYPE(ADDRESSMAP) ADDRESS('10.*') USERSRC(CHANNEL) CHCKCLNT(REQUIRED) ACTION(REPLACE)
ALTER AUTHINFO(SYSTEM.DEFAULT.AUTHINFO.IDPWOS) AUTHTYPE(IDPWOS) CHCKCLNT(OPTIONAL)
ALTER QMGR CHLAUTH(DISABLED) CONNAUTH(' ') SSLKEYR('/k') EXPRYINT(60)
CLEAR TOPICSTR('a') CLRTYPE(RETAINED)
DELETE QLOCAL(Q) PURGE IGNSTATE(YES)
DELETE CHANNEL(C) CHLTABLE(QMGRTBL)
""".strip().splitlines()


def test_valid_mqsc_is_taken_with_what_is_left_out_named(connection):
    report = run_mqsc(connection, "\n".join(VALID), skips_unsupported=True)
    assert [each.messages for each in report.commands if each.outcome not in ("ok", "skipped")] == []


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("DEFINE QLOCAL(Q) STREAMQ(COPY)", "mqx does not have STREAMQ(COPY)"),
        ("DEFINE QLOCAL(Q) STGCLASS(S)", "mqx does not have STGCLASS"),
        ("DISPLAY QUEUE(*) CLUSQMGR", "mqx does not have CLUSQMGR"),
        ("SET CHLAUTH('C') TYPE(BLOCKUSER) USERLIST('a') SSLCERTI('C')", "mqx does not have SSLCERTI"),
        ("SET AUTHREC OBJTYPE(QMGR) GROUP('g') AUTHADD(CTRL)", "mqx does not have AUTHADD(CTRL)"),
    ],
)
def test_without_the_option_what_mqx_lacks_is_a_mistake_in_clear_words(connection, command, words):
    report = run_mqsc(connection, command)
    assert [mistake.text for mistake in report.mistakes] == [words]
    assert report.has_unsupported


@pytest.mark.parametrize(
    "command",
    [
        "DEFINE QLOCAL(Q) MAXDEPHT(5)",
        "DEFINE QLOCAL(Q) MAXDEPTH(many)",
        "DEFINE CHANNEL(C) CHLTYPE(SNDR)",
        "DEFINE CHANNEL(C) CHLTYPE(RCVR) SSLCAUTH(MAYBE)",
        "SET AUTHREC OBJTYPE(QUEUE) PROFILE(Q) GROUP('g') AUTHADD(FLY)",
        "DISPLAY QUEUE(*) ZZZZ",
        "DEFINE CHSTATUS(C)",
    ],
)
def test_the_option_hides_no_mistake(connection, command):
    assert run_mqsc(connection, command, skips_unsupported=True).syntax_errors == 1


@pytest.mark.parametrize("command", ["REFRESH QMGR", "RVERIFY SECURITY('a')", "START CMDSERV"])
def test_what_changes_nothing_is_accepted(connection, command):
    assert only(connection, command).messages[0].endswith("accepted; it changes nothing")
