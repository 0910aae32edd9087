"""Operations of the REST API: method, path and handler of each, with what its description says."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial

from starlette.responses import Response

from mqtools.rest import administration, messaging, objects
from mqtools.rest.call import RestCall

#: Bodies of requests: a message, a command, a login, attributes of a queue; none.
MESSAGE, COMMAND, LOGIN, ATTRIBUTES, NONE = "message", "command", "login", "attributes", ""
PREFIX = "/ibmmq/rest/{version}"


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation. path: after the prefix with the version.  status: of success.  query: its parameters.

    body: kind of the body.  is_empty_possible: 204 says that there is nothing.  handler: None for the login itself.
    """

    method: str
    path: str
    handler: Callable[[RestCall], Awaitable[Response]] | None
    status: int = 200
    query: tuple[str, ...] = ()
    body: str = NONE
    is_empty_possible: bool = False


_MESSAGES = "/messaging/qmgr/{qmgr}/queue/{queue}/message"
_MATCH = ("messageId", "correlationId")
_LIST = ("attributes", "filter", "type", "name")
_QUEUES = "/admin/qmgr/{qmgr}/queue"
_show_queues, _show_channels, _show_subscriptions = (
    partial(objects.show, resource) for resource in (objects.QUEUES, objects.CHANNELS, objects.SUBSCRIPTIONS)
)

#: The order is that of the search for a path: what is called most comes first.
OPERATIONS = (
    Operation("POST", _MESSAGES, messaging.put_message, 201, body=MESSAGE),
    Operation("DELETE", _MESSAGES, messaging.get_message, query=(*_MATCH, "wait"), is_empty_possible=True),
    Operation("GET", _MESSAGES, messaging.browse_message, query=_MATCH, is_empty_possible=True),
    Operation("GET", f"{_MESSAGES}list", messaging.list_messages, query=(*_MATCH, "limit")),
    Operation(
        "POST", "/messaging/qmgr/{qmgr}/topic/{topic:path}/message", messaging.publish_message, 201, body=MESSAGE
    ),
    Operation("POST", "/admin/action/qmgr/{qmgr}/mqsc", administration.run_mqsc, body=COMMAND),
    Operation("GET", "/admin/qmgr", administration.show_queue_managers, query=("status",)),
    Operation("GET", "/admin/qmgr/{qmgr}", administration.show_queue_managers, query=("status",)),
    Operation("GET", _QUEUES, _show_queues, query=(*_LIST, "status")),
    Operation("POST", _QUEUES, objects.create_queue, 201, query=("like", "noReplace"), body=ATTRIBUTES),
    Operation("GET", f"{_QUEUES}/{{name}}", _show_queues, query=("attributes", "status")),
    Operation("PATCH", f"{_QUEUES}/{{name}}", partial(objects.change_queue, "ALTER"), 204, body=ATTRIBUTES),
    Operation("DELETE", f"{_QUEUES}/{{name}}", partial(objects.change_queue, "DELETE"), 204, query=("purge",)),
    Operation("GET", "/admin/qmgr/{qmgr}/channel", _show_channels, query=_LIST),
    Operation("GET", "/admin/qmgr/{qmgr}/channel/{name}", _show_channels, query=("attributes",)),
    Operation("GET", "/admin/qmgr/{qmgr}/subscription", _show_subscriptions, query=("attributes", "filter", "name")),
    Operation("GET", "/admin/qmgr/{qmgr}/subscription/{name}", _show_subscriptions, query=("attributes",)),
    Operation("GET", "/admin/installation", administration.show_installation, query=("attributes",)),
    Operation("GET", "/admin/installation/{installation}", administration.show_installation, query=("attributes",)),
    Operation("POST", "/login", None, 204, body=LOGIN),
    Operation("GET", "/login", administration.show_login),
    Operation("DELETE", "/login", administration.log_out, 204),
)
