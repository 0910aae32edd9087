"""Parts of a message's data. The code of headers is imported for the first message that has one."""

from __future__ import annotations

from mqtools.headers.formats import is_header_format
from mqtools.message import MQMD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mqtools.headers.mqdlh import MQDLH


def dead_letter_header(md: MQMD, data: bytes) -> MQDLH:
    """Read the MQDLH of a dead letter. data: its first MQDLH_LENGTH_1 bytes or more. Raises MQError: MQRC_DLH_ERROR."""
    from mqtools.headers.chain import read_dlh

    return read_dlh(md, data)


def split_at_body(data: bytes, format: str, encoding: int, ccsid: int) -> tuple[bytes, bytes, int, int]:
    """Split data into its complete headers and its body; return both, and Encoding and CodedCharSetId of the body.

    format, encoding, ccsid: of the data, as the descriptor says.
    """
    if not is_header_format(format):
        return b"", data, encoding, ccsid
    from mqtools.headers.chain import walk

    chain = walk(data, format, encoding, ccsid)
    return data[: chain.body_offset], data[chain.body_offset :], chain.body_encoding, chain.body_ccsid
