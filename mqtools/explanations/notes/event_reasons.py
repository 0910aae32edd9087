"""Notes on the reason codes of dead letters, reports, events and clients of a real queue manager."""

from __future__ import annotations

from mqtools.explanations.notes.note import Note, failed

EVENT_REASON_NOTES: dict[str, Note] = {
    # Seen in dead-letter headers and reports
    "MQRC_BACKOUT_THRESHOLD_REACHED": Note(
        "A message was backed out so often that its reader moved it to the dead-letter queue.",
        "Repair it with mqx edit or the program that fails on it, then mqx dlq-handle --redrive. A BOQNAME on the "
        "queue keeps such messages apart.",
    ),
    "MQRC_MSG_NOT_MATCHED": Note(
        "A message was moved because no consumer's selector matches it.",
        "Check the consumers' selectors, then mqx dlq-handle --redrive.",
    ),
    "MQRC_JMS_FORMAT_ERROR": Note(
        "A JMS consumer could not read the message as what it claims to be.",
        "Look at Format and the MQRFH2 with mqx browse -o json.",
    ),
    "MQRC_MSG_TOO_BIG_FOR_CHANNEL": failed(
        "The message is longer than the channel carries.",
        "Raise MAXMSGL of the channel at both ends, or put the message in segments (mqx put --segment BYTES).",
    ),
    "MQRC_STORAGE_CLASS_ERROR": Note(
        "The storage class that the queue names is not defined. z/OS only.",
        "Define it at that queue manager.",
    ),
    "MQRC_CLUSTER_PUT_INHIBITED": Note(
        "All instances of a cluster queue have puts switched off.",
        "Enable puts on one of them.",
    ),
    "MQRC_NO_DESTINATIONS_AVAILABLE": Note(
        "No instance of a cluster queue can be reached.",
        "Check the cluster's channels at the real queue manager.",
    ),
    "MQRC_SUPPRESSED_BY_EXIT": Note(
        "An exit program refused the call.",
        "Ask the owner of the exit.",
    ),
    "MQRC_COD_NOT_VALID_FOR_XCF_Q": Note(
        "A confirmation of delivery cannot be had from an IMS or other XCF queue. z/OS only.",
        "Leave MQRO_COD out.",
    ),
    # Events
    "MQRC_Q_DEPTH_HIGH": Note(
        "An event: the queue has filled up to its high mark.",
        "mqx qdepth --watch 2s shows how it changes; find the reader that is missing.",
    ),
    "MQRC_Q_DEPTH_LOW": Note("An event: the queue has emptied to its low mark."),
    "MQRC_Q_SERVICE_INTERVAL_HIGH": Note(
        "An event: no get succeeded for a whole service interval.",
        "Find out whether the reader runs; mqx qdepth shows open handles.",
    ),
    "MQRC_Q_SERVICE_INTERVAL_OK": Note("An event: messages are being got in time again."),
    "MQRC_CONFIG_CREATE_OBJECT": Note("An event: an object was created. mqx events shows its attributes."),
    "MQRC_CONFIG_CHANGE_OBJECT": Note(
        "An event: an object was changed. One message has its attributes from before, one from after the change."
    ),
    "MQRC_CONFIG_DELETE_OBJECT": Note("An event: an object was deleted. mqx events shows the attributes that it had."),
    "MQRC_CONFIG_REFRESH_OBJECT": Note("An event: REFRESH QMGR TYPE(CONFIGEV) has reported an object."),
    "MQRC_COMMAND_MQSC": Note("An event: a command in MQSC has succeeded. mqx events shows its text and its user."),
    "MQRC_COMMAND_PCF": Note("An event: a command in PCF has succeeded. mqx events shows its parameters and its user."),
    "MQRC_CHANNEL_SSL_ERROR": failed(
        "A channel could not begin a TLS session, or one end uses TLS and the other does not.",
        "Compare SSLCIPH, SSLPEER and the certificates of both ends; mqx log has the cause.",
    ),
    "MQRC_CHANNEL_STARTED": Note("An event: a channel has started."),
    "MQRC_CHANNEL_STOPPED": Note(
        "An event: a channel has ended.",
        "mqx channel status shows how.",
    ),
    "MQRC_CHANNEL_STOPPED_BY_USER": Note(
        "An event: an operator stopped the channel.",
        "mqx channel start starts it again.",
    ),
    "MQRC_CHANNEL_ACTIVATED": Note("An event: a channel that had to wait for a free place got one."),
    "MQRC_CHANNEL_NOT_ACTIVATED": Note(
        "An event: a channel has to wait because too many are active.",
        "End a channel that is not needed.",
    ),
    # What clients of a real queue manager see
    "MQRC_SSL_INITIALIZATION_ERROR": Note(
        "A client could not begin a TLS session with a real queue manager.",
        "Check key repository, certificate label and cipher at both ends.",
    ),
    "MQRC_SSL_PEER_NAME_MISMATCH": Note(
        "The name in the partner's certificate is not the one that the channel expects.",
        "Compare SSLPEER with the certificate.",
    ),
    "MQRC_UNSUPPORTED_CIPHER_SUITE": Note(
        "The cipher named is not one that this end offers.",
        "Agree on a cipher that both ends have.",
    ),
    "MQRC_CHANNEL_NOT_AVAILABLE": failed(
        "The SVRCONN that the program named was stopped. At a real queue manager it may also be at its limit.",
        'Start it: mqx mqsc "START CHANNEL(name)".',
    ),
    "MQRC_HOST_NOT_AVAILABLE": failed(
        "A client cannot reach the host and port. mqx run --check-channel compares the port with those of the LISTENER "
        "objects, or with 1414 if there is none.",
        "Check host, port, firewall and listener. Without --check-channel mqx run needs none of them.",
    ),
    "MQRC_CHANNEL_CONFIG_ERROR": failed(
        "The channel that a client named is not a SVRCONN, or its settings differ from those of the queue manager. mqx "
        "checks the type only, with mqx run --check-channel.",
        "Name a SVRCONN, or compare the two channel definitions.",
    ),
    "MQRC_UNKNOWN_CHANNEL_NAME": failed(
        "No channel of this name is defined.",
        'mqx channel status lists them; mqx mqsc "DEFINE CHANNEL(name) ..." makes one.',
    ),
    "MQRC_STANDBY_Q_MGR": Note(
        "A client reached the standby instance of a real queue manager.",
        "Connect to the active instance.",
    ),
    "MQRC_CHANNEL_BLOCKED": Note(
        "The channel authentication records of the queue manager refuse the caller.",
        'mqx mqsc "DISPLAY CHLAUTH(*)" shows the records.',
    ),
    "MQRC_PASSWORD_PROTECTION_ERROR": Note(
        "A client and a real queue manager could not agree on how to protect a password.",
        "Check the client's level and the channel's security settings.",
    ),
    "MQRC_MODULE_NOT_FOUND": Note(
        "A client library could not load one of its modules.",
        "Check the client's installation.",
    ),
}
