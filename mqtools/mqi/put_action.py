"""Puts with message handles: a message derived from another as MQPMO.Action says, or with a handle's properties."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from mqtools.constants.options import MQACTP_NEW, MQACTP_REPORT, MQPMO_MD_FOR_OUTPUT_ONLY
from mqtools.constants.reasons import MQRC_HMSG_ERROR
from mqtools.errors import MQError
from mqtools.message import MQMD, Message
from mqtools.rules.actions import COPIED, check_action, derive_descriptor, report_data
from mqtools.rules.properties import merge_properties, properties_of_made

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from mqtools.mqi.message_handles.handle import MessageHandle

    Result = TypeVar("Result")


def put_derived(
    put: Callable[[Message], Result],
    message: Message,
    options: int,
    action: int,
    original: MessageHandle | None,
    new: MessageHandle | None,
) -> Result:
    """Put the message that an action derives from a message and two message handles.

    put: puts it.  message: the buffer and the descriptor; with MQPMO_MD_FOR_OUTPUT_ONLY the descriptor is made of
    the handles, and on return it is the one that was used.  original: stays as it is.  new: its properties win; on
    return it has the properties and the descriptor of the message that was put (ACT-54).
    Raises MQError: MQRC_ACTION_ERROR, MQRC_HMSG_ERROR when an original is needed and none is there or a handle has
    been deleted (ACT-56), MQRC_MSG_HANDLE_IN_USE, MQRC_FEEDBACK_ERROR, and as the put.
    Source: ACT-01 to ACT-57.
    """
    check_action(action)
    if original is None and action != MQACTP_NEW:
        raise MQError("forward, reply and report need the handle of their original", MQRC_HMSG_ERROR)
    with ExitStack() as in_use:
        for handle in (original, new):
            if handle is not None:
                in_use.enter_context(handle.in_use())
        made = _derive_message(message, options, action, original, new)
        result = put(made)
        message.md = made.md
        if new is not None:
            fields_set = new.fields_set
            new.copy_from(made.properties, made.md)
            new.fields_set = fields_set
    return result


def _derive_message(
    message: Message, options: int, action: int, original: MessageHandle | None, new: MessageHandle | None
) -> Message:
    md = message.md
    if options & MQPMO_MD_FOR_OUTPUT_ONLY:
        md = derive_descriptor(
            action,
            MQMD() if original is None else original.md,
            MQMD() if new is None else new.md,
            () if new is None else new.fields_set,
            length=len(message.data),
        )
    of_original = {} if original is None else original.properties
    added = merge_properties(message.properties, {} if new is None else new.properties)
    properties = properties_of_made(COPIED[action], of_original, added)
    data = report_data(md, message.data) if action == MQACTP_REPORT else message.data
    return Message(data, md, properties, message.deliver_at)
