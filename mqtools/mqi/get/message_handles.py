"""Gets with message handles: the properties and the descriptor that a get stores in one."""

from __future__ import annotations

from mqtools.constants.options import MQGMO_NO_PROPERTIES, MQGMO_PROPERTIES_FORCE_MQRFH2, MQGMO_PROPERTIES_IN_HANDLE
from mqtools.constants.reasons import MQRC_HMSG_ERROR
from mqtools.constants.structures import MQMD_VERSION_2
from mqtools.errors import MQError
from mqtools.mqi.get.get import get
from mqtools.mqi.get.request import GetRequest, GetResult, lacks_descriptor
from mqtools.mqi.message_handles.handle import MessageHandle

#: With these a message handle is ignored: it keeps what it has (PROP-10, PROP-12).
_IGNORE_HANDLE = MQGMO_NO_PROPERTIES | MQGMO_PROPERTIES_FORCE_MQRFH2


def get_by_mqi(request: GetRequest, msg_handle: MessageHandle | None) -> GetResult:
    """Get a message with its properties where MQGET has them: in the handle, in an MQRFH2, or nowhere.

    Without a descriptor the handle's own says what to match and convert to. A handle that is used holds
    afterwards the properties and the descriptor of the message, and nothing else (PROP-19).
    Raises MQError as ``get``, and: MQRC_HMSG_ERROR for properties in a handle that is not there or deleted
    (PROP-06), MQRC_MSG_HANDLE_IN_USE, MQRC_MD_ERROR for an MQRFH2 without a descriptor (PROP-20).
    """
    request = request.replace(in_message=False)
    if msg_handle is None:
        if request.options & MQGMO_PROPERTIES_IN_HANDLE:
            raise MQError("properties in a message handle need a message handle", MQRC_HMSG_ERROR)
        return get(request)
    if request.options & MQGMO_PROPERTIES_FORCE_MQRFH2 and request.md is None:
        raise lacks_descriptor()
    if request.options & _IGNORE_HANDLE:
        return get(request)
    with msg_handle.in_use():
        request = request.replace(properties=msg_handle)
        if request.md is None:
            request = request.replace(md=msg_handle.md.replace(version=MQMD_VERSION_2), lacks_md=True)
        return get(request)
