"""Commands of the catalogue as PCF: their parameters are read from structures, their rows written as replies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mqtools.admin.commands.authority import check_changes
from mqtools.admin.commands.command_events import CommandSender, change
from mqtools.admin.pcf.request import InquiryFilter, PcfParameters
from mqtools.constants import cmqcfc as c
from mqtools.constants.objects import MQCA_FIRST, MQCA_LAST, MQMON_NOT_AVAILABLE
from mqtools.constants.reasons import MQRC_SELECTOR_ERROR
from mqtools.errors import MQError, StorageError
from mqtools.headers.pcf import PCFError
from mqtools.mqi import recovery
from mqtools.mqi.transaction import Work
from mqtools.rules.attributes.table import BYTES, INTEGER, NAME, SWITCH, TEXT, Attribute, rows_of
from mqtools.rules.commands.command import (
    INTEGERS,
    TEXTS,
    AdminCommand,
    CommandParameter,
    NothingFound,
    ParameterError,
    named_type,
)
from mqtools.rules.pcf.values import ParameterWriter, Replies

_HIGHEST_SELECTOR = 9000
#: Values by name, as PCF has them.
Values = Mapping[str, Any]


def execute(
    command: AdminCommand, number: int, work: Work, parameters: PcfParameters, sender: CommandSender
) -> Replies:
    """Execute a command and return its replies. number: MQCMD_*.

    Raises MQError, PCFError.
    """
    copies = number == command.copy_number
    try:
        if command.shows:
            return _inquire(command, work, parameters, ParameterWriter(work.qmgr.coded_char_set_id))
        arguments = _read_change(command, work, parameters, copies=copies)
        check_changes(command, work.db, sender.user, arguments)
        change(work, command, arguments, sender)
    except NothingFound as error:
        raise _none_found(command, work, {}) from error
    except (PCFError, StorageError):
        raise
    except MQError as error:
        raise as_pcf(command, error, copies=copies) from error
    return []


def read_arguments(command: AdminCommand, parameters: PcfParameters, *, copies: bool = False) -> dict[str, Any]:
    """Consume the parameters of a command that no attribute is: name to value."""
    rows = [row for row in command.parameters if row.number(copies=copies) is not None]
    found = {row.name: _argument(parameters, row, row.number(copies=copies) or 0, copies=copies) for row in rows}
    found.pop("", None)
    return found


def _argument(parameters: PcfParameters, row: CommandParameter, number: int, *, copies: bool) -> Any:
    """Consume one parameter; return the argument. Raises PCFError."""
    if row.kind == "":
        return parameters.ignore(number)
    if row.missing and not parameters.has(number):
        raise PCFError(f"parameter {number} is missing", row.missing, number)
    is_required = row.required or (copies and row.copy_selector is not None)
    if row.kind == SWITCH:
        return parameters.flag(number, row.reason)
    if row.kind in (TEXT, NAME):
        found: Any = (parameters.name if is_required else parameters.text)(number, row.maximum)
    elif row.kind == TEXTS:
        found = parameters.texts(number, row.maximum)
    elif row.kind == INTEGERS:
        found = parameters.integers(number)
    elif row.kind == BYTES:
        raw = parameters.byte_string(number)
        found = None if raw is None else raw.hex().upper()
    else:
        found = _checked(row, parameters.value(number) if is_required else parameters.integer(number), number)
    return row.default if found is None else found


def _checked(row: CommandParameter, value: int | None, number: int) -> Any:
    """Return the argument of an integer. Raises PCFError with the reason of its parameter, if any."""
    if value is None or (row.kind == INTEGER and row.minimum <= value <= row.maximum):
        return value
    try:
        return row.argument(value)
    except KeyError as error:
        if row.reason:
            raise PCFError(f"parameter {number} cannot be {value}", row.reason, number) from error
        return None


def _read_change(command: AdminCommand, work: Work, parameters: PcfParameters, *, copies: bool) -> dict[str, Any]:
    """Consume all parameters of a command that shows nothing."""
    arguments = read_arguments(command, parameters, copies=copies)
    if command.sets:
        object_type = named_type(arguments) or str(command.table)
        if command.type_of is not None:
            object_type = command.type_of(work.db, arguments["name"], object_type or None)
        arguments["values"] = parameters.attributes(object_type)
    parameters.finish()
    if "like" not in arguments and any(row.name == "like" for row in command.parameters):
        arguments["like"] = None
    return arguments


def _inquire(command: AdminCommand, work: Work, parameters: PcfParameters, writer: ParameterWriter) -> Replies:
    arguments = read_arguments(command, parameters)
    object_type = command.object_types[-1] if command.object_types else ""
    rows = [row for table in command.tables(arguments, object_type) for row in rows_of(table)]
    where = parameters.filter(rows) if command.filters else None
    asked = parameters.integers(command.asked) if command.asked else None
    wants = _requested(asked, command.always, where)
    parameters.finish()
    if command.recovers:
        recovery.recover(work)
    replies: Replies = []
    for table, shown in command.do(work if command.verb == "RESET" else work.db, **arguments):
        values = writer.values(table, shown)
        if where is None or where.passes(values):
            reply = writer.attributes([row for row in rows_of(table) if wants(row)], values)
            replies.append(_complete(reply, asked, writer) if command.completes else reply)
    if replies:
        return replies
    raise _none_found(command, work, arguments)


def _none_found(command: AdminCommand, work: Work, arguments: Values) -> PCFError:
    name, reason = arguments.get("name") or "*", command.missing_pcf
    number = reason(work.db, name) if callable(reason) else reason or command.missing_reason
    return PCFError(f"{name} does not exist", command.reasons.get(number, number), _name_number(command))


def _requested(
    asked: Sequence[int] | None, always: Sequence[str], where: InquiryFilter | None
) -> Callable[[Attribute], bool]:
    """Return what tells whether an attribute is requested.

    asked: parameter numbers; None for all.  always: names that are always included.
    Raises PCFError: MQRC_SELECTOR_ERROR for a number that no object has as an attribute. Ignores attributes of other
    kinds of objects.
    """
    if asked is None or c.MQIACF_ALL in asked:
        return lambda _row: True
    for selector in asked:
        if not 0 < selector <= _HIGHEST_SELECTOR:
            raise PCFError(f"{selector} is not an attribute", MQRC_SELECTOR_ERROR)
    names = {*always, *((where.name,) if where else ())}
    return lambda row: row.selector in asked or row.name in names


def _complete(reply: list[Any], asked: Sequence[int] | None, writer: ParameterWriter) -> list[Any]:
    """Return a status with all requested attributes: without a value, a blank text or MQMON_NOT_AVAILABLE."""
    present = {parameter.parameter for parameter in reply} | {c.MQIACF_ALL}
    missing = [number for number in dict.fromkeys(asked or ()) if number <= MQCA_LAST and number not in present]
    return reply + [writer.parameter(each, "" if each >= MQCA_FIRST else MQMON_NOT_AVAILABLE) for each in missing]


def _name_number(command: AdminCommand) -> int | None:
    return next((row.selector for row in command.parameters if row.name == "name"), None)


def as_pcf(command: AdminCommand, error: MQError, *, copies: bool) -> PCFError:
    """Return an error of a function with the reason, and the parameter, that PCF has for it."""
    name = error.parameter if isinstance(error, ParameterError) else ""
    own_number = error.number if isinstance(error, ParameterError) else None
    reason = command.reasons.get((name, error.reason), command.reasons.get(error.reason, error.reason))
    number = next((row.number(copies=copies) for row in command.parameters if name and row.name == name), own_number)
    if not name and error.reason in command.named_reasons:
        number = _name_number(command)
    return PCFError(error.text, reason, number)
