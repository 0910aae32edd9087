"""Workers of ``mqx get --exec``: the connections that hold the messages of commands."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack
from dataclasses import dataclass

from mqtools.configuration import locate
from mqtools.constants.options import (
    MQGMO_ACCEPT_TRUNCATED_MSG,
    MQGMO_CONVERT,
    MQMO_MATCH_MSG_TOKEN,
    MQOO_FAIL_IF_QUIESCING,
    MQOO_INPUT_SHARED,
    MQOO_SAVE_ALL_CONTEXT,
)
from mqtools.constants.reasons import MQRC_TRUNCATED_MSG_FAILED
from mqtools.constants.states import UNLOCKED
from mqtools.errors import NoMessageAvailable
from mqtools.formats.envelope.envelope import to_envelope
from mqtools.formats.jsontext import dumps
from mqtools.message import MQMD, Message
from mqtools.mqi.get import search
from mqtools.mqi.get.request import GetResult
from mqtools.mqi.interface import OpenQueue, QueueManagerConnection
from mqtools.operations import consumer
from mqtools.operations.key_snapshot import release_dead_holders
from mqtools.operations.selection import EVERYTHING, Selection, select
from mqtools.operations.stored_messages import check_put_target, load_message

from ..browse.groups import first_segments
from ..shared.command_session import Session
from ..shared.holder_hint import print_holder_hint
from .exec_command import RunningCommand
from .request import GetRequest, check_length

_OPEN = MQOO_INPUT_SHARED | MQOO_SAVE_ALL_CONTEXT | MQOO_FAIL_IF_QUIESCING
#: Options of a get that change the data that the program is given.
CHANGES_DATA = MQGMO_CONVERT | MQGMO_ACCEPT_TRUNCATED_MSG


@dataclass(frozen=True, slots=True)
class HeldMessage:
    """Message that a unit of work has got. keys: of a whole message those of all its segments."""

    message: Message
    keys: tuple[int, ...]

    @property
    def name(self) -> str:
        """Message id in hexadecimal digits."""
        return self.message.md.msg_id.hex().upper()


class Worker:
    """Connection to our file that holds the messages of one command, and the command that processes them.

    handle: open for input, saving all context.
    """

    connection: QueueManagerConnection
    handle: OpenQueue

    def __init__(self, session: Session, q_name: str, opened: ExitStack) -> None:
        """opened: closes what this opens."""
        self.held: list[HeldMessage] = []
        self.command: RunningCommand | None = None
        self.open(session, q_name, opened)

    def open(self, session: Session, q_name: str, opened: ExitStack) -> None:
        """Connect, and open the queue."""
        self.connection = self._file = opened.enter_context(session.connect())
        self.handle = self._handle = opened.enter_context(self._file.open(q_name, _OPEN))

    def input_of_batch(self, q_name: str, ends_with_nul: bool) -> bytes:
        """Return the held messages as JSON lines, or their data, each ended by NUL."""
        if ends_with_nul:
            return b"".join(held.message.data + b"\0" for held in self.held)
        name, ccsid = self.connection.name, self.connection.ccsid
        envelopes = (
            to_envelope(held.message, qmgr=name, queue=q_name, state=UNLOCKED, ccsid=ccsid) for held in self.held
        )
        return "".join(f"{dumps(envelope)}\n" for envelope in envelopes).encode("utf-8")

    def get(self, request: GetRequest, seq: int | None = None, *, unchanged: bool = False) -> GetResult | None:
        """Return a message, or None when there is none. Raise MQError for one that is too long (7).

        seq: key of the message, None for the next one.  unchanged: get it whole and without conversion.
        """
        options, parameters = request.options, request.parameters()
        try:
            result = self.handle.get(
                options & ~CHANGES_DATA if unchanged else options,
                max_length=None if unchanged else request.max_length,
                msg_token=b"" if seq is None else search.token_of(seq),
                **{**parameters, "match_options": 0 if seq is None else MQMO_MATCH_MSG_TOKEN},
            )
        except NoMessageAvailable:
            return None
        if result.reason == MQRC_TRUNCATED_MSG_FAILED:
            check_length(request, result.data_length)
        return result

    def must_check_conversion(self, request: GetRequest) -> bool:
        """Check whether a get could change the data of a message that is about to be moved."""
        changes = request.options & CHANGES_DATA or request.max_length is not None
        return bool(changes) and self.threshold > 0

    @property
    def qmgr_name(self) -> str:
        """Name of the queue manager; its path where the name means another file."""
        name, path = self._file.name, os.path.abspath(self._file.path)
        return name if os.path.realpath(locate.path_of(name)) == os.path.realpath(path) else path

    @property
    def threshold(self) -> int:
        """BackoutThreshold of the queue, 0 for none."""
        return consumer.backout_threshold(self._handle)

    @property
    def life(self) -> tuple[int, ...]:
        """Descriptors that prove that the connection is alive, for the command."""
        assert self._file.presence is not None
        return self._file.presence.share()

    def keys(self, request: GetRequest, seen: Collection[int]) -> Iterator[int]:
        """Return the keys of selected messages, page by page while the commands run. seen: of those left out."""
        release_dead_holders(self._file, self._handle.queue_id)
        found = select(self._file, self._handle.queue_id, request.selection or EVERYTHING)
        left = (stored.seq for stored in found if stored.seq not in seen)
        if request.group_options is None or not request.group_options.is_whole:
            return left
        return first_segments(self._file, left)

    def descriptor_of(self, seq: int) -> MQMD | None:
        """Return the descriptor of a message by its key; None when it is gone."""
        stored = load_message(self._file, seq)
        return None if stored is None else stored.md

    def requeue(self, message: Message) -> str:
        """Move a message of a get: see ``consumer.requeue_message``."""
        return consumer.requeue_message(self._handle, message)

    def wait(self, deadline: float | None, look: Callable[[], bool], alarm: int) -> None:
        """Sleep until ``look`` finds a message, the deadline, or a ring of the alarm. alarm: its descriptor."""
        self._handle.wait_for_arrival(deadline, look, [alarm])

    def give_back(self) -> None:
        """Back out what is held; where that can be told, it counts no backout."""
        self._file.backout(counts=False)

    def return_last(self) -> None:
        """Back out the last get alone."""
        self._file.backout_last(counts=False)

    def check_target(self, name: str, q_mgr_name: str) -> None:
        """Raise MQError for a destination that a put would not find."""
        check_put_target(self._file, name, q_mgr_name)

    def print_hint(self, session: Session, q_name: str, selection: Selection) -> None:
        """Print why there is no message."""
        print_holder_hint(self._file, session, q_name, selection)
