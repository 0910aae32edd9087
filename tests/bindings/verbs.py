"""Open, put and get with packed structures, for tests of what stands behind the bindings."""

from __future__ import annotations

from mqtools.bindings import pymqe
from mqtools.constants import cmqc
from mqtools.headers.structures_message import GMO, MD, OD, PMO

from .conftest import made

INPUT, OUTPUT = cmqc.MQOO_INPUT_AS_Q_DEF, cmqc.MQOO_OUTPUT
BOTH = INPUT | OUTPUT | cmqc.MQOO_INQUIRE | cmqc.MQOO_SET | cmqc.MQOO_BROWSE


def opened(h, name=b"DEV.QUEUE.1", options=BOTH):
    ho, _, comp_code, reason = pymqe.MQOPEN(h, made(OD, ObjectName=name), options)
    assert (comp_code, reason) == (0, 0)
    return ho


def put(h, ho, body=b"x", options=0, **md):
    packed_md, _, comp_code, reason = pymqe.MQPUT(h, ho, made(MD, **md), made(PMO, Options=options), body)
    assert (comp_code, reason) == (0, 0)
    return MD.unpack(packed_md)


def get(h, ho, md=None, length=100, **gmo):
    return pymqe.MQGET(h, ho, md or made(MD), made(GMO, **gmo), length)
