"""Notes on feedback codes."""

from __future__ import annotations

from mqtools.explanations.notes.note import Note

FEEDBACK_NOTES: dict[str, Note] = {
    # Any program
    "MQFB_NONE": Note("No feedback: every message that is not a report."),
    "MQFB_SYSTEM_FIRST": Note("The lowest feedback number reserved for the system."),
    "MQFB_QUIT": Note(
        "Asks one instance of a program that reads the queue to end; a custom among programs, not enforced.",
        "mqx report-gen --feedback MQFB_QUIT, or put a report with it, ends one reader that honours it.",
    ),
    # Reports about messages
    "MQFB_EXPIRATION": Note(
        "The message was discarded because its expiry time had passed before any program got it.",
        "Look for the slow or missing reader with mqx qdepth --max-age, or give messages more time.",
    ),
    "MQFB_COA": Note("Confirmation of arrival: the message is on its destination queue."),
    "MQFB_COD": Note("Confirmation of delivery: a program has got the message."),
    "MQFB_ACTIVITY": Note("An activity report: it describes one step on the route of a message."),
    "MQFB_PAN": Note(
        "Positive action notification: the program did what the message requested.",
        "A program makes it with mqx report-gen --feedback pan.",
    ),
    "MQFB_NAN": Note(
        "Negative action notification: the program did not do what the message requested.",
        "A program makes it with mqx report-gen --feedback nan; check that program's log.",
    ),
    # Channels and triggering
    "MQFB_CHANNEL_COMPLETED": Note("A channel has ended normally."),
    "MQFB_CHANNEL_FAIL_RETRY": Note(
        "A channel has failed and will be tried again by itself.",
        "mqx channel status shows the state.",
    ),
    "MQFB_CHANNEL_FAIL": Note(
        "A channel has failed and will not try again.",
        "mqx channel status shows why; then mqx channel start.",
    ),
    "MQFB_APPL_CANNOT_BE_STARTED": Note(
        "A trigger monitor could not start the program it was configured for.",
        "Check the process definition's program name and rights.",
    ),
    "MQFB_TM_ERROR": Note(
        "A trigger message was not well formed.",
        "Check what puts to the initiation queue.",
    ),
    "MQFB_APPL_TYPE_ERROR": Note(
        "A trigger message names a type of program that cannot be started here.",
        "Correct APPLTYPE in the process definition.",
    ),
    "MQFB_STOPPED_BY_MSG_EXIT": Note(
        "A channel's message exit refused the message.",
        "Ask the owner of the exit; with the built-in REFERENCE exit check the file and the root folder in MSGDATA.",
    ),
    "MQFB_XMIT_Q_MSG_ERROR": Note(
        "A message on a transmission queue had no valid transmission header.",
        "Put to the remote queue, not on its transmission queue.",
    ),
    "MQFB_STOPPED_BY_CHAD_EXIT": Note(
        "An exit refused to define a channel by itself.",
        "Define the channel by hand.",
    ),
    "MQFB_STOPPED_BY_PUBSUB_EXIT": Note(
        "A publish exit refused the message.",
        "Ask the owner of the exit.",
    ),
    "MQFB_NOT_A_REPOSITORY_MSG": Note(
        "An ordinary message was put on a cluster's own queue.",
        "Find the program that puts there.",
    ),
    "MQFB_BIND_OPEN_CLUSRCVR_DEL": Note(
        "The message was bound to one cluster channel at open, and that channel was deleted.",
        "Put it again; bind not fixed if any instance will do.",
    ),
    # Trace-route messages
    "MQFB_MAX_ACTIVITIES": Note(
        "A trace-route message has passed as many steps as it was allowed.",
        "Ask for more activities.",
    ),
    "MQFB_NOT_FORWARDED": Note("A trace-route message was not sent on to another queue manager."),
    "MQFB_NOT_DELIVERED": Note("A trace-route message was not delivered to a program; that is usual for a trace."),
    "MQFB_UNSUPPORTED_FORWARDING": Note(
        "A trace-route message asks for a way of forwarding that is not supported there."
    ),
    "MQFB_UNSUPPORTED_DELIVERY": Note("A trace-route message asks for a way of delivery that is not supported there."),
    # IMS bridge
    "MQFB_DATA_LENGTH_ZERO": Note(
        "The IMS bridge found a segment with length zero.",
        "Correct the program that builds the IMS data.",
    ),
    "MQFB_DATA_LENGTH_NEGATIVE": Note(
        "The IMS bridge found a segment with a negative length.",
        "Correct the program that builds the IMS data.",
    ),
    "MQFB_DATA_LENGTH_TOO_BIG": Note(
        "The IMS bridge found a segment longer than the message.",
        "Correct the program that builds the IMS data.",
    ),
    "MQFB_BUFFER_OVERFLOW": Note(
        "For the IMS bridge a stated length runs past the end of the buffer.",
        "Correct the program that builds the IMS data.",
    ),
    "MQFB_LENGTH_OFF_BY_ONE": Note(
        "For the IMS bridge a stated length is short by one byte.",
        "Correct the program that builds the IMS data.",
    ),
    "MQFB_IIH_ERROR": Note(
        "The IMS bridge could not use the message's IMS header.",
        "Check MQIIH and the Format that announces it.",
    ),
    "MQFB_NOT_AUTHORIZED_FOR_IMS": Note(
        "The user may not use the IMS bridge.",
        "Ask the IMS administrator.",
    ),
    "MQFB_DATA_LENGTH_TOO_SHORT": Note(
        "The IMS bridge found a segment that is too short to be one.",
        "Correct the program that builds the IMS data.",
    ),
    "MQFB_IMS_ERROR": Note(
        "The IMS bridge had an error that it does not identify.",
        "Check the logs of the bridge.",
    ),
    "MQFB_IMS_FIRST": Note(
        "The first of the IMS sense codes: the value minus 300 is the sense code that IMS gave.",
        "Look the sense code up in the IMS documentation.",
    ),
    "MQFB_IMS_LAST": Note(
        "The last of the IMS sense codes: the value minus 300 is the sense code that IMS gave.",
        "Look the sense code up in the IMS documentation.",
    ),
    "MQFB_IMS_NACK_1A_REASON_FIRST": Note(
        "The first of the reasons with which IMS refuses a message: the value minus 600 is IMS's reason.",
        "Look the reason up in the IMS documentation.",
    ),
    "MQFB_IMS_NACK_1A_REASON_LAST": Note(
        "The last of the reasons with which IMS refuses a message: the value minus 600 is IMS's reason.",
        "Look the reason up in the IMS documentation.",
    ),
    # CICS bridge
    "MQFB_CICS_INTERNAL_ERROR": Note(
        "The CICS bridge had an error it did not expect.",
        "Check the logs of the bridge.",
    ),
    "MQFB_CICS_NOT_AUTHORIZED": Note(
        "The user may not use the CICS bridge, or the password is wrong.",
        "Ask the CICS administrator.",
    ),
    "MQFB_CICS_BRIDGE_FAILURE": Note(
        "The CICS bridge has failed.",
        "Check the logs of the bridge.",
    ),
    "MQFB_CICS_CORREL_ID_ERROR": Note(
        "The CorrelId of a message to the CICS bridge is not what begins or continues its unit of work.",
        "Correct the program.",
    ),
    "MQFB_CICS_CCSID_ERROR": Note(
        "The CICS bridge cannot use the message's character set.",
        "Correct the character set, or have the channel convert.",
    ),
    "MQFB_CICS_ENCODING_ERROR": Note(
        "The CICS bridge cannot use the message's encoding.",
        "Correct the encoding, or have the channel convert.",
    ),
    "MQFB_CICS_CIH_ERROR": Note(
        "The message's CICS header is not valid.",
        "Correct the program that builds MQCIH.",
    ),
    "MQFB_CICS_UOW_ERROR": Note(
        "The unit-of-work control in the CICS header does not fit.",
        "Correct the program.",
    ),
    "MQFB_CICS_COMMAREA_ERROR": Note(
        "The CICS bridge cannot use the message's COMMAREA.",
        "Check its length.",
    ),
    "MQFB_CICS_APPL_NOT_STARTED": Note(
        "The CICS program could not be started.",
        "Check its name and whether it is enabled.",
    ),
    "MQFB_CICS_APPL_ABENDED": Note(
        "The CICS program ended abnormally.",
        "Look up its abend code.",
    ),
    "MQFB_CICS_DLQ_ERROR": Note(
        "The CICS bridge could not use the dead-letter queue.",
        "Check whether it is full or inhibited.",
    ),
    "MQFB_CICS_UOW_BACKED_OUT": Note(
        "The unit of work in CICS was backed out.",
        "Find the preceding failure.",
    ),
    # Publish and subscribe
    "MQFB_PUBLICATIONS_ON_REQUEST": Note("The subscriber gets publications only when it asks for them."),
    "MQFB_SUBSCRIBER_IS_PUBLISHER": Note("The publication is not sent back to the one who published it."),
    "MQFB_MSG_SCOPE_MISMATCH": Note("The publication's scope does not reach the subscription."),
    "MQFB_SELECTOR_MISMATCH": Note("The subscription's selector does not take the publication."),
    "MQFB_NOT_A_GROUPUR_MSG": Note(
        "A message that is not a unit-of-recovery message was put on the queue kept for them. z/OS only."
    ),
    # Ranges
    "MQFB_SYSTEM_LAST": Note("The highest feedback number reserved for the system."),
    "MQFB_APPL_FIRST": Note("The lowest feedback number that programs may define themselves."),
    "MQFB_APPL_LAST": Note("The highest feedback number that programs may define themselves."),
}
