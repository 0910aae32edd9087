"""Notes on the reason codes of connecting, opening and resolving names."""

from __future__ import annotations

from mqtools.explanations.notes.note import Note, failed, warning, warning_or_failed

CONNECTION_REASON_NOTES: dict[str, Note] = {
    # Connection, handles, resources
    "MQRC_NONE": Note("The call succeeded."),
    "MQRC_ALREADY_CONNECTED": warning(
        "The program is connected to this queue manager already; it gets the connection it has.",
        "Nothing, unless a second, independent connection was wanted.",
    ),
    "MQRC_BACKED_OUT": warning_or_failed(
        "The unit of work could not be committed and everything in it was undone: messages got are back on their "
        "queues, messages put are deleted.",
        "Correct the failure before it, then do the whole unit of work again. mqx qdepth shows whether "
        "anything is still uncommitted.",
    ),
    "MQRC_BUFFER_ERROR": failed(
        "The buffer that a program passed cannot be used.",
        "Correct the program: give a real buffer of at least the length it states.",
    ),
    "MQRC_BUFFER_LENGTH_ERROR": failed(
        "The buffer length is negative or beyond what is allowed.",
        "Correct the length that the program passes.",
    ),
    "MQRC_CHAR_ATTR_LENGTH_ERROR": failed(
        "The length given for character attributes on an inquire or set is not usable.",
        "Give the summed length of the attributes that are requested.",
    ),
    "MQRC_CHAR_ATTRS_ERROR": failed(
        "The buffer given for character attributes is not usable.",
        "Correct the program.",
    ),
    "MQRC_CONNECTION_BROKEN": failed(
        "The connection to the queue manager is lost, as after mqx qmgr end --immediate or STOP CHANNEL MODE(FORCE), "
        "and every handle of it is invalid. Uncommitted work is backed out.",
        "Start the queue manager if it has ended, connect again and repeat what was not committed; mqx doctor checks "
        "its file.",
    ),
    "MQRC_CONNECTION_ERROR": failed(
        "The connection between the two ends of a channel broke, timed out, or did not carry the channel's "
        "protocol. Messages that were not committed at both ends are sent again.",
        "Start the channel again; mqx channel ping checks the other end, mqx channel status shows the state.",
    ),
    "MQRC_DATA_LENGTH_ERROR": failed(
        "The place where the call should store the data length is not usable.",
        "Correct the program.",
    ),
    "MQRC_ENVIRONMENT_ERROR": failed(
        "The call is not possible where the program runs, or not in its present state.",
        "Check what kind of unit of work and connection the program has open.",
    ),
    "MQRC_HANDLE_NOT_AVAILABLE": failed(
        "One more open would exceed the number of handles that a connection may have.",
        'Close what is not needed, or raise it with mqx mqsc "ALTER QMGR MAXHANDS(n)".',
    ),
    "MQRC_HCONN_ERROR": failed(
        "The connection handle is not one of this program's connections, or was closed.",
        "Connect first; do not use a handle after disconnecting.",
    ),
    "MQRC_HOBJ_ERROR": failed(
        "The object handle was never opened, is closed, or belongs to another connection.",
        "Open the queue again on the connection that is used.",
    ),
    "MQRC_MAX_CONNS_LIMIT_REACHED": failed(
        "The queue manager allows no further connections.",
        "End programs that hold connections without need.",
    ),
    "MQRC_NOT_AUTHORIZED": failed(
        "The user may not do this to this object: the mode of the queue manager's file or folder, its authority "
        "records, or its protection in the configuration forbids it.",
        'Check owner and mode of the file that mqx qmgr display names; mqx mqsc "DISPLAY AUTHREC" shows the authority '
        "records.",
    ),
    "MQRC_CONNECTION_NOT_AUTHORIZED": failed(
        "The user may not connect to the queue manager.",
        "Check the rights on the queue manager's file.",
    ),
    "MQRC_Q_MGR_NAME_ERROR": failed(
        "No queue manager of this name is known here, or the name breaks the naming rules.",
        "mqx qmgr list shows all queue managers; -m takes a name or the path of a file, and mqx qmgr create makes a "
        "new one.",
    ),
    "MQRC_Q_MGR_NOT_AVAILABLE": failed(
        "The queue manager is known but is ended or refuses connections.",
        "Start it with mqx qmgr start, then try again.",
    ),
    "MQRC_SECURITY_ERROR": failed(
        "The check of the user's rights failed in itself, so nothing could be decided.",
        "Check the file system that holds the queue manager; mqx doctor checks it.",
    ),
    "MQRC_STORAGE_NOT_AVAILABLE": failed(
        "The machine has no memory left for the call.",
        "Free memory, or take fewer and smaller messages at a time (-n, --max-length).",
    ),
    "MQRC_OBJECT_ALREADY_EXISTS": failed(
        "An object of that name exists already.",
        "Choose another name, or use REPLACE with DEFINE.",
    ),
    "MQRC_OBJECT_DAMAGED": failed(
        "The stored form of the object cannot be read.",
        "Stop using the file, copy it, and check the copy with mqx doctor. Messages that can still be read are "
        "saved with mqx unload.",
    ),
    "MQRC_RESOURCE_PROBLEM": failed(
        "A resource of the system is used up or busy: locks, file handles, or the queue manager's file itself.",
        "Try again; if it persists, mqx doctor shows who holds the file and whether the disk is full or read-only.",
    ),
    "MQRC_ANOTHER_Q_MGR_CONNECTED": failed(
        "The program is connected to a different queue manager and cannot have a second one here.",
        "Disconnect first.",
    ),
    "MQRC_CNO_ERROR": failed(
        "The connect options structure has a wrong identifier, version or content.",
        "Correct the program's MQCNO.",
    ),
    "MQRC_BO_ERROR": failed(
        "The begin options structure has a wrong identifier, version or content.",
        "Correct the program's MQBO.",
    ),
    "MQRC_Q_MGR_QUIESCING": failed(
        "The queue manager is quiescing and this call asked not to take part, or would begin something new.",
        "Finish or back out, then wait for mqx qmgr start.",
    ),
    "MQRC_CONNECTION_QUIESCING": failed(
        "STOP CHANNEL is stopping the SVRCONN that the program named, and the call fails if quiescing.",
        "Finish or back out, then disconnect.",
    ),
    "MQRC_Q_MGR_STOPPING": failed(
        "The queue manager is stopping immediately; the call was not executed.",
        "Wait for mqx qmgr start and repeat what was not committed.",
    ),
    "MQRC_UNEXPECTED_ERROR": failed(
        "An internal error occurred.",
        "Run the command again with --debug and keep the traceback for a bug report; mqx doctor checks the file.",
    ),
    "MQRC_CALL_IN_PROGRESS": failed(
        "Another call on the same connection has not returned yet.",
        "Give each thread its own connection, or wait for the first call.",
    ),
    "MQRC_Q_MGR_ACTIVE": Note("An event: the queue manager has started."),
    "MQRC_Q_MGR_NOT_ACTIVE": Note(
        "An event: the queue manager has ended.",
        "mqx qmgr start brings it back.",
    ),
    # Opening, names, resolution
    "MQRC_ALIAS_BASE_Q_TYPE_ERROR": failed(
        "An alias queue leads to something that an alias may not lead to, such as another alias.",
        'mqx mqsc "DISPLAY QALIAS(name) TARGET" shows where it leads; alter TARGET to a local or remote queue.',
    ),
    "MQRC_DYNAMIC_Q_NAME_ERROR": failed(
        "The name or pattern for a dynamic queue is not a valid queue name.",
        "Give a name, or a pattern that ends in an asterisk.",
    ),
    "MQRC_OBJECT_IN_USE": failed(
        "The open does not go together with another that exists: one of them wants the queue for itself, the queue "
        "is not shareable, or its delete waits for the last close.",
        "mqx qdepth shows open handles and mqx lock --list the holders; wait for them, or ALTER QLOCAL(name) SHARE.",
    ),
    "MQRC_OBJECT_TYPE_ERROR": failed(
        "The type of object is unknown or not possible for this call.",
        "Name a queue where a queue is meant; correct ObjectType in a program.",
    ),
    "MQRC_OD_ERROR": failed(
        "The object descriptor has a wrong identifier or version.",
        "Correct the program's MQOD.",
    ),
    "MQRC_OPTION_NOT_VALID_FOR_TYPE": failed(
        "An option does not fit this type of object, for example browsing a remote queue or deleting a predefined "
        "one on close.",
        "Use the local queue behind the name, or leave the option out.",
    ),
    "MQRC_OPTIONS_ERROR": failed(
        "The options include an unknown bit, or two that exclude each other.",
        "mqx explain MQGMO_name shows what each option requires; drop one of the two.",
    ),
    "MQRC_Q_DELETED": failed(
        "The queue was deleted after this handle was opened.",
        "Define it again with mqx mqsc, or open the right one.",
    ),
    "MQRC_OBJECT_CHANGED": failed(
        "A definition that decides where the handle leads was altered after the open.",
        "Close and open again.",
    ),
    "MQRC_Q_NOT_EMPTY": failed(
        "The queue still holds messages, or has uncommitted work, so it is not deleted.",
        'Empty it with mqx move or mqx get --all, or use PURGE: mqx mqsc "DELETE QLOCAL(name) PURGE".',
    ),
    "MQRC_Q_TYPE_ERROR": failed(
        "A queue of this type cannot be used here.",
        'mqx mqsc "DISPLAY QUEUE(name) QTYPE" shows what it is.',
    ),
    "MQRC_UNKNOWN_ALIAS_BASE_Q": failed(
        "The alias exists, but its target queue does not.",
        "Define the target, or point the alias elsewhere with ALTER QALIAS(name) TARGET(queue).",
    ),
    "MQRC_UNKNOWN_OBJECT_NAME": failed(
        "There is no queue of this name at the queue manager. Names are case-sensitive.",
        'mqx qdepth lists the queues; mqx mqsc "DEFINE QLOCAL(name)" makes one. As a dead letter\'s reason: '
        "define the queue, then mqx dlq-handle --redrive.",
    ),
    "MQRC_UNKNOWN_OBJECT_Q_MGR": failed(
        "The queue manager named with the queue is unknown and no route leads there.",
        "Define a transmission queue of that name, or correct the name after the @.",
    ),
    "MQRC_UNKNOWN_REMOTE_Q_MGR": failed(
        "A remote queue definition names a queue manager for which there is no transmission queue, nor a default one.",
        'mqx mqsc "DEFINE QLOCAL(QM2) USAGE(XMITQ)" makes the route; or set XMITQ in the remote definition.',
    ),
    "MQRC_XMIT_Q_TYPE_ERROR": failed(
        "The transmission queue that was named is not a local queue.",
        "Name a local queue with USAGE(XMITQ).",
    ),
    "MQRC_XMIT_Q_USAGE_ERROR": failed(
        "The queue named as transmission queue is an ordinary one.",
        'mqx mqsc "ALTER QLOCAL(name) USAGE(XMITQ)", or correct XMITQ.',
    ),
    "MQRC_OBJECT_NAME_ERROR": failed(
        "An object name is given where it must be blank, or is missing where it is needed.",
        "Correct the name in the call.",
    ),
    "MQRC_OBJECT_Q_MGR_NAME_ERROR": failed(
        "A queue manager name is given where it must be blank, or is missing where it is needed.",
        "Correct the name in the call.",
    ),
    "MQRC_REMOTE_Q_NAME_ERROR": failed(
        "A remote definition has no remote queue name and is used as if it were a queue.",
        "Set RNAME in the definition, or use the definition only as a queue manager or reply-to alias.",
    ),
    "MQRC_NAME_NOT_VALID_FOR_TYPE": failed(
        "The object name is not possible for objects of this type.",
        "Leave the name blank where the queue manager itself is meant.",
    ),
    "MQRC_UNKNOWN_XMIT_Q": failed(
        "The remote definition names a transmission queue that does not exist.",
        'mqx mqsc "DEFINE QLOCAL(name) USAGE(XMITQ)".',
    ),
    "MQRC_UNKNOWN_DEF_XMIT_Q": failed(
        "The queue manager's default transmission queue does not exist.",
        "Define it, or alter DEFXMITQ of the queue manager.",
    ),
    "MQRC_DEF_XMIT_Q_TYPE_ERROR": failed(
        "The default transmission queue is not a local queue.",
        "Alter DEFXMITQ of the queue manager to a local queue with USAGE(XMITQ).",
    ),
    "MQRC_DEF_XMIT_Q_USAGE_ERROR": failed(
        "The default transmission queue is an ordinary queue.",
        "Alter it to USAGE(XMITQ), or name another in DEFXMITQ.",
    ),
    "MQRC_NOT_OPEN_FOR_INPUT": failed(
        "A get was tried through a handle that was not opened for input.",
        "Open with one of the MQOO_INPUT options.",
    ),
    "MQRC_NOT_OPEN_FOR_BROWSE": failed(
        "A browse, or a get of the message under the cursor, was tried without opening for browse.",
        "Open with MQOO_BROWSE.",
    ),
    "MQRC_NOT_OPEN_FOR_INQUIRE": failed(
        "Attributes were requested through a handle not opened for that.",
        "Open with MQOO_INQUIRE.",
    ),
    "MQRC_NOT_OPEN_FOR_OUTPUT": failed(
        "A put was tried through a handle not opened for output.",
        "Open with MQOO_OUTPUT.",
    ),
    "MQRC_NOT_OPEN_FOR_SET": failed(
        "Attributes were to be set through a handle not opened for that.",
        "Open with MQOO_SET, or use mqx mqsc ALTER.",
    ),
    "MQRC_NOT_OPEN_FOR_PASS_ALL": failed(
        "The put wants to pass all context on, but the queue was not opened for that.",
        "Open with MQOO_PASS_ALL_CONTEXT.",
    ),
    "MQRC_NOT_OPEN_FOR_PASS_IDENT": failed(
        "The put wants to pass identity context on, but the queue was not opened for that.",
        "Open with MQOO_PASS_IDENTITY_CONTEXT.",
    ),
    "MQRC_NOT_OPEN_FOR_SET_ALL": failed(
        "The put wants to set all context, but the queue was not opened for that.",
        "Open with MQOO_SET_ALL_CONTEXT; on the command line mqx put --keep-context does it.",
    ),
    "MQRC_NOT_OPEN_FOR_SET_IDENT": failed(
        "The put wants to set identity context, but the queue was not opened for that.",
        "Open with MQOO_SET_IDENTITY_CONTEXT.",
    ),
    "MQRC_CONTEXT_HANDLE_ERROR": failed(
        "The handle that context should come from is not an input handle opened to save context.",
        "Open the input queue with MQOO_SAVE_ALL_CONTEXT and pass that handle.",
    ),
    "MQRC_CONTEXT_NOT_AVAILABLE": failed(
        "The handle can save context, but no get has used it yet; a browse does not count.",
        "Get the message first, then put.",
    ),
}
