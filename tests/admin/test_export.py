"""Export of definitions as MQSC: what it recreates is exported as the same text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqtools.admin import queue_managers
from mqtools.admin.export import export_definitions
from mqtools.admin.mqsc.run import run_mqsc
from mqtools.formats.mqsc.script import quote
from mqtools.message import Message
from mqtools.mqi.connection import connect
from mqtools.operations.subscribe import publish

DMPMQCFG = """\
*******************************************************************************
* Script generated on 2026-11-20   at 10.00.00
* Queue manager name: PROD
*******************************************************************************
ALTER QMGR +
*  ALTDATE(2026-01-01) +
   ACTIVREC(MSG) +
   DEADQ('DLQ') +
   FORCE
DEFINE QLOCAL('ORDERS') +
*  ALTDATE(2026-01-01) +
   BOQNAME('ORDERS.ASIDE') +
   BOTHRESH(3) +
   MONEVENTS(3) +
   REPLACE
DEFINE QALIAS('ORDERS.IN') TARGET('ORDERS') DESCR('it''s an alias')
DEFINE QREMOTE('FAR') RNAME('X') RQMNAME('QM2') XMITQ('QM2')
DEFINE QMODEL('MODEL') DEFTYPE(PERMDYN) NOSHARE
DEFINE TOPIC('PRICES') TYPE(LOCAL) TOPICSTR('prices/eur') DURSUB(ASPARENT) NPMSGDLV(ALLAVAIL) +
   PUB(DISABLED) DEFPRTY(3) MCAST(ENABLED)
DEFINE SUB('ALL.PRICES') DESTCLAS(MANAGED) SUBUSER('mqm') TOPICSTR('prices/#') REPLACE
DEFINE SUB('TO.ORDERS') TOPICOBJ('PRICES') TOPICSTR('+') DEST('ORDERS') USERDATA('x y') +
   SELECTOR('a = ''b''') EXPIRY(600) PUBPRTY(3) SUBLEVEL(4) VARUSER(FIXED) REQONLY(YES) PSPROP(NONE)
DEFINE LISTENER('L1') TRPTYPE(TCP) PORT(1414) CONTROL(QMGR) REPLACE
DEFINE SERVICE('S1') STARTCMD('/usr/bin/x') STARTARG('-a ''b''') SERVTYPE(SERVER) REPLACE
DEFINE PROCESS('P1') APPLICID('/bin/run me') APPLTYPE(UNIX) REPLACE
DEFINE NAMELIST('N1') NAMES('A','B.C') DESCR('two names') REPLACE
DEFINE COMMINFO('CI') REPLACE
DEFINE AUTHINFO('AI') AUTHTYPE(IDPWOS) CHCKCLNT(OPTIONAL) REPLACE
DEFINE CHANNEL('QM1.TO.QM2') CHLTYPE(SDR) XMITQ('QM2') CONNAME('host(1414)') REPLACE
DEFINE CHANNEL('QM2.TO.QM1') CHLTYPE(RCVR) REPLACE
SET CHLAUTH('QM2.TO.QM1') TYPE(QMGRMAP) QMNAME('QM2') USERSRC(CHANNEL)
SET AUTHREC PROFILE('ORDERS') OBJTYPE(QUEUE) PRINCIPAL('ana') AUTHADD(PUT,GET)
"""


@pytest.fixture
def new(tmp_path):
    """Make queue managers: ``new()`` is the path of a fresh one."""
    made: list[str] = []

    def make() -> str:
        made.append(queue_managers.create(f"{tmp_path}/QM{len(made)}.db"))
        return made[-1]

    return make


def run(path, text, **options):
    with connect(path) as connection:
        return run_mqsc(connection, text, **options)


def exported(path):
    with connect(path) as connection:
        return "\n".join(export_definitions(connection.db)) + "\n"


def assert_round_trip(new, path):
    text = exported(path)
    other = new()
    report = run(other, text)
    assert (report.syntax_errors, report.failed) == (0, 0), [each.messages for each in report.commands]
    assert exported(other) == text


def test_all_kinds_of_definitions_come_back(new):
    path = new()
    report = run(path, DMPMQCFG, skips_unsupported=True)
    assert (report.syntax_errors, report.failed) == (0, 0), [each.messages for each in report.commands]
    assert_round_trip(new, path)


def test_what_is_left_out_is_listed(new):
    report = run(new(), DMPMQCFG, skips_unsupported=True)
    assert report.skipped == [
        "line 5: ACTIVREC",
        "line 10: MONEVENTS",
        "line 28: DEFINE COMMINFO('CI') REPLACE",
    ]
    assert [each.outcome for each in report.commands if each.skipped] == ["ok", "ok", "skipped"]


def test_without_the_option_what_is_unsupported_fails(new):
    report = run(new(), DMPMQCFG)
    assert report.syntax_errors == 2
    assert report.failed >= 1


def test_an_altered_model_channel_counts(new):
    path = new()
    run(
        path,
        "ALTER CHANNEL(SYSTEM.DEF.SENDER) CHLTYPE(SDR) BATCHSZ(7)\nDEF CHANNEL(A) CHLTYPE(SDR) CONNAME('h') XMITQ(X)",
    )
    run(path, "ALTER CHANNEL(A) CHLTYPE(SDR) BATCHSZ(50)")
    assert_round_trip(new, path)


def test_temporary_and_managed_queues_are_no_definitions(new):
    path = new()
    run(path, "DEFINE QMODEL(M) DEFTYPE(TEMPDYN)\nDEFINE SUB(S) TOPICSTR(t) DESTCLAS(MANAGED)")
    with connect(path) as connection:
        connection.open("M", 1)
        assert "SYSTEM.MANAGED" not in exported(path)
        assert "AMQ." not in exported(path)


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=20)


@pytest.mark.slow
@settings(max_examples=15)
@given(
    description=TEXTS,
    depth=st.integers(0, 999999999),
    fifo=st.booleans(),
    switches=st.sets(st.sampled_from(["TRIGGER", "NOSHARE", "HARDENBO"])),
)
def test_any_values_of_attributes_come_back(tmp_path_factory, description, depth, fifo, switches):
    folder = tmp_path_factory.mktemp("export")
    paths = iter(f"{folder}/QM{n}.db" for n in range(9))

    def new():
        return queue_managers.create(next(paths))

    path = new()
    words = f"DESCR({quote(description or ' ')}) MAXDEPTH({depth}) MSGDLVSQ({'FIFO' if fifo else 'PRIORITY'})"
    run(path, f"DEFINE QLOCAL(q) {words} {' '.join(switches)}")
    assert_round_trip(new, path)


def test_a_subscription_of_mqsc_gets_publications(new):
    path = new()
    run(path, "DEFINE QLOCAL(Q)\nDEFINE TOPIC(T) TOPICSTR('prices')\nDEFINE SUB(S) TOPICOBJ(T) TOPICSTR('#') DEST(Q)")
    with connect(path) as connection:
        assert publish(connection, "prices/eur", Message(b"1.08"))
        assert not publish(connection, "weather", Message(b"rain"))
        with connection.open("Q", 2) as handle:
            assert handle.get(0).message.data == b"1.08"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("DEFINE SUB(S) TOPICSTR(t) DEST(NOPE)", 2085),
        ("DEFINE SUB(S) TOPICOBJ(NOPE) DESTCLAS(MANAGED)", 2085),
        ("DELETE SUB(NOPE)", 2428),
        ("DELETE TOPIC(NOPE)", 2085),
        ("DISPLAY NAMELIST(NOPE)", 2085),
    ],
)
def test_failures_have_their_reason(new, text, reason):
    (command,) = run(new(), text).commands
    assert command.reason == reason


@pytest.mark.parametrize(
    "text",
    ["DEFINE SUB(S) DEST(Q)", "DEFINE SUB TOPICSTR(t)", "DEFINE TOPIC(T) NPMSGDLV(SOME)", "DEFINE TOPIC(A B)",
     "DEFINE SUB(S) TOPICSTR(t) DESTCORL(XYZ)"],
)  # fmt: skip
def test_mistakes_are_found_before_anything_runs(new, text):
    assert run(new(), text).syntax_errors == 1
