"""Actions of a put (MQPMO.Action): descriptor, properties and data of a message derived from another."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mqtools.constants.message import (
    MQFB_NONE,
    MQMT_REPLY,
    MQMT_REPORT,
)
from mqtools.constants.options import MQACTP_FORWARD, MQACTP_NEW, MQACTP_REPLY, MQACTP_REPORT
from mqtools.constants.properties import MQCOPY_FORWARD, MQCOPY_REPLY, MQCOPY_REPORT
from mqtools.constants.reasons import MQRC_ACTION_ERROR, MQRC_FEEDBACK_ERROR
from mqtools.constants.structures import MQMD_VERSION_2, MQMI_NONE
from mqtools.errors import MQError
from mqtools.headers.mqmde import EXTENSION
from mqtools.message import MQMD
from mqtools.rules.reports import answer_fields, carried_data, kind_of_feedback, report_data_wanted

#: Action to the copy option that takes a property of the original along; None takes all (AMB-05).
COPIED: dict[int, int | None] = {
    MQACTP_NEW: None,  # ACT-10
    MQACTP_FORWARD: MQCOPY_FORWARD,  # ACT-15
    MQACTP_REPLY: MQCOPY_REPLY,  # ACT-33
    MQACTP_REPORT: MQCOPY_REPORT,  # ACT-44
}

#: Kinds of report whose data the Report field rules; a report of any other feedback carries the whole buffer (ACT-51).
_DATA_BY_OPTION = ("coa", "cod", "expiration")


def check_action(action: int) -> None:
    """Check that an action exists. Raises MQError: MQRC_ACTION_ERROR (ACT-02)."""
    if action not in COPIED:
        raise MQError(f"unknown action of a put: {action}", MQRC_ACTION_ERROR)


def derive_descriptor(action: int, original: MQMD, new: MQMD, fields_set: Iterable[str], *, length: int) -> MQMD:
    """Return the descriptor of a derived message: the original's, the action's fields, those set as properties.

    original: with the expiry that was left at the get.  new: of the new message handle; only its ``fields_set``
    count.  length: bytes in the buffer.  An identifier that the put has to make is MQMI_NONE.
    Source: ACT-05, ACT-08, ACT-12, ACT-22 to ACT-32, ACT-36 to ACT-43, ACT-57, AMB-03, AMB-06, AMB-34.
    """
    changed: dict[str, Any] = {}
    if action in (MQACTP_REPLY, MQACTP_REPORT):
        changed = answer_fields(original, MQMI_NONE, original.expiry)
        changed |= _REPLY if action == MQACTP_REPLY else {"msg_type": MQMT_REPORT, "original_length": length}
    changed |= {field: getattr(new, field) for field in fields_set}
    return original.replace(**{"version": MQMD_VERSION_2, **changed})


#: Fields that only a reply resets: it is in no group, even if the request is (ACT-23, ACT-25, ACT-31).
_REPLY: dict[str, Any] = {
    "msg_type": MQMT_REPLY,
    "feedback": MQFB_NONE,
    **EXTENSION,
}


def report_data(md: MQMD, data: bytes) -> bytes:
    """Return the data of its buffer that a put with MQACTP_REPORT sends.

    md: the descriptor that results. Its own Report field decides, not the original's (AMB-04).
    Raises MQError: MQRC_FEEDBACK_ERROR for a report that says nothing (ACT-45, ACT-46).
    Source: ACT-47 to ACT-52.
    """
    if md.feedback == MQFB_NONE:
        raise MQError("a report needs a feedback", MQRC_FEEDBACK_ERROR)
    kind = kind_of_feedback(md.feedback)
    if kind not in _DATA_BY_OPTION:
        return data
    return carried_data(data, report_data_wanted(md.report, kind), header_length=0)
