"""Forms for a new message and for reports: their fields, and the objects built from the input."""

from __future__ import annotations

from typing import Any

from mqtools.constants.message import MQFMT_NONE, MQFMT_STRING, MQPER_NOT_PERSISTENT, MQPER_PERSISTENT
from mqtools.constants.names import value_of
from mqtools.formats.descriptor import md_from_dict
from mqtools.formats.properties import parse_property
from mqtools.formats.units import parse_expiry
from mqtools.message import Message
from mqtools.operations.reports.generation import FORWARD, REPLY, REPORT, Order

Fields = dict[str, str]

#: Field, label, initial value.
PUT_FIELDS = (
    ("queue", "queue", ""),
    ("type", "type", "datagram"),
    ("priority", "priority", ""),
    ("persistent", "persistent", ""),
    ("expiry", "expiry (30s)", ""),
    ("correl_id", "correl id (hex)", ""),
    ("reply_to", "reply to Q[@QM]", ""),
    ("report", "report options", ""),
    ("properties", "properties a=b", ""),
)
_OF_QUEUE = "as the queue says"
#: Field -> its values, each with its words, where there are few.
PUT_CHOICES = {
    "type": tuple((name, name) for name in ("datagram", "request", "reply", "report")),
    "priority": (("", _OF_QUEUE), *((str(number), str(number)) for number in range(10))),
    "persistent": (("", _OF_QUEUE), ("y", "yes"), ("n", "no")),
}
_TO = ("to", "to Q[@QM]", "")
_FEEDBACK = ("feedback", "feedback", "")
REPORT_FIELDS = {
    REPORT: (("feedback", "feedback", "pan"), _TO),
    REPLY: (_TO, _FEEDBACK),
    FORWARD: (_TO, _FEEDBACK),
}


def build_message(fields: Fields) -> Message:
    """Build a message from the form. Raises ValueError, MQError."""
    format = MQFMT_STRING if fields["data"] else MQFMT_NONE
    given: dict[str, Any] = {"msg_type": fields["type"].upper() or "DATAGRAM", "format": format}
    if fields["priority"]:
        given["priority"] = fields["priority"]
    if fields["persistent"]:
        given["persistence"] = MQPER_PERSISTENT if fields["persistent"] == "y" else MQPER_NOT_PERSISTENT
    if fields["expiry"]:
        given["expiry"] = parse_expiry(fields["expiry"])
    if fields["correl_id"]:
        given["correl_id"] = fields["correl_id"]
    given["reply_to_q"], _, given["reply_to_q_mgr"] = fields["reply_to"].partition("@")
    if fields["report"]:
        given["report"] = [word.upper().replace("-", "_") for word in fields["report"].replace(",", " ").split()]
    md = md_from_dict(given)
    md.coded_char_set_id = 1208
    if not fields["queue"]:
        raise ValueError("queue is missing")
    properties = dict(map(parse_property, fields["properties"].split()))
    return Message(fields["data"].encode("utf-8"), md, properties)


def build_report_order(action: str, fields: Fields) -> Order:
    """Build a request for reports from the form. Raises ValueError."""
    to_q, _, to_q_mgr = fields["to"].partition("@")
    if action == FORWARD and not to_q:
        raise ValueError("queue of the forward is missing")
    feedback = _feedback(fields["feedback"]) if fields["feedback"] else None
    return Order(action, feedback=feedback, to_q=to_q, to_q_mgr=to_q_mgr, text=fields["data"] or None)


def _feedback(text: str) -> int:
    for family in ("MQFB", "MQRC"):
        try:
            return value_of(family, text)
        except ValueError:
            continue
    raise ValueError(
        f"{text!r} is not a feedback: use coa, cod, expiration, pan, nan, an MQFB_ or MQRC_ name, or a number"
    )
