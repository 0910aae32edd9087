"""Objects that the store has by their attributes: topics, name lists, processes, listeners, services, AUTHINFO."""

from __future__ import annotations

from collections.abc import Mapping

from mqtools.constants import cmqc
from mqtools.constants.objects import DEFAULT_AUTH_INFO
from mqtools.rules.attributes.topic import BASE

BASE_TOPIC = "SYSTEM.BASE.TOPIC"

#: Object type to the kind under which the store has its objects, each with its attributes by selector.
KINDS = {
    "TOPIC": "topic",
    "NAMELIST": "namelist",
    "PROCESS": "process",
    "LISTENER": "listener",
    "SERVICE": "service",
    "AUTHINFO": "auth_info",
}
#: Object type to the objects of a new queue manager: name to the attributes that differ from the defaults.
INITIAL: Mapping[str, Mapping[str, Mapping[int, int | str]]] = {
    "TOPIC": {"SYSTEM.DEFAULT.TOPIC": {}, BASE_TOPIC: BASE},
    "NAMELIST": {"SYSTEM.DEFAULT.NAMELIST": {}},
    "PROCESS": {"SYSTEM.DEFAULT.PROCESS": {}},
    "LISTENER": {"SYSTEM.DEFAULT.LISTENER.TCP": {}},
    "SERVICE": {"SYSTEM.DEFAULT.SERVICE": {}},
    "AUTHINFO": {DEFAULT_AUTH_INFO: {cmqc.MQIA_AUTH_INFO_TYPE: cmqc.MQAIT_IDPW_OS}},
}
#: Object type to the object that a new one begins with.
MODELS = {object_type: next(iter(names)) for object_type, names in INITIAL.items()}
