"""Keywords of MQSC for objects whose definitions are kept: topics, subscriptions, name lists, processes and others.

A keyword that is not here is a mistake, as in runmqsc.
"""

from __future__ import annotations

_ALL = "CMDSCOPE DESCR QSGDISP"

#: Object type to its keywords, without LIKE, REPLACE and NOREPLACE.
KEYWORDS = {
    object_type: frozenset(f"{_ALL} {keywords}".split())
    for object_type, keywords in {
        "TOPIC": "CLSTATE CLUSDATE CLUSTIME QMID",  # the others are in rules.attributes.topic
        "NAMELIST": "CLUSNL CLUSTER",  # the others are in rules.attributes.kept_objects
        "PROCESS": "",
        "AUTHINFO": "",  # the others are in rules.attributes.auth_info
        # The others are in rules.attributes.service_objects.
        "LISTENER": "ADAPTER COMMANDS LOCLNAME NTBNAMES SESSIONS SOCKET TPNAME",
        "SERVICE": "",
    }.items()
}
#: Object type to the keywords that are stored and displayed without any effect.
WITHOUT_EFFECT = {
    object_type: frozenset(f"CMDSCOPE QSGDISP {keywords}".split())
    for object_type, keywords in {
        "TOPIC": "CLSTATE CLUSDATE CLUSTIME QMID",
        "NAMELIST": "CLUSNL CLUSTER NLTYPE",
        "PROCESS": "APPLICID APPLTYPE DESCR ENVRDATA USERDATA",
        "AUTHINFO": "",
        "LISTENER": "ADAPTER BACKLOG COMMANDS LOCLNAME NTBNAMES SESSIONS SOCKET TPNAME",
        "SERVICE": "",
    }.items()
}
