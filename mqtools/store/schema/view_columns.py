"""Meaning of the columns of the views messages, queues, locks and journal: the table behind ``mqx sql --views``."""

from __future__ import annotations

#: Columns of queues that are attributes of a queue, under their names.
_ATTRIBUTES = (
    "q_type q_desc inhibit_put inhibit_get def_persistence def_priority definition_type max_q_depth "
    "max_msg_length msg_delivery_sequence def_input_open_option shareability backout_threshold backout_req_q_name "
    "harden_get_backout usage npm_class property_control index_type base_q_name base_type remote_q_name "
    "remote_q_mgr_name xmit_q_name trigger_control trigger_type trigger_depth trigger_msg_priority trigger_data "
    "process_name initiation_q_name journal accounting_q cap_expiry cluster_name cluster_namelist clwl_q_priority "
    "clwl_q_rank clwl_useq custom def_bind def_put_response_type def_read_ahead dist_lists image_recover_q "
    "max_q_file_size monitoring_q q_depth_high_limit q_depth_low_limit q_depth_high_event q_depth_low_event "
    "q_depth_max_event q_service_interval q_service_interval_event retention_interval scope statistics_q "
    "stream_queue_name stream_queue_qos creation_date creation_time alteration_date alteration_time"
)

#: View to its columns in their order, each with what it means. Empty: the column is the attribute of that name
#: which MQSC sets.
VIEWS: dict[str, dict[str, str]] = {
    "messages": {
        "qmgr": "name of the queue manager",
        "queue": "name of the queue",
        "seq": "key of the message: never used twice, in order of arrival on a queue",
        "state": "put_unconfirmed, unlocked, locked_for_browse, get_unconfirmed, browse_get_unconfirmed or delayed",
        "version": "version of the descriptor, always 2",
        "report": "report options, MQRO_* added up",
        "msg_type": "MQMT_*: 1 request, 2 reply, 4 report, 8 datagram",
        "expiry": "tenths of a second left, -1 without limit",
        "expiry_s": "seconds left, 0 when they have run out; null without limit",
        "feedback": "MQFB_* or MQRC_* of a report",
        "encoding": "encoding of numbers in the data, MQENC_*",
        "coded_char_set_id": "CCSID of text in the data",
        "format": "name of the data's format, such as MQSTR",
        "priority": "0 to 9, 9 goes first",
        "persistence": "1 survives a restart of the queue manager, 0 does not",
        "msg_id": "message identifier, 48 hex digits",
        "correl_id": "correlation identifier, 48 hex digits, zeros for none",
        "backout_count": "how often a get of it was undone",
        "reply_to_q": "queue for replies and reports",
        "reply_to_q_mgr": "queue manager of that queue",
        "user_identifier": "user who put it",
        "accounting_token": "64 hex digits",
        "appl_identity_data": "identity data of the application",
        "put_appl_type": "MQAT_* of the program that put it",
        "put_appl_name": "program that put it",
        "put_date": "YYYYMMDD, GMT",
        "put_time": "HHMMSSTH, GMT",
        "appl_origin_data": "origin data of the application",
        "group_id": "group identifier, 48 hex digits, zeros for none",
        "msg_seq_number": "number in the group, from 1",
        "offset": "of a segment's data in the logical message, in bytes",
        "msg_flags": "MQMF_* added up",
        "original_length": "of a segmented message that a report is about, in bytes; -1 unknown",
        "put_at": "put_date and put_time as 2026-11-20T08:15:42.330Z; where they are none, arrived_at",
        "arrived_at": "when it came to the queue: later than put_at where a load, a move or a channel brought it",
        "deliver_at": "when a delivery delay ends or ended: JMSDeliveryTime; null without one",
        "properties": "message properties as JSON by name; null without any",
        "data_length": "of the data, in bytes",
        "data": "the data; null for more than 262144 bytes",
        "text": "the data as text where it is UTF-8",
        "reason": "of a dead letter: reason in its header, by name",
        "dest_q_name": "of a dead letter: queue that it was for",
        "dest_q_mgr_name": "of a dead letter: queue manager of that queue",
    },
    "queues": {
        "name": "name of the queue",
        "type": "QLOCAL, QMODEL, QALIAS or QREMOTE",
        "depth": "number of messages (CURDEPTH): uncommitted puts count, uncommitted gets do not",
        "max_depth": "how many fit (MAXDEPTH)",
        "percent_full": "depth as a percentage of max_depth",
        "uncommitted": "number of uncommitted puts and gets",
        "locked": "number of messages that are locked for browse",
        "open_input": "open handles that get",
        "open_output": "open handles that put",
        "last_put": "when a message was put last, as 2026-11-20T08:15:42.330Z",
        "last_get": "when a message was got last",
    }
    | dict.fromkeys(_ATTRIBUTES.split(), ""),
    "locks": {
        "queue": "name of the queue",
        "seq": "key of the message",
        "msg_id": "message identifier, 48 hex digits",
        "lock_id": "lock identifier, 16 hex digits; null for another kind of holder",
        "kind": "lock (a lock id), handle (a browse lock), confirm (a confirm id), transaction (of XA) or unit of work",
        "confirm_id": "of what is unconfirmed, or of the browse that locked",
        "user": "user who holds it",
        "application": "program that holds it",
        "pid": "process that holds it",
        "since": "when the holder came to be, as 2026-11-20T08:15:42.330Z",
        "lease_until": "when the lock ends, or the gets of the confirm id are undone; null: never",
    },
}

#: Columns that only a message on a queue has, and not an event.
_OF_A_QUEUED_MESSAGE = (
    *("qmgr", "queue", "seq", "state", "expiry", "expiry_s"),
    *("reason", "dest_q_name", "dest_q_mgr_name"),
)

#: Columns of messages that an event has too.
_OF_A_MESSAGE = tuple(name for name in VIEWS["messages"] if name not in _OF_A_QUEUED_MESSAGE)

VIEWS["journal"] = {
    "qmgr": "name of the queue manager",
    "event_seq": "number of the event: in the order of the commits, never used twice",
    "event_at": "when it was committed, as 2026-11-20T08:15:42.330Z",
    "event": "put, get, deliver, browse_lock, unlock, expire, delete, move, copy, edit, restore, replay, dead_letter, "
    "report, channel_send, channel_receive, backout, lease",
    "outcome": "MQRC_* of a dead letter, else 0",
    "holder": "user and process that did it",
    "appl_name": "program that did it",
    "queue": "name of the queue",
    "seq": "key of the message: never used twice",
    "state_before": "state of the message before the event, null when it was not on the queue",
    "state_after": "state of the message after the event, null when it has left the queue",
    "held_at": "since when it was uncommitted, of a commit or backout of a unit of work or confirm id",
    "undone": "of a backout, the event that it undid",
    "detail": "words: rules file and line, channel, changed fields, or why it happened; null for none",
} | {name: VIEWS["messages"][name] for name in _OF_A_MESSAGE}
VIEWS["journal"]["data"] = "the data; null where JOURNAL(BODY) does not keep it, and for more than 262144 bytes"
