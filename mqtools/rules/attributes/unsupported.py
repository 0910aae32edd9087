"""Keywords and values that IBM MQ's MQSC has and mqx lacks, for the commands that mqx has."""

from __future__ import annotations

from collections.abc import Sequence

#: Object types that have their keywords in common.
_GROUPS = {
    **dict.fromkeys(("QLOCAL", "QMODEL", "QALIAS", "QREMOTE"), "QUEUE"),
    **dict.fromkeys(("SDR", "SVR", "RCVR", "RQSTR", "SVRCONN", "CLNTCONN"), "CHANNEL"),
}
_EVERYWHERE = frozenset(("AUTHREC", "CMDSCOPE", "IGNSTATE", "QSGDISP"))
#: Object type, or group of them, to the keywords that mqx lacks.
KEYWORDS = {
    group: frozenset(keywords.split())
    for group, keywords in {
        "QUEUE": (
            "CFSTRUCT CLCHNAME CLUSDATE CLUSINFO CLUSQMGR CLUSQT CLUSTIME OTELPCTL OTELTRAC PSID QID QMID STGCLASS "
            "TPIPE"
        ),
        "QMGR": (
            "ACTCHL ACTIVREC ACTVCONO ACTVTRC ADOPTCHK ADOPTMCA ADVCAP AMQPCAP "
            "BRIDGEEV CERTQSGL CERTVPOL CFCONLOS CHAD CHADEV CHADEXIT CHIADAPS CHIDISPS CHINIT CHISERVP "
            "CLUSTER CLWLDATA CLWLEXIT CLWLLEN CLWLMRUC CLWLUSEQ COMMANDQ CPILEVEL "
            "DEFCLXQ DNSGROUP DNSWLM EVENT EXCLMSG GROUPUR IGQ IGQAUT IGQUSER IMGINTVL IMGLOGLN IMGRCOVO IMGRCOVQ "
            "IMGSCHED INITKEY IPADDRV KEYRPWD LOGGEREV LSTRTMR LU62ARM LU62CHL LUGROUP LUNAME "
            "MQCCAP OPORTMAX OPORTMIN OTELPCTL OTELTRAC PARENT PSCLUS PSNPMSG PSNPRES PSRTYCNT PSSYNCPT "
            "PUBSUB QSGCERT QSGNAME QMPROP RCVTIME RCVTMIN RCVTTYPE REPOS REPOSNL REVDNS ROUTEREC SCHINIT SCMDSERV "
            "SCYCASE SPLCAP SQQMNAME SSLCRLNL SSLCRYP SSLFIPS SSLKEYRPWD SSLRKEYC SSLTASKS STATACLS "
            "SUITEB SYSTEM TCPCHL TCPKEEP TCPNAME TCPSTACK TRAXSTR TRAXTBL "
            "VERSION XRCAP"
        ),
        "CHANNEL": (
            "AMQPKA AUTOSTART BACKLOG CHLTABLE CHLDISP CLUSNL CLUSTER CLWLPRTY CLWLRANK CLWLWGHT CONFLIST DATALEN "
            "DEFCDISP HSTSMXAG JAASCFG NETPRTY OTELPCTL OTELTRAC PORT PROTOCOL SPLPROT STATUS TMPMODEL TMPQPRFX "
            "USECLTID"
        ),
        "QSTATUS": ("ASID MONITOR PSBNAME PSTID TASKNO TRANSID URID "),
        "CONN": (
            "ASID BALANCE BALOPTS BALTIMO BALTYPE CLIENTID CONNTAG "
            "DESTQMGR EXTCONN IMMCOUNT IMMDATE IMMREASN IMMTIME NID PSBNAME "
            "PSTID READA SUBID TASKNO TRANSID UOWLOGDA UOWLOGTI "
            "URDISP URID "
        ),
        "CHSTATUS": (
            "CHLDISP CLIENTID COMPHDR COMPMSG COMPRATE COMPTIME "
            "CURRENT EXITTIME KAINT "
            "MONITOR NETTIME PORT PROTOCOL QMNAME RPRODUCT RVERSION "
            "SAVED SECPROT SHORT SSLCERTI SSLCERTU SSLKEYDA SSLKEYTI SSLPEER STATCHL "
            "XBATCHSZ XQTIME"
        ),
        "CHLAUTH": "CUSTOM SSLCERTI",
        "AUTHINFO": (
            "AUTHORMD BASEDNG BASEDNU CLASSGRP CLASSUSR CONNAME FINDGRP GRPFIELD LDAPPWD LDAPUSER NESTGRP OCSPURL "
            "SECCOMM SHORTUSR USRFIELD"
        ),
        "AUTHREC": "SERVCOMP",
        "ENTAUTH": "ENTTYPE SERVCOMP",
        "TOPIC": "CLSTATE CLUSDATE CLUSINFO CLUSQMGR CLUSTIME QMID",
        "LISTENER": "ADAPTER COMMANDS LOCLNAME NTBNAMES SESSIONS SOCKET TPNAME",
    }.items()
}
#: Keyword to the values that mqx lacks. A value that it has for one object type only is not refused there.
_VALUES = {
    keyword: frozenset(values.split())
    for keyword, values in {
        "AUTHTYPE": "CRLLDAP IDPWLDAP OCSP",
        "CHLTYPE": "AMQP CLUSRCVR CLUSSDR MQTT",
        "COMPHDR": "SYSTEM",
        "COMPMSG": "ANY LZ4FAST LZ4HIGH RLE ZLIBFAST ZLIBHIGH",
        "DEFTYPE": "SHAREDYN",
        "MODE": "FORCE TERMINATE",
        "OBJTYPE": "AUTHINFO CHANNEL CLNTCONN COMMINFO LISTENER NAMELIST PROCESS RQMNAME SERVICE",
        "PROPCTL": "FORCE V6COMPAT",
        "PUTAUT": "ALTMCA ONLYMCA",
        "SSLCAUTH": "OPTIONAL",
        "TRPTYPE": "ALL LU62 NETBIOS SPX",
        "TYPE": "ALL AMQP CLUSRCVR CLUSSDR HANDLE MQTT QCLUSTER",
    }.items()
}
#: Keywords that take only the blank value in mqx.
_ONLY_BLANK = ("MREXIT", "RCVEXIT", "SCYEXIT", "SENDEXIT", "STREAMQ")
#: Object type to the authorities that mqx lacks on it.
AUTHORITIES = {
    "QUEUE": frozenset(("CTRL", "CTRLX")),
    "QMGR": frozenset(("CTRL", "CTRLX", "SYSTEM")),
    "TOPIC": frozenset(("CLR", "CTRL", "CTRLX", "PASSALL", "PASSID", "SETALL", "SETID")),
}


def lacks_keyword(object_type: str, keyword: str) -> bool:
    """Return whether IBM MQ has a keyword for an object type, and mqx does not."""
    return keyword in _EVERYWHERE or keyword in KEYWORDS.get(_GROUPS.get(object_type, object_type), ())


def lacks_value(keyword: str, values: Sequence[str] | None) -> bool:
    """Return whether a value that mqx refuses is one that IBM MQ has."""
    found = {value.strip().upper() for value in values or ()}
    return keyword in _ONLY_BLANK or not found.isdisjoint(_VALUES.get(keyword, ()))
