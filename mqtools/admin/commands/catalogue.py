"""The catalogue of administration commands, and what finds a command in it."""

from __future__ import annotations

from mqtools.admin.commands import (
    absent,
    authorities,
    channel_authentication,
    channels,
    connections,
    kept,
    queue_manager,
    queues,
    service_objects,
    status,
    subscriptions,
    topics,
)
from mqtools.rules.commands.command import AdminCommand

_MODULES = (
    queues, queue_manager, status, connections, channels, kept, service_objects, subscriptions, topics,
    channel_authentication, authorities, absent,
)  # fmt: skip
COMMANDS: tuple[AdminCommand, ...] = tuple(command for module in _MODULES for command in module.COMMANDS)

#: Verb and object type of MQSC to the command. Other pairs are valid MQSC that mqx does not support: they fail.
BY_WORDS = {(each.verb, object_type): each for each in COMMANDS for object_type in each.object_types}
#: Command of PCF (MQCMD) to the command. Any other fails with MQRCCF_CFH_COMMAND_ERROR.
BY_NUMBER = {number: each for each in COMMANDS for number in (each.number, each.copy_number) if number}
