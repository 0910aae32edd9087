"""The persistence of a message on a transmission queue is seen without reading its MQXQH, or the whole is asked for."""

from __future__ import annotations

import pytest

from mqtools.constants.message import MQENC_NATIVE, MQFMT_MD_EXTENSION, MQFMT_STRING
from mqtools.constants.structures import MQXQH_LENGTH_1
from mqtools.errors import MQError
from mqtools.headers.mqxqh import MQXQH, pack_mqxqh, peek_persistence, unpack_mqxqh
from mqtools.message import MQMD

REVERSED = 273


def packed(encoding: int = MQENC_NATIVE, ccsid: int = 1208, **fields: object) -> bytes:
    """Return a message behind an MQXQH; fields: of its descriptor."""
    md = MQMD(version=1, **fields)  # type: ignore[arg-type]
    xqh = MQXQH(remote_q_name="ORDERS", remote_q_mgr_name="QM2", msg_desc=md)
    return pack_mqxqh(xqh, encoding, ccsid) + b"body"


@pytest.mark.parametrize("persistence", [0, 1, 2])
@pytest.mark.parametrize("ccsid", [1208, 819])
def test_the_persistence_is_that_of_the_descriptor(persistence: int, ccsid: int) -> None:
    data = packed(ccsid=ccsid, persistence=persistence, format=MQFMT_STRING)
    assert peek_persistence(data, MQENC_NATIVE, ccsid) == persistence


@pytest.mark.parametrize(
    ("encoding", "ccsid", "format"),
    [(REVERSED, 1208, ""), (MQENC_NATIVE, 500, ""), (MQENC_NATIVE, 1208, MQFMT_MD_EXTENSION)],
    ids=["bytes in another order", "EBCDIC", "an MQMDE"],
)
def test_what_is_written_in_another_way_has_to_be_read(encoding: int, ccsid: int, format: str) -> None:
    assert peek_persistence(packed(encoding, ccsid, format=format), encoding, ccsid) is None


def test_nothing_is_seen_in_what_cannot_be_read() -> None:
    whole = packed(persistence=1)
    damaged = [whole[:at] + b"\xff" + whole[at + 1 :] for at in range(MQXQH_LENGTH_1)]
    for data in (*damaged, whole[: MQXQH_LENGTH_1 - 1], b""):
        try:
            found = unpack_mqxqh(data, MQENC_NATIVE, 1208).msg_desc
        except MQError:
            assert peek_persistence(data, MQENC_NATIVE, 1208) is None
        else:
            assert peek_persistence(data, MQENC_NATIVE, 1208) in (found.persistence, None)
