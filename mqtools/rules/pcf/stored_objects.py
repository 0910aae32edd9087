"""Kinds of object that are only stored: programs create, inquire and delete them, without further effect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field

from mqtools.constants import cmqc, objects
from mqtools.constants import cmqcfc as c
from mqtools.rules.attributes import auth_info
from mqtools.rules.attributes.table import attributes_of


@dataclass(slots=True, frozen=True)
class Kind:
    """Kind of object. Numbers are parameters of PCF.

    kind: under which the store keeps what PCF has of it; empty where PCF does not have such objects.
    name, from_name, to_name: of its own name, and of both in a copy.
    attrs: of the attributes to show.  names: of the list of names, 0 where there is no such inquiry.
    shared: keyword of MQSC to the parameter.
    defaults: values that a new one has.  born: objects that are there from the start.  model: the one of them that has
    the defaults of new ones, empty where none has.
    """

    kind: str
    name: int = 0
    _: KW_ONLY
    from_name: int = 0
    to_name: int = 0
    attrs: int = 0
    names: int = 0
    shared: Mapping[str, int] = field(default_factory=dict)
    defaults: Mapping[int, object] = field(default_factory=dict)
    born: Mapping[str, Mapping[int, object]] = field(default_factory=dict)
    model: str = ""


def numbers_of(object_type: str) -> dict[str, int]:
    """Return the attributes of an object type: keyword to number."""
    return {row.keyword: row.selector for row in attributes_of(object_type) if row.selector is not None}


def defaults_of(object_type: str) -> dict[int, object]:
    """Return the defaults of the attributes of an object type by number."""
    return {row.selector: row.default for row in attributes_of(object_type) if row.selector and row.default is not None}


NAMELIST = Kind(
    "namelist",
    objects.MQCA_NAMELIST_NAME,
    from_name=c.MQCACF_FROM_NAMELIST_NAME,
    to_name=c.MQCACF_TO_NAMELIST_NAME,
    attrs=c.MQIACF_NAMELIST_ATTRS,
    names=c.MQCACF_NAMELIST_NAMES,
    defaults={**defaults_of("NAMELIST"), objects.MQCA_NAMES: [], objects.MQIA_NAME_COUNT: 0},
    born={"SYSTEM.DEFAULT.NAMELIST": {}},
    model="SYSTEM.DEFAULT.NAMELIST",
    shared=numbers_of("NAMELIST"),
)
AUTH_INFO = Kind(
    "auth_info",
    cmqc.MQCA_AUTH_INFO_NAME,
    from_name=c.MQCACF_FROM_AUTH_INFO_NAME,
    to_name=c.MQCACF_TO_AUTH_INFO_NAME,
    attrs=c.MQIACF_AUTH_INFO_ATTRS,
    names=c.MQCACF_AUTH_INFO_NAMES,
    defaults={cmqc.MQCA_AUTH_INFO_DESC: "", cmqc.MQIA_AUTH_INFO_TYPE: cmqc.MQAIT_IDPW_OS},
    born={objects.DEFAULT_AUTH_INFO: auth_info.DEFAULTS},
    shared=numbers_of("AUTHINFO"),
)
PROCESS = Kind(
    "process",
    objects.MQCA_PROCESS_NAME,
    from_name=c.MQCACF_FROM_PROCESS_NAME,
    to_name=c.MQCACF_TO_PROCESS_NAME,
    attrs=c.MQIACF_PROCESS_ATTRS,
    names=c.MQCACF_PROCESS_NAMES,
    defaults=defaults_of("PROCESS"),
    born={"SYSTEM.DEFAULT.PROCESS": {}},
    model="SYSTEM.DEFAULT.PROCESS",
    shared=numbers_of("PROCESS"),
)
LISTENER = Kind(
    "listener",
    c.MQCACH_LISTENER_NAME,
    from_name=c.MQCACF_FROM_LISTENER_NAME,
    to_name=c.MQCACF_TO_LISTENER_NAME,
    attrs=c.MQIACF_LISTENER_ATTRS,
    defaults=defaults_of("LISTENER"),
    born={"SYSTEM.DEFAULT.LISTENER.TCP": {}},
    model="SYSTEM.DEFAULT.LISTENER.TCP",
    shared=numbers_of("LISTENER"),
)
SERVICE = Kind(
    "service",
    cmqc.MQCA_SERVICE_NAME,
    from_name=c.MQCACF_FROM_SERVICE_NAME,
    to_name=c.MQCACF_TO_SERVICE_NAME,
    attrs=c.MQIACF_SERVICE_ATTRS,
    defaults=defaults_of("SERVICE"),
    born={"SYSTEM.DEFAULT.SERVICE": {}},
    model="SYSTEM.DEFAULT.SERVICE",
    shared=numbers_of("SERVICE"),
)
