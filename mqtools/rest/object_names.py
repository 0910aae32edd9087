"""Names of the REST resources queue, channel and subscription (version 1) for the attributes that MQSC has.

A line is a name and its keyword, then words of the API with those of MQSC where they differ. Two keywords are a date
and a time. Attributes without a line have no name in these resources: runCommandJSON has all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mqtools.errors import UsageError

_FLAG = "true=YES false=NO"
_ENABLED = "true=ENABLED false=DISABLED"
_INHIBITED = "true=DISABLED false=ENABLED"
_SWITCH = "true=yes false=no"
_COLLECTED = "asQmgr=QMGR off=OFF on=ON"
_CONTROLLED = "all=ALL compatible=COMPAT force=FORCE none=NONE"
_MONITORED = "asQmgr=QMGR off=OFF low=LOW medium=MEDIUM high=HIGH"

_QUEUE = f"""
    remote.queueName RNAME
    remote.qmgrName RQMNAME
    remote.transmissionQueueName XMITQ
    alias.targetName TARGET
    alias.targetType TARGTYPE queue=QUEUE topic=TOPIC
    model.type DEFTYPE permanentDynamic=PERMDYN temporaryDynamic=TEMPDYN sharedDynamic=SHAREDYN predefined=PREDEFINED
    cluster.name CLUSTER
    cluster.namelist CLUSNL
    cluster.workloadPriority CLWLPRTY
    cluster.workloadQueueUse CLWLUSEQ asQmgr=QMGR any=ANY local=LOCAL
    cluster.workloadRank CLWLRANK
    trigger.data TRIGDATA
    trigger.depth TRIGDPTH
    trigger.enabled TRIGGER {_SWITCH}
    trigger.initiationQueueName INITQ
    trigger.messagePriority TRIGMPRI
    trigger.processName PROCESS
    trigger.type TRIGTYPE first=FIRST every=EVERY depth=DEPTH none=NONE
    events.depth.fullEnabled QDPMAXEV {_ENABLED}
    events.depth.highEnabled QDPHIEV {_ENABLED}
    events.depth.highPercentage QDEPTHHI
    events.depth.lowEnabled QDPLOEV {_ENABLED}
    events.depth.lowPercentage QDEPTHLO
    events.serviceInterval.duration QSVCINT
    events.serviceInterval.type QSVCIEV none=NONE high=HIGH ok=OK
    applicationDefaults.clusterBind DEFBIND onOpen=OPEN notFixed=NOTFIXED onGroup=GROUP
    applicationDefaults.messagePersistence DEFPSIST persistent=YES nonPersistent=NO
    applicationDefaults.messagePriority DEFPRTY
    applicationDefaults.messagePropertyControl PROPCTL {_CONTROLLED} version6Compatible=V6COMPAT
    applicationDefaults.putResponse DEFPRESP synchronous=SYNC asynchronous=ASYNC
    applicationDefaults.readAhead DEFREADA no=NO yes=YES disabled=DISABLED
    applicationDefaults.sharedInput DEFSOPT true=SHARED false=EXCL
    dataCollection.accounting ACCTQ {_COLLECTED}
    dataCollection.monitoring MONQ {_MONITORED}
    dataCollection.statistics STATQ {_COLLECTED}
    storage.maximumDepth MAXDEPTH
    storage.maximumMessageLength MAXMSGL
    storage.messageDeliverySequence MSGDLVSQ priority=PRIORITY fifo=FIFO
    storage.nonPersistentMessageClass NPMCLASS normal=NORMAL high=HIGH
    general.description DESCR
    general.inhibitGet GET {_INHIBITED}
    general.inhibitPut PUT {_INHIBITED}
    general.isTransmissionQueue USAGE true=XMITQ false=NORMAL
    extended.allowSharedInput SHARE {_SWITCH}
    extended.backoutRequeueQueueName BOQNAME
    extended.backoutThreshold BOTHRESH
    extended.custom CUSTOM
    extended.enableMediaImageOperations IMGRCOVQ asQmgr=QMGR yes=YES no=NO
    extended.hardenGetBackout HARDENBO {_SWITCH}
    extended.supportDistributionLists DISTL {_FLAG}
    timestamps.altered ALTDATE,ALTTIME
    timestamps.created CRDATE,CRTIME
"""
_CHANNEL = f"""
    [type].connectionName CONNAME
    [type].transmissionQueueName XMITQ
    batch.heartbeatInterval BATCHHB
    batch.interval BATCHINT
    batch.dataLimit BATCHLIM
    batch.messageLimit BATCHSZ
    connectionManagement.heartbeatInterval HBINT
    connectionManagement.disconnectInterval DISCINT
    connectionManagement.keepAliveInterval KAINT
    connectionManagement.localAddress LOCLADDR
    connectionManagement.longRetry.count LONGRTY
    connectionManagement.longRetry.interval LONGTMR
    connectionManagement.shortRetry.count SHORTRTY
    connectionManagement.shortRetry.interval SHORTTMR
    dataCollection.monitoring MONCHL {_MONITORED}
    dataCollection.statistics STATCHL {_MONITORED}
    exits.message.name MSGEXIT
    exits.message.data MSGDATA
    exits.messageRetry.name MREXIT
    exits.messageRetry.data MRDATA
    exits.receive.name RCVEXIT
    exits.receive.data RCVDATA
    exits.security.name SCYEXIT
    exits.security.data SCYDATA
    exits.send.name SENDEXIT
    exits.send.data SENDDATA
    extended.channelAgentType MCATYPE process=PROCESS thread=THREAD
    extended.messagePropertyControl PROPCTL {_CONTROLLED}
    extended.senderDataConversion CONVERT {_FLAG}
    extended.sequenceNumberWrap SEQWRAP
    failedDelivery.retry.count MRRTY
    failedDelivery.retry.interval MRTMR
    failedDelivery.useDeadLetterQueue USEDLQ {_FLAG}
    general.description DESCR
    general.maximumMessageLength MAXMSGL
    receiverSecurity.channelAgentUserId MCAUSER
    receiverSecurity.putAuthority PUTAUT default=DEF context=CTX
    timestamps.altered ALTDATE,ALTTIME
    transmissionSecurity.certificateLabel CERTLABL
    transmissionSecurity.certificatePeerName SSLPEER
    transmissionSecurity.cipherSpecification SSLCIPH
    transmissionSecurity.requirePartnerCertificate SSLCAUTH true=REQUIRED false=OPTIONAL
"""
_SUBSCRIPTION = f"""
    id SUBID
    resolvedTopicString TOPICSTR
    destination.correlationId DESTCORL
    destination.isManaged DESTCLAS true=MANAGED false=PROVIDED
    destination.name DEST
    destination.qmgrName DESTQMGR
    extended.deliverOnRequest REQONLY {_FLAG}
    extended.expiry EXPIRY
    extended.level SUBLEVEL
    extended.messagePriority PUBPRTY
    extended.networkScope SUBSCOPE all=ALL qmgr=QMGR
    general.isDurable DURABLE {_FLAG}
    general.type SUBTYPE administrative=ADMIN api=API
    general.usesCharacterWildcard WSCHEMA true=CHAR false=TOPIC
    selector.type SELTYPE none=NONE standard=STANDARD
    selector.value SELECTOR
    timestamps.altered ALTDATE,ALTTIME
    timestamps.created CRDATE,CRTIME
    topic.name TOPICOBJ
    user.accountingToken PUBACCT
    user.applicationIdentityData PUBAPPID
    user.data USERDATA
    user.name SUBUSER
    user.override VARUSER true=ANY false=FIXED
"""
_QUEUE_STATUS = f"""
    status.currentDepth CURDEPTH
    status.lastGet LGETDATE,LGETTIME
    status.lastPut LPUTDATE,LPUTTIME
    status.monitoringRate MONQ {_MONITORED}
    status.oldestMessageAge MSGAGE
    status.openInputCount IPPROCS
    status.openOutputCount OPPROCS
    status.uncommittedMessages UNCOM
"""


class NameTable:
    """Names of one resource. rows: name to its keywords, and to the words that differ."""

    def __init__(self, text: str) -> None:
        self.rows: dict[str, tuple[tuple[str, ...], dict[str, str]]] = {}
        for name, keywords, *words in map(str.split, text.strip().splitlines()):
            own = dict(word.split("=") for word in words)
            self.rows[name] = (tuple(keywords.split(",")), own)

    def show(self, values: Mapping[str, Any], names: Iterable[str], kind: str = "") -> dict[str, Any]:
        """Return values by keyword in lower case under their names, as nested objects. kind: for ``[type]``."""
        found: dict[str, Any] = {}
        for name in names:
            keywords, words = self.rows[name]
            given = [values.get(keyword.lower()) for keyword in keywords]
            if None in given:
                continue
            shown = given[0] if len(given) == 1 else "T".join(filter(None, given)).replace(".", ":")
            back = {theirs: ours for ours, theirs in words.items()}
            *path, last = name.replace("[type]", kind).split(".")
            place = found
            for step in path:
                place = place.setdefault(step, {})
            word = back.get(str(shown))
            place[last] = shown if word is None else {"true": True, "false": False}.get(word, word)
        return found

    def parameters(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of nested objects by keyword. Raises UsageError for names and words that are unknown."""
        return dict(self._parameters(body, ""))

    def _parameters(self, body: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
        for key, value in body.items():
            name = f"{prefix}{key}"
            if isinstance(value, dict):
                yield from self._parameters(value, f"{name}.")
                continue
            keywords, words = self.rows.get(name, ((), {}))
            if len(keywords) != 1:
                raise UsageError(f"{name} is not an attribute that can be set")
            if words and str(value).lower() not in map(str.lower, words):
                raise UsageError(f"{name} must be {' or '.join(words)}")
            yield keywords[0], words.get(str(value).lower() if isinstance(value, bool) else str(value), value)

    def select(self, asked: str | None) -> list[str]:
        """Return the names that a list asks for: all for ``*``, ``group.*`` or single ones. Raises UsageError."""
        found: list[str] = []
        for each in asked.split(",") if asked else ():
            group = each.removesuffix("*")
            matching = [name for name in self.rows if name == each or (group != each and name.startswith(group))]
            if not matching:
                raise UsageError(f"{each} is not an attribute")
            found += matching
        return found


QUEUE, CHANNEL, SUBSCRIPTION = NameTable(_QUEUE), NameTable(_CHANNEL), NameTable(_SUBSCRIPTION)
QUEUE_STATUS = NameTable(_QUEUE_STATUS)
