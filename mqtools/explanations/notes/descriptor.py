"""Notes on message types, persistence, message flags, formats and the other values of a descriptor."""

from __future__ import annotations

#: Name to (meaning, what to do). An empty "what to do": no action is needed. A name without an entry
#: has no note.
DESCRIPTOR_NOTES: dict[str, tuple[str, str]] = {
    # MQMT: message types
    "MQMT_SYSTEM_FIRST": (
        "The lowest message type kept for the system.",
        "",
    ),
    "MQMT_REQUEST": (
        "A message that wants a reply; it must name a reply-to queue.",
        "mqx put --type request --reply-to QUEUE.",
    ),
    "MQMT_REPLY": (
        "The answer to a request.",
        "mqx report-gen --action reply makes one with the right identifiers.",
    ),
    "MQMT_DATAGRAM": (
        "A message that wants no reply. This is the default.",
        "",
    ),
    "MQMT_REPORT": (
        "A message about the arrival, delivery, expiry or failure of another message. Feedback has the outcome.",
        "mqx explain with the feedback's name or number.",
    ),
    "MQMT_MQE_FIELDS_FROM_MQE": (
        "A message that came out of MQ Everyplace.",
        "",
    ),
    "MQMT_MQE_FIELDS": (
        "A message with the field data of MQ Everyplace.",
        "",
    ),
    "MQMT_SYSTEM_LAST": (
        "The highest message type kept for the system.",
        "",
    ),
    "MQMT_APPL_FIRST": (
        "The lowest message type that programs may define themselves.",
        "",
    ),
    "MQMT_APPL_LAST": (
        "The highest message type that programs may define themselves.",
        "",
    ),
    # MQPER: persistence
    "MQPER_PERSISTENCE_AS_PARENT": (
        "A topic takes its default persistence from the topic above it.",
        "",
    ),
    "MQPER_NOT_PERSISTENT": (
        "The message is not kept over an end of the queue manager, and costs no disk sync.",
        "",
    ),
    "MQPER_PERSISTENT": (
        "The message is on disk when the put or its commit returns, and survives an end of the queue manager.",
        "",
    ),
    "MQPER_PERSISTENCE_AS_Q_DEF": (
        "The message is as persistent as the queue's DEFPSIST defines.",
        'mqx mqsc "ALTER QLOCAL(name) DEFPSIST(YES)" changes the default.',
    ),
    "MQPER_PERSISTENCE_AS_TOPIC_DEF": (
        "The message is as persistent as the topic's default.",
        "",
    ),
    # MQMF: message flags
    "MQMF_SEGMENTATION_INHIBITED": (
        "The queue manager may not cut the message into segments. This is the default.",
        "",
    ),
    "MQMF_SEGMENTATION_ALLOWED": (
        "The queue manager may cut the message into segments if it is too long for the queue.",
        "Read it whole again with mqx get --complete.",
    ),
    "MQMF_MSG_IN_GROUP": (
        "The message is part of a group, and not its last.",
        "mqx get --logical-order --all-available reads groups in order and only when complete.",
    ),
    "MQMF_LAST_MSG_IN_GROUP": (
        "The message is the last of its group.",
        "mqx put --last sets it.",
    ),
    "MQMF_SEGMENT": (
        "The message is a segment of a longer one, and not its last.",
        "mqx get --complete puts the segments together.",
    ),
    "MQMF_LAST_SEGMENT": (
        "The message is the last segment of a longer one.",
        "mqx get --complete puts the segments together.",
    ),
    "MQMF_NONE": (
        "The message is in no group and is no segment.",
        "",
    ),
    "MQMF_REJECT_UNSUP_MASK": (
        "The bits of MsgFlags that a queue manager must recognise: an unknown one makes the put fail.",
        "",
    ),
    "MQMF_ACCEPT_UNSUP_MASK": (
        "The bits of MsgFlags that a queue manager need not recognise.",
        "",
    ),
    "MQMF_ACCEPT_UNSUP_IF_XMIT_MASK": (
        "The bits of MsgFlags that only the destination must recognise.",
        "",
    ),
    # MQAT: types of the program that put a message
    "MQAT_UNKNOWN": (
        "The type of the program that put the message is not known.",
        "",
    ),
    "MQAT_NO_CONTEXT": (
        "The message was put without context: who put it is not recorded.",
        "",
    ),
    "MQAT_CICS": (
        "Put by a CICS transaction.",
        "",
    ),
    "MQAT_ZOS": (
        "Put by a program on z/OS.",
        "",
    ),
    "MQAT_IMS": (
        "Put by an IMS program.",
        "",
    ),
    "MQAT_UNIX": (
        "Put by a program on AIX, Linux or another Unix.",
        "",
    ),
    "MQAT_QMGR": (
        "Put by a queue manager itself: a report, for example.",
        "",
    ),
    "MQAT_OS400": (
        "Put by a program on IBM i.",
        "",
    ),
    "MQAT_WINDOWS": (
        "Put by a program on 16-bit Windows.",
        "",
    ),
    "MQAT_WINDOWS_NT": (
        "Put by a program on Windows.",
        "",
    ),
    "MQAT_NSK": (
        "Put by a program on HP NonStop.",
        "",
    ),
    "MQAT_IMS_BRIDGE": (
        "Put by the IMS bridge.",
        "",
    ),
    "MQAT_CICS_BRIDGE": (
        "Put by the CICS bridge.",
        "",
    ),
    "MQAT_USER": (
        "Put by a program with its own type.",
        "",
    ),
    "MQAT_BROKER": (
        "Put by a message broker or by the publish/subscribe engine.",
        "",
    ),
    "MQAT_JAVA": (
        "Put by a Java program.",
        "",
    ),
    "MQAT_DQM": (
        "Put by an agent of distributed queue management.",
        "",
    ),
    "MQAT_CHANNEL_INITIATOR": (
        "Put by a channel or the channel initiator.",
        "",
    ),
    "MQAT_BATCH": (
        "Put by a batch job on z/OS.",
        "",
    ),
    "MQAT_RRS_BATCH": (
        "Put by a batch job on z/OS that commits through RRS.",
        "",
    ),
    "MQAT_SIB": (
        "Put by the service integration bus of WebSphere.",
        "",
    ),
    "MQAT_AMQP": (
        "Put by an AMQP client.",
        "",
    ),
    "MQAT_USER_FIRST": (
        "The lowest program type that users may define.",
        "",
    ),
    "MQAT_USER_LAST": (
        "The highest program type that users may define.",
        "",
    ),
    # MQEI, MQFMT
    "MQEI_UNLIMITED": (
        "The message never expires.",
        "",
    ),
    "MQFMT_NONE": (
        "The data has no declared format; it is never converted.",
        "",
    ),
    "MQFMT_STRING": (
        "The data is text, converted between character sets on request.",
        "mqx put sets it for input that is UTF-8.",
    ),
    "MQFMT_DEAD_LETTER_HEADER": (
        "The data begins with a dead-letter header, which has the reason and the original destination.",
        "mqx browse shows it decoded; mqx dlq-handle acts on it.",
    ),
    "MQFMT_XMIT_Q_HEADER": (
        "The data begins with a transmission header: the message is on its way through a channel.",
        "",
    ),
    "MQFMT_MD_EXTENSION": (
        "The data begins with the version-2 part of a descriptor.",
        "",
    ),
    "MQFMT_RF_HEADER_1": (
        "The data begins with an MQRFH header: names and values as text.",
        "",
    ),
    "MQFMT_RF_HEADER_2": (
        "The data begins with an MQRFH2 header, which carries properties in XML-like folders.",
        "mqx browse -o json shows the properties.",
    ),
    "MQFMT_REF_MSG_HEADER": (
        "The data begins with a reference header: the message refers to an object stored elsewhere.",
        "mqx put --reference PATH makes one.",
    ),
    "MQFMT_DIST_HEADER": (
        "The data begins with a distribution header: one message for several destinations.",
        "",
    ),
    "MQFMT_WORK_INFO_HEADER": (
        "The data begins with a header for z/OS workload management.",
        "",
    ),
    "MQFMT_EMBEDDED_PCF": (
        "The data begins with a header in front of PCF parameters, as in an activity report.",
        "",
    ),
    "MQFMT_CICS": (
        "The data begins with a header for the CICS bridge.",
        "",
    ),
    "MQFMT_IMS": (
        "The data begins with a header for the IMS bridge.",
        "",
    ),
    "MQFMT_IMS_VAR_STRING": (
        "The data is one IMS variable string or more: each is a length, flags and text.",
        "",
    ),
    "MQFMT_ADMIN": (
        "The data is an administration command in PCF.",
        "",
    ),
    "MQFMT_PCF": (
        "The data is PCF parameters of a program's own.",
        "",
    ),
    "MQFMT_EVENT": (
        "The data is an event message in PCF.",
        "",
    ),
    "MQFMT_TRIGGER": (
        "The data is a trigger message.",
        "",
    ),
    "MQFMT_CHANNEL_COMPLETED": (
        "The data describes how a channel ended.",
        "",
    ),
    "MQFMT_COMMAND_1": (
        "The data is the reply to an older kind of command.",
        "",
    ),
    "MQFMT_COMMAND_2": (
        "The data is the reply to an older kind of command.",
        "",
    ),
    "MQFMT_AMQP": (
        "The data is an AMQP message.",
        "",
    ),
}
