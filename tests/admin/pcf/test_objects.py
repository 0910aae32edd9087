"""PCF commands on channels and on stored objects: namelists, processes, authentication, authority."""

from __future__ import annotations

from typing import Any

import pytest

from mqtools.admin.commands import authorities
from mqtools.admin.mqsc.run import run_mqsc
from mqtools.constants import cmqc, cmqzc
from mqtools.constants import cmqcfc as c
from mqtools.constants import objects as o
from mqtools.constants.administration import MQCFOP_GREATER, MQCHS_STOPPED
from mqtools.constants.channels import MQCHT_ALL, MQCHT_RECEIVER, MQCHT_SENDER, MQCHT_SVRCONN
from mqtools.headers.pcf import CFIF, CFIL, CFIN, CFSL, CFST


def named(name: str, number: int = c.MQCACH_CHANNEL_NAME) -> CFST:
    return CFST(number, name.encode())


def kind(number: int) -> CFIN:
    return CFIN(c.MQIACH_CHANNEL_TYPE, number)


SENDER, RECEIVER, SVRCONN = kind(MQCHT_SENDER), kind(MQCHT_RECEIVER), kind(MQCHT_SVRCONN)
XMITQ = named("QM2", c.MQCACH_XMIT_Q_NAME)


def channel_names(replies: list[dict[int, Any]]) -> list[str]:
    """Return the names in replies, without the SYSTEM.DEF channels."""
    names = [reply[c.MQCACH_CHANNEL_NAME] for reply in replies]
    return [name for name in names if not name.startswith("SYSTEM.DEF.")]


# Channels


def test_create_and_inquire_a_channel(server: Any) -> None:
    place = CFSL(c.MQCACH_CONNECTION_NAME, [b"a(1)", b"b(2)"])
    server.ask(c.MQCMD_CREATE_CHANNEL, named("A.B"), SENDER, XMITQ, CFIN(c.MQIACH_BATCH_SIZE, 7), place)
    (reply,) = server.ask(c.MQCMD_INQUIRE_CHANNEL, named("A.B"))
    assert (reply[c.MQCACH_CHANNEL_NAME], reply[c.MQIACH_CHANNEL_TYPE]) == ("A.B".ljust(20), MQCHT_SENDER)
    assert (reply[c.MQIACH_BATCH_SIZE], reply[c.MQCACH_CONNECTION_NAME]) == (7, "a(1),b(2)".ljust(264))
    asked = CFIL(c.MQIACF_CHANNEL_ATTRS, [c.MQCACH_XMIT_Q_NAME])
    assert server.ask(c.MQCMD_INQUIRE_CHANNEL, named("A*"), asked) == [
        {3501: "A.B".ljust(20), 1511: MQCHT_SENDER, 3505: "QM2".ljust(48)}
    ]


def test_channels_are_refused_with_reasons_of_channels(server: Any) -> None:
    server.ask(c.MQCMD_CREATE_CHANNEL, named("A.B"), SENDER, XMITQ)
    create = c.MQCMD_CREATE_CHANNEL
    assert server.reason(create, named("A.B"), SENDER, XMITQ)[0] == c.MQRCCF_CHANNEL_ALREADY_EXISTS
    assert server.reason(create, named("C"), SENDER)[0] == c.MQRCCF_XMIT_Q_NAME_ERROR
    assert server.reason(create, named("NO NAME"), RECEIVER)[0] == c.MQRCCF_CHANNEL_NAME_ERROR
    assert server.reason(create, named("C"), kind(99)) == (c.MQRCCF_CHANNEL_TYPE_ERROR, c.MQIACH_CHANNEL_TYPE)
    assert server.reason(create, named("C"), RECEIVER, XMITQ)[0] == c.MQRCCF_CFST_PARM_ID_ERROR
    assert server.reason(c.MQCMD_CHANGE_CHANNEL, named("A.B"), RECEIVER)[0] == c.MQRCCF_WRONG_CHANNEL_TYPE
    for command in (c.MQCMD_INQUIRE_CHANNEL, c.MQCMD_DELETE_CHANNEL, c.MQCMD_STOP_CHANNEL, c.MQCMD_START_CHANNEL):
        assert server.reason(command, named("NONE"))[0] == c.MQRCCF_CHANNEL_NOT_FOUND


def test_change_copy_and_delete_a_channel(server: Any) -> None:
    server.ask(c.MQCMD_CREATE_CHANNEL, named("A.B"), SENDER, XMITQ)
    server.ask(c.MQCMD_CHANGE_CHANNEL, named("A.B"), SENDER, CFIN(c.MQIACH_BATCH_SIZE, 3))
    names = named("A.B", c.MQCACF_FROM_CHANNEL_NAME), named("A.C", c.MQCACF_TO_CHANNEL_NAME)
    server.ask(c.MQCMD_COPY_CHANNEL, *names, SENDER)
    assert server.ask(c.MQCMD_INQUIRE_CHANNEL, named("A.C"))[0][c.MQIACH_BATCH_SIZE] == 3
    server.ask(c.MQCMD_DELETE_CHANNEL, named("A.B"))
    assert channel_names(server.ask(c.MQCMD_INQUIRE_CHANNEL, named("*"))) == ["A.C".ljust(20)]


def test_inquire_channels_by_type_filter_and_name(server: Any) -> None:
    server.ask(c.MQCMD_CREATE_CHANNEL, named("A"), SENDER, XMITQ, CFIN(c.MQIACH_BATCH_SIZE, 9))
    server.ask(c.MQCMD_CREATE_CHANNEL, named("B"), RECEIVER)
    server.ask(c.MQCMD_CREATE_CHANNEL, named("S"), SVRCONN, named("words", c.MQCACH_DESC))
    inquire = c.MQCMD_INQUIRE_CHANNEL
    assert channel_names(server.ask(inquire, named("*"), RECEIVER)) == ["B".ljust(20)]
    assert channel_names(server.ask(inquire, named("*"), SVRCONN)) == ["S".ljust(20)]
    assert len(channel_names(server.ask(inquire, named("*"), kind(MQCHT_ALL)))) == 3
    big = CFIF(c.MQIACH_BATCH_SIZE, MQCFOP_GREATER, 10)
    assert channel_names(server.ask(inquire, named("*"), big)) == ["B".ljust(20)]
    (reply,) = server.ask(c.MQCMD_INQUIRE_CHANNEL_NAMES, named("*"))
    assert reply[c.MQCACH_CHANNEL_NAMES][:3] == ["A", "B", "S"]
    assert reply[c.MQIACH_CHANNEL_TYPES][:3] == [MQCHT_SENDER, MQCHT_RECEIVER, MQCHT_SVRCONN]


def test_the_channel_of_a_client_is_kept_for_who_asks(server: Any) -> None:
    server.ask(c.MQCMD_CREATE_CHANNEL, named("S"), SVRCONN, CFIN(c.MQIACH_HB_INTERVAL, 5))
    assert server.reason(c.MQCMD_CREATE_CHANNEL, named("S"), SVRCONN)[0] == c.MQRCCF_CHANNEL_ALREADY_EXISTS
    server.ask(c.MQCMD_CHANGE_CHANNEL, named("S"), SVRCONN, CFIN(c.MQIACH_HB_INTERVAL, 6))
    assert server.ask(c.MQCMD_INQUIRE_CHANNEL, named("S"))[0][c.MQIACH_HB_INTERVAL] == 6
    server.ask(c.MQCMD_DELETE_CHANNEL, named("S"), SVRCONN)
    assert server.reason(c.MQCMD_INQUIRE_CHANNEL, named("S"))[0] == c.MQRCCF_CHANNEL_NOT_FOUND


def test_a_channel_of_clients_is_one_definition_for_pcf_and_mqsc(server: Any) -> None:
    server.ask(c.MQCMD_CREATE_CHANNEL, named("BY.PCF"), SVRCONN, CFIN(c.MQIACH_SHARING_CONVERSATIONS, 3))
    mqsc = "DEFINE CHANNEL(BY.MQSC) CHLTYPE(SVRCONN) MAXINST(7)\nDISPLAY CHANNEL(BY.PCF) CHLTYPE SHARECNV"
    defined, displayed = run_mqsc(server.qm.main, mqsc).commands
    assert defined.outcome == "ok"
    assert displayed.objects[0].attributes == {"CHANNEL": "BY.PCF", "CHLTYPE": "SVRCONN", "SHARECNV": "3"}
    assert server.ask(c.MQCMD_INQUIRE_CHANNEL, named("BY.MQSC"))[0][c.MQIACH_MAX_INSTANCES] == 7
    (deleted,) = run_mqsc(server.qm.main, "DELETE CHANNEL(BY.PCF)").commands
    assert deleted.outcome == "ok"
    assert channel_names(server.ask(c.MQCMD_INQUIRE_CHANNEL, named("*"), SVRCONN)) == ["BY.MQSC".ljust(20)]
    assert server.reason(c.MQCMD_RESET_CHANNEL, named("BY.MQSC"))[0] == c.MQRCCF_WRONG_CHANNEL_TYPE


MODELS = {
    "SYSTEM.DEF.CLNTCONN": 6,
    "SYSTEM.DEF.RECEIVER": 3,
    "SYSTEM.DEF.REQUESTER": 4,
    "SYSTEM.DEF.SENDER": 1,
    "SYSTEM.DEF.SERVER": 2,
    "SYSTEM.DEF.SVRCONN": 7,
}


def test_the_channels_that_new_ones_begin_with_are_there_from_the_start(server: Any) -> None:
    (reply,) = server.ask(c.MQCMD_INQUIRE_CHANNEL_NAMES, named("SYSTEM.DEF.*"))
    assert dict(zip(reply[c.MQCACH_CHANNEL_NAMES], reply[c.MQIACH_CHANNEL_TYPES], strict=True)) == MODELS
    (displayed,) = run_mqsc(server.qm.main, "DISPLAY CHANNEL(SYSTEM.DEF.*)").commands
    assert [item.attributes["CHANNEL"] for item in displayed.objects] == list(MODELS)
    server.ask(c.MQCMD_CHANGE_CHANNEL, named("SYSTEM.DEF.SENDER"), SENDER, CFIN(c.MQIACH_BATCH_SIZE, 9))
    server.ask(c.MQCMD_CREATE_CHANNEL, named("A.B"), SENDER, XMITQ)
    assert server.ask(c.MQCMD_INQUIRE_CHANNEL, named("A.B"))[0][c.MQIACH_BATCH_SIZE] == 9
    assert server.reason(c.MQCMD_DELETE_CHANNEL, named("SYSTEM.DEF.SENDER"))[0] == c.MQRCCF_CHANNEL_IN_USE
    create = server.reason(c.MQCMD_CREATE_CHANNEL, named("SYSTEM.DEF.SENDER"), SENDER, XMITQ)
    assert create[0] == c.MQRCCF_CHANNEL_ALREADY_EXISTS
    assert server.reason(c.MQCMD_START_CHANNEL, named("SYSTEM.DEF.SENDER"))[0] == c.MQRCCF_WRONG_CHANNEL_TYPE


def test_the_status_of_channels_that_do_nothing_is_not_found(server: Any) -> None:
    server.ask(c.MQCMD_CREATE_CHANNEL, named("A.B"), SENDER, XMITQ)
    assert server.reason(c.MQCMD_INQUIRE_CHANNEL_STATUS, named("*"))[0] == c.MQRCCF_CHL_STATUS_NOT_FOUND
    server.ask(c.MQCMD_STOP_CHANNEL, named("A.B"))
    (reply,) = server.ask(c.MQCMD_INQUIRE_CHANNEL_STATUS, named("*"))
    assert (reply[c.MQIACH_CHANNEL_STATUS], reply[c.MQIACH_CHANNEL_TYPE]) == (MQCHS_STOPPED, MQCHT_SENDER)
    place = named("x(1)", c.MQCACH_CONNECTION_NAME)
    assert len(server.ask(c.MQCMD_INQUIRE_CHANNEL_STATUS, named("*"), XMITQ)) == 1
    assert server.reason(c.MQCMD_INQUIRE_CHANNEL_STATUS, named("*"), place)[0] == c.MQRCCF_CHL_STATUS_NOT_FOUND
    server.ask(c.MQCMD_STOP_CHANNEL, named("A.B"), place, named("", o.MQCA_Q_MGR_NAME))
    server.ask(c.MQCMD_START_CHANNEL, named("A.B"))
    assert server.reason(c.MQCMD_INQUIRE_CHANNEL_STATUS, named("A.B"))[0] == c.MQRCCF_CHL_STATUS_NOT_FOUND


def test_reset_and_resolve_a_channel(server: Any) -> None:
    server.ask(c.MQCMD_CREATE_CHANNEL, named("A.B"), SENDER, XMITQ)
    number = c.MQIACH_MSG_SEQUENCE_NUMBER
    server.ask(c.MQCMD_RESET_CHANNEL, named("A.B"), CFIN(number, 5))
    server.ask(c.MQCMD_STOP_CHANNEL, named("A.B"))
    (reply,) = server.ask(c.MQCMD_INQUIRE_CHANNEL_STATUS, named("A.B"))
    assert reply[c.MQIACH_CURRENT_SEQUENCE_NUMBER] == 4
    assert server.reason(c.MQCMD_RESET_CHANNEL, named("A.B"), CFIN(number, 0))[0] == c.MQRCCF_MSG_SEQ_NUMBER_ERROR
    doubt = CFIN(c.MQIACH_IN_DOUBT, 1)
    assert server.reason(c.MQCMD_RESOLVE_CHANNEL, named("A.B"), doubt)[0] == c.MQRCCF_COMMAND_FAILED
    wrong = CFIN(c.MQIACH_IN_DOUBT, 3)
    assert server.reason(c.MQCMD_RESOLVE_CHANNEL, named("A.B"), wrong)[0] == c.MQRCCF_INDOUBT_VALUE_ERROR


# What is only kept


def namelist(name: str) -> CFST:
    return named(name, o.MQCA_NAMELIST_NAME)


def test_namelists_count_their_names(server: Any) -> None:
    names = CFSL(o.MQCA_NAMES, [b"A", b"BC"])
    server.ask(c.MQCMD_CREATE_NAMELIST, namelist("NL"), names, named("words", o.MQCA_NAMELIST_DESC))
    (reply,) = server.ask(c.MQCMD_INQUIRE_NAMELIST, namelist("N*"))
    assert (reply[o.MQCA_NAMES], reply[o.MQIA_NAME_COUNT]) == (["A", "BC"], 2)
    assert reply[o.MQCA_NAMELIST_DESC] == "words".ljust(64)
    server.ask(c.MQCMD_CHANGE_NAMELIST, namelist("NL"), named("ONE", o.MQCA_NAMES))
    asked = CFIL(c.MQIACF_NAMELIST_ATTRS, [o.MQIA_NAME_COUNT])
    assert server.ask(c.MQCMD_INQUIRE_NAMELIST, namelist("NL"), asked)[0][o.MQIA_NAME_COUNT] == 1
    assert server.ask(c.MQCMD_INQUIRE_NAMELIST_NAMES, namelist("*")) == [
        {c.MQCACF_NAMELIST_NAMES: ["NL", "SYSTEM.DEFAULT.NAMELIST"]}
    ]
    assert server.reason(c.MQCMD_CREATE_NAMELIST, namelist("N2"), CFIN(o.MQCA_NAMES, 1)) == (
        c.MQRCCF_CFIN_PARM_ID_ERROR,
        o.MQCA_NAMES,
    )


def test_what_is_kept_is_created_once_copied_and_deleted(server: Any) -> None:
    server.ask(c.MQCMD_CREATE_NAMELIST, namelist("NL"))
    assert server.reason(c.MQCMD_CREATE_NAMELIST, namelist("NL"))[0] == c.MQRCCF_OBJECT_ALREADY_EXISTS
    server.ask(c.MQCMD_CREATE_NAMELIST, namelist("NL"), CFIN(c.MQIACF_REPLACE, 1), named("X", o.MQCA_NAMES))
    names = named("NL", c.MQCACF_FROM_NAMELIST_NAME), named("N2", c.MQCACF_TO_NAMELIST_NAME)
    server.ask(c.MQCMD_COPY_NAMELIST, *names)
    assert server.ask(c.MQCMD_INQUIRE_NAMELIST, namelist("N2"))[0][o.MQCA_NAMES] == ["X"]
    server.ask(c.MQCMD_DELETE_NAMELIST, namelist("NL"))
    for command in (c.MQCMD_DELETE_NAMELIST, c.MQCMD_INQUIRE_NAMELIST, c.MQCMD_CHANGE_NAMELIST):
        assert server.reason(command, namelist("NL")) == (2085, o.MQCA_NAMELIST_NAME)
    assert server.reason(c.MQCMD_CREATE_NAMELIST, namelist("NO NAME"))[0] == c.MQRCCF_OBJECT_NAME_ERROR


def test_the_authentication_that_a_queue_manager_is_born_with(server: Any) -> None:
    (reply,) = server.ask(c.MQCMD_INQUIRE_AUTH_INFO, named("*", cmqc.MQCA_AUTH_INFO_NAME))
    assert reply[cmqc.MQCA_AUTH_INFO_NAME].rstrip() == "SYSTEM.DEFAULT.AUTHINFO.IDPWOS"
    assert reply[cmqc.MQIA_AUTH_INFO_TYPE] == cmqc.MQAIT_IDPW_OS


def test_authority_records_add_up_and_are_taken_away(server: Any) -> None:
    subject = [
        named("Q", c.MQCACF_AUTH_PROFILE_NAME),
        CFIN(c.MQIACF_OBJECT_TYPE, o.MQOT_Q),
        CFSL(c.MQCACF_PRINCIPAL_ENTITY_NAMES, [b"ana", b"bo"]),
    ]
    server.ask(c.MQCMD_SET_AUTH_REC, *subject, CFIL(c.MQIACF_AUTH_ADD_AUTHS, [1, 2, 3]))
    server.ask(c.MQCMD_SET_AUTH_REC, *subject[:2], named("ana", c.MQCACF_PRINCIPAL_ENTITY_NAMES),
               CFIL(c.MQIACF_AUTH_REMOVE_AUTHS, [2]))  # fmt: skip
    replies = server.ask(c.MQCMD_INQUIRE_AUTH_RECS, subject[0])
    assert [(reply[c.MQCACF_ENTITY_NAME].rstrip(), reply[c.MQIACF_AUTHORIZATION_LIST]) for reply in replies] == [
        ("ana", [1, 3]),
        ("bo", [1, 2, 3]),
    ]
    server.ask(c.MQCMD_DELETE_AUTH_REC, *subject)
    assert server.reason(c.MQCMD_DELETE_AUTH_REC, *subject)[0] == 2085
    assert server.reason(c.MQCMD_INQUIRE_AUTH_RECS, subject[0])[0] == 2085


@pytest.mark.parametrize(
    ("name", "options", "found"),
    [
        ("A.B", 0, ["A.B"]),
        ("A.B", c.MQAUTHOPT_NAME_EXPLICIT, ["A.B"]),
        ("A.B", c.MQAUTHOPT_NAME_ALL_MATCHING, ["**", "A.*", "A.B"]),
        ("A.*", c.MQAUTHOPT_NAME_AS_WILDCARD, ["A.*", "A.B", "A.C"]),
        ("A.B", c.MQAUTHOPT_NAME_ALL_MATCHING | c.MQAUTHOPT_CUMULATIVE, ["A.B"]),
    ],
)
def test_the_options_of_an_inquiry_choose_authority_records(
    server: Any, name: str, options: int, found: list[str]
) -> None:
    for number, profile in enumerate(("**", "A.*", "A.B", "A.C"), 1):
        server.ask(
            c.MQCMD_SET_AUTH_REC,
            named(profile, c.MQCACF_AUTH_PROFILE_NAME),
            CFIN(c.MQIACF_OBJECT_TYPE, o.MQOT_Q),
            named("ana", c.MQCACF_PRINCIPAL_ENTITY_NAMES),
            CFIN(c.MQIACF_AUTH_ADD_AUTHS, number),
        )
    replies = server.ask(
        c.MQCMD_INQUIRE_AUTH_RECS,
        named(name, c.MQCACF_AUTH_PROFILE_NAME),
        CFIN(c.MQIACF_AUTH_OPTIONS, options),
        named("ana", c.MQCACF_ENTITY_NAME),
        named("", c.MQCACF_SERVICE_COMPONENT),
    )
    assert sorted(reply[c.MQCACF_AUTH_PROFILE_NAME].rstrip() for reply in replies) == found
    if options & c.MQAUTHOPT_CUMULATIVE:
        assert replies[0][c.MQIACF_AUTHORIZATION_LIST] == [1, 2, 3]


def test_the_entity_set_of_a_principal_has_its_groups(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(authorities, "groups_of", {"ana": ["staff"]}.get)
    subject = [named("Q", c.MQCACF_AUTH_PROFILE_NAME), CFIN(c.MQIACF_OBJECT_TYPE, o.MQOT_Q)]
    for entities in (c.MQCACF_PRINCIPAL_ENTITY_NAMES, c.MQCACF_GROUP_ENTITY_NAMES):
        names = CFSL(entities, [b"ana  ", b"staff"])
        server.ask(c.MQCMD_SET_AUTH_REC, *subject, names, CFIN(c.MQIACF_AUTH_ADD_AUTHS, 1))
    of_ana = [named("ana", c.MQCACF_ENTITY_NAME), CFIN(c.MQIACF_ENTITY_TYPE, cmqzc.MQZAET_PRINCIPAL)]
    options = CFIN(c.MQIACF_AUTH_OPTIONS, c.MQAUTHOPT_ENTITY_SET)
    found = server.ask(c.MQCMD_INQUIRE_AUTH_RECS, *of_ana, options)
    entities = {(reply[c.MQIACF_ENTITY_TYPE], reply[c.MQCACF_ENTITY_NAME].rstrip()) for reply in found}
    assert entities == {(cmqzc.MQZAET_PRINCIPAL, "ana"), (cmqzc.MQZAET_GROUP, "staff")}
    assert len(server.ask(c.MQCMD_INQUIRE_AUTH_RECS, *of_ana)) == 1


@pytest.mark.parametrize(
    ("kind", "reason"), [(cmqc.MQTOPT_ALL, 0), (cmqc.MQTOPT_LOCAL, 0), (cmqc.MQTOPT_CLUSTER, 2085)]
)
def test_names_of_topics_are_padded_and_their_type_narrows(server: Any, kind: int, reason: int) -> None:
    asked = [named("SYSTEM.BASE.TOPIC", cmqc.MQCA_TOPIC_NAME), CFIN(cmqc.MQIA_TOPIC_TYPE, kind)]
    if reason:
        assert server.reason(c.MQCMD_INQUIRE_TOPIC, *asked)[0] == reason
    else:
        (reply,) = server.ask(c.MQCMD_INQUIRE_TOPIC, *asked)
        assert reply[cmqc.MQCA_TOPIC_NAME] == "SYSTEM.BASE.TOPIC".ljust(48)


@pytest.mark.parametrize(
    ("missing", "reason"),
    [
        (0, c.MQRCCF_PROFILE_NAME_MISSING),
        (1, c.MQRCCF_OBJECT_TYPE_MISSING),
        (2, c.MQRCCF_ENTITY_NAME_MISSING),
        (3, c.MQRCCF_AUTH_VALUE_MISSING),
    ],
)
def test_an_authority_record_needs_all_its_parts(server: Any, missing: int, reason: int) -> None:
    parts = [
        named("Q", c.MQCACF_AUTH_PROFILE_NAME),
        CFIN(c.MQIACF_OBJECT_TYPE, o.MQOT_Q),
        named("ana", c.MQCACF_PRINCIPAL_ENTITY_NAMES),
        CFIN(c.MQIACF_AUTH_ADD_AUTHS, 1),
    ]
    del parts[missing]
    assert server.reason(c.MQCMD_SET_AUTH_REC, *parts)[0] == reason
