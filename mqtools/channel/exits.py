"""Message exits: what an operator's code, or our own REFERENCE, does to each message at an end of a channel.

An exit is called with a context and a message, and gives the message that goes on, changed or not, or None to
suppress it. A class is called for an instance, which lives as long as the channel runs. An exit may have
``start(context)`` and ``end(context)``. Exits form a chain: each sees what the one before it has given.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from mqtools.constants.reasons import (
    MQRC_API_EXIT_ERROR,
    MQRC_API_EXIT_INIT_ERROR,
    MQRC_API_EXIT_LOAD_ERROR,
    MQRC_API_EXIT_NOT_FOUND,
    MQRC_API_EXIT_TERM_ERROR,
)
from mqtools.errors import MQError
from mqtools.message import MQMD
from mqtools.records import Record

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from mqtools.message import Property

#: Exit that is built in to its module and class. Any other name is ``package.module:name``.
BUILT_IN = {"REFERENCE": ("mqtools.channel.reference", "ReferenceExit")}

#: Types of channel whose end sends.
SENDERS = ("SDR", "SVR")


class ExitMessage(Record):
    """A message as an exit sees it.

    data: without the MQXQH.  md: the application's own descriptor.  remote_q, remote_q_mgr: where it is going.
    """

    __slots__ = ("data", "md", "properties", "remote_q", "remote_q_mgr")

    def __init__(
        self,
        data: bytes = b"",
        md: MQMD | None = None,
        properties: dict[str, Property] | None = None,
        *,
        remote_q: str = "",
        remote_q_mgr: str = "",
    ) -> None:
        self.data = data
        self.md = MQMD() if md is None else md
        self.properties = {} if properties is None else properties
        self.remote_q = remote_q
        self.remote_q_mgr = remote_q_mgr


def _nobody_sends(_: ExitMessage) -> None:
    raise MQError("only an exit at a sender can put a next message", MQRC_API_EXIT_ERROR)


def _nothing(_: object) -> None:
    """Stand in for what an end of a channel does not offer."""


class ExitContext(Record):
    """What an exit is told of its channel, the same from ``start`` to ``end``.

    chltype: SDR, SVR, RCVR or RQSTR.  queue_manager, profile: of this end.  peer: the other queue manager.
    data: this exit's part of MSGDATA.  max_message_length: bytes of data, the smaller of both ends' MAXMSGL.
    converts: whether the channel converts messages before its exits see them (CONVERT).
    put_next: at a sender, puts a follow-on message on the transmission queue; it is wrapped in an MQXQH for the
    message's remote queue, and gets an identifier when its own is all zeros.
    settle: at a sender, fixes what an exit has chosen: the message given takes the place of the stored one, so that
    a batch that is backed out sends the same again. What put_next and settle were given in one call becomes
    permanent in one transaction, before the message is sent and whatever becomes of the batch.
    is_final: at a receiver, tells whether a message ends its way at this queue manager.
    note: takes words for the operator, such as why a message is suppressed.
    """

    __slots__ = (
        "channel",
        "chltype",
        "queue_manager",
        "peer",
        "data",
        "max_message_length",
        "put_next",
        "settle",
        "is_final",
        "note",
        "profile",
        "converts",
    )

    def __init__(
        self,
        channel: str,
        chltype: str,
        queue_manager: str,
        *,
        peer: str = "",
        data: str = "",
        max_message_length: int = 4_194_304,
        put_next: Callable[[ExitMessage], None] = _nobody_sends,
        settle: Callable[[ExitMessage], None] = _nothing,
        is_final: Callable[[ExitMessage], bool] | None = None,
        note: Callable[[str], None] = _nothing,
        profile: str = "distributed",
        converts: bool = False,
    ) -> None:
        self.channel = channel
        self.chltype = chltype
        self.queue_manager = queue_manager
        self.peer = peer
        self.data = data
        self.max_message_length = max_message_length
        self.put_next = put_next
        self.settle = settle
        self.is_final = self._goes_no_further if is_final is None else is_final
        self.note = note
        self.profile = profile
        self.converts = converts

    @property
    def sends(self) -> bool:
        """Whether this is the sending end."""
        return self.chltype in SENDERS

    def _goes_no_further(self, message: ExitMessage) -> bool:
        return message.remote_q_mgr in ("", self.queue_manager)


class _Link:
    """One exit of a chain: its name, the object, its part of MSGDATA, and its context once it has one."""

    def __init__(self, name: str, call: Callable[[ExitContext, ExitMessage], Any], data: str) -> None:
        self.name = name
        self.call = call
        self.data = data
        self.context: ExitContext | None = None

    def start(self, context: ExitContext) -> None:
        own = context.replace(data=self.data)
        self._hook("start", own, MQRC_API_EXIT_INIT_ERROR)
        self.context = own

    def end(self) -> None:
        context, self.context = self.context, None
        if context is not None:
            self._hook("end", context, MQRC_API_EXIT_TERM_ERROR)

    def __call__(self, message: ExitMessage) -> ExitMessage | None:
        try:
            given = self.call(self.context, message)  # type: ignore[arg-type]
        except Exception as error:
            raise _failed(self.name, error, MQRC_API_EXIT_ERROR) from error
        if given is not None and not isinstance(given, ExitMessage):
            raise MQError(f"exit {self.name} gave {type(given).__name__}, not one message or None", MQRC_API_EXIT_ERROR)
        if given is not None and not isinstance(given.data, bytes):
            raise MQError(f"exit {self.name} gave data of {type(given.data).__name__}, not bytes", MQRC_API_EXIT_ERROR)
        return given

    def _hook(self, name: str, context: ExitContext, reason: int) -> None:
        hook = getattr(self.call, name, None)
        if hook is None:
            return
        try:
            hook(context)
        except Exception as error:
            raise _failed(self.name, error, reason) from error


class ExitChain:
    """The exits of one end of a channel while it runs: started once, called for each message, ended once."""

    def __init__(self, links: list[_Link]) -> None:
        self._links = links
        self._started = False

    def __bool__(self) -> bool:
        """Whether there is any exit."""
        return bool(self._links)

    def start(self, context: ExitContext) -> None:
        """Start the exits in their order, each with its own part of MSGDATA.

        Raises MQError: of the exit that fails, or MQRC_API_EXIT_INIT_ERROR; those before it are to be ended still.
        """
        if self._started:
            raise MQError("the exits have been started before", MQRC_API_EXIT_INIT_ERROR)
        self._started = True
        for link in self._links:
            link.start(context)

    def __call__(self, message: ExitMessage) -> ExitMessage | None:
        """Give what the exits make of a message, None when one suppresses it; the message given stays as it is.

        Raises MQError: of the exit that fails, or MQRC_API_EXIT_ERROR.
        """
        current: ExitMessage | None = _copy(message)
        for link in self._links:
            if link.context is None:
                raise MQError(f"exit {link.name} is not started", MQRC_API_EXIT_ERROR)
            if current is None:
                return None
            current = link(current)
        return current

    def end(self) -> None:
        """End the exits that were started, the last first; doing it again does nothing.

        Raises MQError: of the first that fails, or MQRC_API_EXIT_TERM_ERROR, after all have been ended.
        """
        failure: MQError | None = None
        for link in reversed(self._links):
            try:
                link.end()
            except MQError as error:
                failure = failure or error
        if failure is not None:
            raise failure


def load_chain(names: str, data: str) -> ExitChain:
    """Load the exits of MSGEXIT, comma separated, each with its part of MSGDATA.

    Raises MQError: MQRC_API_EXIT_NOT_FOUND for a module or name that is not there, MQRC_API_EXIT_LOAD_ERROR for one
    that cannot be loaded or called, or for more data than exits.
    """
    return ExitChain([_Link(name, _load(name), part) for name, part in named_exits(names, data)])


def named_exits(names: str, data: str) -> list[tuple[str, str]]:
    """Take MSGEXIT and MSGDATA apart: each exit's name with its data. Raises MQError: MQRC_API_EXIT_LOAD_ERROR."""
    exits = [name.strip() for name in names.split(",")] if names.strip() else []
    parts = [part.strip() for part in data.split(",")] if data.strip() else []
    if len(parts) > len(exits):
        raise MQError(f"MSGDATA has {len(parts)} parts for {len(exits)} exits", MQRC_API_EXIT_LOAD_ERROR)
    parts += [""] * (len(exits) - len(parts))
    return list(zip(exits, parts, strict=True))


def _load(name: str) -> Callable[[ExitContext, ExitMessage], Any]:
    """Import an exit; a class is called for its instance."""
    module_name, _, attribute = name.partition(":")
    if name in BUILT_IN:
        module_name, attribute = BUILT_IN[name]
    if not module_name or not attribute or module_name.startswith("."):
        raise MQError(f"{name!r} is no exit: REFERENCE or package.module:name", MQRC_API_EXIT_NOT_FOUND)
    try:
        module = import_module(module_name)
        if not hasattr(module, attribute):
            raise MQError(f"module {module_name} has no {attribute}", MQRC_API_EXIT_NOT_FOUND)
        found = getattr(module, attribute)
        made: Any = found() if isinstance(found, type) else found
    except Exception as error:
        raise _failed(name, error, _load_reason(error, module_name)) from error
    if not callable(made):
        raise MQError(f"exit {name} cannot be called", MQRC_API_EXIT_LOAD_ERROR)
    return made  # type: ignore[no-any-return]


def _load_reason(error: Exception, module_name: str) -> int:
    """Tell a module that is not there from one that fails, or lacks another, when it is loaded."""
    is_missing = isinstance(error, ModuleNotFoundError) and f"{module_name}.".startswith(f"{error.name}.")
    return MQRC_API_EXIT_NOT_FOUND if is_missing else MQRC_API_EXIT_LOAD_ERROR


def _failed(name: str, error: Exception, reason: int) -> MQError:
    """Make the error of an exit; an MQError keeps its reason."""
    if isinstance(error, MQError):
        return MQError(f"exit {name}: {error.text}", error.reason, hint=error.hint)
    return MQError(f"exit {name}: {type(error).__name__}: {error}", reason)


def _copy(message: ExitMessage) -> ExitMessage:
    """Copy a message so that what an exit does to it does not reach the caller's."""
    properties = {name: value.replace() for name, value in message.properties.items()}
    return message.replace(md=message.md.replace(), properties=properties)
