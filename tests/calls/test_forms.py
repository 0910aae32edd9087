"""Calls with structures as clients send them: byte order, lengths of versions, strings behind the structure."""

from __future__ import annotations

import struct

import pytest

from mqtools.calls import messages, objects, sessions, subscriptions
from mqtools.constants import cmqc
from mqtools.errors import MQError
from mqtools.headers import fields
from mqtools.headers.structures_message import GMO, MD, OD, PMO, SD, SRO, STS

SENT = {
    **{OD: (168, 200, 336, 400), PMO: (128, 152, 176), GMO: (72, 80, 100, 112)},
    **{SD: (312,), STS: (224, 272), SRO: (16,)},
}
TABLE = [(one, version, length) for one, found in SENT.items() for version, length in enumerate(found, 1)]


@pytest.fixture(params="<>")
def order(request):
    return request.param


def sent(order, structure, texts=None, **values):
    """Return the bytes of a structure as a client sends it, its strings behind it."""
    given = {**structure.initial(), **values}
    length = 324 if structure is MD else SENT[structure][given["Version"] - 1]
    strings = b""
    for name, text in (texts or {}).items():
        raw = text.encode()
        given |= {f"{name}VSOffset": length + len(strings), f"{name}VSLength": len(raw), f"{name}VSPtr": 1}
        strings += raw + bytes(-len(raw) % 4)
    for name in [name for name in given if name.endswith("VSBufSize")]:
        given[name] = 10240
    return structure.packed(order).pack(given)[:length] + strings


def called(h, verb, *arguments):
    *results, comp_code, reason = sessions.call(h, verb, arguments, (None,) * 5)
    assert (comp_code, reason) == (0, 0)
    return results


@pytest.mark.parametrize(("structure", "version", "length"), TABLE)
def test_a_structure_is_as_long_as_its_version(order, structure, version, length):
    raw, form = sent(order, structure, Version=version), fields.WIRE[order]
    values = fields.read(structure, raw + b"what follows", form)
    assert values["Version"] == version
    assert len(fields.write(structure, values, form)) == length


def test_put_and_get_in_the_byte_order_and_versions_of_a_client(h, order):
    form = fields.WIRE[order]
    both = cmqc.MQOO_OUTPUT | cmqc.MQOO_INPUT_AS_Q_DEF
    ho, od = called(h, objects.open_object, sent(order, OD, Version=3, ObjectName=b"DEV.QUEUE.1"), both, form)
    assert (len(od), od[336 - 96 : 336 - 48].strip()) == (336, b"DEV.QUEUE.1")
    md, pmo = called(h, messages.put, ho, sent(order, MD, Priority=7), sent(order, PMO), b"body", form)
    assert (len(md), len(pmo)) == (324, 128)
    assert md[48:52] == b"AMQ "
    assert struct.unpack_from(f"{order}2i", pmo, 20) == (1, 0)
    data, md, gmo, length = called(h, messages.get, ho, sent(order, MD), sent(order, GMO), 100, form)
    assert (data, length, len(md), len(gmo)) == (b"body", 4, 324, 72)
    assert struct.unpack_from(f"{order}i", md, 40) == (7,)


def test_strings_follow_their_structure_and_pointers_are_never_followed(h, order):
    form = fields.WIRE[order]
    options = cmqc.MQSO_CREATE | cmqc.MQSO_MANAGED | cmqc.MQSO_DURABLE
    texts = {"ObjectString": "a/bcd", "SubName": "SUB", "SubUserData": "mine"}
    given = sent(order, SD, texts, Options=options) + b"what follows"
    sd, *_ = called(h, subscriptions.subscribe, given, -1, form)
    values = SD.packed(order).unpack(sd)
    found = {
        name: sd[values[f"{name}VSOffset"] :][: values[f"{name}VSLength"]]
        for name in ("ObjectString", "SubUserData", "ResObjectString")
    }
    assert found == {"ObjectString": b"", "SubUserData": b"mine", "ResObjectString": b"a/bcd"}
    assert values["ResObjectStringVSPtr"] == 0


@pytest.mark.parametrize("offset", [-1, 0, 1 << 30, -(1 << 31)])
@pytest.mark.parametrize("length", [-1, 5, (1 << 31) - 1])
def test_a_string_outside_of_what_was_sent_is_cut(order, offset, length):
    values = {"ObjectStringVSOffset": offset, "ObjectStringVSLength": length, "ObjectStringVSPtr": 8}
    raw = sent(order, OD, Version=4, **values)
    assert len(fields.read(OD, raw, fields.WIRE[order])["ObjectString"]) <= len(raw)


def test_another_version_has_the_reason_of_its_structure(order):
    with pytest.raises(MQError) as caught:
        fields.read(GMO, sent(order, GMO, Version=1)[:4] + bytes(68), fields.WIRE[order])
    assert caught.value.reason == cmqc.MQRC_GMO_ERROR
