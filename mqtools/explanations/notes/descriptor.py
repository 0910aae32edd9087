"""Notes on message types, persistence, message flags, formats and the other values of a descriptor."""

from __future__ import annotations

from mqtools.explanations.notes.note import Note

DESCRIPTOR_NOTES: dict[str, Note] = {
    # MQMT: message types
    "MQMT_SYSTEM_FIRST": Note("The lowest message type kept for the system."),
    "MQMT_REQUEST": Note(
        "A message that wants a reply; it must name a reply-to queue.",
        "mqx put --type request --reply-to QUEUE.",
    ),
    "MQMT_REPLY": Note(
        "The answer to a request.",
        "mqx report-gen --action reply makes one with the right identifiers.",
    ),
    "MQMT_DATAGRAM": Note("A message that wants no reply. This is the default."),
    "MQMT_REPORT": Note(
        "A message about the arrival, delivery, expiry or failure of another message. Feedback has the outcome.",
        "mqx explain with the feedback's name or number.",
    ),
    "MQMT_MQE_FIELDS_FROM_MQE": Note("A message that came out of MQ Everyplace."),
    "MQMT_MQE_FIELDS": Note("A message with the field data of MQ Everyplace."),
    "MQMT_SYSTEM_LAST": Note("The highest message type kept for the system."),
    "MQMT_APPL_FIRST": Note("The lowest message type that programs may define themselves."),
    "MQMT_APPL_LAST": Note("The highest message type that programs may define themselves."),
    # MQPER: persistence
    "MQPER_PERSISTENCE_AS_PARENT": Note("A topic takes its default persistence from the topic above it."),
    "MQPER_NOT_PERSISTENT": Note("The message is not kept over an end of the queue manager, and costs no disk sync."),
    "MQPER_PERSISTENT": Note(
        "The message is on disk when the put or its commit returns, and survives an end of the queue manager."
    ),
    "MQPER_PERSISTENCE_AS_Q_DEF": Note(
        "The message is as persistent as the queue's DEFPSIST defines.",
        'mqx mqsc "ALTER QLOCAL(name) DEFPSIST(YES)" changes the default.',
    ),
    "MQPER_PERSISTENCE_AS_TOPIC_DEF": Note("The message is as persistent as the topic's default."),
    # MQMF: message flags
    "MQMF_SEGMENTATION_INHIBITED": Note(
        "The queue manager may not cut the message into segments. This is the default."
    ),
    "MQMF_SEGMENTATION_ALLOWED": Note(
        "The queue manager may cut the message into segments if it is too long for the queue.",
        "Read it whole again with mqx get --complete.",
    ),
    "MQMF_MSG_IN_GROUP": Note(
        "The message is part of a group, and not its last.",
        "mqx get --logical-order --all-available reads groups in order and only when complete.",
    ),
    "MQMF_LAST_MSG_IN_GROUP": Note(
        "The message is the last of its group.",
        "mqx put --last sets it.",
    ),
    "MQMF_SEGMENT": Note(
        "The message is a segment of a longer one, and not its last.",
        "mqx get --complete puts the segments together.",
    ),
    "MQMF_LAST_SEGMENT": Note(
        "The message is the last segment of a longer one.",
        "mqx get --complete puts the segments together.",
    ),
    "MQMF_NONE": Note("The message is in no group and is no segment."),
    "MQMF_REJECT_UNSUP_MASK": Note(
        "The bits of MsgFlags that a queue manager must recognise: an unknown one makes the put fail."
    ),
    "MQMF_ACCEPT_UNSUP_MASK": Note("The bits of MsgFlags that a queue manager need not recognise."),
    "MQMF_ACCEPT_UNSUP_IF_XMIT_MASK": Note("The bits of MsgFlags that only the destination must recognise."),
    # MQAT: types of the program that put a message
    "MQAT_UNKNOWN": Note("The type of the program that put the message is not known."),
    "MQAT_NO_CONTEXT": Note("The message was put without context: who put it is not recorded."),
    "MQAT_CICS": Note("Put by a CICS transaction."),
    "MQAT_ZOS": Note("Put by a program on z/OS."),
    "MQAT_IMS": Note("Put by an IMS program."),
    "MQAT_UNIX": Note("Put by a program on AIX, Linux or another Unix."),
    "MQAT_QMGR": Note("Put by a queue manager itself: a report, for example."),
    "MQAT_OS400": Note("Put by a program on IBM i."),
    "MQAT_WINDOWS": Note("Put by a program on 16-bit Windows."),
    "MQAT_WINDOWS_NT": Note("Put by a program on Windows."),
    "MQAT_NSK": Note("Put by a program on HP NonStop."),
    "MQAT_IMS_BRIDGE": Note("Put by the IMS bridge."),
    "MQAT_CICS_BRIDGE": Note("Put by the CICS bridge."),
    "MQAT_USER": Note("Put by a program with its own type."),
    "MQAT_BROKER": Note("Put by a message broker or by the publish/subscribe engine."),
    "MQAT_JAVA": Note("Put by a Java program."),
    "MQAT_DQM": Note("Put by an agent of distributed queue management."),
    "MQAT_CHANNEL_INITIATOR": Note("Put by a channel or the channel initiator."),
    "MQAT_BATCH": Note("Put by a batch job on z/OS."),
    "MQAT_RRS_BATCH": Note("Put by a batch job on z/OS that commits through RRS."),
    "MQAT_SIB": Note("Put by the service integration bus of WebSphere."),
    "MQAT_AMQP": Note("Put by an AMQP client."),
    "MQAT_USER_FIRST": Note("The lowest program type that users may define."),
    "MQAT_USER_LAST": Note("The highest program type that users may define."),
    # MQEI, MQFMT
    "MQEI_UNLIMITED": Note("The message never expires."),
    "MQFMT_NONE": Note("The data has no declared format; it is never converted."),
    "MQFMT_STRING": Note(
        "The data is text, converted between character sets on request.",
        "mqx put sets it for input that is UTF-8.",
    ),
    "MQFMT_DEAD_LETTER_HEADER": Note(
        "The data begins with a dead-letter header, which has the reason and the original destination.",
        "mqx browse shows it decoded; mqx dlq-handle acts on it.",
    ),
    "MQFMT_XMIT_Q_HEADER": Note(
        "The data begins with a transmission header: the message is on its way through a channel."
    ),
    "MQFMT_MD_EXTENSION": Note("The data begins with the version-2 part of a descriptor."),
    "MQFMT_RF_HEADER_1": Note("The data begins with an MQRFH header: names and values as text."),
    "MQFMT_RF_HEADER_2": Note(
        "The data begins with an MQRFH2 header, which carries properties in XML-like folders.",
        "mqx browse -o json shows the properties.",
    ),
    "MQFMT_REF_MSG_HEADER": Note(
        "The data begins with a reference header: the message refers to an object stored elsewhere.",
        "mqx put --reference PATH makes one.",
    ),
    "MQFMT_DIST_HEADER": Note("The data begins with a distribution header: one message for several destinations."),
    "MQFMT_WORK_INFO_HEADER": Note("The data begins with a header for z/OS workload management."),
    "MQFMT_EMBEDDED_PCF": Note("The data begins with a header in front of PCF parameters, as in an activity report."),
    "MQFMT_CICS": Note("The data begins with a header for the CICS bridge."),
    "MQFMT_IMS": Note("The data begins with a header for the IMS bridge."),
    "MQFMT_IMS_VAR_STRING": Note("The data is one IMS variable string or more: each is a length, flags and text."),
    "MQFMT_ADMIN": Note("The data is an administration command in PCF."),
    "MQFMT_PCF": Note("The data is PCF parameters of a program's own."),
    "MQFMT_EVENT": Note("The data is an event message in PCF."),
    "MQFMT_TRIGGER": Note("The data is a trigger message."),
    "MQFMT_CHANNEL_COMPLETED": Note("The data describes how a channel ended."),
    "MQFMT_COMMAND_1": Note("The data is the reply to an older kind of command."),
    "MQFMT_COMMAND_2": Note("The data is the reply to an older kind of command."),
    "MQFMT_AMQP": Note("The data is an AMQP message."),
}
