"""Inquiries as monitors send them: all attributes, lists with repeats, a filter on each attribute."""

from __future__ import annotations

from typing import Any

import pytest

from mqtools.admin.commands.catalogue import BY_NUMBER
from mqtools.admin.mqsc.run import run_mqsc
from mqtools.constants import cmqc
from mqtools.constants import cmqcfc as c
from mqtools.constants import objects as o
from mqtools.constants.administration import MQCFOP_CONTAINS, MQCFOP_EQUAL
from mqtools.constants.options import MQOO_INPUT_SHARED
from mqtools.headers.pcf import CFBF, CFBS, CFIF, CFIL, CFIN, CFSF, CFST

from .conftest import Server

SETUP = """
DEFINE CHANNEL(A.B) CHLTYPE(SDR) XMITQ(QM2) CONNAME('b(1)')
STOP CHANNEL(A.B)
DEFINE SUB(S) TOPICSTR('a') DEST(R) USERDATA('u') SELECTOR('x = 1')
DEFINE NAMELIST(NL) NAMES('A','B') DESCR('d')
DEFINE PROCESS(P) APPLICID('x')
DEFINE TOPIC(T) TOPICSTR('a')
DEFINE LISTENER(L) PORT(1500)
DEFINE SERVICE(S) STARTCMD('/bin/true')
SET CHLAUTH('A*') TYPE(ADDRESSMAP) ADDRESS('10.*') MCAUSER('net') DESCR('words')
SET AUTHREC PROFILE('Q') OBJTYPE(QUEUE) PRINCIPAL('bo') AUTHADD(GET)
"""


def text(number: int, value: str) -> CFST:
    return CFST(number, value.encode())


#: Inquiry to what it names, and to parameters of IBM MQ's reply (Reference, PCF) that a monitor reads.
INQUIRIES: dict[str, tuple[int, list[Any], str]] = {
    "queue": (c.MQCMD_INQUIRE_Q, [text(o.MQCA_Q_NAME, "Q")],
        "MQIA_CURRENT_Q_DEPTH MQIA_MAX_Q_DEPTH MQIA_OPEN_INPUT_COUNT MQIA_OPEN_OUTPUT_COUNT MQIA_USAGE MQCA_Q_DESC "
        "MQIA_DEFINITION_TYPE MQIA_INHIBIT_GET MQIA_INHIBIT_PUT MQIA_MONITORING_Q MQCA_ALTERATION_DATE "
        "MQCA_CREATION_DATE MQCA_BACKOUT_REQ_Q_NAME MQIA_Q_DEPTH_HIGH_LIMIT"),
    "status of a queue": (c.MQCMD_INQUIRE_Q_STATUS, [text(o.MQCA_Q_NAME, "Q")],
        "MQCA_Q_NAME MQIA_CURRENT_Q_DEPTH MQCACF_LAST_GET_DATE MQCACF_LAST_GET_TIME MQCACF_LAST_PUT_DATE "
        "MQCACF_LAST_PUT_TIME MQCACF_MEDIA_LOG_EXTENT_NAME MQIA_MONITORING_Q MQIACF_OLDEST_MSG_AGE "
        "MQIA_OPEN_INPUT_COUNT MQIA_OPEN_OUTPUT_COUNT MQIACF_Q_STATUS_TYPE MQIACF_UNCOMMITTED_MSGS "
        "MQIACF_Q_TIME_INDICATOR"),
    "handle": (c.MQCMD_INQUIRE_Q_STATUS,
        [text(o.MQCA_Q_NAME, "Q"), CFIN(c.MQIACF_Q_STATUS_TYPE, c.MQIACF_Q_HANDLE)],
        "MQCACF_APPL_DESC MQCACF_APPL_TAG MQIA_APPL_TYPE MQIACF_ASYNC_STATE MQCACH_CHANNEL_NAME "
        "MQCACH_CONNECTION_NAME MQBACF_EXTERNAL_UOW_ID MQIACF_HANDLE_STATE MQIACF_OPEN_BROWSE "
        "MQIACF_OPEN_INPUT_TYPE MQIACF_OPEN_INQUIRE MQIACF_OPEN_OPTIONS MQIACF_OPEN_OUTPUT MQIACF_OPEN_SET "
        "MQIACF_PROCESS_ID MQBACF_Q_MGR_UOW_ID MQIACF_THREAD_ID MQIACF_UOW_TYPE MQCACF_USER_IDENTIFIER"),
    "connection": (c.MQCMD_INQUIRE_CONNECTION, [CFBS(c.MQBACF_GENERIC_CONNECTION_ID, b"")],
        "MQBACF_CONNECTION_ID MQCACF_APPL_DESC MQCACF_APPL_TAG MQIA_APPL_TYPE MQIACF_ASYNC_STATE "
        "MQCACH_CHANNEL_NAME MQCACH_CONNECTION_NAME MQIACF_CONN_INFO_TYPE MQIACF_CONNECT_OPTIONS "
        "MQBACF_EXTERNAL_UOW_ID MQIACF_PROCESS_ID MQBACF_Q_MGR_UOW_ID MQIACF_THREAD_ID MQCACF_UOW_LOG_EXTENT_NAME "
        "MQCACF_UOW_START_DATE MQCACF_UOW_START_TIME MQIACF_UOW_STATE MQIACF_UOW_TYPE MQCACF_USER_IDENTIFIER"),
    "channel": (c.MQCMD_INQUIRE_CHANNEL, [text(c.MQCACH_CHANNEL_NAME, "A.B")],
        "MQIACH_CHANNEL_TYPE MQCACH_CONNECTION_NAME MQIACH_BATCH_SIZE MQCACH_XMIT_Q_NAME MQCACH_DESC "
        "MQIACH_HB_INTERVAL MQIACH_DISC_INTERVAL MQCACH_SSL_CIPHER_SPEC MQIACH_MAX_MSG_LENGTH"),
    "status of a channel": (c.MQCMD_INQUIRE_CHANNEL_STATUS, [text(c.MQCACH_CHANNEL_NAME, "*")],
        "MQIACH_BATCHES MQIACH_BATCH_SIZE MQIACH_BUFFERS_RCVD MQIACH_BUFFERS_SENT MQIACH_BYTES_RCVD "
        "MQIACH_BYTES_SENT MQCACH_CHANNEL_START_DATE MQCACH_CHANNEL_START_TIME MQIACH_CHANNEL_STATUS "
        "MQIACH_CHANNEL_SUBSTATE MQIACH_CHANNEL_TYPE MQIACH_CHANNEL_INSTANCE_TYPE MQCACH_CONNECTION_NAME "
        "MQIACH_CURRENT_MSGS MQIACH_CURRENT_SEQUENCE_NUMBER MQCACH_CURRENT_LUWID MQIACH_HB_INTERVAL "
        "MQIACH_INDOUBT_STATUS MQCACH_LAST_LUWID MQCACH_LAST_MSG_DATE MQCACH_LAST_MSG_TIME "
        "MQIACH_LAST_SEQUENCE_NUMBER MQCACH_LOCAL_ADDRESS MQIACH_LONG_RETRIES_LEFT MQIACH_MAX_MSG_LENGTH "
        "MQCACH_MCA_JOB_NAME MQIACH_MCA_STATUS MQCACH_MCA_USER_ID MQIA_MONITORING_CHANNEL MQIACH_MSGS "
        "MQIACH_NPM_SPEED MQCACH_REMOTE_APPL_TAG MQCA_REMOTE_Q_MGR_NAME MQIACH_SHORT_RETRIES_LEFT "
        "MQIACH_SSL_KEY_RESETS MQIACH_STOP_REQUESTED MQCACH_XMIT_Q_NAME MQIACH_XMITQ_MSGS_AVAILABLE"),
    "queue manager": (c.MQCMD_INQUIRE_Q_MGR, [],
        "MQCA_Q_MGR_NAME MQCA_Q_MGR_IDENTIFIER MQIA_COMMAND_LEVEL MQIA_PLATFORM MQCA_DEAD_LETTER_Q_NAME "
        "MQIA_CHLAUTH_RECORDS MQCA_CONN_AUTH MQCA_CERT_LABEL MQCA_SSL_KEY_REPOSITORY MQIA_MAX_CHANNELS "
        "MQIA_MONITORING_CHANNEL MQIA_MONITORING_Q MQIA_MONITORING_AUTO_CLUSSDR MQIA_PUBSUB_MODE "
        "MQIA_TREE_LIFE_TIME MQCA_VERSION MQIA_MAX_HANDLES MQIA_MAX_UNCOMMITTED_MSGS"),
    "status of the queue manager": (c.MQCMD_INQUIRE_Q_MGR_STATUS, [],
        "MQCA_Q_MGR_NAME MQIACF_Q_MGR_STATUS MQIACF_CHINIT_STATUS MQIACF_CMD_SERVER_STATUS MQIACF_CONNECTION_COUNT "
        "MQCACF_HOST_NAME MQCA_INSTALLATION_NAME MQCA_INSTALLATION_PATH MQIACF_LDAP_CONNECTION_STATUS "
        "MQCACF_LOG_PATH MQIACF_PERMIT_STANDBY MQCACF_Q_MGR_START_DATE MQCACF_Q_MGR_START_TIME"),
    "subscription": (c.MQCMD_INQUIRE_SUBSCRIPTION, [text(c.MQCACF_SUB_NAME, "*")],
        "MQCACF_SUB_NAME MQBACF_SUB_ID MQCA_ALTERATION_DATE MQCA_ALTERATION_TIME MQCA_CREATION_DATE "
        "MQCA_CREATION_TIME MQCACF_DESTINATION MQIACF_DESTINATION_CLASS MQBACF_DESTINATION_CORREL_ID "
        "MQCACF_DESTINATION_Q_MGR MQIA_DISPLAY_TYPE MQIACF_DURABLE_SUBSCRIPTION MQIACF_EXPIRY "
        "MQBACF_ACCOUNTING_TOKEN MQCACF_APPL_IDENTITY_DATA MQIACF_PUB_PRIORITY MQIACF_PUBSUB_PROPERTIES "
        "MQIACF_REQUEST_ONLY MQCACF_SUB_SELECTOR MQIACF_SELECTOR_TYPE MQIACF_SUB_LEVEL MQIACF_SUBSCRIPTION_SCOPE "
        "MQIACF_SUB_TYPE MQCACF_SUB_USER_ID MQCA_TOPIC_NAME MQCA_TOPIC_STRING MQCACF_SUB_USER_DATA "
        "MQIACF_VARIABLE_USER_ID MQIACF_WILDCARD_SCHEMA"),
    "status of a subscription": (c.MQCMD_INQUIRE_SUB_STATUS, [text(c.MQCACF_SUB_NAME, "*")],
        "MQCACF_SUB_NAME MQBACF_SUB_ID MQBACF_CONNECTION_ID MQIACF_DURABLE_SUBSCRIPTION MQCACF_LAST_MSG_DATE "
        "MQCACF_LAST_MSG_TIME MQIACF_MESSAGE_COUNT MQCA_RESUME_DATE MQCA_RESUME_TIME MQCACF_SUB_USER_ID "
        "MQIACF_SUB_TYPE MQCA_TOPIC_STRING"),
    "status of a topic": (c.MQCMD_INQUIRE_TOPIC_STATUS, [text(cmqc.MQCA_TOPIC_STRING, "a")],
        "MQCA_TOPIC_STRING MQCA_ADMIN_TOPIC_NAME MQIA_DEF_PRIORITY MQIA_DEF_PUT_RESPONSE_TYPE MQIA_DURABLE_SUB "
        "MQIA_INHIBIT_PUB MQIA_INHIBIT_SUB MQIA_NPM_DELIVERY MQIA_PM_DELIVERY MQIACF_RETAINED_PUBLICATION "
        "MQIA_PUB_COUNT MQIA_PUB_SCOPE MQIA_SUB_COUNT MQIA_SUB_SCOPE MQIA_TOPIC_DEF_PERSISTENCE "
        "MQIA_USE_DEAD_LETTER_Q MQIACF_TOPIC_STATUS_TYPE"),
    "publish/subscribe": (c.MQCMD_INQUIRE_PUBSUB_STATUS, [],
        "MQCA_Q_MGR_NAME MQIACF_PUBSUB_STATUS MQIACF_PS_STATUS_TYPE MQIA_SUB_COUNT MQIA_TOPIC_NODE_COUNT"),
    "subscribers of a topic": (c.MQCMD_INQUIRE_TOPIC_STATUS,
        [text(cmqc.MQCA_TOPIC_STRING, "a"), CFIN(c.MQIACF_TOPIC_STATUS_TYPE, c.MQIACF_TOPIC_SUB)],
        "MQCA_TOPIC_STRING MQBACF_CONNECTION_ID MQIACF_DURABLE_SUBSCRIPTION MQCACF_LAST_MSG_DATE MQCACF_LAST_MSG_TIME "
        "MQIACF_MESSAGE_COUNT MQCA_RESUME_DATE MQCA_RESUME_TIME MQCACF_SUB_USER_ID MQBACF_SUB_ID MQIACF_SUB_TYPE"),
    "handle of a connection": (c.MQCMD_INQUIRE_CONNECTION, [CFBS(c.MQBACF_GENERIC_CONNECTION_ID, b""),
        CFIN(c.MQIACF_CONN_INFO_TYPE, c.MQIACF_CONN_INFO_HANDLE)],
        "MQBACF_CONNECTION_ID MQIACF_ASYNC_STATE MQCACF_DESTINATION MQIACF_HANDLE_STATE MQCACF_OBJECT_NAME "
        "MQIACF_OBJECT_TYPE MQIACF_OPEN_OPTIONS MQCACF_SUB_NAME MQCA_TOPIC_STRING"),
    "listener": (c.MQCMD_INQUIRE_LISTENER, [text(c.MQCACH_LISTENER_NAME, "*")],
        "MQCACH_LISTENER_NAME MQCA_ALTERATION_DATE MQCA_ALTERATION_TIME MQIACH_BACKLOG MQCACH_IP_ADDRESS "
        "MQIACH_LISTENER_CONTROL MQCACH_LISTENER_DESC MQIACH_PORT MQIACH_XMIT_PROTOCOL_TYPE"),
    "service": (c.MQCMD_INQUIRE_SERVICE, [text(cmqc.MQCA_SERVICE_NAME, "*")],
        "MQCA_SERVICE_NAME MQCA_ALTERATION_DATE MQCA_ALTERATION_TIME MQCA_SERVICE_DESC MQCA_SERVICE_START_ARGS "
        "MQCA_SERVICE_START_COMMAND MQCA_SERVICE_STOP_ARGS MQCA_SERVICE_STOP_COMMAND MQIA_SERVICE_CONTROL "
        "MQIA_SERVICE_TYPE MQCA_STDERR_DESTINATION MQCA_STDOUT_DESTINATION"),
    "authentication information": (c.MQCMD_INQUIRE_AUTH_INFO, [text(cmqc.MQCA_AUTH_INFO_NAME, "*")],
        "MQCA_AUTH_INFO_NAME MQIA_AUTH_INFO_TYPE MQCA_ALTERATION_DATE MQCA_ALTERATION_TIME MQCA_AUTH_INFO_DESC "
        "MQIA_ADOPT_CONTEXT MQIA_AUTHENTICATION_METHOD MQIA_CHECK_CLIENT_BINDING MQIA_CHECK_LOCAL_BINDING "
        "MQIA_AUTHENTICATION_FAIL_DELAY"),
    "authorization service": (c.MQCMD_INQUIRE_AUTH_SERVICE, [],
        "MQIACF_INTERFACE_VERSION MQCACF_SERVICE_COMPONENT MQIACF_USER_ID_SUPPORT"),
    "application": (c.MQCMD_INQUIRE_APPL_STATUS, [text(c.MQCACF_APPL_NAME, "*")],
        "MQCACF_APPL_NAME MQIACF_APPL_INFO_TYPE MQCA_CLUSTER_NAME MQIACF_APPL_COUNT MQIACF_MOVABLE_APPL_COUNT "
        "MQIACF_BALANCED"),
    "name list": (c.MQCMD_INQUIRE_NAMELIST, [text(o.MQCA_NAMELIST_NAME, "N*")],
        "MQCA_NAMELIST_NAME MQCA_NAMES MQIA_NAME_COUNT MQCA_NAMELIST_DESC MQCA_ALTERATION_DATE "
        "MQCA_ALTERATION_TIME MQIA_NAMELIST_TYPE"),
    "process": (c.MQCMD_INQUIRE_PROCESS, [text(o.MQCA_PROCESS_NAME, "P")],
        "MQCA_PROCESS_NAME MQCA_PROCESS_DESC MQCA_APPL_ID MQIA_APPL_TYPE MQCA_ENV_DATA MQCA_USER_DATA "
        "MQCA_ALTERATION_DATE MQCA_ALTERATION_TIME"),
    "topic": (c.MQCMD_INQUIRE_TOPIC, [text(cmqc.MQCA_TOPIC_NAME, "T")],
        "MQCA_TOPIC_NAME MQCA_TOPIC_STRING MQIA_INHIBIT_PUB MQIA_INHIBIT_SUB MQIA_DURABLE_SUB MQCA_ALTERATION_DATE "
        "MQIA_TOPIC_TYPE MQCA_TOPIC_DESC"),
    "channel authentication": (c.MQCMD_INQUIRE_CHLAUTH_RECS, [text(c.MQCACH_CHANNEL_NAME, "A*")],
        "MQCACH_CHANNEL_NAME MQIACF_CHLAUTH_TYPE MQCACH_CONNECTION_NAME MQIACH_USER_SOURCE MQCACH_MCA_USER_ID "
        "MQCA_CHLAUTH_DESC MQIACH_WARNING MQCA_ALTERATION_DATE"),
}  # fmt: skip


def number_of(name: str) -> int:
    return next(getattr(module, name) for module in (c, cmqc, o) if hasattr(module, name))


def without_sizes(reply: dict[int, Any]) -> dict[int, Any]:
    """Return a reply without the sizes that change with the file and the disk."""
    sizes = c.MQIACF_CUR_Q_FILE_SIZE, c.MQIACF_CUR_MAX_FILE_SIZE
    return {number: None if number in sizes else value for number, value in reply.items()}


@pytest.fixture
def monitored(server: Server) -> Server:
    report = run_mqsc(server.qm.main, SETUP)
    assert [each.outcome for each in report.commands] == ["ok"] * report.read
    return server


@pytest.fixture
def opened(monitored: Server) -> Any:
    with monitored.qm.open("Q", MQOO_INPUT_SHARED):
        yield monitored


@pytest.mark.parametrize("inquiry", INQUIRIES)
def test_a_reply_has_the_parameters_that_ibm_mq_documents(opened: Server, inquiry: str) -> None:
    number, sent, documented = INQUIRIES[inquiry]
    asked = CFIL(BY_NUMBER[number].asked, [c.MQIACF_ALL])
    for reply in opened.ask(number, *sent, asked):
        assert not {number_of(name) for name in documented.split()} - set(reply)
    replies, others = opened.ask(number, *sent), opened.ask(number, *sent, asked)
    assert [without_sizes(reply) for reply in replies] == [without_sizes(reply) for reply in others]


@pytest.mark.parametrize("inquiry", INQUIRIES)
def test_lists_of_attributes_may_repeat_and_have_what_others_have(opened: Server, inquiry: str) -> None:
    number, sent, documented = INQUIRIES[inquiry]
    numbers = [number_of(name) for name in documented.split()]
    asked = CFIL(BY_NUMBER[number].asked, [*numbers, *numbers, number_of("MQCA_BASE_Q_NAME")])
    for reply in opened.ask(number, *sent, asked):
        assert set(numbers) <= set(reply)


@pytest.mark.parametrize("inquiry", [each for each in INQUIRIES if not each.endswith("queue manager")])
def test_an_inquiry_can_be_filtered_by_each_attribute(opened: Server, inquiry: str) -> None:
    number, sent, documented = INQUIRIES[inquiry]
    (reply, *_) = opened.ask(number, *sent)
    for name in documented.split():
        value = reply[selector := number_of(name)]
        if isinstance(value, list):
            holds = CFSF if isinstance(value[0], str) else CFIF
            equal: Any = holds(selector, MQCFOP_CONTAINS, value[0].encode() if holds is CFSF else value[0])
        elif isinstance(value, bytes):
            equal = CFBF(selector, MQCFOP_EQUAL, value)
        elif isinstance(value, str):
            equal = CFSF(selector, MQCFOP_EQUAL, value.rstrip().encode())
        else:
            equal = CFIF(selector, MQCFOP_EQUAL, value)
        found = opened.ask(number, *sent, equal)
        assert [each[selector] for each in found] == [value] * len(found) != [], name


def test_every_inquiry_of_the_catalogue_that_takes_a_list_has_a_case() -> None:
    running = {
        c.MQCMD_INQUIRE_LISTENER_STATUS,
        c.MQCMD_INQUIRE_SERVICE_STATUS,
    }  # tests/commands/test_service_objects.py
    takes_a_list = {number for number, command in BY_NUMBER.items() if command.asked}
    assert takes_a_list - running == {number for number, _, _ in INQUIRIES.values()}
