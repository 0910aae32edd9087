"""PCF parameters of attributes, where they differ from the selector of MQINQ, and lengths of their texts."""

from __future__ import annotations

from mqtools.constants import administration, cmqc, objects
from mqtools.constants import cmqcfc as c
from mqtools.rules.attributes.table import Attribute

#: Kind of object to the parameters of its attributes by name. An attribute that is not here has the number of its
#: selector; one that has none either is not in PCF.
NUMBERS: dict[str, dict[str, int]] = {
    "CHANNEL": {
        "name": c.MQCACH_CHANNEL_NAME,
        "channel_type": c.MQIACH_CHANNEL_TYPE,
        "batch_heartbeat": c.MQIACH_BATCH_HB,
        "batch_interval": c.MQIACH_BATCH_INTERVAL,
        "batch_data_limit": c.MQIACH_BATCH_DATA_LIMIT,
        "batch_size": c.MQIACH_BATCH_SIZE,
        "connection_name": c.MQCACH_CONNECTION_NAME,
        "certificate_label": cmqc.MQCA_CERT_LABEL,
        "client_channel_weight": c.MQIACH_CLIENT_CHANNEL_WEIGHT,
        "connection_affinity": c.MQIACH_CONNECTION_AFFINITY,
        "data_conversion": c.MQIACH_DATA_CONVERSION,
        "channel_desc": c.MQCACH_DESC,
        "default_reconnect": c.MQIACH_DEF_RECONNECT,
        "disconnect_interval": c.MQIACH_DISC_INTERVAL,
        "heartbeat_interval": c.MQIACH_HB_INTERVAL,
        "keep_alive_interval": c.MQIACH_KEEP_ALIVE_INTERVAL,
        "local_address": c.MQCACH_LOCAL_ADDRESS,
        "long_retry_count": c.MQIACH_LONG_RETRY,
        "long_retry_interval": c.MQIACH_LONG_TIMER,
        "max_instances": c.MQIACH_MAX_INSTANCES,
        "max_instances_per_client": c.MQIACH_MAX_INSTS_PER_CLIENT,
        "max_msg_length": c.MQIACH_MAX_MSG_LENGTH,
        "mca_name": c.MQCACH_MCA_NAME,
        "mca_type": c.MQIACH_MCA_TYPE,
        "mca_user_identifier": c.MQCACH_MCA_USER_ID,
        "mode_name": c.MQCACH_MODE_NAME,
        "channel_monitoring": cmqc.MQIA_MONITORING_CHANNEL,
        "message_retry_user_data": c.MQCACH_MR_EXIT_USER_DATA,
        "message_retry_exit": c.MQCACH_MR_EXIT_NAME,
        "message_retry_count": c.MQIACH_MR_COUNT,
        "message_retry_interval": c.MQIACH_MR_INTERVAL,
        "message_user_data": c.MQCACH_MSG_EXIT_USER_DATA,
        "message_exit": c.MQCACH_MSG_EXIT_NAME,
        "nonpersistent_msg_speed": c.MQIACH_NPM_SPEED,
        "password": c.MQCACH_PASSWORD,
        "property_control": objects.MQIA_PROPERTY_CONTROL,
        "put_authority": c.MQIACH_PUT_AUTHORITY,
        "receive_user_data": c.MQCACH_RCV_EXIT_USER_DATA,
        "receive_exit": c.MQCACH_RCV_EXIT_NAME,
        "security_user_data": c.MQCACH_SEC_EXIT_USER_DATA,
        "security_exit": c.MQCACH_SEC_EXIT_NAME,
        "send_user_data": c.MQCACH_SEND_EXIT_USER_DATA,
        "send_exit": c.MQCACH_SEND_EXIT_NAME,
        "sequence_number_wrap": c.MQIACH_SEQUENCE_NUMBER_WRAP,
        "sharing_conversations": c.MQIACH_SHARING_CONVERSATIONS,
        "short_retry_count": c.MQIACH_SHORT_RETRY,
        "short_retry_interval": c.MQIACH_SHORT_TIMER,
        "ssl_client_auth": c.MQIACH_SSL_CLIENT_AUTH,
        "ssl_cipher_spec": c.MQCACH_SSL_CIPHER_SPEC,
        "ssl_peer_name": c.MQCACH_SSL_PEER_NAME,
        "channel_statistics": cmqc.MQIA_STATISTICS_CHANNEL,
        "tp_name": c.MQCACH_TP_NAME,
        "transport_type": c.MQIACH_XMIT_PROTOCOL_TYPE,
        "use_dead_letter_q": objects.MQIA_USE_DEAD_LETTER_Q,
        "user_identifier": c.MQCACH_USER_ID,
        "xmit_q_name": c.MQCACH_XMIT_Q_NAME,
    },
    "CHSTATUS": {
        "name": c.MQCACH_CHANNEL_NAME,
        "type": c.MQIACH_CHANNEL_TYPE,
        "batches": c.MQIACH_BATCHES,
        "bytes": c.MQIACH_BYTES_SENT,
        "connection_name": c.MQCACH_CONNECTION_NAME,
        "sequence": c.MQIACH_CURRENT_SEQUENCE_NUMBER,
        "indoubt": c.MQIACH_INDOUBT_STATUS,
        "last_message_date": c.MQCACH_LAST_MSG_DATE,
        "last_message_time": c.MQCACH_LAST_MSG_TIME,
        "mca_user": c.MQCACH_MCA_USER_ID,
        "messages": c.MQIACH_MSGS,
        "remote_appl_tag": c.MQCACH_REMOTE_APPL_TAG,
        "remote_q_mgr_name": objects.MQCA_REMOTE_Q_MGR_NAME,
        "state": c.MQIACH_CHANNEL_STATUS,
        "xmit_q": c.MQCACH_XMIT_Q_NAME,
    },
    "QSTATUS": {
        "name": objects.MQCA_Q_NAME,
        "last_get_date": c.MQCACF_LAST_GET_DATE,
        "last_get_time": c.MQCACF_LAST_GET_TIME,
        "last_put_date": c.MQCACF_LAST_PUT_DATE,
        "last_put_time": c.MQCACF_LAST_PUT_TIME,
        "oldest_msg_age": c.MQIACF_OLDEST_MSG_AGE,
        "uncommitted_msgs": c.MQIACF_UNCOMMITTED_MSGS,
    },
    "QSTATUS HANDLE": {
        "name": objects.MQCA_Q_NAME,
        "appl_tag": c.MQCACF_APPL_TAG,
        "open_browse": c.MQIACF_OPEN_BROWSE,
        "open_input_type": c.MQIACF_OPEN_INPUT_TYPE,
        "open_inquire": c.MQIACF_OPEN_INQUIRE,
        "open_output": c.MQIACF_OPEN_OUTPUT,
        "open_set": c.MQIACF_OPEN_SET,
        "process_id": c.MQIACF_PROCESS_ID,
        "user_identifier": c.MQCACF_USER_IDENTIFIER,
    },
    "CONN": {
        "appl_tag": c.MQCACF_APPL_TAG,
        "channel": c.MQCACH_CHANNEL_NAME,
        "connection_name": c.MQCACH_CONNECTION_NAME,
        "process_id": c.MQIACF_PROCESS_ID,
        "user_identifier": c.MQCACF_USER_IDENTIFIER,
    },
    "CONN HANDLE": {
        "handle_state": c.MQIACF_HANDLE_STATE,
        "object_name": c.MQCACF_OBJECT_NAME,
        "object_type": c.MQIACF_OBJECT_TYPE,
        "open_options": c.MQIACF_OPEN_OPTIONS,
    },
}

#: Parameter to the length in bytes that its text is padded to in a reply. Any other text is as long as its attribute
#: may be, or as it is.
LENGTHS = {
    c.MQCACH_CONNECTION_NAME: 264,
    c.MQCACH_LOCAL_ADDRESS: 48,
    c.MQCACH_REMOTE_APPL_TAG: 28,
    c.MQCACH_MSG_EXIT_NAME: 128,
    c.MQCACH_SEND_EXIT_NAME: 128,
    c.MQCACH_RCV_EXIT_NAME: 128,
    c.MQCACH_SEC_EXIT_NAME: 128,
    c.MQCACH_MR_EXIT_NAME: 128,
    c.MQCACH_MSG_EXIT_USER_DATA: 32,
    c.MQCACH_SEND_EXIT_USER_DATA: 32,
    c.MQCACH_RCV_EXIT_USER_DATA: 32,
    c.MQCACH_SEC_EXIT_USER_DATA: 32,
    c.MQCACH_SSL_PEER_NAME: 0,
    c.MQCACH_CHANNEL_NAME: 20,
    c.MQCACH_XMIT_Q_NAME: 48,
    c.MQCACH_LAST_MSG_DATE: 12,
    c.MQCACH_LAST_MSG_TIME: 8,
    c.MQCACF_LAST_GET_DATE: 12,
    c.MQCACF_LAST_GET_TIME: 8,
    c.MQCACF_LAST_PUT_DATE: 12,
    c.MQCACF_LAST_PUT_TIME: 8,
    c.MQCACF_APPL_TAG: 28,
    c.MQCACF_OBJECT_NAME: 48,
    c.MQCACF_USER_IDENTIFIER: 64,
    c.MQCACF_ENTITY_NAME: 64,
    c.MQCACF_AUTH_PROFILE_NAME: 48,
    cmqc.MQCA_ADMIN_TOPIC_NAME: 48,
    cmqc.MQCA_AUTH_INFO_CONN_NAME: 264,
    cmqc.MQCA_AUTH_INFO_NAME: 48,
    cmqc.MQCA_AUTH_INFO_DESC: 64,
    cmqc.MQCA_CONN_AUTH: 48,
    cmqc.MQCA_MODEL_DURABLE_Q: 48,
    cmqc.MQCA_MODEL_NON_DURABLE_Q: 48,
    cmqc.MQCA_TOPIC_DESC: 64,
    cmqc.MQCA_TOPIC_NAME: 48,
    objects.MQCA_ALTERATION_DATE: 12,
    objects.MQCA_ALTERATION_TIME: 8,
    objects.MQCA_APPL_ID: 256,
    objects.MQCA_CLUSTER_NAME: 48,
    objects.MQCA_ENV_DATA: 128,
    objects.MQCA_USER_DATA: 128,
    objects.MQCA_Q_NAME: 48,
    objects.MQCA_Q_MGR_NAME: 48,
    objects.MQCA_REMOTE_Q_MGR_NAME: 48,
    objects.MQCA_NAMELIST_NAME: 48,
    objects.MQCA_NAMELIST_DESC: 64,
    objects.MQCA_NAMES: 48,
    objects.MQCA_PROCESS_NAME: 48,
    objects.MQCA_PROCESS_DESC: 64,
    objects.MQCA_COMMAND_INPUT_Q_NAME: 48,
    objects.MQCA_VERSION: 8,
}
_LONGEST_PADDED = 1024

#: State of a channel to its MQCHS. A batch in doubt is reported separately.
CHANNEL_STATES = {
    "inactive": administration.MQCHS_INACTIVE,
    "binding": administration.MQCHS_BINDING,
    "running": administration.MQCHS_RUNNING,
    "retrying": administration.MQCHS_RETRYING,
    "stopping": administration.MQCHS_STOPPING,
    "stopped": administration.MQCHS_STOPPED,
    "indoubt": administration.MQCHS_INACTIVE,
}


def number_of(kind: str, row: Attribute) -> int | None:
    """Return the parameter of an attribute; None if PCF does not have it."""
    return NUMBERS.get(kind, {}).get(row.name, row.selector)


def by_number(kind: str, rows: tuple[Attribute, ...], number: int) -> Attribute | None:
    return next((row for row in rows if number_of(kind, row) == number), None)


def length_of(number: int, row: Attribute | None = None) -> int:
    """Return the length in bytes that the text of a parameter is padded to, 0 for none."""
    if number in LENGTHS:
        return LENGTHS[number]
    return row.maximum if row is not None and row.maximum <= _LONGEST_PADDED else 0
