"""PCF commands on objects that are stored but have no effect; the kinds are in ``rules.pcf.stored_objects``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mqtools.admin.pcf.request import PcfParameters
from mqtools.constants import cmqc, objects
from mqtools.constants import cmqcfc as c
from mqtools.constants.reasons import MQRC_OBJECT_ALREADY_EXISTS, MQRC_OBJECT_NAME_ERROR, MQRC_UNKNOWN_OBJECT_NAME
from mqtools.formats.mqsc.script import matches_name
from mqtools.headers.pcf import PCFError
from mqtools.mqi.transaction import Work
from mqtools.rules.attributes.table import attributes_of
from mqtools.rules.object_names import is_valid_name
from mqtools.rules.pcf.stored_objects import NAMELIST, Kind
from mqtools.store import objects as statements

if TYPE_CHECKING:
    from mqtools.admin.pcf.values import ParameterWriter, Replies

#: Types that narrow an inquiry, of the kind of object that has one.
_TYPES = (cmqc.MQIA_AUTH_INFO_TYPE, cmqc.MQIA_TOPIC_TYPE)


def create(work: Work, parameters: PcfParameters, _writer: ParameterWriter, kind: Kind) -> Replies:
    """Create an object, or replace one."""
    name = _check_name(parameters.name(kind.name), kind.name)
    replace = parameters.flag(c.MQIACF_REPLACE, c.MQRCCF_REPLACE_VALUE_ERROR)
    _check_new(work, kind, name, replace=replace)
    start = find(work, kind, kind.model) if kind.model else kind.defaults
    _write(work, kind, name, {**start, **_attributes(parameters, kind)})
    parameters.finish()
    return []


def copy(work: Work, parameters: PcfParameters, _writer: ParameterWriter, kind: Kind) -> Replies:
    """Create an object with the attributes of another."""
    values = find(work, kind, parameters.name(kind.from_name))
    name = _check_name(parameters.name(kind.to_name), kind.to_name)
    replace = parameters.flag(c.MQIACF_REPLACE, c.MQRCCF_REPLACE_VALUE_ERROR)
    _check_new(work, kind, name, replace=replace)
    _write(work, kind, name, {**values, **_attributes(parameters, kind)})
    parameters.finish()
    return []


def change(work: Work, parameters: PcfParameters, _writer: ParameterWriter, kind: Kind) -> Replies:
    """Change attributes of an object."""
    name = parameters.name(kind.name)
    values = find(work, kind, name)
    _write(work, kind, name, {**values, **_attributes(parameters, kind)})
    parameters.finish()
    return []


def delete(work: Work, parameters: PcfParameters, _writer: ParameterWriter, kind: Kind) -> Replies:
    """Delete an object."""
    name = parameters.name(kind.name)
    parameters.ignore(c.MQIACF_REMOVE_AUTHREC)
    parameters.finish()
    work.durable = True
    if not statements.delete(work.db, kind.kind, name):
        raise _unknown(kind, name)
    return []


def inquire(work: Work, parameters: PcfParameters, writer: ParameterWriter, kind: Kind) -> Replies:
    """Return the objects that match a generic name, with all attributes or those requested."""
    pattern = parameters.name(kind.name)
    asked = parameters.integers(kind.attrs)
    types = {number: parameters.integer(number) for number in _TYPES}
    if types[cmqc.MQIA_TOPIC_TYPE] == cmqc.MQTOPT_ALL:
        types[cmqc.MQIA_TOPIC_TYPE] = None
    parameters.finish()
    replies = _matching(work, kind, pattern, writer, asked, types)
    if not replies:
        raise _unknown(kind, pattern)
    return replies


def _matching(
    work: Work,
    kind: Kind,
    pattern: str,
    writer: ParameterWriter,
    asked: Sequence[int] | None,
    types: Mapping[int, int | None],
) -> Replies:
    """Return the objects that match a generic name as replies. types: required attribute values; None for any."""
    everything = asked is None or c.MQIACF_ALL in asked
    replies: Replies = []
    for name, values in values_of(work, kind, pattern).items():
        if all(value in (None, values.get(number)) for number, value in types.items()):
            shown = [writer.parameter(kind.name, name)]
            shown += [
                writer.parameter(number, value)
                for number, value in sorted(values.items())
                if everything or number in types or number in (asked or ())
            ]
            replies.append(shown)
    return replies


def inquire_names(work: Work, parameters: PcfParameters, writer: ParameterWriter, kind: Kind) -> Replies:
    """Return the names that match a generic name in one reply."""
    pattern = parameters.name(kind.name)
    parameters.finish()
    return [[writer.parameter(kind.names, [name.ljust(48) for name in values_of(work, kind, pattern)])]]


def values_of(work: Work, kind: Kind, pattern: str) -> dict[str, dict[int, Any]]:
    """Return the objects that match a generic name: name to values by parameter."""
    names = sorted({*kind.born, *statements.names(work.db, kind.kind)})
    return {name: find(work, kind, name) for name in names if matches_name(pattern, name)}


def find(work: Work, kind: Kind, name: str) -> dict[int, Any]:
    """Return the values of one object. Raises PCFError: MQRC_UNKNOWN_OBJECT_NAME."""
    kept = statements.definition(work.db, kind.kind, name)
    if kept is None and name in kind.born:
        return {**kind.defaults, **kind.born[name]}
    if kept is None:
        raise _unknown(kind, name)
    return {**kind.defaults, **{int(number): value for number, value in kept.items()}}


def _attributes(parameters: PcfParameters, kind: Kind) -> dict[int, Any]:
    """Consume the rest as attributes by parameter. Raises PCFError: MQRCCF_ATTR_VALUE_ERROR."""
    rows = attributes_of(kind.object_type)
    if not rows:
        return dict(parameters.rest())
    values = parameters.attributes(kind.object_type, rows)
    return {row.selector: values[row.name] for row in rows if row.selector is not None and row.name in values}


def _write(work: Work, kind: Kind, name: str, values: dict[int, Any]) -> None:
    if kind is NAMELIST:
        names = values[objects.MQCA_NAMES]
        values[objects.MQCA_NAMES] = [names] if isinstance(names, str) else names
        values[objects.MQIA_NAME_COUNT] = len(values[objects.MQCA_NAMES])
    statements.define(work.db, kind.kind, name, {str(number): value for number, value in values.items()})
    work.durable = True


def _check_new(work: Work, kind: Kind, name: str, *, replace: bool) -> None:
    exists = statements.definition(work.db, kind.kind, name) is not None or name in kind.born
    if exists and not replace:
        raise PCFError(f"{name} already exists", MQRC_OBJECT_ALREADY_EXISTS, kind.name)


def _check_name(name: str, number: int) -> str:
    if not is_valid_name(name):
        raise PCFError(f"{name!r} is not a valid name", MQRC_OBJECT_NAME_ERROR, number)
    return name


def _unknown(kind: Kind, name: str) -> PCFError:
    return PCFError(f"{kind.kind.replace('_', ' ')} {name} does not exist", MQRC_UNKNOWN_OBJECT_NAME, kind.name)
