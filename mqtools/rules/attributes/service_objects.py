"""Attributes of listeners and services, with the defaults of the SYSTEM.DEFAULT objects, and of their status."""

from __future__ import annotations

from mqtools.constants import channels, cmqc
from mqtools.constants import cmqcfc as c
from mqtools.constants.objects import MQCA_ALTERATION_DATE, MQCA_ALTERATION_TIME
from mqtools.rules.attributes.table import INTEGER, TEXT, WORD, Attribute, any_value

_LS, _SS = ("LSSTATUS",), ("SVSTATUS",)
_KEPT = ("LISTENER", "SERVICE")
_ALL_L, _ALL_S = ("LISTENER", *_LS), ("SERVICE", *_SS)
_CONTROLS = (
    ("MANUAL", cmqc.MQSVC_CONTROL_MANUAL),
    ("QMGR", cmqc.MQSVC_CONTROL_Q_MGR),
    ("STARTONLY", cmqc.MQSVC_CONTROL_Q_MGR_START),
)
_TYPES = (("COMMAND", cmqc.MQSVC_TYPE_COMMAND), ("SERVER", cmqc.MQSVC_TYPE_SERVER))
#: MQSVC_STATUS values: they have no names in the constants. STOPPED is not displayed.
STOPPED, STARTING, RUNNING, STOPPING, RETRYING = range(5)
_STATES = (
    ("STOPPED", STOPPED),
    ("STARTING", STARTING),
    ("RUNNING", RUNNING),
    ("STOPPING", STOPPING),
    ("RETRYING", RETRYING),
)


def _program(keyword: str, name: str, selector: int) -> Attribute:
    return Attribute(keyword, name, selector, TEXT, _ALL_S, maximum=255, default="", local_only=any_value)


#: One row an attribute; all are kept under their selectors.
ATTRIBUTES: tuple[Attribute, ...] = (
    Attribute("LISTENER", "listener", c.MQCACH_LISTENER_NAME, TEXT, _ALL_L, maximum=48, settable=False),
    Attribute("SERVICE", "service", cmqc.MQCA_SERVICE_NAME, TEXT, _ALL_S, maximum=48, settable=False),
    Attribute("ALTDATE", "alteration_date", MQCA_ALTERATION_DATE, TEXT, _KEPT, maximum=12, settable=False),
    Attribute("ALTTIME", "alteration_time", MQCA_ALTERATION_TIME, TEXT, _KEPT, maximum=8, settable=False),
    Attribute("STATUS", "status", c.MQIACH_LISTENER_STATUS, WORD, _LS, words=_STATES),
    Attribute("STATUS", "status", c.MQIACF_SERVICE_STATUS, WORD, _SS, words=_STATES),
    Attribute("PID", "pid", c.MQIACF_PROCESS_ID, INTEGER, _LS + _SS),
    Attribute("STARTDA", "startda", c.MQCACH_LISTENER_START_DATE, TEXT, _LS),
    Attribute("STARTDA", "startda", c.MQCACF_SERVICE_START_DATE, TEXT, _SS),
    Attribute("STARTTI", "startti", c.MQCACH_LISTENER_START_TIME, TEXT, _LS),
    Attribute("STARTTI", "startti", c.MQCACF_SERVICE_START_TIME, TEXT, _SS),
    Attribute("BACKLOG", "backlog", c.MQIACH_BACKLOG, INTEGER, _ALL_L, default=0),
    Attribute("CONTROL", "control", c.MQIACH_LISTENER_CONTROL, WORD, _ALL_L, words=_CONTROLS,
              default=cmqc.MQSVC_CONTROL_MANUAL),
    Attribute("DESCR", "descr", c.MQCACH_LISTENER_DESC, TEXT, _ALL_L, maximum=64, default=""),
    # Blank: 127.0.0.1, unlike in IBM MQ.
    Attribute("IPADDR", "ipaddr", c.MQCACH_IP_ADDRESS, TEXT, _ALL_L, maximum=48, default=""),
    # 0: 1414.
    Attribute("PORT", "port", c.MQIACH_PORT, INTEGER, _ALL_L, maximum=65535, default=0),
    Attribute("TRPTYPE", "trptype", c.MQIACH_XMIT_PROTOCOL_TYPE, WORD, _ALL_L, words=(("TCP", channels.MQXPT_TCP),),
              default=channels.MQXPT_TCP),
    Attribute("CONTROL", "control", cmqc.MQIA_SERVICE_CONTROL, WORD, _ALL_S, words=_CONTROLS,
              default=cmqc.MQSVC_CONTROL_MANUAL),
    Attribute("DESCR", "descr", cmqc.MQCA_SERVICE_DESC, TEXT, _ALL_S, maximum=64, default=""),
    Attribute("SERVTYPE", "servtype", cmqc.MQIA_SERVICE_TYPE, WORD, _ALL_S, words=_TYPES,
              default=cmqc.MQSVC_TYPE_COMMAND),
    _program("STARTARG", "startarg", cmqc.MQCA_SERVICE_START_ARGS),
    _program("STARTCMD", "startcmd", cmqc.MQCA_SERVICE_START_COMMAND),
    _program("STDERR", "stderr", cmqc.MQCA_STDERR_DESTINATION),
    _program("STDOUT", "stdout", cmqc.MQCA_STDOUT_DESTINATION),
    _program("STOPARG", "stoparg", cmqc.MQCA_SERVICE_STOP_ARGS),
    _program("STOPCMD", "stopcmd", cmqc.MQCA_SERVICE_STOP_COMMAND),
)  # fmt: skip

#: Keywords, separated by blanks, that are stored and displayed without any effect.
WITHOUT_EFFECT = "BACKLOG"
