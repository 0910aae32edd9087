"""Exit point of a channel: calls its exits at a sender before a message is sent, at a receiver before it is put."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mqtools.admin import channels
from mqtools.channel.errors import ExitError
from mqtools.channel.exits import ExitChain, ExitContext, ExitMessage, load_chain
from mqtools.configuration import settings
from mqtools.errors import MQError
from mqtools.formats.properties import properties_from_json, properties_to_json
from mqtools.mqi.connection import Connection
from mqtools.mqi.distributed_queuing.transmission import Carried


class ExitPoint:
    """The exit chain of a running channel, for messages in the form that the channel carries.

    followers, settled: messages that the last call put after its message, and the one it fixed as stored.
    """

    def __init__(self, chain: ExitChain) -> None:
        self._chain = chain
        self.followers: list[Carried] = []
        self.settled: Carried | None = None

    def start(self, connection: Connection, definition: dict[str, Any], peer: str, **values: Any) -> None:
        """Start the exits of a channel; at a sender they can put a next message and settle one.

        peer: the other queue manager.  values: further fields of ``ExitContext``.  Raises MQError.
        """
        context = ExitContext(
            definition["name"],
            channels.type_of(definition),
            connection.name,
            peer=peer,
            profile=connection.profile,
            converts=bool(definition.get("data_conversion")),
            **values,
        )
        if context.sends:
            context = replace(context, put_next=self._put_next, settle=self._settle)
        self._chain.start(context)

    def __call__(self, carried: Carried) -> Carried | None:
        """Return the message that the exits make of a message, None when they suppress it. Raises ExitError."""
        self.followers, self.settled = [], None
        try:
            given = self._chain(_for_exit(carried))
            return None if given is None else _from_exit(given)
        except MQError as error:
            raise ExitError(error.text, error.reason, hint=error.hint) from error

    def _put_next(self, message: ExitMessage) -> None:
        self.followers.append(_from_exit(message))

    def _settle(self, message: ExitMessage) -> None:
        self.settled = _from_exit(message)

    def end(self) -> None:
        """End the exits. Raises MQError."""
        self._chain.end()


def exit_point(definition: dict[str, Any]) -> ExitPoint | None:
    """Load the exits of a channel; return None without exits. Raises MQError."""
    if not definition["message_exit"]:
        return None
    return ExitPoint(load_chain(definition["message_exit"], definition["message_user_data"]))


def exit_folders() -> tuple[str, ...] | None:
    """Return the exit folders of the configuration; None where it lists none. Raises ConfigError."""
    folders: tuple[str, ...] = settings.value_of(settings.EXIT_FOLDERS)
    return folders or None


def _for_exit(carried: Carried) -> ExitMessage:
    properties = {} if carried.properties is None else properties_from_json(carried.properties)
    return ExitMessage(
        carried.data,
        carried.md.replace(),
        properties,
        remote_q=carried.remote_q,
        remote_q_mgr=carried.remote_q_mgr,
    )


def _from_exit(message: ExitMessage) -> Carried:
    properties = properties_to_json(message.properties) if message.properties else None
    return Carried(message.md.replace(), message.data, properties, message.remote_q, message.remote_q_mgr)
