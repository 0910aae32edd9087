"""Attributes of name lists and processes, with the defaults of the SYSTEM.DEFAULT objects."""

from __future__ import annotations

from mqtools.constants import cmqc, message, objects
from mqtools.rules.attributes.table import INTEGER, NAME, TEXT, WORD, Attribute

_NL, _P = ("NAMELIST",), ("PROCESS",)
_APPLICATION_TYPES = (
    ("UNIX", message.MQAT_UNIX),
    ("WINDOWS", message.MQAT_WINDOWS),
    ("WINDOWSNT", message.MQAT_WINDOWS_NT),
    ("CICS", message.MQAT_CICS),
    ("DOS", message.MQAT_DOS),
    ("OS400", message.MQAT_OS400),
    ("MVS", message.MQAT_MVS),
    ("DEF", message.MQAT_DEFAULT),
)

ATTRIBUTES: tuple[Attribute, ...] = (
    Attribute("NAMELIST", "namelist", objects.MQCA_NAMELIST_NAME, NAME, _NL, maximum=48, settable=False),
    Attribute("PROCESS", "process", objects.MQCA_PROCESS_NAME, NAME, _P, maximum=48, settable=False),
    Attribute("ALTDATE", "alteration_date", objects.MQCA_ALTERATION_DATE, TEXT, _NL + _P, maximum=12, settable=False),
    Attribute("ALTTIME", "alteration_time", objects.MQCA_ALTERATION_TIME, TEXT, _NL + _P, maximum=8, settable=False),
    Attribute("DESCR", "namelist_desc", objects.MQCA_NAMELIST_DESC, TEXT, _NL, maximum=64, default=""),
    Attribute("NAMCOUNT", "name_count", objects.MQIA_NAME_COUNT, INTEGER, _NL, default=0, settable=False),
    Attribute("NAMES", "names", objects.MQCA_NAMES, NAME, _NL, maximum=48, many=True),
    Attribute("NLTYPE", "namelist_type", cmqc.MQIA_NAMELIST_TYPE, WORD, _NL, default=cmqc.MQNT_NONE,
              words=(("NONE", cmqc.MQNT_NONE), ("QUEUE", cmqc.MQNT_Q), ("CLUSTER", cmqc.MQNT_CLUSTER),
                     ("AUTHINFO", cmqc.MQNT_AUTH_INFO))),
    Attribute("APPLICID", "application_id", objects.MQCA_APPL_ID, TEXT, _P, maximum=256, default=""),
    Attribute("APPLTYPE", "application_type", objects.MQIA_APPL_TYPE, INTEGER, _P, words=_APPLICATION_TYPES,
              default=message.MQAT_UNIX),
    Attribute("DESCR", "process_desc", objects.MQCA_PROCESS_DESC, TEXT, _P, maximum=64, default=""),
    Attribute("ENVRDATA", "environment_data", objects.MQCA_ENV_DATA, TEXT, _P, maximum=128, default=""),
    Attribute("USERDATA", "user_data", objects.MQCA_USER_DATA, TEXT, _P, maximum=128, default=""),
)  # fmt: skip

#: Keywords, separated by blanks, that are stored and displayed without any effect.
WITHOUT_EFFECT = "APPLICID APPLTYPE ENVRDATA NLTYPE USERDATA"
