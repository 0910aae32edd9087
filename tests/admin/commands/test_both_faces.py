"""Each parameter and attribute of the catalogue reads back alike in MQSC and PCF."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mqtools.admin.commands.catalogue import BY_NUMBER, BY_WORDS
from mqtools.admin.mqsc.run import run_mqsc
from mqtools.constants import cmqc, cmqzc
from mqtools.constants import cmqcfc as c
from mqtools.constants import objects as o
from mqtools.constants.options import MQOO_INPUT_SHARED
from mqtools.formats.mqsc.script import quote
from mqtools.headers.pcf import CFBS, CFIL, CFIN, CFSL, CFST
from mqtools.rules.attributes.channel import CHANNEL_TYPES
from mqtools.rules.attributes.queue import QUEUE_TYPES
from mqtools.rules.attributes.status import CHLAUTH_CHECKS
from mqtools.rules.attributes.table import (
    INTEGER,
    NAME,
    TEXT,
    Attribute,
    attributes_of,
    display_pair,
)

from ..pcf.conftest import server as server

_CHANNEL = {word: f"CHLTYPE({word})" for word in CHANNEL_TYPES}
_TEXTS = st.text("ABCxyz019 '()*", max_size=6).map(lambda text: text.strip() or "")
_NAMES = st.text("ABCxyz019._/%", max_size=6)


def _digits(length: int) -> st.SearchStrategy[str]:
    return st.binary(min_size=length, max_size=length).filter(any).map(lambda raw: raw.hex().upper())


#: Attribute to its values, where not every value of its kind is one: of other objects, identifiers, and what replies
#: need.
_OWN: dict[str, st.SearchStrategy[Any]] = {
    "xmit_q_name": st.just("XQ"), "coded_char_set_id": st.just(1208), "max_uncommitted_msgs": st.integers(100, 9999),
    "auth_info_type": st.just(cmqc.MQAIT_IDPW_OS), "topicobj": st.just(""),
    "topicstr": st.sampled_from(["a", "a/b"]),
    "dest": st.sampled_from(["Q", "R"]), "destclas": st.just(cmqc.MQDC_PROVIDED), "destcorl": _digits(24),
    "pubacct": _digits(32), "selector": st.sampled_from(["", "a = 1", "b LIKE 'x%'"]),
    "expiry": st.integers(9000, 9999),
}  # fmt: skip


def values_of(row: Attribute) -> st.SearchStrategy[Any]:
    """Return the values that an attribute may have."""
    words = [value for _, value in row.words]
    if row.name in _OWN:
        return _OWN[row.name]
    if row.many:
        return st.lists(_NAMES.filter(bool), max_size=3)
    if row.kind == INTEGER:
        return st.one_of(st.integers(row.minimum, min(row.maximum, (1 << 31) - 1)), *map(st.just, words))
    if row.kind in (TEXT, NAME):
        some = _NAMES if row.kind == NAME else _TEXTS
        return some if row.maximum >= 6 else st.just("")
    return st.sampled_from(words)


def settable(object_type: str) -> list[Attribute]:
    return [row for row in attributes_of(object_type) if row.settable and row.selector is not None]


def mqsc(server: Any, command: str) -> list[dict[str, str | None]]:
    (report,) = run_mqsc(server.qm.main, command).commands
    assert report.outcome == "ok", (command, report.messages)
    return [item.attributes for item in report.objects]


def written(row: Attribute, value: Any) -> str:
    if isinstance(value, list):
        return f"{row.keyword}({','.join(map(quote, value)) or quote(' ')})"
    keyword, shown = display_pair(row, value)
    return keyword if shown is None else f"{keyword}({quote(shown or ' ')})"


def parameter(row: Attribute, value: Any) -> Any:
    assert row.selector is not None
    if row.selector >= cmqc.MQBA_FIRST:
        return CFBS(row.selector, bytes.fromhex(value))
    if isinstance(value, list):
        return CFSL(row.selector, [each.encode() for each in value])
    return CFIN(row.selector, value) if isinstance(value, int) else CFST(row.selector, value.encode())


def plain(found: Any) -> Any:
    """Return a value of a reply as the attribute has it: a text without padding, bytes as their digits."""
    return found.rstrip() if isinstance(found, str) else found.hex().upper() if isinstance(found, bytes) else found


#: Object type to the beginning of its commands: DEFINE, DISPLAY, CREATE, INQUIRE, and parameters of PCF.
FACES = {
    **{
        word: (f"DEFINE {word}(X) REPLACE", f"DISPLAY {word}(X) ALL", c.MQCMD_CREATE_Q, c.MQCMD_INQUIRE_Q,
               o.MQCA_Q_NAME, [CFIN(o.MQIA_Q_TYPE, number)])
        for word, number in QUEUE_TYPES.items()
    },
    **{
        word: (f"DEFINE CHANNEL(X) {_CHANNEL[word]} REPLACE", "DISPLAY CHANNEL(X) ALL", c.MQCMD_CREATE_CHANNEL,
               c.MQCMD_INQUIRE_CHANNEL, c.MQCACH_CHANNEL_NAME, [CFIN(c.MQIACH_CHANNEL_TYPE, number)])
        for word, number in CHANNEL_TYPES.items()
    },
    "AUTHINFO": ("DEFINE AUTHINFO(X) REPLACE", "DISPLAY AUTHINFO(X)", c.MQCMD_CREATE_AUTH_INFO,
                 c.MQCMD_INQUIRE_AUTH_INFO, cmqc.MQCA_AUTH_INFO_NAME, []),
    "NAMELIST": ("DEFINE NAMELIST(X) REPLACE", "DISPLAY NAMELIST(X)", c.MQCMD_CREATE_NAMELIST,
                 c.MQCMD_INQUIRE_NAMELIST, o.MQCA_NAMELIST_NAME, []),
    "PROCESS": ("DEFINE PROCESS(X) REPLACE", "DISPLAY PROCESS(X)", c.MQCMD_CREATE_PROCESS, c.MQCMD_INQUIRE_PROCESS,
                o.MQCA_PROCESS_NAME, []),
    "TOPIC": ("DEFINE TOPIC(X) REPLACE", "DISPLAY TOPIC(X)", c.MQCMD_CREATE_TOPIC, c.MQCMD_INQUIRE_TOPIC,
              cmqc.MQCA_TOPIC_NAME, []),
    "LISTENER": ("DEFINE LISTENER(X) REPLACE", "DISPLAY LISTENER(X)", c.MQCMD_CREATE_LISTENER,
                 c.MQCMD_INQUIRE_LISTENER, c.MQCACH_LISTENER_NAME, []),
    "SERVICE": ("DEFINE SERVICE(X) REPLACE", "DISPLAY SERVICE(X)", c.MQCMD_CREATE_SERVICE, c.MQCMD_INQUIRE_SERVICE,
                cmqc.MQCA_SERVICE_NAME, []),
    "SUB": ("DEFINE SUB(X) REPLACE", "DISPLAY SUB(X)", c.MQCMD_CREATE_SUBSCRIPTION, c.MQCMD_INQUIRE_SUBSCRIPTION,
            c.MQCACF_SUB_NAME, []),
}  # fmt: skip


def drawn(data: st.DataObject, object_type: str) -> list[tuple[Attribute, Any]]:
    return [(row, data.draw(values_of(row), label=row.keyword)) for row in settable(object_type)]


def check_reply(reply: dict[int, Any], pairs: list[tuple[Attribute, Any]]) -> None:
    for row, value in pairs:
        assert plain(reply[row.selector or 0]) == value, row.keyword


def check_display(shown: dict[str, str | None], pairs: list[tuple[Attribute, Any]]) -> None:
    for row, value in pairs:
        keyword, text = display_pair(row, ",".join(value) if isinstance(value, list) else value)
        assert shown[keyword] == text, keyword


@pytest.mark.parametrize("object_type", FACES)
@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.data())
def test_what_one_face_defines_the_other_shows(server: Any, object_type: str, data: st.DataObject) -> None:
    define, display, create, inquire, number, more = FACES[object_type]
    pairs, name = drawn(data, object_type), CFST(number, b"X")
    if object_type == "SUB":
        run_mqsc(server.qm.main, "DELETE SUB(X)")  # a subscription keeps its topic
    mqsc(server, " ".join([define, *(written(row, value) for row, value in pairs)]))
    (reply,) = server.ask(inquire, name)
    check_reply(reply, pairs)
    check_display(mqsc(server, display)[0], pairs)
    pairs = [(row, value) for row, value in pairs if not (row.local_only and row.local_only(str(value)))]
    replace = CFIN(c.MQIACF_REPLACE, 1)
    server.ask(create, name, *more, replace, *(parameter(row, value) for row, value in pairs))
    (shown,) = mqsc(server, display)
    check_display(shown, pairs)
    check_reply(server.ask(inquire, name)[0], pairs)


@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.data())
def test_what_one_face_alters_of_the_queue_manager_the_other_shows(server: Any, data: st.DataObject) -> None:
    pairs = drawn(data, "QMGR")
    mqsc(server, " ".join(["ALTER QMGR", *(written(row, value) for row, value in pairs)]))
    check_reply(server.ask(c.MQCMD_INQUIRE_Q_MGR)[0], pairs)
    pairs = [(row, data.draw(values_of(row), label=row.keyword)) for row, _ in pairs if row.local_only is None]
    server.ask(c.MQCMD_CHANGE_Q_MGR, *(parameter(row, value) for row, value in pairs))
    check_display(mqsc(server, "DISPLAY QMGR ALL")[0], pairs)


#: Type of a channel authentication record to the parameters of one.
_RECORDS = {
    "ADDRESSMAP": ("ADDRESS", "USERSRC", "MCAUSER", "CHCKCLNT"),
    "SSLPEERMAP": ("SSLPEER", "ADDRESS", "USERSRC", "MCAUSER", "CHCKCLNT"),
    "QMGRMAP": ("QMNAME", "ADDRESS", "USERSRC", "MCAUSER"),
    "USERMAP": ("CLNTUSER", "ADDRESS", "USERSRC", "MCAUSER", "CHCKCLNT"),
    "BLOCKUSER": ("USERLIST",),
}
_VALUES: dict[str, st.SearchStrategy[Any]] = {
    "ADDRESS": st.sampled_from(["10.*", "127.0.0.1"]), "SSLPEER": st.sampled_from(["CN=a", "CN=b,O=x*"]),
    "USERSRC": st.sampled_from(["MAP", "CHANNEL", "NOACCESS"]), "MCAUSER": st.sampled_from(["ana", "bo"]),
    "USERLIST": st.just(["ana", "bo"]),
    "QMNAME": st.sampled_from(["QM2", "Q*"]), "CLNTUSER": st.sampled_from(["eve", "mallory"]),
    "CHCKCLNT": st.sampled_from([number for _, number in CHLAUTH_CHECKS]), "DESCR": _TEXTS,
    "WARN": st.sampled_from([0, 1]),
}  # fmt: skip


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.sampled_from([*_RECORDS]), st.data())
def test_a_record_that_either_face_sets_is_shown_alike(server: Any, kind: str, data: st.DataObject) -> None:
    command = BY_WORDS["SET", "CHLAUTH"]
    rows = {row.keyword: row for row in command.parameters}
    values = {each: data.draw(_VALUES[each], label=each) for each in (*_RECORDS[kind], "DESCR", "WARN")}
    values |= {"TYPE": kind, "ACTION": "REPLACE"}
    left_out = {"CHANNEL": ("MCAUSER",), "NOACCESS": ("MCAUSER", "CHCKCLNT")}.get(values.get("USERSRC"), ())
    values = {keyword: value for keyword, value in values.items() if keyword not in left_out}
    begin = "SET CHLAUTH('A.*')"
    inquiry = [CFST(c.MQCACH_CHANNEL_NAME, b"A.*")]

    def clear() -> None:
        run_mqsc(server.qm.main, f"{begin} TYPE({kind}) ACTION(REMOVEALL)")

    def shown() -> list[Any]:
        return [*mqsc(server, "DISPLAY CHLAUTH('A.*')"), *server.ask(c.MQCMD_INQUIRE_CHLAUTH_RECS, *inquiry)]

    clear()
    mqsc(server, " ".join([begin, *(written(rows[keyword], value) for keyword, value in values.items())]))
    (displayed, *_), by_mqsc = mqsc(server, "DISPLAY CHLAUTH('A.*')"), shown()
    for keyword in values.keys() - {"ACTION"}:
        wanted = values[keyword]
        text = ",".join(wanted) if isinstance(wanted, list) else display_pair(rows[keyword], wanted)[1]
        assert displayed[keyword] == text, keyword
    clear()
    numbers = {keyword: rows[keyword].numbers.get(value, value) for keyword, value in values.items()
               if not isinstance(value, list)}  # fmt: skip
    sent = [parameter(rows[keyword], numbers.get(keyword, value)) for keyword, value in values.items()]
    server.ask(c.MQCMD_SET_CHLAUTH_REC, *inquiry, *sent)
    stamps = ("ALTTIME", o.MQCA_ALTERATION_TIME)
    assert [{**each, **dict.fromkeys(stamps)} for each in shown()] == [
        {**each, **dict.fromkeys(stamps)} for each in by_mqsc
    ]
    clear()


#: Table of a status to the command that shows it in MQSC, its number, and the parameters of PCF.
STATUS = {
    "QSTATUS": ("DISPLAY QSTATUS(Q)", c.MQCMD_INQUIRE_Q_STATUS, [CFST(o.MQCA_Q_NAME, b"Q")]),
    "QSTATUS HANDLE": (
        "DISPLAY QSTATUS(Q) TYPE(HANDLE) OPENTYPE(INPUT) ALL",
        c.MQCMD_INQUIRE_Q_STATUS,
        [CFST(o.MQCA_Q_NAME, b"Q"), CFIN(c.MQIACF_Q_STATUS_TYPE, c.MQIACF_Q_HANDLE)],
    ),
    "CONN": ("DISPLAY CONN(*)", c.MQCMD_INQUIRE_CONNECTION, [CFBS(c.MQBACF_GENERIC_CONNECTION_ID, b"")]),
    "CONN HANDLE": (
        "DISPLAY CONN(*) TYPE(HANDLE)",
        c.MQCMD_INQUIRE_CONNECTION,
        [CFBS(c.MQBACF_GENERIC_CONNECTION_ID, b""), CFIN(c.MQIACF_CONN_INFO_TYPE, c.MQIACF_CONN_INFO_HANDLE)],
    ),
    "CHSTATUS": ("DISPLAY CHSTATUS(A.B)", c.MQCMD_INQUIRE_CHANNEL_STATUS, [CFST(c.MQCACH_CHANNEL_NAME, b"A.B")]),
    "QMSTATUS": ("DISPLAY QMSTATUS", c.MQCMD_INQUIRE_Q_MGR_STATUS, []),
    "CHLAUTH": ("DISPLAY CHLAUTH(*)", c.MQCMD_INQUIRE_CHLAUTH_RECS, [CFST(c.MQCACH_CHANNEL_NAME, b"*")]),
    "AUTHREC": ("DISPLAY AUTHREC", c.MQCMD_INQUIRE_AUTH_RECS, []),
    "ENTAUTH": (
        "DISPLAY ENTAUTH OBJTYPE(QUEUE) OBJNAME(Q) PRINCIPAL('bo')",
        c.MQCMD_INQUIRE_ENTITY_AUTH,
        [CFIN(c.MQIACF_OBJECT_TYPE, o.MQOT_Q), CFST(c.MQCACF_OBJECT_NAME, b"Q"), CFST(c.MQCACF_ENTITY_NAME, b"bo")],
    ),
    "SUB": ("DISPLAY SUB(*)", c.MQCMD_INQUIRE_SUBSCRIPTION, [CFST(c.MQCACF_SUB_NAME, b"*")]),
    "SBSTATUS": ("DISPLAY SBSTATUS(*)", c.MQCMD_INQUIRE_SUB_STATUS, [CFST(c.MQCACF_SUB_NAME, b"*")]),
}

#: Attributes that change meanwhile: other programs use the disk too.
_CHANGING = ("CURFSIZE", "CURMAXFS")

SETUP = """
DEFINE CHANNEL(A.B) CHLTYPE(SDR) XMITQ(QM2) CONNAME('b(1)')
STOP CHANNEL(A.B)
DEFINE SUB(S) TOPICSTR('a') DEST(R) USERDATA('u') EXPIRY(900000) SELECTOR('a = 1') WSCHEMA(CHAR)
SET CHLAUTH('*') TYPE(BLOCKUSER) USERLIST('nobody','other') WARN(YES)
SET CHLAUTH('A*') TYPE(ADDRESSMAP) ADDRESS('10.*') MCAUSER('net') DESCR('words') CHCKCLNT(REQUIRED)
SET AUTHREC PROFILE('Q') OBJTYPE(QUEUE) PRINCIPAL('bo') AUTHADD(GET,PUT,BROWSE)
"""


@pytest.mark.parametrize("table", STATUS)
def test_both_faces_show_the_same_rows(server: Any, table: str) -> None:
    assert not run_mqsc(server.qm.main, SETUP).failed
    command, number, sent = STATUS[table]
    with server.qm.open("Q", MQOO_INPUT_SHARED):
        shown, replies = mqsc(server, command), server.ask(number, *sent)
    assert len(shown) == len(replies) > 0
    for attributes, reply in zip(shown, replies, strict=True):
        for row in attributes_of(table):
            if row.keyword in attributes and row.selector is not None and row.keyword not in _CHANGING:
                assert as_mqsc(row, reply[row.selector]) == attributes[row.keyword], row.keyword


def as_mqsc(row: Attribute, value: Any) -> str:
    """Return a value of PCF as MQSC shows it."""
    if isinstance(value, bytes):
        return value.hex().upper() if row.keyword in ("DESTCORL", "SUBID", "PUBACCT") else value[:8].hex().upper()
    if isinstance(value, list):
        words = [as_mqsc(row, each) for each in value]
        return ",".join(sorted(words) if row.kind == INTEGER else words)
    back = {number: own for own, number in row.numbers.items() if own != "indoubt"}
    own = back.get(value, value)
    return dict((str(number), word) for word, number in row.words).get(str(own), str(own).rstrip())


def test_records_that_pcf_sets_are_shown_by_mqsc(server: Any) -> None:
    block = [CFST(c.MQCACH_CHANNEL_NAME, b"*"), CFIN(c.MQIACF_CHLAUTH_TYPE, c.MQCAUT_BLOCKUSER)]
    assert server.reason(c.MQCMD_SET_CHLAUTH_REC, *block)[0] == c.MQRCCF_PARM_SYNTAX_ERROR
    server.ask(
        c.MQCMD_SET_CHLAUTH_REC,
        *block,
        CFIN(c.MQIACF_ACTION, c.MQACT_REPLACE),
        CFSL(c.MQCACH_MCA_USER_ID_LIST, [b"ana", b"bo"]),
    )
    assert mqsc(server, "DISPLAY CHLAUTH('*') MATCH(EXACT)")[0]["USERLIST"] == "ana,bo"
    server.ask(
        c.MQCMD_SET_AUTH_REC,
        CFST(c.MQCACF_AUTH_PROFILE_NAME, b"Q"),
        CFIN(c.MQIACF_OBJECT_TYPE, o.MQOT_Q),
        CFST(c.MQCACF_GROUP_ENTITY_NAMES, b"g"),
        CFIL(c.MQIACF_AUTH_ADD_AUTHS, [8, 9]),
    )
    (granted,) = mqsc(server, "DISPLAY AUTHREC PROFILE(Q)")
    asked = [CFST(c.MQCACF_AUTH_PROFILE_NAME, b"Q"), CFIN(c.MQIACF_ENTITY_TYPE, cmqzc.MQZAET_GROUP)]
    assert len(str(granted["AUTHLIST"]).split(",")) == len(
        server.ask(c.MQCMD_INQUIRE_AUTH_RECS, *asked)[0][c.MQIACF_AUTHORIZATION_LIST]
    )


def test_a_parameter_of_a_command_is_one_row_for_both_faces() -> None:
    for command in {id(each): each for each in (*BY_WORDS.values(), *BY_NUMBER.values())}.values():
        named = [row.name for row in command.parameters if row.name]
        numbers = [row.selector for row in command.parameters if row.selector is not None]
        keywords = [row.keyword for row in command.parameters if row.keyword]
        assert len(set(named)) == len(named)
        assert len(set(numbers)) == len(numbers)
        assert len(set(keywords)) == len(keywords)
