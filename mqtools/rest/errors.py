"""Errors of the REST API: status, number MQWB, and the words that the client gets."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from mqtools.constants import cmqcfc
from mqtools.constants import reasons as rc
from mqtools.constants.names import name_or_number
from mqtools.errors import MQError

#: Number to its words: what happened, why, and what to do. Numbers from MQWB0901E on are ours: IBM MQ has others for
#: the same, or none.
_TEXTS = {
    "MQWB0000E": ("{0}", "An error occurred that the server did not expect.", "Look into the server's output."),
    "MQWB0009E": (
        "Cannot find queue manager '{0}'.",
        "The server serves one queue manager, and its name is another.",
        "Name the queue manager of the server, or leave the name out to list it.",
    ),
    "MQWB0037E": (
        "{0} - the queue manager reason code is {1} : '{2}'",
        "The command or call failed.",
        "Correct the request as the reason code says: mqx explain {1}.",
    ),
    "MQWB0100E": (
        "The header 'ibm-mq-rest-csrf-token' is missing.",
        "POST, PATCH and DELETE need the header, so that no web page can send them. Its value can be anything.",
        "Send the request with the header.",
    ),
    "MQWB0103E": (
        "Not authorized: {0}",
        "The user has no authority for the request.",
        "Grant the authority: SET AUTHREC.",
    ),
    "MQWB0104E": (
        "The request is not authenticated.",
        "The request has no credentials.",
        "Send a user and password, the cookie of a login, or a client certificate.",
    ),
    "MQWB0105E": (
        "The user or password is wrong.",
        "The queue manager has no such user with this password.",
        "Send another user or password. The queue manager's error log names the user: mqx log.",
    ),
    "MQWB0112E": (
        "The cookie is not that of a login.",
        "The login has ended, the password has changed, or the server was started again.",
        "Log in again.",
    ),
    "MQWB0120E": ("{0}", "The command is not valid MQSC, and was not executed.", "Correct the command."),
    "MQWB0300E": (
        "Cannot open '{0}' - the queue manager reason code is {1} : '{2}'",
        "The queue manager or destination does not exist or is not available.",
        "Correct the name, or define the object.",
    ),
    "MQWB0302E": ("The header {0}", "A header of the request has an invalid value.", "Correct the header."),
    "MQWB0303E": (
        "{0} - the queue manager reason code is {1} : '{2}'",
        "The message could not be put, published, received or browsed.",
        "Correct the request as the reason code says: mqx explain {1}.",
    ),
    "MQWB0305E": ("Character set '{0}' is not supported.", "The body must be UTF-8.", "Send the body in UTF-8."),
    "MQWB0306E": (
        "Content-Type '{0}' is not supported.",
        "The resource takes text or JSON.",
        "Send another Content-Type.",
    ),
    "MQWB0901E": ("{0}", "The body of the request is not what the resource takes.", "Correct the body."),
    "MQWB0902E": ("{0}", "A query parameter of the request is not valid.", "Correct the query."),
    "MQWB0903E": ("{0}", "The request is not valid HTTP for this server.", "Correct the request."),
    "MQWB0904E": (
        "The message is not text: its format is '{0}'.",
        "Only messages of format MQSTR, or text messages of JMS, can be received. It stays on the queue.",
        "Receive the message with another program.",
    ),
    "MQWB0905E": ("{0}", "The server is ending, or has no room for the request.", "Send the request again later."),
    "MQWB0906E": ("There is no resource {0}.", "The path is not one of the REST API.", "Correct the path."),
    "MQWB0907E": ("{0}", "The resource does not have this method.", "Use a method of the resource."),
    "MQWB0908E": ("The request is too large.", "{0}", "Send less."),
}

_UNKNOWN = (rc.MQRC_UNKNOWN_OBJECT_NAME, rc.MQRC_UNKNOWN_CHANNEL_NAME, rc.MQRC_NO_SUBSCRIPTION,
            rc.MQRC_UNKNOWN_ALIAS_BASE_Q)  # fmt: skip
_ENDED = (
    rc.MQRC_CONNECTION_BROKEN, rc.MQRC_CONNECTION_QUIESCING, rc.MQRC_CONNECTION_STOPPED, rc.MQRC_CONNECTION_STOPPING,
    rc.MQRC_HCONN_ERROR, rc.MQRC_Q_MGR_NOT_AVAILABLE, rc.MQRC_Q_MGR_QUIESCING, rc.MQRC_Q_MGR_STOPPING,
)  # fmt: skip
_FULL = (rc.MQRC_Q_FULL, rc.MQRC_RESOURCE_PROBLEM, rc.MQRC_STORAGE_MEDIUM_FULL)
#: Reason or MQWB number to the status of the answer. Any other is an invalid request.
_STATUSES: dict[int | str, HTTPStatus] = {
    rc.MQRC_NO_MSG_AVAILABLE: HTTPStatus.NO_CONTENT,
    **dict.fromkeys((rc.MQRC_NOT_AUTHORIZED, rc.MQRC_PUT_INHIBITED, rc.MQRC_GET_INHIBITED), HTTPStatus.FORBIDDEN),
    **dict.fromkeys(_UNKNOWN, HTTPStatus.NOT_FOUND),
    **dict.fromkeys((rc.MQRC_OBJECT_ALREADY_EXISTS, rc.MQRC_OBJECT_IN_USE, rc.MQRC_Q_NOT_EMPTY), HTTPStatus.CONFLICT),
    rc.MQRC_MSG_TOO_BIG_FOR_Q: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    rc.MQRC_MSG_TOO_BIG_FOR_Q_MGR: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    **dict.fromkeys((*_ENDED, *_FULL), HTTPStatus.SERVICE_UNAVAILABLE),
    "MQWB0000E": HTTPStatus.INTERNAL_SERVER_ERROR,
    **dict.fromkeys(("MQWB0009E", "MQWB0906E"), HTTPStatus.NOT_FOUND),
    **dict.fromkeys(("MQWB0100E", "MQWB0104E", "MQWB0105E", "MQWB0112E"), HTTPStatus.UNAUTHORIZED),
    **dict.fromkeys(("MQWB0305E", "MQWB0306E"), HTTPStatus.UNSUPPORTED_MEDIA_TYPE),
    "MQWB0904E": HTTPStatus.NOT_IMPLEMENTED,
    "MQWB0905E": HTTPStatus.SERVICE_UNAVAILABLE,
    "MQWB0907E": HTTPStatus.METHOD_NOT_ALLOWED,
    "MQWB0908E": HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
}


_PCF_NAMES = {number: name for name, number in vars(cmqcfc).items() if name.startswith("MQRCCF_")}


class RestError(Exception):
    """Raised to answer a request with an error.

    number: MQWB*.  status: None for that of the number.  reason: MQRC or MQRCCF, 0 for none.
    """

    def __init__(self, number: str, *inserts: object, status: HTTPStatus | None = None, reason: int = 0) -> None:
        super().__init__(number)
        self.status = status or _STATUSES.get(number, HTTPStatus.BAD_REQUEST)
        self._number = number
        self._inserts = inserts
        self._reason = reason

    def as_json(self) -> dict[str, Any]:
        """Return the body of the answer."""
        text = _TEXTS[self._number]
        message, explanation, action = (each.format(*self._inserts) for each in text)
        found: dict[str, Any] = {"type": "rest", "msgId": self._number, "message": f"{self._number}: {message}"}
        found |= {"explanation": explanation, "action": action}
        if self._reason:
            found |= {"type": "pcf", "completionCode": 2, "reasonCode": self._reason}
        return {"error": [found]}


def status_of(error: MQError) -> HTTPStatus:
    """Return the status of the answer to a call that failed."""
    return _STATUSES.get(error.reason, HTTPStatus.BAD_REQUEST)


def from_mq(error: MQError, number: str, name: str = "", reason: int = 0) -> RestError:
    """Return the error for a call or command that failed.

    number: of the message, unless the reason has another.  name: of the object, if the message has it.
    reason: instead of that of the error, as PCF has it.
    """
    status = status_of(error)
    shown = reason or error.reason
    if error.reason == rc.MQRC_NOT_AUTHORIZED:
        return RestError("MQWB0103E", error.text, status=status, reason=shown)
    if status == HTTPStatus.NOT_FOUND and number == "MQWB0303E":
        number = "MQWB0300E"
    words = name if number == "MQWB0300E" and name else error.text
    symbol = _PCF_NAMES.get(shown) or name_or_number("MQRC", shown)
    return RestError(number, words, shown, symbol, status=status, reason=shown)
