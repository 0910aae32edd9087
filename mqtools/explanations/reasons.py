"""Notes on the reason codes of connecting, opening, putting, getting and browsing."""

from __future__ import annotations

#: Reason name to (completion code, meaning, what to do). The letters are W warning, F failed; none: no call of
#: mqx ends with it. What to do is empty where there is nothing to be done. A reason that is not here has no note.
REASON_NOTES: dict[str, tuple[str, str, str]] = {
    # Connection, handles, resources
    "MQRC_NONE": (
        "",
        "The call succeeded.",
        "",
    ),
    "MQRC_ALREADY_CONNECTED": (
        "W",
        "The program is connected to this queue manager already; it gets the connection it has.",
        "Nothing, unless a second, independent connection was wanted.",
    ),
    "MQRC_BACKED_OUT": (
        "WF",
        "The unit of work could not be committed and everything in it was undone: messages got are back on their "
        "queues, messages put are deleted.",
        "Find the preceding failure it, then do the whole unit of work again. mqx qdepth shows whether "
        "anything is still uncommitted.",
    ),
    "MQRC_BUFFER_ERROR": (
        "F",
        "The buffer that a program passed cannot be used.",
        "Correct the program: give a real buffer of at least the length it states.",
    ),
    "MQRC_BUFFER_LENGTH_ERROR": (
        "F",
        "The buffer length is negative or beyond what is allowed.",
        "Correct the length that the program passes.",
    ),
    "MQRC_CHAR_ATTR_LENGTH_ERROR": (
        "F",
        "The length given for character attributes on an inquire or set is not usable.",
        "Give the summed length of the attributes that are asked for.",
    ),
    "MQRC_CHAR_ATTRS_ERROR": (
        "F",
        "The buffer given for character attributes is not usable.",
        "Correct the program.",
    ),
    "MQRC_CONNECTION_BROKEN": (
        "F",
        "The connection to the queue manager is lost, as after mqx qmgr end --immediate, and every handle of "
        "it is invalid. Uncommitted work is backed out.",
        "Start the queue manager if it has ended, connect again and repeat what was not committed; mqx doctor checks "
        "its file.",
    ),
    "MQRC_CONNECTION_ERROR": (
        "F",
        "The connection between the two ends of a channel broke, timed out, or did not carry the channel's "
        "protocol. Messages that were not committed at both ends are sent again.",
        "Start the channel again; mqx channel ping checks the other end, mqx channel status shows the state.",
    ),
    "MQRC_DATA_LENGTH_ERROR": (
        "F",
        "The place where the call should store the data length is not usable.",
        "Correct the program.",
    ),
    "MQRC_ENVIRONMENT_ERROR": (
        "F",
        "The call is not possible where the program runs, or not in its present state.",
        "Check what kind of unit of work and connection the program has open.",
    ),
    "MQRC_HANDLE_NOT_AVAILABLE": (
        "F",
        "One more open would exceed the number of handles that a connection may have.",
        'Close what is not needed, or raise it with mqx mqsc "ALTER QMGR MAXHANDS(n)".',
    ),
    "MQRC_HCONN_ERROR": (
        "F",
        "The connection handle is not one of this program's connections, or was closed.",
        "Connect first; do not use a handle after disconnecting.",
    ),
    "MQRC_HOBJ_ERROR": (
        "F",
        "The object handle was never opened, is closed, or belongs to another connection.",
        "Open the queue again on the connection that is used.",
    ),
    "MQRC_MAX_CONNS_LIMIT_REACHED": (
        "F",
        "The queue manager allows no further connections.",
        "End programs that hold connections without need.",
    ),
    "MQRC_NOT_AUTHORIZED": (
        "F",
        "The user may not do this to this object. With mqx that means the rights on the queue manager's file or "
        "its folder.",
        "Check owner and mode of the file that mqx qmgr display names; at a real queue manager check its "
        "authority records.",
    ),
    "MQRC_CONNECTION_NOT_AUTHORIZED": (
        "F",
        "The user may not connect to the queue manager.",
        "Check the rights on the queue manager's file.",
    ),
    "MQRC_Q_MGR_NAME_ERROR": (
        "F",
        "No queue manager of this name is known here, or the name breaks the naming rules.",
        "mqx qmgr list shows all queue managers; -m takes a name or the path of a file, and mqx qmgr create makes a "
        "new one.",
    ),
    "MQRC_Q_MGR_NOT_AVAILABLE": (
        "F",
        "The queue manager is known but is ended or refuses connections.",
        "Start it with mqx qmgr start, then try again.",
    ),
    "MQRC_SECURITY_ERROR": (
        "F",
        "The check of the user's rights failed in itself, so nothing could be decided.",
        "Check the file system that holds the queue manager; mqx doctor checks it.",
    ),
    "MQRC_STORAGE_NOT_AVAILABLE": (
        "F",
        "The machine has no memory left for the call.",
        "Free memory, or take fewer and smaller messages at a time (-n, --max-length).",
    ),
    "MQRC_OBJECT_ALREADY_EXISTS": (
        "F",
        "Something of that name is there already.",
        "Choose another name, or use REPLACE with DEFINE.",
    ),
    "MQRC_OBJECT_DAMAGED": (
        "F",
        "What is stored of the object cannot be read back.",
        "Stop using the file, copy it, and check the copy with mqx doctor. Messages that can still be read are "
        "saved with mqx unload.",
    ),
    "MQRC_RESOURCE_PROBLEM": (
        "F",
        "A resource of the system is used up or busy: locks, file handles, or the queue manager's file itself.",
        "Try again; if it persists, mqx doctor shows who holds the file and whether the disk is full or read-only.",
    ),
    "MQRC_ANOTHER_Q_MGR_CONNECTED": (
        "F",
        "The program is connected to a different queue manager and cannot have a second one here.",
        "Disconnect first.",
    ),
    "MQRC_CNO_ERROR": (
        "F",
        "The connect options structure has a wrong identifier, version or content.",
        "Correct the program's MQCNO.",
    ),
    "MQRC_BO_ERROR": (
        "F",
        "The begin options structure has a wrong identifier, version or content.",
        "Correct the program's MQBO.",
    ),
    "MQRC_Q_MGR_QUIESCING": (
        "F",
        "The queue manager is quiescing and this call asked not to take part, or would begin something new.",
        "Finish or back out, then wait for mqx qmgr start.",
    ),
    "MQRC_CONNECTION_QUIESCING": (
        "F",
        "The connection is quiescing.",
        "Finish or back out, then disconnect.",
    ),
    "MQRC_Q_MGR_STOPPING": (
        "F",
        "The queue manager is stopping immediately; the call was not executed.",
        "Wait for mqx qmgr start and repeat what was not committed.",
    ),
    "MQRC_UNEXPECTED_ERROR": (
        "F",
        "An internal error occurred.",
        "Run the command again with --debug and keep the traceback for a bug report; mqx doctor checks the file.",
    ),
    "MQRC_CALL_IN_PROGRESS": (
        "F",
        "Another call on the same connection has not returned yet.",
        "Give each thread its own connection, or wait for the first call.",
    ),
    "MQRC_Q_MGR_ACTIVE": (
        "",
        "An event: the queue manager has started.",
        "",
    ),
    "MQRC_Q_MGR_NOT_ACTIVE": (
        "",
        "An event: the queue manager has ended.",
        "mqx qmgr start brings it back.",
    ),
    # Opening, names, resolution
    "MQRC_ALIAS_BASE_Q_TYPE_ERROR": (
        "F",
        "An alias queue leads to something that an alias may not lead to, such as another alias.",
        'mqx mqsc "DISPLAY QALIAS(name) TARGET" shows where it leads; alter TARGET to a local or remote queue.',
    ),
    "MQRC_DYNAMIC_Q_NAME_ERROR": (
        "F",
        "The name or pattern for a dynamic queue is not a valid queue name.",
        "Give a name, or a pattern that ends in an asterisk.",
    ),
    "MQRC_OBJECT_IN_USE": (
        "F",
        "The open does not go together with another that exists: one of them wants the queue for itself, the queue "
        "is not shareable, or it is to be deleted while open.",
        "mqx qdepth shows open handles and mqx lock --list the holders; wait for them, or ALTER QLOCAL(name) SHARE.",
    ),
    "MQRC_OBJECT_TYPE_ERROR": (
        "F",
        "The type of object is unknown or not possible for this call.",
        "Name a queue where a queue is meant; correct ObjectType in a program.",
    ),
    "MQRC_OD_ERROR": (
        "F",
        "The object descriptor has a wrong identifier or version.",
        "Correct the program's MQOD.",
    ),
    "MQRC_OPTION_NOT_VALID_FOR_TYPE": (
        "F",
        "An option does not fit this type of object, for example browsing a remote queue or deleting a predefined "
        "one on close.",
        "Use the local queue behind the name, or leave the option out.",
    ),
    "MQRC_OPTIONS_ERROR": (
        "F",
        "The options include an unknown bit, or two that exclude each other.",
        "mqx explain MQGMO_name shows what each option requires; drop one of the two.",
    ),
    "MQRC_Q_DELETED": (
        "F",
        "The queue was deleted after this handle was opened.",
        "Define it again with mqx mqsc, or open the right one.",
    ),
    "MQRC_OBJECT_CHANGED": (
        "F",
        "A definition that decides where the handle leads was altered after the open.",
        "Close and open again.",
    ),
    "MQRC_Q_NOT_EMPTY": (
        "F",
        "The queue still holds messages, or has uncommitted work, so it is not deleted.",
        'Empty it with mqx move or mqx get --all, or use PURGE: mqx mqsc "DELETE QLOCAL(name) PURGE".',
    ),
    "MQRC_Q_TYPE_ERROR": (
        "F",
        "A queue of this type cannot be used here.",
        'mqx mqsc "DISPLAY QUEUE(name) QTYPE" shows what it is.',
    ),
    "MQRC_UNKNOWN_ALIAS_BASE_Q": (
        "F",
        "The alias exists, but its target queue does not.",
        "Define the target, or point the alias elsewhere with ALTER QALIAS(name) TARGET(queue).",
    ),
    "MQRC_UNKNOWN_OBJECT_NAME": (
        "F",
        "There is no queue of this name at the queue manager. Names are case-sensitive.",
        'mqx qdepth lists the queues; mqx mqsc "DEFINE QLOCAL(name)" makes one. As a dead letter\'s reason: '
        "define the queue, then mqx dlq-handle --redrive.",
    ),
    "MQRC_UNKNOWN_OBJECT_Q_MGR": (
        "F",
        "The queue manager named beside the queue is unknown and no route leads there.",
        "Define a transmission queue of that name, or correct the name after the @.",
    ),
    "MQRC_UNKNOWN_REMOTE_Q_MGR": (
        "F",
        "A remote queue definition names a queue manager for which there is no transmission queue, nor a default one.",
        'mqx mqsc "DEFINE QLOCAL(QM2) USAGE(XMITQ)" makes the route; or set XMITQ in the remote definition.',
    ),
    "MQRC_XMIT_Q_TYPE_ERROR": (
        "F",
        "What is named as transmission queue is not a local queue.",
        "Name a local queue with USAGE(XMITQ).",
    ),
    "MQRC_XMIT_Q_USAGE_ERROR": (
        "F",
        "The queue named as transmission queue is an ordinary one.",
        'mqx mqsc "ALTER QLOCAL(name) USAGE(XMITQ)", or correct XMITQ.',
    ),
    "MQRC_OBJECT_NAME_ERROR": (
        "F",
        "An object name is given where it must be blank, or is missing where it is needed.",
        "Correct the name in the call.",
    ),
    "MQRC_OBJECT_Q_MGR_NAME_ERROR": (
        "F",
        "A queue manager name is given where it must be blank, or is missing where it is needed.",
        "Correct the name in the call.",
    ),
    "MQRC_REMOTE_Q_NAME_ERROR": (
        "F",
        "A remote definition has no remote queue name and is used as if it were a queue.",
        "Set RNAME in the definition, or use the definition only as a queue manager or reply-to alias.",
    ),
    "MQRC_NAME_NOT_VALID_FOR_TYPE": (
        "F",
        "The object name is not possible for objects of this type.",
        "Leave the name blank where the queue manager itself is meant.",
    ),
    "MQRC_UNKNOWN_XMIT_Q": (
        "F",
        "The remote definition names a transmission queue that does not exist.",
        'mqx mqsc "DEFINE QLOCAL(name) USAGE(XMITQ)".',
    ),
    "MQRC_UNKNOWN_DEF_XMIT_Q": (
        "F",
        "The queue manager's default transmission queue does not exist.",
        "Define it, or alter DEFXMITQ of the queue manager.",
    ),
    "MQRC_DEF_XMIT_Q_TYPE_ERROR": (
        "F",
        "The default transmission queue is not a local queue.",
        "Alter DEFXMITQ of the queue manager to a local queue with USAGE(XMITQ).",
    ),
    "MQRC_DEF_XMIT_Q_USAGE_ERROR": (
        "F",
        "The default transmission queue is an ordinary queue.",
        "Alter it to USAGE(XMITQ), or name another in DEFXMITQ.",
    ),
    "MQRC_NOT_OPEN_FOR_INPUT": (
        "F",
        "A get was tried through a handle that was not opened for input.",
        "Open with one of the MQOO_INPUT options.",
    ),
    "MQRC_NOT_OPEN_FOR_BROWSE": (
        "F",
        "A browse, or a get of the message under the cursor, was tried without opening for browse.",
        "Open with MQOO_BROWSE.",
    ),
    "MQRC_NOT_OPEN_FOR_INQUIRE": (
        "F",
        "Attributes were asked for through a handle not opened for that.",
        "Open with MQOO_INQUIRE.",
    ),
    "MQRC_NOT_OPEN_FOR_OUTPUT": (
        "F",
        "A put was tried through a handle not opened for output.",
        "Open with MQOO_OUTPUT.",
    ),
    "MQRC_NOT_OPEN_FOR_SET": (
        "F",
        "Attributes were to be set through a handle not opened for that.",
        "Open with MQOO_SET, or use mqx mqsc ALTER.",
    ),
    "MQRC_NOT_OPEN_FOR_PASS_ALL": (
        "F",
        "The put wants to pass all context on, but the queue was not opened for that.",
        "Open with MQOO_PASS_ALL_CONTEXT.",
    ),
    "MQRC_NOT_OPEN_FOR_PASS_IDENT": (
        "F",
        "The put wants to pass identity context on, but the queue was not opened for that.",
        "Open with MQOO_PASS_IDENTITY_CONTEXT.",
    ),
    "MQRC_NOT_OPEN_FOR_SET_ALL": (
        "F",
        "The put wants to set all context, but the queue was not opened for that.",
        "Open with MQOO_SET_ALL_CONTEXT; on the command line mqx put --keep-context does it.",
    ),
    "MQRC_NOT_OPEN_FOR_SET_IDENT": (
        "F",
        "The put wants to set identity context, but the queue was not opened for that.",
        "Open with MQOO_SET_IDENTITY_CONTEXT.",
    ),
    "MQRC_CONTEXT_HANDLE_ERROR": (
        "F",
        "The handle that context should come from is not an input handle opened to save context.",
        "Open the input queue with MQOO_SAVE_ALL_CONTEXT and pass that handle.",
    ),
    "MQRC_CONTEXT_NOT_AVAILABLE": (
        "F",
        "The handle can save context, but no message has been got through it yet; a browse does not count.",
        "Get the message first, then put.",
    ),
    # Putting
    "MQRC_EXPIRY_ERROR": (
        "F",
        "Expiry must be a positive number of tenths of a second, or -1 for a message that never expires.",
        "Correct it; mqx put --expiry 30s does the arithmetic.",
    ),
    "MQRC_FEEDBACK_ERROR": (
        "F",
        "Feedback is neither 0 nor in the ranges for system or application codes. A report with feedback 0 is "
        "refused too.",
        "Give mqx report-gen --feedback a name such as coa or MQRC_Q_FULL, or a number from 65536 on for a code of "
        "your own.",
    ),
    "MQRC_SYNCPOINT_LIMIT_REACHED": (
        "F",
        "The unit of work holds as many uncommitted messages as the queue manager allows.",
        'Commit more often (mqx put --batch), or raise it with mqx mqsc "ALTER QMGR MAXUMSGS(n)".',
    ),
    "MQRC_MD_ERROR": (
        "F",
        "The message descriptor has a wrong identifier or version.",
        "Correct the program's MQMD.",
    ),
    "MQRC_MISSING_REPLY_TO_Q": (
        "F",
        "A request, or a message that asks for a report, has no reply-to queue.",
        "Give a reply queue: mqx put --reply-to QUEUE, or leave the report options out.",
    ),
    "MQRC_MSG_TYPE_ERROR": (
        "F",
        "The message type is none of datagram, request, reply, report, and outside the application range 65536 to "
        "999999999.",
        "Correct it; mqx put --type takes names and numbers.",
    ),
    "MQRC_MSG_TOO_BIG_FOR_Q": (
        "F",
        "The message is longer than MAXMSGL of the queue, and may not be segmented.",
        'Raise the limit with mqx mqsc "ALTER QLOCAL(name) MAXMSGL(n)", or put it in pieces with mqx put --segment '
        "BYTES.",
    ),
    "MQRC_MSG_TOO_BIG_FOR_Q_MGR": (
        "F",
        "The message is longer than MAXMSGL of the queue manager.",
        'Raise the limit with mqx mqsc "ALTER QMGR MAXMSGL(n)", or put it in pieces with mqx put --segment BYTES.',
    ),
    "MQRC_PERSISTENCE_ERROR": (
        "F",
        "Persistence is not one of not persistent, persistent, or the queue's default.",
        "Use 0, 1 or 2, or --persistent and --not-persistent.",
    ),
    "MQRC_PERSISTENT_NOT_ALLOWED": (
        "F",
        "A persistent message was put to a temporary dynamic queue, which does not outlive its creator.",
        "Put it --not-persistent, or use a permanent queue.",
    ),
    "MQRC_PRIORITY_EXCEEDS_MAXIMUM": (
        "W",
        "The priority is above the queue manager's highest; the message is put and queued as if it had the "
        "highest, its field stays as given.",
        "Use a priority from 0 to 9.",
    ),
    "MQRC_PRIORITY_ERROR": (
        "F",
        "The priority is negative without being the value that means the queue's default.",
        "Use a priority from 0 to 9, or leave it out.",
    ),
    "MQRC_PUT_INHIBITED": (
        "F",
        "Puts are switched off for the queue, or for an alias or remote definition on the way to it.",
        'Find out why; mqx mqsc "ALTER QLOCAL(name) PUT(ENABLED)" switches them on. Dead letters of this reason go '
        "back with mqx dlq-handle --redrive.",
    ),
    "MQRC_Q_FULL": (
        "F",
        "The queue holds as many messages as its maximum depth; uncommitted ones count.",
        "See who should be reading: mqx qdepth shows depth, oldest message and open handles. Raise the limit with "
        'mqx mqsc "ALTER QLOCAL(name) MAXDEPTH(n)"; dead letters of this reason go back with mqx dlq-handle '
        "--redrive.",
    ),
    "MQRC_Q_SPACE_NOT_AVAILABLE": (
        "F",
        "There is no disk space to store the message.",
        "Free space where the queue manager's file is; mqx qmgr display names the place.",
    ),
    "MQRC_REPORT_OPTIONS_ERROR": (
        "F",
        "Report has bits that are not known here and must be, or two options of one family added up to something "
        "that means nothing.",
        "Combine options of different families only, one of each; mqx put --report takes them by name.",
    ),
    "MQRC_UNKNOWN_REPORT_OPTION": (
        "W",
        "Report has bits that are not known here, in a place where that is allowed. The message was put and the "
        "bits kept.",
        "Correct the options if they were a mistake.",
    ),
    "MQRC_MULTIPLE_REASONS": (
        "WF",
        "A put to several destinations ended differently for some of them.",
        "Look at the reason of each destination in its response record.",
    ),
    "MQRC_PMO_ERROR": (
        "F",
        "The put options structure has a wrong identifier or version.",
        "Correct the program's MQPMO.",
    ),
    "MQRC_INCONSISTENT_PERSISTENCE": (
        "WF",
        "This part of a group or segmented message is persistent and the parts before it were not, or the reverse.",
        "Give all messages of a group the same persistence.",
    ),
    "MQRC_STORAGE_MEDIUM_FULL": (
        "F",
        "The medium that holds the messages is full.",
        "Get or delete messages, which goes on with a reserve, then mqx qmgr compact; or free space on the disk. "
        "mqx doctor shows how much is left. The put can be repeated.",
    ),
    "MQRC_INCOMPLETE_GROUP": (
        "WF",
        "A message outside the group was put or got, or the handle was closed, before the last message of its group.",
        "Put the last message with MQMF_LAST_MSG_IN_GROUP (mqx put --last) before anything else.",
    ),
    "MQRC_INCOMPLETE_MSG": (
        "WF",
        "Segments of a logical message are missing: the handle left it before the last segment was put or got.",
        "Put or get the last segment first; mqx pipeline reassemble shows which offsets are missing.",
    ),
    "MQRC_INCONSISTENT_UOW": (
        "WF",
        "Parts of one group or message were partly inside and partly outside a unit of work.",
        "Use the same syncpoint choice for the whole group.",
    ),
    "MQRC_MSG_FLAGS_ERROR": (
        "F",
        "MsgFlags has bits that must be known and are not, or flags that exclude each other.",
        "Correct the flags; mqx explain MQMF_name explains each.",
    ),
    "MQRC_MSG_SEQ_NUMBER_ERROR": (
        "F",
        "The sequence number within the group is outside 1 to 999999999.",
        "Count from 1; with logical order the queue manager counts by itself.",
    ),
    "MQRC_OFFSET_ERROR": (
        "F",
        "The offset of a segment is outside 0 to 999999999.",
        "Count bytes from 0; with logical order the queue manager counts by itself.",
    ),
    "MQRC_ORIGINAL_LENGTH_ERROR": (
        "F",
        "A report about a segment states an original length that cannot be: not positive, or less than the data it "
        "carries.",
        "Set OriginalLength to the length of the segment that is reported on, without MQ headers.",
    ),
    "MQRC_SEGMENT_LENGTH_ZERO": (
        "F",
        "A segment other than the last has no data.",
        "Leave empty segments out; only the last may be empty.",
    ),
    "MQRC_UOW_NOT_AVAILABLE": (
        "F",
        "The message must be segmented, which needs a unit of work, and there can be none.",
        "Put inside a unit of work, or segment it in the program.",
    ),
    "MQRC_WRONG_MD_VERSION": (
        "F",
        "An option or flag needs a descriptor of version 2.",
        "Use MQMD version 2.",
    ),
    "MQRC_GROUP_ID_ERROR": (
        "F",
        "Several destinations share one group id where each needs its own.",
        "Give a group id for each destination, or put in logical order.",
    ),
    "MQRC_MSG_NOT_ALLOWED_IN_GROUP": (
        "F",
        "This kind of message may not be part of a group.",
        "Put it on its own.",
    ),
    "MQRC_SEGMENTATION_NOT_ALLOWED": (
        "F",
        "The message may not be cut: it carries properties in its data, or is a reference message.",
        "Put it whole, without a segment flag.",
    ),
    "MQRC_ACTION_ERROR": (
        "F",
        "The action of a put (new, forward, reply, report) is unknown, or the message handles do not fit it.",
        "Forward, reply and report need the handle of the original message.",
    ),
    "MQRC_SEGMENTS_NOT_SUPPORTED": (
        "F",
        "Segments cannot be put here: a queue manager with profile zos refuses them.",
        "Use profile distributed (mqx qmgr create --profile), or put the message whole.",
    ),
    # Getting, browsing, locking, marking
    "MQRC_GET_INHIBITED": (
        "F",
        "Gets and browses are switched off for the queue or its alias.",
        'mqx mqsc "ALTER QLOCAL(name) GET(ENABLED)" switches them on; mqx browse --all-states works without it.',
    ),
    "MQRC_NO_MSG_AVAILABLE": (
        "F",
        "No message fits: the queue is empty, the selection matches nothing, what is there is locked or "
        "uncommitted, a group is not complete, or the wait ran out.",
        "mqx browse --all-states shows messages that are there but held, and by whom; --wait 5s waits for one.",
    ),
    "MQRC_NO_MSG_UNDER_CURSOR": (
        "F",
        "The browse cursor is not on a message: no browse yet, or its message was removed, locked or has expired.",
        "Browse again, then get under the cursor.",
    ),
    "MQRC_SECOND_MARK_NOT_ALLOWED": (
        "F",
        "A unit of work can spare one message from back-out, and it has one already. Profile zos only.",
        "Commit before the next MQGMO_MARK_SKIP_BACKOUT.",
    ),
    "MQRC_SIGNAL_OUTSTANDING": (
        "F",
        "A get with a signal on this handle is still waiting. Profile zos only.",
        "Wait for the signal first.",
    ),
    "MQRC_SIGNAL_REQUEST_ACCEPTED": (
        "W",
        "No message is available yet; the program is signalled when one arrives. Profile zos only.",
        "Wait for the signal, then get again.",
    ),
    "MQRC_SIGNAL1_ERROR": (
        "F",
        "The signal that a get named cannot be used. Profile zos only.",
        "Correct Signal1 in the program's MQGMO.",
    ),
    "MQRC_TRUNCATED_MSG_ACCEPTED": (
        "W",
        "The message was longer than the buffer; the program got the beginning, and the rest is lost.",
        "Use a larger buffer, or leave --accept-truncated out to keep such messages.",
    ),
    "MQRC_TRUNCATED_MSG_FAILED": (
        "W",
        "The message is longer than the buffer or --max-length; it stays on the queue and its real length is returned.",
        "Get again with a larger limit, or with --accept-truncated if the beginning is enough.",
    ),
    "MQRC_WAIT_INTERVAL_ERROR": (
        "F",
        "The wait interval is negative and not the value for an unlimited wait.",
        "Give milliseconds, or -1; on the command line --wait 5s.",
    ),
    "MQRC_GMO_ERROR": (
        "F",
        "The get options structure has a wrong identifier or version.",
        "Correct the program's MQGMO.",
    ),
    "MQRC_MSG_MARKED_BROWSE_CO_OP": (
        "F",
        "Another browser of the co-operating set has marked the message already.",
        "Browse with --unmarked to skip what others have taken; marks go after the queue manager's mark interval.",
    ),
    "MQRC_MSG_ID_ERROR": (
        "",
        "The queue's index does not go together with matching by MsgId. z/OS only.",
        "Change the index type or the match options.",
    ),
    "MQRC_CORREL_ID_ERROR": (
        "",
        "The queue's index does not go together with matching by CorrelId. z/OS only.",
        "Change the index type or the match options.",
    ),
    "MQRC_Q_INDEX_TYPE_ERROR": (
        "F",
        "The queue is not indexed as the options need, for example by group id for logical order. Profile zos only.",
        "Alter the queue's INDXTYPE, or leave the option out.",
    ),
    "MQRC_NO_MSG_LOCKED": (
        "W",
        "An unlock found nothing locked through this handle, or the lock or confirm id is not the one that holds "
        "the message.",
        "mqx lock --list shows all locks with their ids and holders.",
    ),
    "MQRC_INCONSISTENT_CCSIDS": (
        "W",
        "The segments of the message are in different character sets; only those up to the change were returned.",
        "Get without conversion (leave --convert out), or segment by segment.",
    ),
    "MQRC_INCONSISTENT_ENCODINGS": (
        "W",
        "The segments of the message have different number encodings; only those up to the change were returned.",
        "Get without conversion (leave --convert out), or segment by segment.",
    ),
    "MQRC_INVALID_MSG_UNDER_CURSOR": (
        "F",
        "A complete message was requested while the cursor is on a segment other than its first.",
        "Move the cursor to the first segment, with logical order for example.",
    ),
    "MQRC_MATCH_OPTIONS_ERROR": (
        "F",
        "The match options have an unknown bit, or one that does not go together with the other options.",
        "Drop it; mqx explain MQMO_name explains each.",
    ),
    "MQRC_WRONG_GMO_VERSION": (
        "F",
        "An option or match option needs a newer version of the get options structure.",
        "Set the version of the program's MQGMO to 2 or higher.",
    ),
    "MQRC_INCONSISTENT_BROWSE": (
        "F",
        "Browsing changed between logical and physical order in the middle.",
        "Keep to one order, or start again with MQGMO_BROWSE_FIRST.",
    ),
    "MQRC_MSG_TOKEN_ERROR": (
        "F",
        "Matching by message token is not possible here.",
        "Match by MsgId instead.",
    ),
    "MQRC_SELECTOR_SYNTAX_ERROR": (
        "F",
        "The selection string is not a valid expression.",
        'See the position of the caret. Strings are in single quotes, names are case-sensitive: --where "colour = '
        "'red' AND Root.MQMD.Priority > 5\".",
    ),
    "MQRC_SELECTION_STRING_ERROR": (
        "F",
        "The selection string was passed in a form that cannot be read.",
        "Correct pointer, offset and length in the program.",
    ),
    "MQRC_SELECTION_NOT_AVAILABLE": (
        "F",
        "The selector refers to the data of messages, which is not supported.",
        "Select by properties or descriptor fields; search data with --grep.",
    ),
    "MQRC_SELECTOR_ALWAYS_FALSE": (
        "F",
        "The selector can be true for no message.",
        "Read it again: a comparison with a constant, or AND where OR was meant.",
    ),
}
