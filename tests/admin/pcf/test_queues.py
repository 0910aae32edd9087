"""PCF commands on queues and the queue manager."""

from __future__ import annotations

import os
from typing import Any

import pytest

from mqtools.admin.pcf import command_server
from mqtools.constants import cmqcfc as c
from mqtools.constants import objects as o
from mqtools.constants.administration import MQCFOP_EQUAL, MQCFOP_GREATER, MQCFOP_LIKE
from mqtools.constants.message import MQAT_CICS, MQAT_USER
from mqtools.constants.options import MQOO_INPUT_SHARED, MQOO_OUTPUT, MQPMO_SYNCPOINT
from mqtools.constants.reasons import MQRC_NOT_AUTHORIZED
from mqtools.errors import MQError
from mqtools.headers.pcf import CFBF, CFBS, CFIF, CFIL, CFIN, CFSF
from mqtools.mqi import clear as steps

from .asking import ALIAS, LOCAL, named, names_in

COMMANDS = "SYSTEM.ADMIN.COMMAND.QUEUE"

# Queues


def test_create_queue_with_attributes(server: Any) -> None:
    depth = CFIN(o.MQIA_MAX_Q_DEPTH, 7)
    assert server.ask(c.MQCMD_CREATE_Q, named("NEW"), LOCAL, depth, named("words", o.MQCA_Q_DESC)) == [{}]
    (reply,) = server.ask(c.MQCMD_INQUIRE_Q, named("NEW"))
    assert (reply[o.MQIA_MAX_Q_DEPTH], reply[o.MQCA_Q_DESC]) == (7, "words".ljust(64))
    assert reply[o.MQCA_Q_NAME] == "NEW".ljust(48)
    assert (reply[o.MQIA_Q_TYPE], reply[o.MQIA_CURRENT_Q_DEPTH]) == (o.MQQT_LOCAL, 0)


def test_create_queue_refuses_what_is_there_unless_it_replaces(server: Any) -> None:
    assert server.reason(c.MQCMD_CREATE_Q, named("Q"), LOCAL)[0] == c.MQRCCF_OBJECT_ALREADY_EXISTS
    server.qm.put(b"stays")
    server.ask(c.MQCMD_CREATE_Q, named("Q"), LOCAL, CFIN(c.MQIACF_REPLACE, 1), CFIN(o.MQIA_MAX_Q_DEPTH, 5))
    assert server.ask(c.MQCMD_INQUIRE_Q, named("Q"))[0][o.MQIA_MAX_Q_DEPTH] == 5
    assert server.qm.depth("Q") == 1
    assert server.reason(c.MQCMD_CREATE_Q, named("N"), LOCAL, CFIN(c.MQIACF_REPLACE, 2)) == (
        c.MQRCCF_REPLACE_VALUE_ERROR,
        c.MQIACF_REPLACE,
    )


def test_create_queue_refuses_values_that_cannot_be(server: Any) -> None:
    new = named("NEW")
    assert server.reason(c.MQCMD_CREATE_Q, new, LOCAL, CFIN(o.MQIA_MAX_Q_DEPTH, -1)) == (
        c.MQRCCF_ATTR_VALUE_ERROR,
        o.MQIA_MAX_Q_DEPTH,
    )
    assert server.reason(c.MQCMD_CREATE_Q, new, LOCAL, CFIN(o.MQIA_DEF_PRIORITY, 10))[0] == c.MQRCCF_ATTR_VALUE_ERROR
    assert server.reason(c.MQCMD_CREATE_Q, new, LOCAL, CFIN(o.MQIA_INHIBIT_GET, 2))[0] == c.MQRCCF_ATTR_VALUE_ERROR
    assert server.reason(c.MQCMD_CREATE_Q, named("NO NAME"), LOCAL)[0] == c.MQRCCF_OBJECT_NAME_ERROR
    assert server.reason(c.MQCMD_CREATE_Q, new, CFIN(o.MQIA_Q_TYPE, 99)) == (c.MQRCCF_Q_TYPE_ERROR, o.MQIA_Q_TYPE)
    assert server.reason(c.MQCMD_CREATE_Q, new, ALIAS, CFIN(o.MQIA_MAX_Q_DEPTH, 1))[0] == c.MQRCCF_CFIN_PARM_ID_ERROR
    assert server.reason(c.MQCMD_INQUIRE_Q, new)[0] == 2085


def test_change_queue(server: Any) -> None:
    server.ask(c.MQCMD_CHANGE_Q, named("Q"), LOCAL, CFIN(o.MQIA_INHIBIT_PUT, 1))
    assert server.ask(c.MQCMD_INQUIRE_Q, named("Q"))[0][o.MQIA_INHIBIT_PUT] == 1
    assert server.reason(c.MQCMD_CHANGE_Q, named("NONE"), LOCAL)[0] == 2085
    assert server.reason(c.MQCMD_CHANGE_Q, named("Q"), ALIAS)[0] == c.MQRCCF_OBJECT_WRONG_TYPE


def test_copy_queue(server: Any) -> None:
    server.qm.alter("Q", max_q_depth=9)
    names = named("Q", c.MQCACF_FROM_Q_NAME), named("COPY", c.MQCACF_TO_Q_NAME)
    server.ask(c.MQCMD_COPY_Q, *names, LOCAL, CFIN(o.MQIA_DEF_PRIORITY, 3))
    (reply,) = server.ask(c.MQCMD_INQUIRE_Q, named("COPY"))
    assert (reply[o.MQIA_MAX_Q_DEPTH], reply[o.MQIA_DEF_PRIORITY]) == (9, 3)
    assert server.reason(c.MQCMD_COPY_Q, *names, LOCAL)[0] == c.MQRCCF_OBJECT_ALREADY_EXISTS
    assert server.reason(c.MQCMD_COPY_Q, *names, ALIAS)[0] == c.MQRCCF_LIKE_OBJECT_WRONG_TYPE


def test_delete_queue_keeps_messages_unless_it_purges(server: Any) -> None:
    server.qm.put(b"x")
    assert server.reason(c.MQCMD_DELETE_Q, named("Q"))[0] == 2055
    server.ask(c.MQCMD_DELETE_Q, named("Q"), LOCAL, CFIN(c.MQIACF_PURGE, 1))
    assert server.reason(c.MQCMD_DELETE_Q, named("Q"))[0] == 2085


def test_queues_that_are_open_are_neither_deleted_nor_cleared(server: Any) -> None:
    with server.qm.open("Q"):
        assert server.reason(c.MQCMD_DELETE_Q, named("Q"))[0] == c.MQRCCF_OBJECT_OPEN
        assert server.reason(c.MQCMD_CLEAR_Q, named("Q"))[0] == c.MQRCCF_OBJECT_OPEN
    server.qm.put(b"x")
    assert server.ask(c.MQCMD_CLEAR_Q, named("Q")) == [{}]
    assert server.qm.depth("Q") == 0


def test_a_deep_queue_is_cleared_in_steps_and_the_turn_is_given_up_between_them(
    server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "STEP", 10)
    for _ in range(35):
        server.qm.put(b"x")
    removed: list[int] = []
    remove = steps.Clearing.remove_some

    def note(clearing: Any, work: Any, queue: Any) -> None:
        before = clearing.removed
        assert work.is_outermost
        remove(clearing, work, queue)
        removed.append(clearing.removed - before)

    monkeypatch.setattr(steps.Clearing, "remove_some", note)
    assert server.ask(c.MQCMD_CLEAR_Q, named("Q")) == [{}]
    assert removed == [10, 10, 10, 5, 0]  # the last one in the transaction that sends the reply
    assert server.qm.depth("Q") == 0


def test_a_clear_that_is_refused_removes_nothing_ahead(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise MQError("no", MQRC_NOT_AUTHORIZED)

    monkeypatch.setattr(command_server, "check_command", refuse)
    server.qm.put(b"x")
    assert server.reason(c.MQCMD_CLEAR_Q, named("Q"))[0] == MQRC_NOT_AUTHORIZED
    assert server.qm.depth("Q") == 1


def test_inquire_queue_by_pattern_and_type(server: Any) -> None:
    server.qm.define("A1", "QALIAS", base_q_name="Q")
    assert names_in(server.ask(c.MQCMD_INQUIRE_Q, named("*")))[:4] == ["A1", "DLQ", "Q", "R"]
    assert names_in(server.ask(c.MQCMD_INQUIRE_Q, named("*"), ALIAS)) == ["A1", "SYSTEM.DEFAULT.ALIAS.QUEUE"]
    assert names_in(server.ask(c.MQCMD_INQUIRE_Q, named("*LQ"), CFIN(o.MQIA_Q_TYPE, o.MQQT_ALL))) == ["DLQ"]
    assert server.reason(c.MQCMD_INQUIRE_Q, named("NONE*")) == (2085, o.MQCA_Q_NAME)
    assert server.reason(c.MQCMD_INQUIRE_Q, named("NONE")) == (2085, None)


def test_inquire_queue_gives_the_attributes_asked_for_with_name_and_type(server: Any) -> None:
    asked = CFIL(c.MQIACF_Q_ATTRS, [o.MQIA_CURRENT_Q_DEPTH, o.MQCA_BASE_Q_NAME])
    server.qm.put(b"x")
    assert server.ask(c.MQCMD_INQUIRE_Q, named("Q"), asked) == [
        {o.MQCA_Q_NAME: "Q".ljust(48), o.MQIA_Q_TYPE: o.MQQT_LOCAL, o.MQIA_CURRENT_Q_DEPTH: 1}
    ]
    one = CFIN(c.MQIACF_Q_ATTRS, o.MQIA_CURRENT_Q_DEPTH)
    assert set(server.ask(c.MQCMD_INQUIRE_Q, named("Q"), one)[0]) == {2016, 20, 3}
    everything = server.ask(c.MQCMD_INQUIRE_Q, named("Q"), CFIL(c.MQIACF_Q_ATTRS, [c.MQIACF_ALL]))
    assert everything == server.ask(c.MQCMD_INQUIRE_Q, named("Q"))
    assert server.reason(c.MQCMD_INQUIRE_Q, named("Q"), CFIL(c.MQIACF_Q_ATTRS, [-5]))[0] == 2067


def test_inquire_queue_by_filters(server: Any) -> None:
    server.qm.put(b"x")
    server.qm.alter("R", q_desc="for replies")
    deep = CFIF(o.MQIA_CURRENT_Q_DEPTH, MQCFOP_GREATER, 0)
    assert names_in(server.ask(c.MQCMD_INQUIRE_Q, named("*"), LOCAL, deep)) == ["Q"]
    like = CFSF(o.MQCA_Q_DESC, MQCFOP_LIKE, b"for *")
    (reply,) = server.ask(c.MQCMD_INQUIRE_Q, named("*"), like, CFIL(c.MQIACF_Q_ATTRS, [o.MQIA_USAGE]))
    assert reply[o.MQCA_Q_DESC].rstrip() == "for replies"
    assert server.reason(c.MQCMD_INQUIRE_Q, named("*"), CFIF(o.MQIA_CURRENT_Q_DEPTH, MQCFOP_GREATER, 5))[0] == 2085


def test_filters_that_make_no_sense_are_refused(server: Any) -> None:
    bad = CFIF(o.MQIA_CURRENT_Q_DEPTH, MQCFOP_LIKE, 0)
    assert server.reason(c.MQCMD_INQUIRE_Q, named("*"), bad)[0] == c.MQRCCF_CFIF_OPERATOR_ERROR
    strange = CFIF(1999, MQCFOP_GREATER, 0)
    assert server.reason(c.MQCMD_INQUIRE_Q, named("*"), strange) == (c.MQRCCF_CFIF_PARM_ID_ERROR, 1999)
    one = CFIF(o.MQIA_CURRENT_Q_DEPTH, MQCFOP_GREATER, 0)
    assert server.reason(c.MQCMD_INQUIRE_Q, named("*"), one, one)[0] == c.MQRCCF_TOO_MANY_FILTERS
    assert server.reason(c.MQCMD_PING_Q_MGR, one)[0] == c.MQRCCF_CFIF_PARM_ID_ERROR


def test_inquire_queue_names(server: Any) -> None:
    assert server.ask(c.MQCMD_INQUIRE_Q_NAMES, named("*Q"), LOCAL) == [
        {c.MQCACF_Q_NAMES: ["DLQ", "Q", "SYSTEM.CHANNEL.INITQ"], c.MQIACF_Q_TYPES: [o.MQQT_LOCAL] * 3}
    ]
    assert server.ask(c.MQCMD_INQUIRE_Q_NAMES, named("X*")) == [{c.MQCACF_Q_NAMES: [], c.MQIACF_Q_TYPES: []}]


def test_inquire_queue_status(server: Any) -> None:
    server.qm.put(b"x")
    with server.qm.open("Q", MQOO_INPUT_SHARED):
        (reply,) = server.ask(c.MQCMD_INQUIRE_Q_STATUS, named("Q"))
    assert (reply[o.MQIA_CURRENT_Q_DEPTH], reply[o.MQIA_OPEN_INPUT_COUNT]) == (1, 1)
    assert reply[c.MQIACF_Q_STATUS_TYPE] == c.MQIACF_Q_STATUS
    assert len(reply[c.MQCACF_LAST_PUT_DATE].strip()) == 10
    assert reply[c.MQCACF_LAST_GET_DATE] == " " * 12
    assert server.reason(c.MQCMD_INQUIRE_Q_STATUS, named("NONE"))[0] == 2085
    asked = CFIL(c.MQIACF_Q_STATUS_ATTRS, [c.MQIACF_OLDEST_MSG_AGE])
    assert set(server.ask(c.MQCMD_INQUIRE_Q_STATUS, named("Q"), asked)[0]) == {2016, 1103, 1227}


def test_inquire_the_handles_of_a_queue(server: Any) -> None:
    handles = CFIN(c.MQIACF_Q_STATUS_TYPE, c.MQIACF_Q_HANDLE)
    assert server.reason(c.MQCMD_INQUIRE_Q_STATUS, named("Q"), handles)[0] == c.MQRCCF_Q_STATUS_NOT_FOUND
    with server.qm.open("Q", MQOO_INPUT_SHARED):
        (reply,) = server.ask(c.MQCMD_INQUIRE_Q_STATUS, named("*"), handles)
    assert (reply[c.MQIACF_OPEN_INPUT_TYPE], reply[c.MQIACF_OPEN_BROWSE]) == (c.MQQSO_SHARED, c.MQQSO_NO)
    assert reply[c.MQCACF_APPL_TAG].rstrip() == "test"


@pytest.mark.parametrize(
    ("command", "sent"),
    [
        (c.MQCMD_INQUIRE_Q, [CFIN(c.MQIACF_CLUSTER_INFO, 1)]),
        (c.MQCMD_INQUIRE_Q_NAMES, [CFIN(c.MQIACF_CLUSTER_INFO, 1)]),
        (c.MQCMD_INQUIRE_Q_STATUS, [LOCAL, CFIN(c.MQIACF_STATUS_TYPE, c.MQIACF_Q_STATUS)]),
        (c.MQCMD_INQUIRE_Q_STATUS, [CFIN(c.MQIACF_OPEN_TYPE, c.MQQSOT_ALL), named("", c.MQCACF_COMMAND_SCOPE)]),
    ],
)
def test_an_inquiry_passes_over_what_changes_no_reply(server: Any, command: int, sent: list[Any]) -> None:
    changing = dict.fromkeys((c.MQIACF_CUR_Q_FILE_SIZE, c.MQIACF_CUR_MAX_FILE_SIZE))  # with the file, and the disk
    one, other = (server.ask(command, named("Q"), *each) for each in (sent, []))
    assert [{**each, **changing} for each in one] == [{**each, **changing} for each in other]
    assert server.reason(c.MQCMD_DELETE_Q, named("Q"), CFIN(c.MQIACF_CLUSTER_INFO, 1))[0] == c.MQRCCF_CFIN_PARM_ID_ERROR


@pytest.mark.parametrize("kind", [c.MQIACF_Q_STATUS, c.MQIACF_Q_HANDLE])
@pytest.mark.parametrize(("open_type", "found"), [(c.MQQSOT_INPUT, ["Q"]), (c.MQQSOT_OUTPUT, ["R"])])
def test_the_open_type_narrows_the_status_of_queues(server: Any, kind: int, open_type: int, found: list[str]) -> None:
    asked = [named("*"), CFIN(c.MQIACF_Q_STATUS_TYPE, kind), CFIN(c.MQIACF_OPEN_TYPE, open_type)]
    with server.qm.open("Q", MQOO_INPUT_SHARED), server.qm.open("R", MQOO_OUTPUT):
        assert names_in(server.ask(c.MQCMD_INQUIRE_Q_STATUS, *asked)) == found


def test_a_status_has_every_attribute_that_was_asked_for_by_number(server: Any) -> None:
    asked = CFIL(c.MQIACF_Q_STATUS_ATTRS, [c.MQIACF_Q_TIME_INDICATOR, c.MQCACF_MEDIA_LOG_EXTENT_NAME])
    (reply,) = server.ask(c.MQCMD_INQUIRE_Q_STATUS, named("Q"), asked)
    assert (reply[c.MQIACF_Q_TIME_INDICATOR], reply[c.MQCACF_MEDIA_LOG_EXTENT_NAME]) == (
        [o.MQMON_NOT_AVAILABLE] * 2,
        "",
    )


def test_the_status_of_a_queue_has_the_size_of_the_file_with_all_queues(server: Any) -> None:
    size = os.path.getsize(server.qm.main.db.path)
    (reply,) = server.ask(c.MQCMD_INQUIRE_Q_STATUS, named("Q"))
    assert reply[c.MQIACF_CUR_Q_FILE_SIZE] * 1024**2 >= size > 0
    assert reply[c.MQIACF_CUR_MAX_FILE_SIZE] > reply[c.MQIACF_CUR_Q_FILE_SIZE]


def test_reset_queue_statistics(server: Any) -> None:
    counts = (o.MQIA_MSG_ENQ_COUNT, o.MQIA_MSG_DEQ_COUNT, o.MQIA_HIGH_Q_DEPTH)

    def reset() -> list[int]:
        (reply,) = server.ask(c.MQCMD_RESET_Q_STATS, named("Q"))
        return [reply[number] for number in counts]

    for _ in range(3):
        server.qm.put(b"x")
    assert reset() == [3, 0, 3]
    server.qm.got("Q")
    server.qm.put(b"x")
    assert reset() == [1, 3, 3]
    assert reset() == [0, 0, 1]


def test_the_statistics_of_all_queues_have_those_that_nothing_has_used_yet(server: Any) -> None:
    assert "SYSTEM.DEFAULT.LOCAL.QUEUE" in names_in(server.ask(c.MQCMD_RESET_Q_STATS, named("*")))


def test_the_highest_depth_is_that_since_the_last_reset(server: Any) -> None:
    def high() -> int:
        (reply,) = server.ask(c.MQCMD_RESET_Q_STATS, named("Q"))
        return int(reply[o.MQIA_HIGH_Q_DEPTH])

    for _ in range(3):
        server.qm.put(b"x")
    server.qm.got("Q")
    assert (high(), high()) == (3, 0)
    with server.qm.main.open("Q", MQOO_INPUT_SHARED) as handle, server.qm.main.work():
        for _ in range(2):  # what comes and goes within one transaction counts too
            server.qm.put(b"x")
        for _ in range(2):
            handle.get()
    server.qm.put(b"x", options=MQPMO_SYNCPOINT)
    server.qm.main.backout()
    assert (high(), high()) == (2, 0)
    server.qm.put(b"x")
    server.ask(c.MQCMD_CLEAR_Q, named("Q"))
    assert (high(), high()) == (1, 0)


@pytest.mark.parametrize("name", ["Q", "LAST"])
def test_the_statistics_of_a_queue_begin_with_it(server: Any, name: str) -> None:
    server.qm.define("LAST")
    for _ in range(2):
        server.qm.put(b"x", name)
        server.ask(c.MQCMD_RESET_Q_STATS, named(name))
        server.ask(c.MQCMD_DELETE_Q, named(name), CFIN(c.MQIACF_PURGE, 1))
        server.ask(c.MQCMD_CREATE_Q, named(name), LOCAL)
    (reply,) = server.ask(c.MQCMD_RESET_Q_STATS, named(name))
    assert (reply[o.MQIA_MSG_ENQ_COUNT], reply[o.MQIA_MSG_DEQ_COUNT], reply[o.MQIA_HIGH_Q_DEPTH]) == (0, 0, 0)


# The queue manager


def test_inquire_queue_manager(server: Any) -> None:
    (reply,) = server.ask(c.MQCMD_INQUIRE_Q_MGR)
    assert (reply[o.MQCA_Q_MGR_NAME].rstrip(), reply[o.MQCA_DEAD_LETTER_Q_NAME].rstrip()) == ("QM1", "DLQ")
    assert reply[o.MQCA_COMMAND_INPUT_Q_NAME].rstrip() == COMMANDS
    asked = CFIL(c.MQIACF_Q_MGR_ATTRS, [o.MQIA_COMMAND_LEVEL, o.MQCA_VERSION])
    assert server.ask(c.MQCMD_INQUIRE_Q_MGR, asked) == [
        {o.MQCA_Q_MGR_NAME: "QM1".ljust(48), o.MQIA_COMMAND_LEVEL: 940, o.MQCA_VERSION: "09040000"}
    ]


def test_change_queue_manager(server: Any) -> None:
    server.ask(c.MQCMD_CHANGE_Q_MGR, named("Q", o.MQCA_DEAD_LETTER_Q_NAME), CFIN(o.MQIA_MAX_HANDLES, 9))
    (reply,) = server.ask(c.MQCMD_INQUIRE_Q_MGR)
    assert (reply[o.MQCA_DEAD_LETTER_Q_NAME].rstrip(), reply[o.MQIA_MAX_HANDLES]) == ("Q", 9)


def test_inquire_queue_manager_status(server: Any) -> None:
    with server.qm.open("Q"):
        (reply,) = server.ask(c.MQCMD_INQUIRE_Q_MGR_STATUS)
    assert (reply[c.MQIACF_Q_MGR_STATUS], reply[c.MQIACF_CONNECTION_COUNT]) == (c.MQQMSTA_RUNNING, 1)


def test_inquire_connection(server: Any) -> None:
    everyone = CFBS(c.MQBACF_GENERIC_CONNECTION_ID, b"")
    with server.qm.open("Q"):
        (reply,) = server.ask(c.MQCMD_INQUIRE_CONNECTION, everyone)
        own = reply[c.MQBACF_CONNECTION_ID]
        assert (len(own), reply[c.MQCACF_APPL_TAG].rstrip()) == (24, "test")
        assert len(server.ask(c.MQCMD_INQUIRE_CONNECTION, CFBS(c.MQBACF_CONNECTION_ID, own))) == 1
        equal = CFBF(c.MQBACF_CONNECTION_ID, 2, own)
        assert len(server.ask(c.MQCMD_INQUIRE_CONNECTION, everyone, equal)) == 1
        assert reply[o.MQIA_APPL_TYPE] == MQAT_USER
        asked = CFIL(c.MQIACF_CONNECTION_ATTRS, [o.MQIA_APPL_TYPE])
        (short,) = server.ask(c.MQCMD_INQUIRE_CONNECTION, everyone, asked)
        assert short[o.MQIA_APPL_TYPE] == MQAT_USER
        user = CFIF(o.MQIA_APPL_TYPE, MQCFOP_EQUAL, MQAT_USER)
        assert len(server.ask(c.MQCMD_INQUIRE_CONNECTION, everyone, user)) == 1
        cics = CFIF(o.MQIA_APPL_TYPE, MQCFOP_EQUAL, MQAT_CICS)
        assert server.reason(c.MQCMD_INQUIRE_CONNECTION, everyone, cics)[0] == c.MQRCCF_CONNECTION_ID_ERROR
        other = CFBF(c.MQBACF_CONNECTION_ID, 5, own)
        assert server.reason(c.MQCMD_INQUIRE_CONNECTION, everyone, other)[0] == c.MQRCCF_CONNECTION_ID_ERROR
    strange = CFBS(c.MQBACF_GENERIC_CONNECTION_ID, b"none")
    assert server.reason(c.MQCMD_INQUIRE_CONNECTION, strange)[0] == c.MQRCCF_CONNECTION_ID_ERROR


@pytest.mark.parametrize(
    ("info_type", "found"),
    [
        (c.MQIACF_CONN_INFO_HANDLE, [c.MQIACF_CONN_INFO_HANDLE]),
        (c.MQIACF_CONN_INFO_ALL, [c.MQIACF_CONN_INFO_CONN, c.MQIACF_CONN_INFO_HANDLE]),
    ],
)
def test_inquire_the_handles_of_a_connection(server: Any, info_type: int, found: list[int]) -> None:
    asked = [CFBS(c.MQBACF_GENERIC_CONNECTION_ID, b""), CFIN(c.MQIACF_CONN_INFO_TYPE, info_type)]
    with server.qm.open("Q", MQOO_INPUT_SHARED):
        replies = server.ask(c.MQCMD_INQUIRE_CONNECTION, *asked)
    assert [reply[c.MQIACF_CONN_INFO_TYPE] for reply in replies] == found
    last = replies[-1]
    assert (last[c.MQCACF_OBJECT_NAME], last[c.MQIACF_OPEN_OPTIONS]) == ("Q".ljust(48), MQOO_INPUT_SHARED)
