"""``mqx put --segment``: segment each message, and put all segments of a message or none."""

from __future__ import annotations

from collections.abc import Iterator

from mqtools.constants.options import MQPMO_SYNCPOINT
from mqtools.constants.structures import MQMD_VERSION_2, MQMI_NONE
from mqtools.errors import MQError
from mqtools.headers.chain import header_length, walk
from mqtools.message import Message
from mqtools.mqi.connection import Connection
from mqtools.mqi.put import PutResult
from mqtools.rules.descriptor import SEGMENT_FLAGS
from mqtools.rules.reassembly import segment_fields

from .request import InputError


def check_whole(message: Message) -> None:
    """Raise InputError for a message that is a segment."""
    if message.md.msg_flags & SEGMENT_FLAGS:
        raise InputError("cannot segment a message that is a segment")


def segments_of(message: Message, size: int) -> Iterator[Message]:
    """Yield the segments of a message, each with a number of bytes of data; a short message stays whole.

    MQ headers stay with the first segment. Without a group id, the put of the first segment assigns one, which the
    others copy: so each segment must be put before the next is requested. The first has the id of the message, the
    others get ids of their own.
    """
    md, data = message.md.replace(version=MQMD_VERSION_2), message.data
    header = header_length(md, data)
    length = len(data) - header
    pieces = [(at, min(size, length - at)) for at in range(0, length, size)] or [(0, 0)]
    if len(pieces) == 1:
        yield message
        return
    first: Message | None = None
    body_format = walk(data, md.format, md.encoding, md.coded_char_set_id).body_format if header else md.format
    for (offset, bytes_of_data), fields in zip(pieces, segment_fields(md, pieces), strict=True):
        own = md.replace(**fields)
        if first is not None:
            own.msg_id, own.group_id, own.format = MQMI_NONE, first.md.group_id, body_format
        begin = header + offset if first is not None else 0
        part = Message(data[begin : header + offset + bytes_of_data], own, dict(message.properties), message.deliver_at)
        first = first or part
        yield part
    assert first is not None
    message.md = first.md


def put_segments(
    connection: Connection, q_name: str, message: Message, size: int, options: int, *, q_mgr_name: str, commits: bool
) -> tuple[list[PutResult], MQError | None]:
    """Put a message in segments, in a unit of work; return the results and the error, if any.

    commits: commit here, or back out on an error.
    """
    results, error = connection.put_each(
        q_name,
        segments_of(message, size),
        options | MQPMO_SYNCPOINT,
        q_mgr_name=q_mgr_name,
        keep_backout_count=False,
    )
    if commits and error is None:
        connection.commit()
    elif commits:
        connection.backout()
    return results, error
