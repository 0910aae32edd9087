"""Character fields of the descriptor that are no text in the queue manager's CCSID keep their bytes on every path."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from mqtools.admin import queue_managers
from mqtools.formats.dump.fields import CODES
from mqtools.message import CHARACTER_FIELDS

#: Field to the code of an attribute line that shows it, the hexadecimal one where there are two.
_SHOWN = {field: code for code, field, _, _ in CODES if field in CHARACTER_FIELDS and code not in ("AID", "AOD")}
_NUMBER = 40


def random_fields(seed: int) -> Iterator[dict[str, bytes]]:
    """Yield descriptors: every character field full of bytes that a line of a dump can hold.

    A null ends a field of a program, and a line ends with LF or CR: these are not among them.
    """
    chance = random.Random(seed)
    allowed = [byte for byte in range(1, 256) if byte not in b"\n\r"]
    for number in range(_NUMBER):
        # The first is all of one kind: bytes that no UTF-8 has.
        choice = [0x80 + number, 0xFF] if number < 3 else allowed
        yield {
            field: bytes(chance.choice(choice) for _ in range(length - 1)) + b"."
            for field, length in CHARACTER_FIELDS.items()
        }


def dump_of(fields: dict[str, bytes], number: int) -> bytes:
    lines = [
        b"A %b %b" % (code.encode(), fields[field].hex().upper().encode() if code in ("AIX", "AOX") else fields[field])
        for field, code in _SHOWN.items()
    ]
    return b"\n".join([*lines, b"X %04X" % number, b"", b""])


def lines_of(dump: bytes) -> list[bytes]:
    """The attribute lines of character fields, and the comments that would be made of what does not fit one."""
    begins = tuple(b"A " + code.encode() for code in _SHOWN.values())
    return [line for line in dump.split(b"\n") if line.startswith((*begins, b"* mqx"))]


@pytest.fixture(params=[1208, 819])
def ccsid(request: Any) -> int:
    """The CCSID of the queue managers."""
    number: int = request.param
    return number


@pytest.fixture
def loaded(mqx: Callable[..., Any], environment: dict[str, str], monkeypatch: Any, ccsid: int) -> list[bytes]:
    """QM1 with a CCSID and messages on DEV.QUEUE.1; the lines of the dump that they were loaded from."""
    for name in ("HOME", "MQX_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, environment[name])
    monkeypatch.delenv("MQX_QMGR", raising=False)
    for name in ("QM1", "QM2"):
        queue_managers.create(name, developer=True, ccsid=ccsid)
    dump = b"* QLOAD Version:8.0\n\n" + b"".join(map(dump_of, random_fields(ccsid), range(_NUMBER)))
    mqx("-m", "QM1", "load", "DEV.QUEUE.1", stdin=dump, check=True)
    return lines_of(dump)


def unloaded(mqx: Callable[..., Any], queue: str, q_mgr: str = "QM1") -> list[bytes]:
    return lines_of(mqx("-m", q_mgr, "unload", queue, check=True).out)


def test_a_load_and_an_unload_keep_every_byte(mqx: Callable[..., Any], loaded: list[bytes]) -> None:
    by_line = {line[:5]: line for line in unloaded(mqx, "DEV.QUEUE.1")[: len(_SHOWN)]}
    assert by_line == {line[:5]: line for line in loaded[: len(_SHOWN)]}
    assert sorted(unloaded(mqx, "DEV.QUEUE.1")) == sorted(loaded)


def test_json_keeps_every_byte_and_is_read_back(mqx: Callable[..., Any], loaded: list[bytes]) -> None:
    shown = mqx("-m", "QM1", "browse", "DEV.QUEUE.1", "-o", "jsonl", check=True).out
    mqx("-m", "QM1", "put", "DEV.QUEUE.2", "--jsonl", "--keep-context", stdin=shown, check=True)
    mqx("-m", "QM1", "load", "DEV.QUEUE.3", "--jsonl", stdin=shown, check=True)
    assert sorted(unloaded(mqx, "DEV.QUEUE.2")) == sorted(unloaded(mqx, "DEV.QUEUE.3")) == sorted(loaded)


def test_a_channel_keeps_every_byte(mqx: Callable[..., Any], loaded: list[bytes]) -> None:
    mqsc = (
        "DEFINE QLOCAL(QM2) USAGE(XMITQ)",
        "DEFINE CHANNEL(A.TO.B) CHLTYPE(SDR) XMITQ(QM2) CONNAME('qmgr:QM2')",
    )
    mqx("-m", "QM1", "mqsc", *mqsc, check=True)
    mqx("-m", "QM2", "mqsc", "DEFINE CHANNEL(A.TO.B) CHLTYPE(RCVR)", check=True)
    mqx("-m", "QM1", "move", "DEV.QUEUE.1", "DEV.QUEUE.2@QM2", check=True)
    mqx("-m", "QM1", "channel", "start", "A.TO.B", "--drain", check=True)
    assert sorted(unloaded(mqx, "DEV.QUEUE.2", "QM2")) == sorted(loaded)


def test_programs_get_and_put_every_byte(
    mqx: Callable[..., Any], loaded: list[bytes], ccsid: int, tmp_path: Any
) -> None:
    program = tmp_path / "carry.py"
    program.write_text(_CARRY)
    out = mqx("run", "-m", "QM1", str(program), check=True).out
    got = [{field: bytes.fromhex(digits) for field, digits in fields.items()} for fields in json.loads(out)]
    assert got == list(random_fields(ccsid))
    assert sorted(unloaded(mqx, "DEV.QUEUE.2")) == sorted(loaded)


_CARRY = """
import json
import pymqi
from pymqi import CMQC

qmgr = pymqi.connect("QM1")
source = pymqi.Queue(qmgr, "DEV.QUEUE.1", CMQC.MQOO_INPUT_AS_Q_DEF)
target = pymqi.Queue(qmgr, "DEV.QUEUE.2", CMQC.MQOO_OUTPUT | CMQC.MQOO_SET_ALL_CONTEXT)
seen = []
while True:
    md = pymqi.MD()
    try:
        body = source.get(None, md)
    except pymqi.MQMIError:
        break
    seen.append({
        "format": md.Format.hex(), "reply_to_q": md.ReplyToQ.hex(), "reply_to_q_mgr": md.ReplyToQMgr.hex(),
        "user_identifier": md.UserIdentifier.hex(), "appl_identity_data": md.ApplIdentityData.hex(),
        "put_appl_name": md.PutApplName.hex(), "put_date": md.PutDate.hex(), "put_time": md.PutTime.hex(),
        "appl_origin_data": md.ApplOriginData.hex(),
    })
    target.put(body, md, pymqi.PMO(Options=CMQC.MQPMO_SET_ALL_CONTEXT))
print(json.dumps(seen))
"""


@pytest.fixture
def latin(mqx: Callable[..., Any], qm: str) -> None:
    """A message whose user is in Latin-1, on a queue manager of UTF-8."""
    mqx("load", "DEV.QUEUE.1", stdin=b"* QLOAD Version:8.0\n\nA USR Jos\xe9\nA AOX FE80FF01\nX 4142\n", check=True)


@pytest.mark.usefixtures("latin")
def test_json_has_a_form_for_what_is_no_text(browse: Callable[..., Any]) -> None:
    (shown,) = browse("DEV.QUEUE.1")
    assert shown["md"]["user_identifier"] == {"b64": base64.b64encode(b"Jos\xe9").decode()}
    assert shown["md"]["appl_origin_data"] == {"b64": "/oD/AQ=="}
    assert shown["md"]["put_appl_name"] == ""


@pytest.mark.usefixtures("latin")
def test_a_listing_is_read_back_byte_by_byte(mqx: Callable[..., Any]) -> None:
    listing = mqx("browse", "DEV.QUEUE.1", "-o", "listing", check=True).out
    assert b"UserIdentifier   : X'4A6F73E9'" in listing
    mqx("load", "DEV.QUEUE.2", stdin=listing, check=True)
    assert unloaded(mqx, "DEV.QUEUE.2") == unloaded(mqx, "DEV.QUEUE.1")


@pytest.mark.usefixtures("latin")
def test_selectors_sql_and_commands_see_the_bytes(mqx: Callable[..., Any]) -> None:
    assert mqx("browse", "DEV.QUEUE.1", "--where", "Root.MQMD.UserIdentifier LIKE 'Jos_'").status == 0
    assert mqx("browse", "DEV.QUEUE.1", "--where", "Root.MQMD.UserIdentifier = 'José'").status == 3
    assert mqx("sql", "select user_identifier from messages", check=True).out.strip().endswith(b"Jos\\xe9")
    script = 'printf %s "$MQX_USER_IDENTIFIER" | od -An -tx1'
    assert mqx("get", "DEV.QUEUE.1", "--exec", script, check=True).out.split() == [b"4a", b"6f", b"73", b"e9"]


def test_a_field_in_the_queue_managers_own_ccsid_is_text(
    mqx: Callable[..., Any], environment: dict[str, str], monkeypatch: Any
) -> None:
    for name in ("HOME", "MQX_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, environment[name])
    queue_managers.create("QM1", developer=True, ccsid=819)
    mqx("-m", "QM1", "load", "DEV.QUEUE.1", stdin=b"* QLOAD Version:8.0\n\nA USR Jos\xe9\nX 41\n", check=True)
    (shown,) = json.loads(mqx("-m", "QM1", "browse", "DEV.QUEUE.1", "-o", "json", check=True).out)
    assert shown["md"]["user_identifier"] == "José"
    assert mqx("-m", "QM1", "browse", "DEV.QUEUE.1", "--where", "Root.MQMD.UserIdentifier = 'José'").status == 0
