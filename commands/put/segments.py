"""``mqx put --segment``: each message cut into segments by its sender, and all of them put or none."""

from __future__ import annotations

from mqtools.constants.message import MQMF_LAST_SEGMENT, MQMF_SEGMENT
from mqtools.constants.options import MQPMO_SYNCPOINT
from mqtools.constants.structures import MQMD_VERSION_2, MQMI_NONE
from mqtools.headers.chain import header_length, walk
from mqtools.message import Message
from mqtools.rules.reassembly import segment_fields

from .request import InputMistake

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from mqtools.errors import MQError
    from mqtools.mqi.connection import Connection
    from mqtools.mqi.put import PutResult

_SEGMENT_FLAGS = MQMF_SEGMENT | MQMF_LAST_SEGMENT


def check_whole(message: Message) -> None:
    """Refuse to cut what is a segment already. Raises InputMistake."""
    if message.md.msg_flags & _SEGMENT_FLAGS:
        raise InputMistake("a message that is a segment already cannot be cut into segments")


def segments_of(message: Message, size: int) -> Iterator[Message]:
    """Cut a message into segments of so many bytes of data; one that is no longer stays whole.

    MQ headers in front stay with the first segment. Where the message has no group id, the first segment gets one
    as it is put, and the others have it too: so each has to be put before the next is asked for. The first has the
    message's id, the others get one of their own.
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
        part = Message(data[begin : header + offset + bytes_of_data], own, dict(message.properties))
        first = first or part
        yield part
    assert first is not None
    message.md = first.md


def put_segments(
    connection: Connection, q_name: str, message: Message, size: int, options: int, *, q_mgr_name: str, commits: bool
) -> tuple[list[PutResult], MQError | None]:
    """Put a message in segments, in a unit of work: what its puts gave, and the error that ended them or None.

    commits: commit them here, or back them out on an error.
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
