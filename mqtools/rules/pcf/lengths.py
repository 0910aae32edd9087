"""Lengths of texts in PCF replies."""

from __future__ import annotations

from mqtools.constants import cmqc, objects
from mqtools.constants import cmqcfc as c
from mqtools.rules.attributes.table import Attribute

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
    c.MQCACH_SSL_PEER_NAME: 0,
    c.MQCACH_CHANNEL_NAME: 20,
    c.MQCACH_CHANNEL_NAMES: 20,
    c.MQCACF_DESTINATION: 48,
    c.MQCACF_NAMELIST_NAMES: 48,
    c.MQCACF_PROCESS_NAMES: 48,
    c.MQCACF_AUTH_INFO_NAMES: 48,
    c.MQCACF_TOPIC_NAMES: 48,
    c.MQCACF_Q_NAMES: 48,
    c.MQCACH_XMIT_Q_NAME: 48,
    c.MQCACH_LAST_MSG_DATE: 12,
    c.MQCACH_LAST_MSG_TIME: 8,
    c.MQCACF_LAST_GET_DATE: 12,
    c.MQCACF_LAST_GET_TIME: 8,
    c.MQCACF_LAST_PUT_DATE: 12,
    c.MQCACF_LAST_PUT_TIME: 8,
    c.MQCACF_APPL_TAG: 28,
    c.MQCACF_APPL_NAME: 28,
    c.MQCACF_OBJECT_NAME: 48,
    c.MQCACF_OBJECT_Q_MGR_NAME: 48,
    c.MQCACF_EVENT_APPL_IDENTITY: 32,
    c.MQCACF_EVENT_APPL_NAME: 28,
    c.MQCACF_EVENT_APPL_ORIGIN: 4,
    c.MQCACF_EVENT_Q_MGR: 48,
    c.MQCACF_EVENT_USER_ID: 12,
    c.MQCACF_USER_IDENTIFIER: 64,
    c.MQCACF_ENTITY_NAME: 64,
    c.MQCACF_AUTH_PROFILE_NAME: 48,
    cmqc.MQCA_ADMIN_TOPIC_NAME: 48,
    objects.MQCA_ALTERATION_DATE: 12,
    objects.MQCA_ALTERATION_TIME: 8,
    objects.MQCA_BASE_OBJECT_NAME: 48,
    objects.MQCA_CLUSTER_NAME: 48,
    objects.MQCA_Q_NAME: 48,
    objects.MQCA_Q_MGR_NAME: 48,
    objects.MQCA_REMOTE_Q_MGR_NAME: 48,
    objects.MQCA_COMMAND_INPUT_Q_NAME: 48,
    objects.MQCA_VERSION: 8,
    objects.MQCA_XMIT_Q_NAME: 48,
}
_LONGEST_PADDED = 1024


def length_of(number: int, row: Attribute | None = None) -> int:
    """Return the length in bytes that the text of a parameter is padded to, 0 for none."""
    if number in LENGTHS:
        return LENGTHS[number]
    return row.maximum if row is not None and row.maximum <= _LONGEST_PADDED else 0
