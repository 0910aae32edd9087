"""``mqx put --reference``: put a reference message, which names an object whose data the channel sends."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import click

from mqtools.constants.message import MQENC_NATIVE, MQFMT_REF_MSG_HEADER
from mqtools.constants.structures import MQOII_NONE, MQRMHF_LAST, MQRMHF_NOT_LAST
from mqtools.errors import MQError
from mqtools.headers.charsets import DEFAULT_CCSID
from mqtools.headers.mqrmh import MQRMH, pack_mqrmh, split_logical_offset
from mqtools.message import Message
from mqtools.rules.reference import object_path

from ..shared import click_options
from ..shared.command_session import UsageError, as_text
from ..shared.dependent_options import check_required, dependent_options
from .request import PutRequest

OBJECT_TYPE = "FLATFILE"

_SIZE = {"type": click_options.SIZE, "metavar": "N"}
#: Options that say more about a reference: none of them goes without it.
_ITS_OPTIONS: dict[str, tuple[dict[str, Any], str]] = {
    "object_type": ({"metavar": "TYPE"}, f"With --reference: object type; default: {OBJECT_TYPE}"),
    "dest_name": ({"metavar": "PATH"}, "With --reference: name at the destination; default: the same"),
    "offset": (_SIZE, "With --reference: offset of a portion; default: 0"),
    "length": (_SIZE, "With --reference: length of a portion in bytes; 0: the rest"),
    "instance_id": ({"type": click_options.ID}, "With --reference: instance id of the object; default: a new one"),
}
options = click_options.together(
    click.option(
        "--reference", metavar="PATH", help="Put a reference message for this file below the root folder of the channel"
    ),
    dependent_options(_ITS_OPTIONS),
)


def check(given: dict[str, Any]) -> None:
    """Raise UsageError for options that cannot be combined."""
    check_required(given, "reference", *_ITS_OPTIONS)
    if given["reference"] is None:
        return
    if given["segment"] is not None:
        raise UsageError(
            "--segment cannot be combined with --reference", "--offset and --length send an object in portions"
        )
    if given["last"] and (given["group_id"] is not None or given["msg_seq_number"] is not None):
        raise UsageError(
            "--last with --reference cannot be combined with --group-id or --seq: it is about the object",
        )


def messages(request: PutRequest, given: dict[str, Any]) -> Iterator[Message]:
    """Return the one message that names an object or a portion of it, without its data.

    Format, character set and encoding of the command line are those of the data. Raise UsageError for a name outside
    the root folder, and for values that do not fit the header.  Source: REF-05.
    """
    md = request.md
    low, high = split_logical_offset(given["offset"] or 0)
    source = _path("--reference", given["reference"])
    rmh = MQRMH(
        encoding=md.encoding,
        coded_char_set_id=md.coded_char_set_id or DEFAULT_CCSID,
        format=md.format,
        flags=MQRMHF_LAST if given["last"] else MQRMHF_NOT_LAST,
        object_type=OBJECT_TYPE if given["object_type"] is None else given["object_type"],
        object_instance_id=_instance_id(given),
        data_logical_length=given["length"] or 0,
        data_logical_offset=low,
        data_logical_offset2=high,
        src_name=source,
        dest_name=source if given["dest_name"] is None else _path("--dest-name", given["dest_name"]),
    )
    try:
        data = pack_mqrmh(rmh, MQENC_NATIVE, DEFAULT_CCSID)
    except MQError as error:
        raise UsageError(error.text) from error
    own = md.replace(format=MQFMT_REF_MSG_HEADER, encoding=MQENC_NATIVE, coded_char_set_id=DEFAULT_CCSID)
    return iter([Message(data, own, dict(request.properties))])


def _instance_id(given: dict[str, Any]) -> bytes:
    """Return the instance id: a new one for a whole object, as separate puts of portions could not share it."""
    if given["instance_id"] is not None:
        instance_id: bytes = given["instance_id"]
        return instance_id
    is_whole = given["offset"] is None and given["length"] is None
    return os.urandom(len(MQOII_NONE)) if is_whole else MQOII_NONE


def _path(option: str, name: str) -> str:
    """Return the name of an object. Raise UsageError for an invalid one."""
    try:
        return "/".join(object_path(as_text(name)))
    except MQError as error:
        raise UsageError(f"{option}: {error.text}", "names are relative to the root folder of the channel") from error
