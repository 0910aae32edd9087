"""Notes on report options, message types and the other values of a descriptor."""

from __future__ import annotations

#: Name to (meaning, what to do). What to do is empty where there is nothing to be done; a name that is not here
#: has no note.
DESCRIPTOR_NOTES: dict[str, tuple[str, str]] = {
    # MQRO: report options
    "MQRO_EXCEPTION": (
        "Asks for a report, without data, if a channel or program cannot deliver or use the message.",
        "Put with --report exception and --reply-to.",
    ),
    "MQRO_EXCEPTION_WITH_DATA": (
        "Asks for an exception report with the first 100 bytes of the data.",
        "Put with --report exception-data and --reply-to.",
    ),
    "MQRO_EXCEPTION_WITH_FULL_DATA": (
        "Asks for an exception report with all the data; together with MQRO_DISCARD_MSG an undeliverable message "
        "comes back whole.",
        "Put with --report exception-full and --reply-to.",
    ),
    "MQRO_EXPIRATION": (
        "Asks for a report, without data, if the message expires before it is got.",
        "Put with --report expiration, --expiry and --reply-to.",
    ),
    "MQRO_EXPIRATION_WITH_DATA": (
        "Asks for an expiration report with the first 100 bytes of the data.",
        "Put with --report expiration-data, --expiry and --reply-to.",
    ),
    "MQRO_EXPIRATION_WITH_FULL_DATA": (
        "Asks for an expiration report with all the data.",
        "Put with --report expiration-full, --expiry and --reply-to.",
    ),
    "MQRO_COA": (
        "Asks for confirmation, without data, when the message arrives on its destination queue.",
        "Put with --report coa and --reply-to. A put in a unit of work is confirmed when it commits.",
    ),
    "MQRO_COA_WITH_DATA": (
        "Asks for confirmation of arrival with the first 100 bytes of the data.",
        "Put with --report coa-data and --reply-to.",
    ),
    "MQRO_COA_WITH_FULL_DATA": (
        "Asks for confirmation of arrival with all the data.",
        "Put with --report coa-full and --reply-to.",
    ),
    "MQRO_COD": (
        "Asks for confirmation, without data, when a program gets the message; a browse does not count.",
        "Put with --report cod and --reply-to.",
    ),
    "MQRO_COD_WITH_DATA": (
        "Asks for confirmation of delivery with the first 100 bytes of the data.",
        "Put with --report cod-data and --reply-to.",
    ),
    "MQRO_COD_WITH_FULL_DATA": (
        "Asks for confirmation of delivery with all the data.",
        "Put with --report cod-full and --reply-to.",
    ),
    "MQRO_PAN": (
        "Asks the program to report that it has done what the message requests; a queue manager never sends this.",
        "The program answers with mqx report-gen --feedback pan.",
    ),
    "MQRO_NAN": (
        "Asks the program to report that it cannot do what the message requests; a queue manager never sends this.",
        "The program answers with mqx report-gen --feedback nan.",
    ),
    "MQRO_ACTIVITY": (
        "Asks everything that handles the message on its way to report what it did.",
        "",
    ),
    "MQRO_NEW_MSG_ID": (
        "A report or reply gets a MsgId of its own. This is the default.",
        "",
    ),
    "MQRO_PASS_MSG_ID": (
        "A report or reply gets the MsgId of this message, so several messages can have the same one.",
        "Put with --report pass-msg-id.",
    ),
    "MQRO_COPY_MSG_ID_TO_CORREL_ID": (
        "A report or reply has this message's MsgId as its CorrelId. This is the default.",
        "Find the answers with mqx get --correl-id and the MsgId of the original.",
    ),
    "MQRO_PASS_CORREL_ID": (
        "A report or reply gets the CorrelId of this message.",
        "Put with --report pass-correl-id.",
    ),
    "MQRO_DEAD_LETTER_Q": (
        "If it cannot be delivered the message goes to the dead-letter queue. This is the default.",
        "mqx dlq-handle processes that queue.",
    ),
    "MQRO_DISCARD_MSG": (
        "If it cannot be delivered the message is discarded instead of being dead-lettered.",
        "Ask for MQRO_EXCEPTION too, to learn of it.",
    ),
    "MQRO_PASS_DISCARD_AND_EXPIRY": (
        "A report or reply gets the remaining expiry time of this message, and its discard option.",
        "Put with --report pass-discard-and-expiry.",
    ),
    "MQRO_NONE": (
        "No report is asked for; answers get a new MsgId and this MsgId as CorrelId, and a dead letter is kept.",
        "",
    ),
    "MQRO_REJECT_UNSUP_MASK": (
        "The bits of Report that a queue manager must recognise: an unknown one makes the put fail.",
        "",
    ),
    "MQRO_ACCEPT_UNSUP_MASK": (
        "The bits of Report that a queue manager need not recognise: an unknown one gives a warning.",
        "",
    ),
    "MQRO_ACCEPT_UNSUP_IF_XMIT_MASK": (
        "The bits of Report that only the destination must recognise: on the way there an unknown one gives a warning.",
        "",
    ),
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
        "A message about another message: that it arrived, was got, expired, failed. Feedback has the outcome.",
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
        "Put by a program with a type of its own.",
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
        "The data is an IMS text with its length in front.",
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
    # MQCC: completion codes
    "MQCC_OK": (
        "The call did what it was asked.",
        "",
    ),
    "MQCC_WARNING": (
        "The call succeeded with a warning, which the reason explains.",
        "mqx explain with the reason.",
    ),
    "MQCC_FAILED": (
        "The call failed without effect, for the given reason.",
        "mqx explain with the reason.",
    ),
    "MQCC_UNKNOWN": (
        "The outcome is not known yet.",
        "",
    ),
}
