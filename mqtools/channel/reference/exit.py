"""Built-in exit REFERENCE: appends an object's data to a reference message, and writes the object at the other end.

MSGDATA names the root folder: at a sender, of the files that may be sent; at a receiver, of those that may be written,
which must be below an exit folder: the operator lists those outside of the definitions.
A refused message is suppressed; an error of the machine (a full disk) stops the channel.
"""

from __future__ import annotations

import os

from mqtools.channel.exits import ExitContext, ExitMessage
from mqtools.channel.reference.audit import delete_old_logs
from mqtools.channel.reference.files import (
    ObjectRefused,
    check_allowed,
    closing,
    convert_errors,
    open_object,
    open_root,
    read_at,
)
from mqtools.channel.reference.object import ArrivedPortion, ReceivingFolder
from mqtools.constants.reasons import MQRC_CHANNEL_CONFIG_ERROR, MQRC_FUNCTION_NOT_SUPPORTED, MQRC_RMH_ERROR
from mqtools.constants.structures import MQDLH_LENGTH_1, MQGI_NONE, MQMI_NONE
from mqtools.errors import MQError
from mqtools.rules.descriptor import GROUP_FLAGS
from mqtools.rules.reference import (
    Portion,
    Reference,
    carried_portion,
    destination_path,
    is_reference,
    parse_reference,
    plan_portion,
    source_path,
)


class ReferenceExit:
    """The exit REFERENCE, for both ends."""

    def __init__(self) -> None:
        self._root: int | None = None
        self._folder: ReceivingFolder | None = None

    def start(self, context: ExitContext) -> None:
        """Open the root folder.

        Raises MQError: MQRC_API_EXIT_INIT_ERROR without a root folder, MQRC_NOT_AUTHORIZED at a receiver where it is
        not below an exit folder, MQRC_FUNCTION_NOT_SUPPORTED where the profile has no reference messages (REF-01),
        MQRC_CHANNEL_CONFIG_ERROR at a sender that converts: it would do so before the data is there (REF-26).
        """
        if context.profile == "zos":
            raise MQError("a queue manager of profile zos has no reference messages", MQRC_FUNCTION_NOT_SUPPORTED)
        if context.sends and context.converts:
            raise MQError("CONVERT(YES) cannot be combined with the exit REFERENCE", MQRC_CHANNEL_CONFIG_ERROR)
        self._root = open_root(context.data)
        if not context.sends:
            if context.folders is not None:
                check_allowed(self._root, context.data, context.folders)
            delete_old_logs(self._root)
            self._folder = ReceivingFolder(self._root)

    def end(self, _: ExitContext) -> None:
        root, self._root, self._folder = self._root, None, None
        if root is not None:
            os.close(root)

    def __call__(self, context: ExitContext, message: ExitMessage) -> ExitMessage | None:
        """Send or receive a portion of an object; return any other message unchanged.  Source: REF-04."""
        if not is_reference(message.md):
            return message
        try:
            reference = parse_reference(message.md, message.data)
            if self._folder is None:
                return self._send(context, message, reference)
            return self._receive(self._folder, context, message, reference)
        except ObjectRefused as refused:
            context.note(f"reference message refused: {refused}")
        except MQError as error:
            if error.reason != MQRC_RMH_ERROR:
                raise
            context.note(f"reference message refused: {error.text}")
        return None

    def _send(self, context: ExitContext, message: ExitMessage, reference: Reference) -> ExitMessage:
        """Append the portion that a message names, as much of it as fits; put a follow-on message for the rest.

        Room is left for the MQDLH that the other end may add. A message that already has its data was forwarded.
        Source: REF-06, REF-09, REF-14, REF-17.
        """
        if reference.bulk:
            return message
        room = context.max_message_length - MQDLH_LENGTH_1 - len(reference.header)
        bulk, chosen, follow_on = self._read(reference, room)
        header = reference.header_for(chosen)
        if header != reference.header:
            context.settle(message.replace(data=header))
        if follow_on is not None:
            context.put_next(_follow_on(message, reference.header_for(follow_on)))
        return message.replace(data=header + bulk)

    def _read(self, reference: Reference, room: int) -> tuple[bytes, Portion, Portion | None]:
        steps = source_path(reference.rmh)
        assert self._root is not None
        with convert_errors("/".join(steps)), closing(open_object(self._root, steps)) as descriptor:
            length = os.fstat(descriptor).st_size
            chosen, follow_on = plan_portion(reference.portion, length, room)
            bulk = read_at(descriptor, chosen.offset, chosen.length)
        if len(bulk) < chosen.length:
            raise ObjectRefused(f"{'/'.join(steps)} is shorter than before")
        return bulk, chosen, follow_on

    def _receive(
        self, folder: ReceivingFolder, context: ExitContext, message: ExitMessage, reference: Reference
    ) -> ExitMessage:
        """Write the portion of a message, and return the message without it.

        A message for another queue manager, or without data, is returned unchanged.  Source: REF-07, REF-17, REF-24.
        """
        portion = carried_portion(reference)
        if portion is None or not context.is_final(message):
            return message
        steps = destination_path(reference.rmh)
        arrival = ArrivedPortion(steps, reference.rmh.object_instance_id, portion, reference.bulk, message.remote_q)
        with convert_errors(arrival.name):
            folder.receive(arrival)
        return message.replace(data=reference.header_for(portion))


def _follow_on(message: ExitMessage, header: bytes) -> ExitMessage:
    """Return the message for the rest of an object: a new one, in no group, otherwise like the previous one."""
    md = message.md.replace(
        msg_id=MQMI_NONE,
        group_id=MQGI_NONE,
        msg_seq_number=1,
        msg_flags=message.md.msg_flags & ~GROUP_FLAGS,
    )
    properties = {name: value.replace() for name, value in message.properties.items()}
    return message.replace(data=header, md=md, properties=properties)
