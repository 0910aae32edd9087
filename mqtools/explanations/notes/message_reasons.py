"""Notes on the reason codes of putting, getting, browsing, locking and marking messages."""

from __future__ import annotations

from mqtools.explanations.notes.note import Note, failed, warning, warning_or_failed

MESSAGE_REASON_NOTES: dict[str, Note] = {
    # Putting
    "MQRC_EXPIRY_ERROR": failed(
        "Expiry must be a positive number of tenths of a second, or -1 for a message that never expires.",
        "Correct it; mqx put --expiry 30s does the arithmetic.",
    ),
    "MQRC_FEEDBACK_ERROR": failed(
        "Feedback is neither 0 nor in the ranges for system or application codes. A report with feedback 0 is "
        "refused too.",
        "Give mqx report-gen --feedback a name such as coa or MQRC_Q_FULL, or a number from 65536 on for a code of "
        "your own.",
    ),
    "MQRC_SYNCPOINT_LIMIT_REACHED": failed(
        "The unit of work holds as many uncommitted messages as the queue manager allows.",
        'Commit more often (mqx put --batch), or raise it with mqx mqsc "ALTER QMGR MAXUMSGS(n)".',
    ),
    "MQRC_MD_ERROR": failed(
        "The message descriptor has a wrong identifier or version.",
        "Correct the program's MQMD.",
    ),
    "MQRC_MISSING_REPLY_TO_Q": failed(
        "A request, or a message that asks for a report, has no reply-to queue.",
        "Give a reply queue: mqx put --reply-to QUEUE, or leave the report options out.",
    ),
    "MQRC_MSG_TYPE_ERROR": failed(
        "The message type is none of datagram, request, reply, report, and outside the application range 65536 to "
        "999999999.",
        "Correct it; mqx put --type takes names and numbers.",
    ),
    "MQRC_MSG_TOO_BIG_FOR_Q": failed(
        "The message is longer than MAXMSGL of the queue, and may not be segmented.",
        'Raise the limit with mqx mqsc "ALTER QLOCAL(name) MAXMSGL(n)", or put it in pieces with mqx put --segment '
        "BYTES.",
    ),
    "MQRC_MSG_TOO_BIG_FOR_Q_MGR": failed(
        "The message is longer than MAXMSGL of the queue manager.",
        'Raise the limit with mqx mqsc "ALTER QMGR MAXMSGL(n)", or put it in pieces with mqx put --segment BYTES.',
    ),
    "MQRC_PERSISTENCE_ERROR": failed(
        "Persistence is not one of not persistent, persistent, or the queue's default.",
        "Use 0, 1 or 2, or --persistent and --not-persistent.",
    ),
    "MQRC_PERSISTENT_NOT_ALLOWED": failed(
        "A persistent message was put to a temporary dynamic queue, which does not outlive its creator.",
        "Put it --not-persistent, or use a permanent queue.",
    ),
    "MQRC_PRIORITY_EXCEEDS_MAXIMUM": warning(
        "The priority is above the queue manager's highest; the message is put and queued as if it had the "
        "highest, its field stays as given.",
        "Use a priority from 0 to 9.",
    ),
    "MQRC_PRIORITY_ERROR": failed(
        "The priority is negative without being the value that means the queue's default.",
        "Use a priority from 0 to 9, or leave it out.",
    ),
    "MQRC_PUT_INHIBITED": failed(
        "Puts are switched off for the queue, or for an alias or remote definition on the way to it.",
        'Find out why; mqx mqsc "ALTER QLOCAL(name) PUT(ENABLED)" switches them on. Dead letters of this reason go '
        "back with mqx dlq-handle --redrive.",
    ),
    "MQRC_Q_FULL": failed(
        "The queue holds as many messages as its maximum depth; uncommitted ones count.",
        "See who should be reading: mqx qdepth shows depth, oldest message and open handles. Raise the limit with "
        'mqx mqsc "ALTER QLOCAL(name) MAXDEPTH(n)"; dead letters of this reason go back with mqx dlq-handle '
        "--redrive.",
    ),
    "MQRC_Q_SPACE_NOT_AVAILABLE": failed(
        "There is no disk space to store the message.",
        "Free space where the queue manager's file is; mqx qmgr display names the place.",
    ),
    "MQRC_REPORT_OPTIONS_ERROR": failed(
        "Report has bits that are not known here and must be, or two options of one family added up to something "
        "that means nothing.",
        "Combine options of different families only, one of each; mqx put --report takes them by name.",
    ),
    "MQRC_UNKNOWN_REPORT_OPTION": warning(
        "Report has bits that are not known here, in a place where that is allowed. The message was put and the "
        "bits kept.",
        "Correct the options if they were a mistake.",
    ),
    "MQRC_MULTIPLE_REASONS": warning_or_failed(
        "A put to several destinations ended differently for some of them.",
        "Look at the reason of each destination in its response record.",
    ),
    "MQRC_PMO_ERROR": failed(
        "The put options structure has a wrong identifier or version.",
        "Correct the program's MQPMO.",
    ),
    "MQRC_INCONSISTENT_PERSISTENCE": warning_or_failed(
        "This part of a group or segmented message is persistent and the parts before it were not, or the reverse.",
        "Give all messages of a group the same persistence.",
    ),
    "MQRC_STORAGE_MEDIUM_FULL": failed(
        "The medium that holds the messages is full.",
        "Get or delete messages, which a reserve allows, then mqx qmgr compact; or free space on the disk. "
        "mqx doctor shows how much is left. The put can be repeated.",
    ),
    "MQRC_INCOMPLETE_GROUP": warning_or_failed(
        "A message outside the group was put or got, or the handle was closed, before the last message of its group.",
        "Put the last message with MQMF_LAST_MSG_IN_GROUP (mqx put --last) before anything else.",
    ),
    "MQRC_INCOMPLETE_MSG": warning_or_failed(
        "Segments of a logical message are missing: the handle left it before the last segment was put or got.",
        "Put or get the last segment first; mqx pipeline reassemble shows which offsets are missing.",
    ),
    "MQRC_INCONSISTENT_UOW": warning_or_failed(
        "Parts of one group or message were partly inside and partly outside a unit of work.",
        "Use the same syncpoint choice for the whole group.",
    ),
    "MQRC_MSG_FLAGS_ERROR": failed(
        "MsgFlags has bits that must be known and are not, or flags that exclude each other.",
        "Correct the flags; mqx explain MQMF_name explains each.",
    ),
    "MQRC_MSG_SEQ_NUMBER_ERROR": failed(
        "The sequence number within the group is outside 1 to 999999999.",
        "Count from 1; with logical order the queue manager counts by itself.",
    ),
    "MQRC_OFFSET_ERROR": failed(
        "The offset of a segment is outside 0 to 999999999.",
        "Count bytes from 0; with logical order the queue manager counts by itself.",
    ),
    "MQRC_ORIGINAL_LENGTH_ERROR": failed(
        "A report about a segment states an original length that cannot be: not positive, or less than the data it "
        "carries.",
        "Set OriginalLength to the length of the segment that is reported on, without MQ headers.",
    ),
    "MQRC_SEGMENT_LENGTH_ZERO": failed(
        "A segment other than the last has no data.",
        "Leave empty segments out; only the last may be empty.",
    ),
    "MQRC_UOW_NOT_AVAILABLE": failed(
        "The message must be segmented, which needs a unit of work, and there can be none.",
        "Put inside a unit of work, or segment it in the program.",
    ),
    "MQRC_WRONG_MD_VERSION": failed(
        "An option or flag needs a descriptor of version 2.",
        "Use MQMD version 2.",
    ),
    "MQRC_GROUP_ID_ERROR": failed(
        "Several destinations share one group id where each needs its own.",
        "Give a group id for each destination, or put in logical order.",
    ),
    "MQRC_MSG_NOT_ALLOWED_IN_GROUP": failed(
        "This kind of message may not be part of a group.",
        "Put it on its own.",
    ),
    "MQRC_SEGMENTATION_NOT_ALLOWED": failed(
        "The message may not be cut: it carries properties in its data, or is a reference message.",
        "Put it whole, without a segment flag.",
    ),
    "MQRC_ACTION_ERROR": failed(
        "The action of a put (new, forward, reply, report) is unknown, or the message handles do not fit it.",
        "Forward, reply and report need the handle of the original message.",
    ),
    "MQRC_SEGMENTS_NOT_SUPPORTED": failed(
        "Segments cannot be put here: a queue manager with profile zos refuses them.",
        "Use profile distributed (mqx qmgr create --profile), or put the message whole.",
    ),
    # Getting, browsing, locking, marking
    "MQRC_GET_INHIBITED": failed(
        "Gets and browses are switched off for the queue or its alias.",
        'mqx mqsc "ALTER QLOCAL(name) GET(ENABLED)" switches them on; mqx browse --all-states works without it.',
    ),
    "MQRC_NO_MSG_AVAILABLE": failed(
        "No message fits: the queue is empty, the selection matches nothing, the messages are locked or "
        "uncommitted, a group is not complete, or the wait ran out.",
        "mqx browse --all-states shows held messages and their holders; --wait 5s waits for one.",
    ),
    "MQRC_NO_MSG_UNDER_CURSOR": failed(
        "The browse cursor is not on a message: no browse yet, or its message was removed, locked or has expired.",
        "Browse again, then get under the cursor.",
    ),
    "MQRC_SECOND_MARK_NOT_ALLOWED": failed(
        "A unit of work can spare one message from back-out, and it has one already. Profile zos only.",
        "Commit before the next MQGMO_MARK_SKIP_BACKOUT.",
    ),
    "MQRC_SIGNAL_OUTSTANDING": failed(
        "A get with a signal on this handle is still waiting. Profile zos only.",
        "Wait for the signal first.",
    ),
    "MQRC_SIGNAL_REQUEST_ACCEPTED": warning(
        "No message is available yet; the program is signalled when one arrives. Profile zos only.",
        "Wait for the signal, then get again.",
    ),
    "MQRC_SIGNAL1_ERROR": failed(
        "The signal that a get named cannot be used. Profile zos only.",
        "Correct Signal1 in the program's MQGMO.",
    ),
    "MQRC_TRUNCATED_MSG_ACCEPTED": warning(
        "The message was longer than the buffer; the program got the beginning, and the rest is lost.",
        "Use a larger buffer, or leave --accept-truncated out to keep such messages.",
    ),
    "MQRC_TRUNCATED_MSG_FAILED": warning(
        "The message is longer than the buffer or --max-length; it stays on the queue and its real length is returned.",
        "Get again with a larger limit, or with --accept-truncated if the beginning is enough.",
    ),
    "MQRC_WAIT_INTERVAL_ERROR": failed(
        "The wait interval is negative and not the value for an unlimited wait.",
        "Give milliseconds, or -1; on the command line --wait 5s.",
    ),
    "MQRC_GMO_ERROR": failed(
        "The get options structure has a wrong identifier or version.",
        "Correct the program's MQGMO.",
    ),
    "MQRC_MSG_MARKED_BROWSE_CO_OP": failed(
        "Another browser of the co-operating set has marked the message already.",
        "Browse with --unmarked to skip what others have taken; marks go after the queue manager's mark interval.",
    ),
    "MQRC_MSG_ID_ERROR": Note(
        "The queue's index does not go together with matching by MsgId. z/OS only.",
        "Change the index type or the match options.",
    ),
    "MQRC_CORREL_ID_ERROR": Note(
        "The queue's index does not go together with matching by CorrelId. z/OS only.",
        "Change the index type or the match options.",
    ),
    "MQRC_Q_INDEX_TYPE_ERROR": failed(
        "The queue is not indexed as the options need, for example by group id for logical order. Profile zos only.",
        "Alter the queue's INDXTYPE, or leave the option out.",
    ),
    "MQRC_NO_MSG_LOCKED": warning(
        "An unlock found nothing locked through this handle, or the lock or confirm id is not the one that holds "
        "the message.",
        "mqx lock --list shows all locks with their ids and holders.",
    ),
    "MQRC_INCONSISTENT_CCSIDS": warning(
        "The segments of the message are in different character sets; only those up to the change were returned.",
        "Get without conversion (leave --convert out), or segment by segment.",
    ),
    "MQRC_INCONSISTENT_ENCODINGS": warning(
        "The segments of the message have different number encodings; only those up to the change were returned.",
        "Get without conversion (leave --convert out), or segment by segment.",
    ),
    "MQRC_INVALID_MSG_UNDER_CURSOR": failed(
        "A complete message was requested while the cursor is on a segment other than its first.",
        "Move the cursor to the first segment, with logical order for example.",
    ),
    "MQRC_MATCH_OPTIONS_ERROR": failed(
        "The match options have an unknown bit, or one that does not go together with the other options.",
        "Drop it; mqx explain MQMO_name explains each.",
    ),
    "MQRC_WRONG_GMO_VERSION": failed(
        "An option or match option needs a newer version of the get options structure.",
        "Set the version of the program's MQGMO to 2 or higher.",
    ),
    "MQRC_INCONSISTENT_BROWSE": failed(
        "Browsing changed between logical and physical order in the middle.",
        "Keep to one order, or start again with MQGMO_BROWSE_FIRST.",
    ),
    "MQRC_MSG_TOKEN_ERROR": failed(
        "Matching by message token is not possible here.",
        "Match by MsgId instead.",
    ),
    "MQRC_SELECTOR_SYNTAX_ERROR": failed(
        "The selection string is not a valid expression.",
        'See the position of the caret. Strings are in single quotes, names are case-sensitive: --where "colour = '
        "'red' AND Root.MQMD.Priority > 5\".",
    ),
    "MQRC_SELECTION_STRING_ERROR": failed(
        "The selection string was passed in a form that cannot be read.",
        "Correct pointer, offset and length in the program.",
    ),
    "MQRC_SELECTION_NOT_AVAILABLE": failed(
        "The selector refers to the data of messages, which is not supported.",
        "Select by properties or descriptor fields; search data with --grep.",
    ),
    "MQRC_SELECTOR_ALWAYS_FALSE": failed(
        "The selector can be true for no message.",
        "Read it again: a comparison with a constant, or AND where OR was meant.",
    ),
}
