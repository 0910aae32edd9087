"""Notes on report options."""

from __future__ import annotations

from mqtools.explanations.notes.note import Note

REPORT_OPTION_NOTES: dict[str, Note] = {
    # MQRO: report options
    "MQRO_EXCEPTION": Note(
        "Asks for a report, without data, if a channel or program cannot deliver or use the message.",
        "Put with --report exception and --reply-to.",
    ),
    "MQRO_EXCEPTION_WITH_DATA": Note(
        "Asks for an exception report with the first 100 bytes of the data.",
        "Put with --report exception-data and --reply-to.",
    ),
    "MQRO_EXCEPTION_WITH_FULL_DATA": Note(
        "Asks for an exception report with all the data; together with MQRO_DISCARD_MSG an undeliverable message "
        "comes back whole.",
        "Put with --report exception-full and --reply-to.",
    ),
    "MQRO_EXPIRATION": Note(
        "Asks for a report, without data, if the message expires before a program gets it.",
        "Put with --report expiration, --expiry and --reply-to.",
    ),
    "MQRO_EXPIRATION_WITH_DATA": Note(
        "Asks for an expiration report with the first 100 bytes of the data.",
        "Put with --report expiration-data, --expiry and --reply-to.",
    ),
    "MQRO_EXPIRATION_WITH_FULL_DATA": Note(
        "Asks for an expiration report with all the data.",
        "Put with --report expiration-full, --expiry and --reply-to.",
    ),
    "MQRO_COA": Note(
        "Asks for confirmation, without data, when the message arrives on its destination queue.",
        "Put with --report coa and --reply-to. A put in a unit of work is confirmed when it commits.",
    ),
    "MQRO_COA_WITH_DATA": Note(
        "Asks for confirmation of arrival with the first 100 bytes of the data.",
        "Put with --report coa-data and --reply-to.",
    ),
    "MQRO_COA_WITH_FULL_DATA": Note(
        "Asks for confirmation of arrival with all the data.",
        "Put with --report coa-full and --reply-to.",
    ),
    "MQRO_COD": Note(
        "Asks for confirmation, without data, when a program gets the message; a browse does not count.",
        "Put with --report cod and --reply-to.",
    ),
    "MQRO_COD_WITH_DATA": Note(
        "Asks for confirmation of delivery with the first 100 bytes of the data.",
        "Put with --report cod-data and --reply-to.",
    ),
    "MQRO_COD_WITH_FULL_DATA": Note(
        "Asks for confirmation of delivery with all the data.",
        "Put with --report cod-full and --reply-to.",
    ),
    "MQRO_PAN": Note(
        "Asks the program to report that it has done what the message requests; a queue manager never sends this.",
        "The program answers with mqx report-gen --feedback pan.",
    ),
    "MQRO_NAN": Note(
        "Asks the program to report that it cannot do what the message requests; a queue manager never sends this.",
        "The program answers with mqx report-gen --feedback nan.",
    ),
    "MQRO_ACTIVITY": Note("Asks everything that handles the message on its way to report what it did."),
    "MQRO_NEW_MSG_ID": Note("A report or reply gets a MsgId of its own. This is the default."),
    "MQRO_PASS_MSG_ID": Note(
        "A report or reply gets the MsgId of this message, so several messages can have the same one.",
        "Put with --report pass-msg-id.",
    ),
    "MQRO_COPY_MSG_ID_TO_CORREL_ID": Note(
        "A report or reply has this message's MsgId as its CorrelId. This is the default.",
        "Find the answers with mqx get --correl-id and the MsgId of the original.",
    ),
    "MQRO_PASS_CORREL_ID": Note(
        "A report or reply gets the CorrelId of this message.",
        "Put with --report pass-correl-id.",
    ),
    "MQRO_DEAD_LETTER_Q": Note(
        "If it cannot be delivered the message goes to the dead-letter queue. This is the default.",
        "mqx dlq-handle processes that queue.",
    ),
    "MQRO_DISCARD_MSG": Note(
        "If it cannot be delivered the message is discarded instead of being dead-lettered.",
        "Ask for MQRO_EXCEPTION too, to learn of it.",
    ),
    "MQRO_PASS_DISCARD_AND_EXPIRY": Note(
        "A report or reply gets the remaining expiry time of this message, and its discard option.",
        "Put with --report pass-discard-and-expiry.",
    ),
    "MQRO_NONE": Note(
        "No report is requested; answers get a new MsgId and this MsgId as CorrelId, and a dead letter is kept."
    ),
    "MQRO_REJECT_UNSUP_MASK": Note(
        "The bits of Report that a queue manager must recognise: an unknown one makes the put fail."
    ),
    "MQRO_ACCEPT_UNSUP_MASK": Note(
        "The bits of Report that a queue manager need not recognise: an unknown one gives a warning."
    ),
    "MQRO_ACCEPT_UNSUP_IF_XMIT_MASK": Note(
        "The bits of Report that only the destination must recognise: on the way there an unknown one gives a warning."
    ),
}
