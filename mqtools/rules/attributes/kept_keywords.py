"""Keywords of MQSC for objects whose definitions are kept: topics, subscriptions, name lists, processes and others.

A keyword that is not here is a mistake, as in runmqsc.
"""

from __future__ import annotations

_ALL = "ALTDATE ALTTIME CMDSCOPE DESCR QSGDISP"

#: Object type to its keywords, without LIKE, REPLACE and NOREPLACE.
KEYWORDS = {
    object_type: frozenset(f"{_ALL} {keywords}".split())
    for object_type, keywords in {
        "TOPIC": "CLSTATE CLUSDATE CLUSTIME QMID",  # the others are in rules.attributes.topic
        "NAMELIST": "CLUSNL CLUSTER NAMCOUNT NAMES NLTYPE",
        "PROCESS": "APPLICID APPLTYPE ENVRDATA USERDATA",
        "AUTHINFO": "",  # the others are in rules.attributes.auth_info
        # The others are in rules.attributes.service_objects.
        "LISTENER": "ADAPTER COMMANDS LOCLNAME NTBNAMES SESSIONS SOCKET TPNAME",
        "SERVICE": "",
        "SUB": (
            "DEST DESTCLAS DESTCORL DESTQMGR DISTYPE DURABLE EXPIRY PSPROP PUBACCT PUBAPPID PUBPRTY REQONLY SELECTOR"
            " SELTYPE SUBID SUBLEVEL SUBSCOPE SUBTYPE SUBUSER SUMMARY TOPICOBJ TOPICSTR USERDATA VARUSER WSCHEMA CRDATE"
            " CRTIME"
        ),
    }.items()
}
#: What may follow DISPLAY of any object.
DISPLAY_KEYWORDS = frozenset(("ALL", "WHERE"))
#: Object type to the keywords of DISPLAY that DEFINE does not take.
DISPLAY_ONLY = {
    "SUB": frozenset(("ALTDATE", "ALTTIME", "CRDATE", "CRTIME", "DESCR", "DISTYPE", "SUBID", "SUMMARY")),
}

#: Object type to the keywords that are stored and displayed without any effect.
WITHOUT_EFFECT = {
    object_type: frozenset(f"ALTDATE ALTTIME CMDSCOPE QSGDISP {keywords}".split())
    for object_type, keywords in {
        "TOPIC": "CLSTATE CLUSDATE CLUSTIME QMID",
        "NAMELIST": "CLUSNL CLUSTER NLTYPE",
        "AUTHINFO": "",
        "LISTENER": "ADAPTER BACKLOG COMMANDS LOCLNAME NTBNAMES SESSIONS SOCKET TPNAME",
        "SERVICE": "",
        "SUB": "DESTQMGR PSPROP PUBACCT PUBAPPID PUBPRTY REQONLY SELTYPE SUBLEVEL SUBSCOPE SUBTYPE SUBUSER VARUSER",
    }.items()
} | {"PROCESS": KEYWORDS["PROCESS"]}
