"""Administration commands as data, for every face: MQSC, PCF."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from mqtools.constants import cmqcfc as c
from mqtools.constants import reasons as rc
from mqtools.errors import MQError
from mqtools.rules.attributes.table import NAME, SWITCH, TEXT, Attribute, Table

#: Kinds of parameters that no attribute has.
INTEGERS, TEXTS = "integers", "texts"
#: Forms of the name of an object: of one, a pattern with ``*``, any characters, a pattern of channel names, and any or
#: none.
OBJECT, GENERIC, FREE, PROFILE, ANY = "object", "generic", "free", "profile", "any"

#: Verb to the authority that a command needs of a user who is checked. A verb that is not here needs CHG.
_AUTHORITIES = {"DEFINE": "CRT", "DELETE": "DLT", "CLEAR": "CLR", "DISPLAY": "DSP", "PING": "DSP"}

#: Reason of an error to that of the reply in PCF. A reason that is not here stays as it is.
REASONS: dict[Any, int] = {
    rc.MQRC_OBJECT_ALREADY_EXISTS: c.MQRCCF_OBJECT_ALREADY_EXISTS,
    rc.MQRC_OBJECT_NAME_ERROR: c.MQRCCF_OBJECT_NAME_ERROR,
    rc.MQRC_OBJECT_IN_USE: c.MQRCCF_OBJECT_OPEN,
    rc.MQRC_Q_TYPE_ERROR: c.MQRCCF_OBJECT_WRONG_TYPE,
}
CHANNEL_REASONS: dict[Any, int] = {
    rc.MQRC_OBJECT_ALREADY_EXISTS: c.MQRCCF_CHANNEL_ALREADY_EXISTS,
    rc.MQRC_OBJECT_NAME_ERROR: c.MQRCCF_CHANNEL_NAME_ERROR,
    rc.MQRC_OBJECT_IN_USE: c.MQRCCF_CHANNEL_IN_USE,
    rc.MQRC_OBJECT_TYPE_ERROR: c.MQRCCF_WRONG_CHANNEL_TYPE,
    rc.MQRC_UNKNOWN_CHANNEL_NAME: c.MQRCCF_CHANNEL_NOT_FOUND,
    rc.MQRC_CHANNEL_CONFIG_ERROR: c.MQRCCF_XMIT_Q_NAME_ERROR,
    rc.MQRC_NO_MSG_AVAILABLE: c.MQRCCF_COMMAND_FAILED,
}


class ParameterError(MQError):
    """Raised when a command fails for one of its parameters. parameter: its name.  number: that of an attribute."""

    def __init__(
        self, text: str, reason: int, parameter: str, *, number: int | None = None, hint: str | None = None
    ) -> None:
        super().__init__(text, reason, hint=hint)
        self.parameter = parameter
        self.number = number


class NothingFound(MQError):
    """Raised by a command that shows where nothing is found, with words about it."""

    reason = rc.MQRC_UNKNOWN_OBJECT_NAME


@dataclass(slots=True, frozen=True)
class CommandParameter(Attribute):
    """Parameter of a command. Without a keyword MQSC does not have it, without a selector PCF.

    name: argument of the function, empty for what has no effect.
    copy_selector: in PCF, of the command that copies.  form: of the name of the object.
    default: argument where the parameter is absent.  reason: of a wrong value in PCF.  missing: of a required one that
    is absent, 0 for that of its structure.
    """

    _: KW_ONLY
    copy_selector: int | None = None
    form: str = ""
    required: bool = False
    reason: int = c.MQRCCF_ATTR_VALUE_ERROR
    missing: int = 0

    def argument(self, number: int) -> int | str | None:
        """Return the argument for a number in PCF. Raises KeyError for one that no word has."""
        numbers = self.numbers or {value: int(value) for _, value in self.words}
        arguments: dict[int, int | str | None] = {own: argument for argument, own in numbers.items()}
        return arguments[number]

    def number(self, *, copies: bool) -> int | None:
        """Return the parameter of PCF, of the command itself or of the one that copies."""
        return self.copy_selector if copies and self.copy_selector is not None else self.selector


def name(
    selector: int | None, form: str = OBJECT, maximum: int = 48, *, copied_to: int | None = None
) -> CommandParameter:
    """Return the parameter for the name of the object. copied_to: its number in the command that copies."""
    return CommandParameter(
        "", "name", selector, NAME, maximum=maximum, form=form, copy_selector=copied_to, required=True
    )


def like(copied_from: int | None, maximum: int = 48) -> CommandParameter:
    """Return LIKE: in PCF the source of a copy."""
    return CommandParameter("LIKE", "like", None, TEXT, maximum=maximum, copy_selector=copied_from)


def flag(keyword: str, name: str, selector: int | None = None, reason: int = 0) -> CommandParameter:
    """Return a keyword without value, with its negation; in PCF 1 or 0."""
    return CommandParameter(keyword, name, selector, SWITCH, words=((keyword, 1), (f"NO{keyword}", 0)), reason=reason)


def ignored(*selectors: int) -> tuple[CommandParameter, ...]:
    """Return parameters of PCF that have no effect, whatever their structure."""
    return tuple(CommandParameter("", "", selector, "") for selector in selectors)


def named_type(arguments: Mapping[str, Any]) -> str:
    """Return the type of queue or channel that the parameters of a command name; empty for none."""
    return str(arguments.get("object_type") or arguments.get("channel_type") or "")


REPLACE = flag("REPLACE", "replace", c.MQIACF_REPLACE, c.MQRCCF_REPLACE_VALUE_ERROR)
#: Accepted without effect: an object is changed at once, even if programs have it open.
FORCE = flag("FORCE", "", c.MQIACF_FORCE, c.MQRCCF_FORCE_VALUE_ERROR)


def _nothing(_arguments: dict[str, Any]) -> tuple[()]:
    return ()


@dataclass(slots=True, frozen=True, kw_only=True)
class AdminCommand:
    """One command.

    verb, object_types: of MQSC; without object types it is a command of PCF only.  number: MQCMD_*, 0 for none.
    copy_number: of the command that defines an object like another.
    do: executes it with the parameters by name, behind the transaction, or the database for a command that shows;
    returns rows: the table of each and its values by name.
    table: of the attributes that it sets or shows; empty for the object type, or for a command with parameters only.
    sets: whether it takes attributes: argument ``values``.
    shows: whether its rows are shown.
    type_of: finds the object type of an object that a change in PCF does not name.
    finds: returns the attributes of an object by name, to check what a command from afar changes; none for an unknown
    object.
    check: returns what is wrong with the parameters together, in words.  lacks: takes out
    what MQ has and mqx lacks; returns it, with whether that is the whole command.
    done: number, or text, of the message of success; of a command that shows, of the title of each object.
    """

    verb: str
    object_types: tuple[str, ...] = ()
    number: int = 0
    copy_number: int = 0
    do: Callable[..., Any]
    parameters: tuple[CommandParameter, ...] = ()
    table: Table = ""
    sets: bool = False
    shows: bool = False
    type_of: Callable[..., str] | None = None
    finds: Callable[..., Mapping[str, Any]] | None = None
    check: Callable[[dict[str, Any]], Iterable[str]] = _nothing
    lacks: Callable[[dict[str, Any]], Iterable[tuple[str, bool]]] = _nothing
    done: str = ""
    #: Whether it is about what mqx lacks as a whole: any parameter is accepted in PCF, and nothing is found.
    is_absent: bool = False
    #: Steps of a long command ahead of ``do``, each in its own transaction.
    steps: Callable[..., object] | None = None
    #: Of a command that shows: the number of the list of attributes, attributes that are always shown, whether a
    #: pattern alone shows only these, whether a filter is possible, whether dead holders are released before, and
    #: whether a reply has every attribute that was requested.
    asked: int = 0
    always: tuple[str, ...] = ()
    is_brief: bool = False
    filters: bool = True
    recovers: bool = False
    completes: bool = False
    #: Where nothing is found: kind of object, or number of the message; reason; reason in PCF, where it differs, or
    #: what finds it.
    missing: str = ""
    missing_reason: int = rc.MQRC_UNKNOWN_OBJECT_NAME
    missing_pcf: int | Callable[..., int] = 0
    #: Reason of an error to that of the reply in PCF, also for one parameter only; reasons of errors whose reply has
    #: the parameter with the name of the object.
    reasons: Mapping[Any, int] = field(default_factory=lambda: REASONS)
    named_reasons: tuple[int, ...] = ()
    #: Faces in which only the owner of the file may execute it.
    owner_in: tuple[str, ...] = ()
    #: Object type (MQOT) whose authority counts, of the object by its name; otherwise that of the queue manager.
    protects: int | None = None

    def tables(self, arguments: Mapping[str, Any], object_type: str) -> list[Table]:
        """Return the tables that a command shows. object_type: of a command that has no table of its own."""
        named = arguments.get("tables")
        return [*str(named).split(",")] if named else [self.table or object_type]

    @property
    def authority(self) -> str:
        """The authority that it needs, as its MQSC word."""
        return _AUTHORITIES.get(self.verb, "CHG")
