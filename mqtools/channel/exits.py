"""Message exits: user code, or the built-in REFERENCE, that sees each message at an end of a channel.

An exit is called with a context and a message, and returns the message that continues, changed or not, or None to
suppress it. A class is instantiated once for each run of the channel. An exit may have ``start(context)`` and
``end(context)``. Exits form a chain: each sees what the one before it returned.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field, replace
from importlib import import_module
from typing import Any

from mqtools.constants.reasons import (
    MQRC_API_EXIT_ERROR,
    MQRC_API_EXIT_INIT_ERROR,
    MQRC_API_EXIT_LOAD_ERROR,
    MQRC_API_EXIT_NOT_FOUND,
    MQRC_API_EXIT_TERM_ERROR,
)
from mqtools.errors import MQError
from mqtools.message import MQMD, Property
from mqtools.rules.attributes.channel import SENDING_TYPES

#: Exit that is built in to its module and class. Any other name is ``package.module:name``.
BUILT_IN = {"REFERENCE": ("mqtools.channel.reference.exit", "ReferenceExit")}


@dataclass(slots=True)
class ExitMessage:
    """A message for an exit.

    data: without the MQXQH.  md: the application's own descriptor.  remote_q, remote_q_mgr: where it is going.
    """

    data: bytes = b""
    md: MQMD = field(default_factory=MQMD)
    properties: dict[str, Property] = field(default_factory=dict)
    _: KW_ONLY
    remote_q: str = ""
    remote_q_mgr: str = ""

    def replace(self, **changes: Any) -> ExitMessage:
        """Return a copy with the named fields changed. Raises TypeError for an unknown field."""
        return replace(self, **changes)


def _refuse_put_next(_: ExitMessage) -> None:
    raise MQError("only an exit at a sender can put a next message", MQRC_API_EXIT_ERROR)


def _do_nothing(_: object) -> None:
    """Do nothing: default of operations that an end of a channel does not support."""


@dataclass(slots=True)
class ExitContext:
    """Context of an exit, the same from ``start`` to ``end``.

    chltype: SDR, SVR, RCVR or RQSTR.  queue_manager, profile: of this end.  peer: the other queue manager.
    data: this exit's part of MSGDATA.  max_message_length: bytes of data, the smaller of both ends' MAXMSGL.
    converts: whether the channel converts messages before its exits see them (CONVERT).
    put_next: at a sender, puts a follow-on message on the transmission queue; it is wrapped in an MQXQH for the
    message's remote queue, and gets an identifier when its own is all zeros.
    settle: at a sender, fixes the choice of an exit: the message passed replaces the stored one, so that a batch that
    is backed out sends the same again. The messages passed to put_next and settle in one call become
    permanent in one transaction, before the message is sent. The result of the batch does not matter.
    resolves_here: at a receiver, returns whether this queue manager is the destination of a message; None compares the
    message's queue manager with its own. Exits call ``is_final``.
    note: takes a text for the operator, such as why a message is suppressed.
    folders: below which an exit may write files at a receiver; None for any.
    """

    channel: str
    chltype: str
    queue_manager: str
    _: KW_ONLY
    peer: str = ""
    data: str = ""
    max_message_length: int = 4_194_304
    put_next: Callable[[ExitMessage], None] = _refuse_put_next
    settle: Callable[[ExitMessage], None] = _do_nothing
    resolves_here: Callable[[ExitMessage], bool] | None = None
    note: Callable[[str], None] = _do_nothing
    profile: str = "distributed"
    converts: bool = False
    folders: tuple[str, ...] | None = None

    @property
    def sends(self) -> bool:
        return self.chltype in SENDING_TYPES

    def is_final(self, message: ExitMessage) -> bool:
        """Return whether this queue manager is the destination of a message."""
        if self.resolves_here is not None:
            return self.resolves_here(message)
        return message.remote_q_mgr in ("", self.queue_manager)


@dataclass(slots=True)
class _Link:
    """One exit of a chain: name, object, its part of MSGDATA, and its context once started."""

    name: str
    call: Callable[[ExitContext, ExitMessage], Any]
    data: str
    context: ExitContext | None = None

    def start(self, context: ExitContext) -> None:
        own = replace(context, data=self.data)
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
            raise MQError(
                f"exit {self.name} returned {type(given).__name__}, not one message or None", MQRC_API_EXIT_ERROR
            )
        if given is not None and not isinstance(given.data, bytes):
            raise MQError(
                f"exit {self.name} returned data of type {type(given.data).__name__}, not bytes", MQRC_API_EXIT_ERROR
            )
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
    """The exits of one end of a running channel: started once, called for each message, ended once."""

    def __init__(self, links: list[_Link]) -> None:
        self._links = links
        self._started = False

    def start(self, context: ExitContext) -> None:
        """Start the exits in order, each with its own part of MSGDATA.

        Raises MQError: of the exit that fails, or MQRC_API_EXIT_INIT_ERROR; the caller must still end those before it.
        """
        if self._started:
            raise MQError("the exits are already started", MQRC_API_EXIT_INIT_ERROR)
        self._started = True
        for link in self._links:
            link.start(context)

    def __call__(self, message: ExitMessage) -> ExitMessage | None:
        """Return the message that the exits make of a message, None when one suppresses it. The argument is copied.

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
        """End the started exits, the last first; a second call does nothing.

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
    return ExitChain([_Link(name, _load(name), part) for name, part in parse_exits(names, data)])


def parse_exits(names: str, data: str) -> list[tuple[str, str]]:
    """Parse MSGEXIT and MSGDATA into names with their data. Raises MQError: MQRC_API_EXIT_LOAD_ERROR."""
    exits = [name.strip() for name in names.split(",")] if names.strip() else []
    parts = [part.strip() for part in data.split(",")] if data.strip() else []
    if len(parts) > len(exits):
        raise MQError(f"MSGDATA has {len(parts)} parts for {len(exits)} exits", MQRC_API_EXIT_LOAD_ERROR)
    parts += [""] * (len(exits) - len(parts))
    return list(zip(exits, parts, strict=True))


def _load(name: str) -> Callable[[ExitContext, ExitMessage], Any]:
    module_name, _, attribute = name.partition(":")
    if name in BUILT_IN:
        module_name, attribute = BUILT_IN[name]
    if not module_name or not attribute or module_name.startswith("."):
        raise MQError(f"{name!r} is not an exit: use REFERENCE or package.module:name", MQRC_API_EXIT_NOT_FOUND)
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
    """Return the reason for a failed import: distinguish a missing module from one that fails to load."""
    is_missing = isinstance(error, ModuleNotFoundError) and f"{module_name}.".startswith(f"{error.name}.")
    return MQRC_API_EXIT_NOT_FOUND if is_missing else MQRC_API_EXIT_LOAD_ERROR


def _failed(name: str, error: Exception, reason: int) -> MQError:
    """Return the error of an exit; an MQError keeps its reason."""
    if isinstance(error, MQError):
        return MQError(f"exit {name}: {error.text}", error.reason, hint=error.hint)
    return MQError(f"exit {name}: {type(error).__name__}: {error}", reason)


def _copy(message: ExitMessage) -> ExitMessage:
    """Return a deep copy, so that an exit cannot change the caller's message."""
    properties = {name: value.replace() for name, value in message.properties.items()}
    return message.replace(md=message.md.replace(), properties=properties)
