"""Some gets of a unit of work made final before the rest of it, as a channel does with fast messages."""

from __future__ import annotations

import pytest

from mqtools.constants.options import MQGMO_SYNCPOINT
from mqtools.mqi import units_of_work
from mqtools.mqi.resolution import find_queue

from ...rows import CHUNK


@pytest.mark.parametrize("journal", [0, 2], ids=["without a journal", "with a journal"])
def test_what_is_confirmed_stays_away_when_the_rest_is_backed_out(qm, journal):
    qm.alter("Q", journal=journal)
    bodies = [b"a", b"b" * (2 * CHUNK), *(b"%d" % number for number in range(70)), b"last"]
    for body in bodies:
        qm.put(body)
    other = qm.put("another's", "R")
    handle = qm.open()
    seqs = [int.from_bytes(handle.get(MQGMO_SYNCPOINT).msg_token, "big") for _ in bodies]
    theirs = qm.connect()
    held = qm.open("R", connection=theirs).get(MQGMO_SYNCPOINT)
    with qm.main.work() as work:
        holder_id = qm.main.unit_of_work(work)
        asked = [*seqs[:-1], int.from_bytes(held.msg_token, "big"), 1]
        units_of_work.confirm_got(work, holder_id, asked)
    assert [find_queue(qm.main.db, name).uncommitted for name in "QR"] == [1, 1]
    assert qm.main.db.one("select count(*) from message_chunks") == (0,)
    qm.main.backout()
    theirs.backout()
    assert (qm.data("Q"), qm.data("R")) == ([b"last"], [b"another's"])
    assert (qm.depth("Q"), qm.depth("R")) == (1, 1)
    assert qm.got("R")[0].message.md.msg_id == other.msg_id
    events = qm.main.db.all("select event, count(*) from journal where queue = 'Q' group by event order by event")
    assert events == ([("backout", 1), ("get", len(bodies) - 1), ("put", len(bodies))] if journal else [])
