"""Statistics and accounting records: the parameters of each, in their order.

Source: IBM MQ 9.4, "Statistics and accounting message reference". A parameter that is not here is not counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from mqtools.constants import cmqcfc as c
from mqtools.constants import objects
from mqtools.constants.administration import MQCFT_ACCOUNTING, MQCFT_STATISTICS

#: Queues of accounting and statistics messages.
ACCOUNTING_QUEUE, STATISTICS_QUEUE = "SYSTEM.ADMIN.ACCOUNTING.QUEUE", "SYSTEM.ADMIN.STATISTICS.QUEUE"
#: Name of the groups of a record.
OBJECTS = "objects"
#: Numbers of a counter by type of object, whose indexes are MQOT_*, by end of connection (MQDISCONNECT_*), by MQSUB:
#: subscriptions that were created, altered and resumed.
OBJECT_TYPES, DISCONNECTS, SUBSCRIBES = 13, 3, 3


@dataclass(frozen=True, slots=True)
class RecordField:
    """A parameter of a record.

    name: of its value or counter.  length: numbers of a counter, 0 for any other value; a counter of two has that of
    nonpersistent messages first, that of persistent ones second.  is_wide: 64 bits.
    """

    name: str
    parameter: int
    length: int = 0
    is_wide: bool = False


@dataclass(frozen=True, slots=True)
class RecordType:
    """A kind of record. header_type: MQCFT_*.  group, members: of the groups behind ``fields``, None for no groups."""

    words: str
    header_type: int
    command: int
    fields: tuple[RecordField, ...]
    group: int | None = None
    members: tuple[RecordField, ...] = ()

    @property
    def names(self) -> dict[int, str]:
        """Names by parameter."""
        found = {field.parameter: field.name for field in (*self.fields, *self.members)}
        return found if self.group is None else {**found, self.group: OBJECTS}


_count = partial(RecordField, length=1)
_pair = partial(RecordField, length=2)
_wide_pair = partial(RecordField, length=2, is_wide=True)
_by_type = partial(RecordField, length=OBJECT_TYPES)

_INTERVAL = (
    RecordField("q_mgr_name", objects.MQCA_Q_MGR_NAME),
    RecordField("interval_start_date", c.MQCAMO_START_DATE),
    RecordField("interval_start_time", c.MQCAMO_START_TIME),
    RecordField("interval_end_date", c.MQCAMO_END_DATE),
    RecordField("interval_end_time", c.MQCAMO_END_TIME),
    RecordField("command_level", objects.MQIA_COMMAND_LEVEL),
)
_CONNECTION = (
    RecordField("connection_id", c.MQBACF_CONNECTION_ID),
    RecordField("seq_number", c.MQIACF_SEQUENCE_NUMBER),
    RecordField("appl_name", c.MQCACF_APPL_NAME),
    RecordField("process_id", c.MQIACF_PROCESS_ID),
    RecordField("thread_id", c.MQIACF_THREAD_ID),
    RecordField("user_identifier", c.MQCACF_USER_IDENTIFIER),
    RecordField("conn_date", c.MQCAMO_CONN_DATE),
    RecordField("conn_time", c.MQCAMO_CONN_TIME),
    RecordField("connection_name", c.MQCACH_CONNECTION_NAME),
    RecordField("channel_name", c.MQCACH_CHANNEL_NAME),
    RecordField("disc_date", c.MQCAMO_DISC_DATE),
    RecordField("disc_time", c.MQCAMO_DISC_TIME),
    RecordField("disc_type", c.MQIAMO_DISC_TYPE),
)
_PUTS = (
    _pair("put_count", c.MQIAMO_PUTS),
    _count("put_fail_count", c.MQIAMO_PUTS_FAILED),
    _pair("put1_count", c.MQIAMO_PUT1S),
    _count("put1_fail_count", c.MQIAMO_PUT1S_FAILED),
    _wide_pair("put_bytes", c.MQIAMO64_PUT_BYTES),
)
_GETS = (
    _pair("get_count", c.MQIAMO_GETS),
    _wide_pair("get_bytes", c.MQIAMO64_GET_BYTES),
    _count("get_fail_count", c.MQIAMO_GETS_FAILED),
)
_BROWSES = (
    _pair("browse_count", c.MQIAMO_BROWSES),
    _wide_pair("browse_bytes", c.MQIAMO64_BROWSE_BYTES),
    _count("browse_fail_count", c.MQIAMO_BROWSES_FAILED),
)
_MESSAGES = (*_PUTS, *_GETS, *_BROWSES)
_LOST = (_count("expired_msg_count", c.MQIAMO_MSGS_EXPIRED), _count("purge_count", c.MQIAMO_MSGS_PURGED))
_OPENS = (
    _by_type("open_count", c.MQIAMO_OPENS),
    _by_type("open_fail_count", c.MQIAMO_OPENS_FAILED),
    _by_type("close_count", c.MQIAMO_CLOSES),
    _by_type("close_fail_count", c.MQIAMO_CLOSES_FAILED),
)
_ATTRIBUTES = (
    _by_type("inq_count", c.MQIAMO_INQS),
    _by_type("inq_fail_count", c.MQIAMO_INQS_FAILED),
    _by_type("set_count", c.MQIAMO_SETS),
    _by_type("set_fail_count", c.MQIAMO_SETS_FAILED),
)
_CALLS = (
    RecordField("sub_dur_count", c.MQIAMO_SUBS_DUR, SUBSCRIBES),
    RecordField("sub_ndur_count", c.MQIAMO_SUBS_NDUR, SUBSCRIBES),
    _count("sub_fail_count", c.MQIAMO_SUBS_FAILED),
    _count("subrq_count", c.MQIAMO_SUBRQS),
    _count("subrq_fail_count", c.MQIAMO_SUBRQS_FAILED),
    _count("cb_count", c.MQIAMO_CBS),
    _count("cb_fail_count", c.MQIAMO_CBS_FAILED),
    _count("ctl_count", c.MQIAMO_CTLS),
    _count("ctl_fail_count", c.MQIAMO_CTLS_FAILED),
    _count("stat_count", c.MQIAMO_STATS),
    _count("stat_fail_count", c.MQIAMO_STATS_FAILED),
)
_UNITS_OF_WORK = (
    _count("commit_count", c.MQIAMO_COMMITS),
    _count("commit_fail_count", c.MQIAMO_COMMITS_FAILED),
    _count("back_count", c.MQIAMO_BACKOUTS),
)
_TOPICS = (
    _pair("put1_topic_count", c.MQIAMO_TOPIC_PUT1S),
    _wide_pair("put_topic_bytes", c.MQIAMO64_TOPIC_PUT_BYTES),
)
_PUBLISHED = (
    _pair("publish_msg_count", c.MQIAMO_PUBLISH_MSG_COUNT),
    _wide_pair("publish_msg_bytes", c.MQIAMO64_PUBLISH_MSG_BYTES),
)
_QUEUE = (
    RecordField("q_name", objects.MQCA_Q_NAME),
    RecordField("create_date", objects.MQCA_CREATION_DATE),
    RecordField("create_time", objects.MQCA_CREATION_TIME),
    RecordField("q_type", objects.MQIA_Q_TYPE),
    RecordField("q_definition_type", objects.MQIA_DEFINITION_TYPE),
)
_OBJECTS = (RecordField("object_count", c.MQIAMO_OBJECT_COUNT),)

STATISTICS_MQI = RecordType(
    "MQI statistics",
    MQCFT_STATISTICS,
    c.MQCMD_STATISTICS_MQI,
    (
        *_INTERVAL,
        _count("conn_count", c.MQIAMO_CONNS),
        _count("conn_max", c.MQIAMO_CONNS_MAX),
        RecordField("disc_count", c.MQIAMO_DISCS, DISCONNECTS),
        *_OPENS,
        *_ATTRIBUTES,
        *_MESSAGES,
        *_UNITS_OF_WORK,
        *_LOST,
        *_CALLS,
        *_TOPICS,
        *_PUBLISHED,
    ),
)
STATISTICS_Q = RecordType(
    "Queue statistics",
    MQCFT_STATISTICS,
    c.MQCMD_STATISTICS_Q,
    (*_INTERVAL, *_OBJECTS),
    c.MQGACF_Q_STATISTICS_DATA,
    (
        *_QUEUE,
        _count("q_depth_min", c.MQIAMO_Q_MIN_DEPTH),
        _count("q_depth_max", c.MQIAMO_Q_MAX_DEPTH),
        _wide_pair("avg_time_on_q", c.MQIAMO64_AVG_Q_TIME),
        *_MESSAGES,
        *_LOST,
    ),
)
STATISTICS_CHANNEL = RecordType(
    "Channel statistics",
    MQCFT_STATISTICS,
    c.MQCMD_STATISTICS_CHANNEL,
    (*_INTERVAL, *_OBJECTS),
    c.MQGACF_CHL_STATISTICS_DATA,
    (
        RecordField("channel_name", c.MQCACH_CHANNEL_NAME),
        RecordField("channel_type", c.MQIACH_CHANNEL_TYPE),
        RecordField("remote_q_mgr_name", objects.MQCA_REMOTE_Q_MGR_NAME),
        RecordField("connection_name", c.MQCACH_CONNECTION_NAME),
        _pair("msg_count", c.MQIAMO_MSGS),
        _wide_pair("total_bytes", c.MQIAMO64_BYTES),
        _count("full_batches", c.MQIAMO_FULL_BATCHES),
        _count("incomplete_batches", c.MQIAMO_INCOMPLETE_BATCHES),
        _count("avg_batch_size", c.MQIAMO_AVG_BATCH_SIZE),
        _count("put_retry_count", c.MQIAMO_PUT_RETRIES),
    ),
)
ACCOUNTING_MQI = RecordType(
    "MQI accounting",
    MQCFT_ACCOUNTING,
    c.MQCMD_ACCOUNTING_MQI,
    (
        *_INTERVAL,
        *_CONNECTION,
        *_OPENS,
        *_MESSAGES,
        *_UNITS_OF_WORK,
        *_ATTRIBUTES,
        *_CALLS,
        *_TOPICS,
    ),
)
ACCOUNTING_Q = RecordType(
    "Queue accounting",
    MQCFT_ACCOUNTING,
    c.MQCMD_ACCOUNTING_Q,
    (*_INTERVAL, *_CONNECTION, *_OBJECTS),
    c.MQGACF_Q_ACCOUNTING_DATA,
    (
        *_QUEUE,
        _count("q_open_count", c.MQIAMO_OPENS),
        RecordField("open_date", c.MQCAMO_OPEN_DATE),
        RecordField("open_time", c.MQCAMO_OPEN_TIME),
        RecordField("close_date", c.MQCAMO_CLOSE_DATE),
        RecordField("close_time", c.MQCAMO_CLOSE_TIME),
        *_PUTS,
        _pair("put_bytes_min", c.MQIAMO_PUT_MIN_BYTES),
        _pair("put_bytes_max", c.MQIAMO_PUT_MAX_BYTES),
        *_GETS,
        _pair("get_bytes_min", c.MQIAMO_GET_MIN_BYTES),
        _pair("get_bytes_max", c.MQIAMO_GET_MAX_BYTES),
        *_BROWSES,
        _pair("browse_bytes_min", c.MQIAMO_BROWSE_MIN_BYTES),
        _pair("browse_bytes_max", c.MQIAMO_BROWSE_MAX_BYTES),
        _wide_pair("time_on_q_min", c.MQIAMO64_Q_TIME_MIN),
        _wide_pair("time_on_q_avg", c.MQIAMO64_Q_TIME_AVG),
        _wide_pair("time_on_q_max", c.MQIAMO64_Q_TIME_MAX),
    ),
)
RECORD_TYPES = (STATISTICS_MQI, STATISTICS_Q, STATISTICS_CHANNEL, ACCOUNTING_MQI, ACCOUNTING_Q)
#: Type and command of a header to the record.
RECORDS = {(kind.header_type, kind.command): kind for kind in RECORD_TYPES}
