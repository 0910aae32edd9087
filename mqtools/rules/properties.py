"""Message properties: the form in which a get returns them, and which of them a derived message has.

A property of the folder ``usr`` has two names, with and without that prefix. Its name here is the one it was set
under; out of an MQRFH2 it comes with the prefix. Selectors and message handles find it by both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from mqtools.constants.message import MQCCSI_INHERIT, MQFMT_RF_HEADER_2
from mqtools.constants.options import (
    MQGMO_NO_PROPERTIES,
    MQGMO_PROPERTIES_AS_Q_DEF,
    MQGMO_PROPERTIES_COMPATIBILITY,
    MQGMO_PROPERTIES_FORCE_MQRFH2,
    MQGMO_PROPERTIES_IN_HANDLE,
)
from mqtools.constants.properties import (
    MQCOPY_ALL,
    MQPROP_ALL,
    MQPROP_COMPATIBILITY,
    MQPROP_FORCE_MQRFH2,
    MQPROP_NONE,
    MQPROP_V6COMPAT,
    MQTYPE_NULL,
)
from mqtools.constants.reasons import MQRC_HMSG_ERROR, MQRC_OPTIONS_ERROR
from mqtools.errors import MQError
from mqtools.headers.chain import Chain, Header, walk
from mqtools.headers.charsets import inherited
from mqtools.headers.folders import build_folders, carries_properties, parse_folders
from mqtools.headers.mqrfh2 import MQRFH2, pack_mqrfh2
from mqtools.message import MQMD, Property
from mqtools.rules.options.get import PROPERTY_OPTIONS

#: Format, encoding and CCSID of what begins at some byte of a message.
Description: TypeAlias = tuple[str, int, int]

#: Where a get returns the properties of a message: in the message handle, in an MQRFH2 in front of the data,
#: nowhere, or (COMPAT) in an MQRFH2 if a name of them begins with one of COMPAT_PREFIXES, otherwise nowhere.
HANDLE, RFH2, COMPAT, NONE = "handle", "rfh2", "compat", "none"
_ERROR = "error"

_CONTROLS = (MQPROP_ALL, MQPROP_COMPATIBILITY, MQPROP_NONE, MQPROP_FORCE_MQRFH2, MQPROP_V6COMPAT)


def _each(form: str) -> dict[int, str]:
    return dict.fromkeys(_CONTROLS, form)


#: Property option of the get, and whether it has a message handle, to the queue's PropertyControl and what that
#: gives; _ERROR is MQRC_HMSG_ERROR. Two options together are in no row: MQRC_OPTIONS_ERROR (PROP-16, AMB-21).
#: MQPROP_V6COMPAT is taken as MQPROP_COMPATIBILITY. In MQ it differs: there an MQRFH2 of the sender comes back as it
#: was sent, its contents are in no handle, and properties set through a handle are never added to it.
PROPERTY_TABLE: dict[tuple[int, bool], dict[int, str]] = {
    # PROP-02, PROP-03, PROP-04
    (MQGMO_PROPERTIES_AS_Q_DEF, True): {**_each(HANDLE), MQPROP_FORCE_MQRFH2: RFH2},
    # PROP-01, PROP-08
    (MQGMO_PROPERTIES_AS_Q_DEF, False): {
        MQPROP_ALL: RFH2,
        MQPROP_COMPATIBILITY: COMPAT,
        MQPROP_NONE: NONE,
        MQPROP_FORCE_MQRFH2: RFH2,
        MQPROP_V6COMPAT: COMPAT,
    },
    (MQGMO_PROPERTIES_IN_HANDLE, True): _each(HANDLE),  # PROP-05, PROP-07
    (MQGMO_PROPERTIES_IN_HANDLE, False): _each(_ERROR),  # PROP-06
    (MQGMO_NO_PROPERTIES, True): _each(NONE),  # PROP-10
    (MQGMO_NO_PROPERTIES, False): _each(NONE),  # PROP-09
    (MQGMO_PROPERTIES_FORCE_MQRFH2, True): _each(RFH2),  # PROP-12
    (MQGMO_PROPERTIES_FORCE_MQRFH2, False): _each(RFH2),  # PROP-11
    (MQGMO_PROPERTIES_COMPATIBILITY, True): _each(COMPAT),  # PROP-14
    (MQGMO_PROPERTIES_COMPATIBILITY, False): _each(COMPAT),  # PROP-13 to PROP-15
}

#: Names that begin with one of these are of a folder that programs without message handles expect in an MQRFH2.
COMPAT_PREFIXES = ("mcd.", "jms.", "usr.", "mqext.")

_USR = "usr."
#: Characters around the text of a folder.
_AROUND = " \0\t\r\n"


def property_form(options: int, property_control: int, has_handle: bool) -> str:
    """Return the form in which a get returns properties: HANDLE, RFH2, COMPAT or NONE.

    options: MQGMO_*.  property_control: MQPROP_*, of the queue.  has_handle: whether the get has a message handle.
    Raises MQError: MQRC_HMSG_ERROR when the properties should be in a handle and there is none (PROP-06),
    MQRC_OPTIONS_ERROR for two property options at once (PROP-16).
    Source: PROP-01 to PROP-17.
    """
    row = PROPERTY_TABLE.get((options & PROPERTY_OPTIONS, has_handle))
    if row is None:
        raise MQError("a get returns properties in one form only", MQRC_OPTIONS_ERROR)
    result = row[property_control]
    if result == _ERROR:
        raise MQError("properties in a message handle need a message handle", MQRC_HMSG_ERROR)
    return result


def compat_gives_rfh2(names: Iterable[str]) -> bool:
    """Return whether properties of these names are returned in an MQRFH2 for COMPAT (PROP-13 to PROP-15)."""
    return any(name.startswith(COMPAT_PREFIXES) for name in names)


def apply_property_form(
    form: str, md: MQMD, data: bytes, properties: Mapping[str, Property], *, ccsid: int, encoding: int
) -> tuple[MQMD, bytes, dict[str, Property]]:
    """Return a stored message as a get returns it: descriptor, data, and the properties for the handle.

    form: what ``property_form`` said.  properties: of the message; the data may begin with an MQRFH2 that
    has them, or others, already: where an MQRFH2 is wanted and has all of them it comes back byte for byte.
    ccsid, encoding: of an MQRFH2 that has to be written, the queue manager's.
    The properties given are empty unless the form is HANDLE. A damaged MQRFH2 is data like any other here.
    """
    bare_md, bare_data, carried = from_sound_rfh2(md, data)
    everything = merge_properties(carried, properties)
    if form == COMPAT:
        form = RFH2 if compat_gives_rfh2(everything) else NONE
    if form != RFH2:
        return bare_md, bare_data, everything if form == HANDLE else {}
    if everything == carried:
        return md, data, {}
    return *into_rfh2(bare_md, bare_data, everything, ccsid=ccsid, encoding=encoding), {}


# Names


def other_name(name: str) -> str:
    """Return the other name of a property of the folder ``usr``, or the name itself if it has only one."""
    if not name.startswith(_USR):
        return name if "." in name else _USR + name
    rest = name[len(_USR) :]
    return name if "." in rest else rest


def full_name(name: str) -> str:
    """Return the name with its folder."""
    return name if "." in name else _USR + name


def is_value_and_group(name: str, names: Iterable[str]) -> bool:
    """Return whether a property would be a value and a group at once: ``x.y`` and ``x.y.z``."""
    path = full_name(name) + "."
    return any(path.startswith(full_name(held) + ".") != (full_name(held) + ".").startswith(path) for held in names)


def merge_properties(base: Mapping[str, Property], more: Mapping[str, Property]) -> dict[str, Property]:
    """Return the union of both sets; of a property in both, the later value under the earlier name."""
    result = dict(base)
    for name, value in more.items():
        other = other_name(name)
        result[other if other in result else name] = value
    return result


# Properties of a message that is made of another


def properties_for(action: int, properties: Mapping[str, Property]) -> dict[str, Property]:
    """Return the properties of an original that a message derived from it has.

    action: MQCOPY_FORWARD, MQCOPY_REPLY, MQCOPY_REPORT or MQCOPY_PUBLISH.
    Source: ACT-01, ACT-15, ACT-33, ACT-44, ACT-55.
    """
    wanted = action | MQCOPY_ALL
    return {name: value for name, value in properties.items() if value.copy_options & wanted}


def properties_of_made(
    action: int | None, original: Mapping[str, Property], new: Mapping[str, Property]
) -> dict[str, Property]:
    """Return all properties of a derived message: those of the original that it has, and the new ones.

    action: as for ``properties_for``, None for all.  new: one of type MQTYPE_NULL takes away the original's of its
    name; without such a one it is a property like others.
    Source: ACT-10, ACT-15 to ACT-19, ACT-33, ACT-44.
    """
    nulls = [name for name, value in new.items() if value.type == MQTYPE_NULL]
    removed = {name for name in nulls if name in original or other_name(name) in original}
    kept = dict(original) if action is None else properties_for(action, original)
    for name in removed:
        kept.pop(name, None)
        kept.pop(other_name(name), None)
    return merge_properties(kept, {name: value for name, value in new.items() if name not in removed})


# Properties in front of the data


def check_properties(properties: Mapping[str, Property]) -> None:
    """Check that an MQRFH2 can hold the properties; otherwise a get that wants one would always fail.

    Raises MQError: MQRC_PROPERTY_NAME_ERROR when a name is no path of elements or is a property and a group at once,
    MQRC_PROPERTY_TYPE_ERROR when a value does not fit its type.
    """
    build_folders(merge_properties({}, properties))


def into_rfh2(
    md: MQMD, data: bytes, properties: Mapping[str, Property], *, ccsid: int, encoding: int
) -> tuple[MQMD, bytes]:
    """Return a message with all properties in one MQRFH2 in front; without properties it is unchanged.

    Of the descriptor Format, Encoding and CodedCharSetId change: they describe the MQRFH2, which describes what
    follows.  ccsid, encoding: what the MQRFH2 is written in; its folders are in UTF-8.
    Raises MQError as ``check_properties``.
    """
    if not properties:
        return md, data
    header = MQRFH2(
        encoding=md.encoding,
        coded_char_set_id=md.coded_char_set_id or MQCCSI_INHERIT,
        format=md.format,
        folders=build_folders(merge_properties({}, properties)),
    )
    described = md.replace(format=MQFMT_RF_HEADER_2, encoding=encoding, coded_char_set_id=ccsid)
    return described, pack_mqrfh2(header, encoding, ccsid) + data


def from_rfh2(md: MQMD, data: bytes) -> tuple[MQMD, bytes, dict[str, Property]]:
    """Return a message without the properties in its leading MQRFH2 headers, and these properties.

    Removes folders with properties; the first of two equal names counts. Removes a header without other folders.
    Updates the fields that describe the rest. A header without
    properties, and headers behind one of another kind, stay as they are.
    What ``into_rfh2`` wrote gives equal properties, those without a folder under their name with ``usr.``.
    Raises MQError: MQRC_RFH_ERROR when the first header is damaged, MQRC_RFH_FORMAT_ERROR when a folder is.
    """
    run, rest_at = _leading(md, data)
    properties = _properties_of(run)
    if not properties and not any(_carries(folder) for header in run for folder in header.record.folders):
        return md, data, {}
    pieces = [data[rest_at:]]
    places = _descriptions(md, run)
    described = places[-1]
    for header, place, after in reversed(list(zip(run, places[:-1], places[1:], strict=True))):
        record = header.record
        folders = [folder for folder in record.folders if not _carries(folder)]
        if record.folders and not folders:
            continue
        if len(folders) == len(record.folders) and described == after:
            pieces.append(data[header.offset : header.offset + header.length])
        else:
            pieces.append(_rewritten(header, folders, described))
        described = place
    bare = md.replace(format=described[0], encoding=described[1], coded_char_set_id=described[2])
    return bare, b"".join(reversed(pieces)), properties


def from_sound_rfh2(md: MQMD, data: bytes) -> tuple[MQMD, bytes, dict[str, Property]]:
    """Return what ``from_rfh2`` does; a damaged MQRFH2 is data like any other."""
    try:
        return from_rfh2(md, data)
    except MQError:
        return md, data, {}


def rfh2_properties(md: MQMD, data: bytes) -> dict[str, Property]:
    """Return the properties in the leading MQRFH2 headers of a message.

    Raises MQError as ``from_rfh2``.
    """
    return _properties_of(_leading(md, data)[0])


def _leading(md: MQMD, data: bytes) -> tuple[list[Any], int]:
    """Return the unbroken run of MQRFH2 headers at the front, and the offset behind it."""
    if md.format != MQFMT_RF_HEADER_2:
        return [], 0
    chain: Chain = walk(data, md.format, md.encoding, md.coded_char_set_id)
    if chain.error is not None and not chain.headers:
        raise chain.error
    run: list[Header] = []
    for header in chain.headers:
        if header.format != MQFMT_RF_HEADER_2:
            break
        run.append(header)
    return run, run[-1].offset + run[-1].length


def _properties_of(run: list[Any]) -> dict[str, Property]:
    if not run:
        return {}
    parsed = parse_folders([folder for header in run for folder in header.record.folders])
    return {full_name(name): value for name, value in parsed.items()}


def _carries(folder: str) -> bool:
    return carries_properties(folder.strip(_AROUND))


def _descriptions(md: MQMD, run: list[Any]) -> list[Description]:
    """Return the description of each header of the run, and last of what follows it."""
    places: list[Description] = [(md.format, md.encoding, md.coded_char_set_id)]
    for header in run:
        places.append((header.record.format, *inherited(header.record, *places[-1][1:])))
    return places


def _rewritten(header: Any, folders: list[str], described: Description) -> bytes:
    format_name, encoding, ccsid = described
    record = header.record.replace(folders=folders, format=format_name, encoding=encoding, coded_char_set_id=ccsid)
    return pack_mqrfh2(record, header.encoding, header.ccsid)
