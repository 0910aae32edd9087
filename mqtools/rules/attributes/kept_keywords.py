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
        "LISTENER": ("ADAPTER BACKLOG COMMANDS CONTROL IPADDR LOCLNAME NTBNAMES PORT SESSIONS SOCKET TPNAME TRPTYPE"),
        "SERVICE": "CONTROL SERVTYPE STARTARG STARTCMD STDERR STDOUT STOPARG STOPCMD",
    }.items()
}
#: Object type to the keywords that name code or files here.
LOCAL_ONLY = {"SERVICE": frozenset(("STARTARG", "STARTCMD", "STDERR", "STDOUT", "STOPARG", "STOPCMD"))}

#: Object type to the keywords that are stored and displayed without any effect.
WITHOUT_EFFECT = {
    object_type: frozenset(f"CMDSCOPE QSGDISP {keywords}".split())
    for object_type, keywords in {
        "TOPIC": "CLSTATE CLUSDATE CLUSTIME QMID",
        "NAMELIST": "CLUSNL CLUSTER NLTYPE",
        "PROCESS": "APPLICID APPLTYPE DESCR ENVRDATA USERDATA",
        "AUTHINFO": "",
    }.items()
} | {object_type: KEYWORDS[object_type] - {"PORT"} for object_type in ("LISTENER", "SERVICE")}
