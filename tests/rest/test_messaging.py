"""Messages over REST: put, browse, get, list, publish; headers both ways."""

from __future__ import annotations

from typing import Any

import pytest

from mqtools.admin.mqsc.run import run_mqsc
from mqtools.constants.message import (
    MQENC_NATIVE,
    MQFMT_RF_HEADER_2,
    MQFMT_STRING,
    MQPER_NOT_PERSISTENT,
    MQPER_PERSISTENT,
)
from mqtools.constants.options import MQOO_INPUT_SHARED
from mqtools.constants.properties import MQTYPE_INT8
from mqtools.headers.mqrfh2 import MQRFH2, pack_mqrfh2
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import Connection
from mqtools.mqi.objects.definitions import alter_queue

from .conftest import ADMIN, APP, MESSAGES, V2, V3, error_of

Q = "DEV.QUEUE.1"


def got(qm: Connection, queue: str = Q) -> Message:
    with qm.open(queue, MQOO_INPUT_SHARED) as handle:
        return handle.get().message


def test_a_put_makes_a_text_message_of_its_user(client: Any, qm: Connection) -> None:
    answer = client.post(V2 + MESSAGES, content="hällo", headers={"content-type": "text/plain;charset=utf-8"})
    message = got(qm)
    assert (answer.status_code, answer.headers["ibm-mq-md-messageid"]) == (201, message.md.msg_id.hex())
    assert message.data.decode() == "hällo"
    assert (message.md.format, message.md.coded_char_set_id, message.md.user_identifier) == (MQFMT_STRING, 1208, "app")
    assert (message.md.persistence, message.md.priority, message.md.expiry) == (MQPER_NOT_PERSISTENT, 4, -1)


def test_headers_set_the_descriptor(client: Any, qm: Connection) -> None:
    headers = {
        "ibm-mq-md-persistence": "persistent",
        "ibm-mq-md-expiry": "60001",
        "ibm-mq-md-replyTo": "R@QM2",
        "ibm-mq-md-correlationId": "ab" * 24,
    }
    assert client.post(V2 + MESSAGES, content="x", headers=headers).status_code == 201
    md = got(qm).md
    assert (md.persistence, md.reply_to_q, md.reply_to_q_mgr) == (MQPER_PERSISTENT, "R", "QM2")
    assert (600 <= md.expiry <= 601, md.correl_id) == (True, b"\xab" * 24)


def test_version_3_has_priority_properties_and_its_own_ids(client: Any, qm: Connection) -> None:
    properties = 'a;"x;,\\"é\\n";string,b; -5 ;byte, c;TRUE;boolean,d;1.5;double,e;70000;integer'
    headers = {
        "ibm-mq-usr": properties.encode(),
        "ibm-mq-md-priority": "7",
        "ibm-mq-md-correlationId": "my own id",
    }
    put = client.post(V3 + MESSAGES, content="x", headers=headers)
    assert put.headers["ibm-mq-md-messageid"].startswith("ID:")
    shown = client.get(f"{V3}{MESSAGES}?correlationId=my own id")
    assert shown.headers["ibm-mq-md-correlationid"] == "my own id"
    message = got(qm)
    assert (message.md.priority, message.md.correl_id) == (7, b"my own id".ljust(24, b"\0"))
    assert (message.properties["b"].type, message.properties["b"].value) == (MQTYPE_INT8, -5)
    assert message.properties["mcd.Msd"].value == "jms_text"
    client.post(V3 + MESSAGES, content="x", headers={"ibm-mq-usr": shown.headers["ibm-mq-usr"]})
    again = got(qm).properties
    assert {name: again[name] for name in "abcde"} == {name: message.properties[name] for name in "abcde"}


@pytest.mark.parametrize(
    ("version", "headers", "number"),
    [
        (V2, {"ibm-mq-md-persistence": "maybe"}, "MQWB0302E"),
        (V2, {"ibm-mq-md-expiry": "-1"}, "MQWB0302E"),
        (V2, {"ibm-mq-md-correlationId": "ID:" + "ab" * 24}, "MQWB0302E"),
        (V3, {"ibm-mq-md-priority": "10"}, "MQWB0302E"),
        (V3, {"ibm-mq-usr": "a;1"}, "MQWB0302E"),
        (V3, {"ibm-mq-usr": "a;1;word"}, "MQWB0302E"),
        (V3, {"ibm-mq-usr": "a;300;byte"}, "MQWB0302E"),
        (V3, {"ibm-mq-usr": "a" + " " * 20_000}, "MQWB0302E"),
        (V3, {"ibm-mq-usr": "JMSx y;1;byte"}, "MQWB0302E"),
        (V2, {"content-type": "application/octet-stream"}, "MQWB0306E"),
        (V2, {"content-type": "text/plain;charset=latin-1"}, "MQWB0305E"),
    ],
)
def test_headers_that_are_not_valid_put_nothing(client: Any, version: str, headers: Any, number: str) -> None:
    status, found, _ = error_of(client.post(version + MESSAGES, content="x", headers=headers))
    assert (status in (400, 415), found) == (True, number)
    assert client.get(V2 + MESSAGES).status_code == 204


def test_a_body_that_is_not_utf_8_is_refused(client: Any) -> None:
    assert error_of(client.post(V2 + MESSAGES, content=b"\xff"))[:2] == (400, "MQWB0901E")


@pytest.mark.parametrize("length", ["given", "unknown"])
def test_a_body_longer_than_maxmsgl_is_refused(client: Any, host: Any, length: str) -> None:
    host.max_length = 1000
    body = b"x" * 2000
    answer = client.post(V2 + MESSAGES, content=body if length == "given" else iter([body]))
    assert error_of(answer)[:2] == (413, "MQWB0908E")


def test_get_leaves_and_delete_removes(client: Any) -> None:
    ids = [client.post(V2 + MESSAGES, content=text).headers["ibm-mq-md-messageid"] for text in ("one", "two")]
    assert client.get(V2 + MESSAGES).text == "one"
    assert client.get(f"{V2}{MESSAGES}?messageId={ids[1]}").text == "two"
    assert client.delete(f"{V2}{MESSAGES}?messageId={ids[1]}").text == "two"
    answer = client.delete(V2 + MESSAGES)
    assert (answer.status_code, answer.text, answer.headers["content-type"]) == (
        200,
        "one",
        "text/plain; charset=utf-8",
    )
    assert answer.headers["ibm-mq-md-persistence"] == "nonPersistent"
    assert answer.headers["ibm-mq-md-expiry"] == "unlimited"
    for method in (client.get, client.delete):
        assert (method(V2 + MESSAGES).status_code, method(V2 + MESSAGES).content) == (204, b"")
    assert client.delete(f"{V2}{MESSAGES}?wait=10").status_code == 204


def test_what_is_not_text_stays_where_it_was(client: Any, qm: Connection) -> None:
    qm.put1(Q, Message(b"\0\1"))
    for answer in (
        client.get(V2 + MESSAGES),
        client.delete(V2 + MESSAGES),
        client.delete(f"{V2}{MESSAGES}?wait=10"),
    ):
        assert error_of(answer)[:2] == (501, "MQWB0904E")
    message = got(qm)
    assert (message.data, message.md.backout_count) == (b"\0\1", 0)


def test_a_text_message_of_jms_is_received_without_its_header(client: Any, qm: Connection) -> None:
    folders = ["<mcd><Msd>jms_text</Msd></mcd>", "<usr><colour>red</colour><size dt='i4'>5</size></usr>"]
    header = pack_mqrfh2(MQRFH2(folders=folders, format=MQFMT_STRING, coded_char_set_id=1208), MQENC_NATIVE, 1208)
    qm.put1(Q, Message(header + "grün".encode(), MQMD(format=MQFMT_RF_HEADER_2, coded_char_set_id=1208)))
    answer = client.delete(V3 + MESSAGES)
    assert (answer.status_code, answer.text) == (200, "grün")
    assert answer.headers["ibm-mq-usr"] == 'colour;"red";string, size;5;integer'


def test_the_list_has_ids_and_formats(client: Any, qm: Connection) -> None:
    qm.put1(Q, Message(b"\0"))
    put = client.post(V2 + MESSAGES, content="x", headers={"ibm-mq-md-correlationId": "cd" * 24})
    listed = client.get(f"{V2}{MESSAGES}list").json()["messages"]
    assert [each["format"] for each in listed] == ["MQSTR", ""]  # by priority, 4 and 0
    assert listed[0] == {
        "messageId": put.headers["ibm-mq-md-messageid"],
        "correlationId": "cd" * 24,
        "format": "MQSTR",
    }
    assert len(client.get(f"{V2}{MESSAGES}list?limit=1").json()["messages"]) == 1
    assert len(client.get(f"{V2}{MESSAGES}list?correlationId={'cd' * 24}").json()["messages"]) == 1
    with qm.work() as work:
        alter_queue(work, "QLOCAL", Q, {"inhibit_get": 1})
    assert client.get(f"{V2}{MESSAGES}list").json() == {"messages": []}


def test_a_publication_reaches_a_subscription(client: Any, qm: Connection) -> None:
    assert run_mqsc(qm, "DEFINE SUB(S) TOPICSTR('dev/a/b') DEST(DEV.QUEUE.1)").failed == 0
    assert client.post(f"{V2}/messaging/qmgr/QM1/topic/dev/a/b/message", content="news").status_code == 201
    assert got(qm).data == b"news"


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [
        ("POST", MESSAGES.replace(Q, "NONE"), (404, "MQWB0300E", 2085)),
        ("DELETE", MESSAGES.replace(Q, "NONE"), (404, "MQWB0300E", 2085)),
        ("POST", MESSAGES.replace("QM1", "QM2"), (404, "MQWB0009E", None)),
        ("POST", MESSAGES.replace(Q, "SYSTEM.ADMIN.COMMAND.QUEUE"), (403, "MQWB0103E", 2035)),
        ("GET", f"{MESSAGES}?messageId=12", (400, "MQWB0302E", None)),
        ("GET", f"{MESSAGES}list?limit=x", (400, "MQWB0902E", None)),
        ("DELETE", f"{MESSAGES}?wait=-1", (400, "MQWB0902E", None)),
        ("DELETE", f"{MESSAGES}?wait=1&wait=2", (400, "MQWB0902E", None)),
        ("POST", "/messaging/qmgr/QM1/topic/other/message", (403, "MQWB0103E", 2035)),
    ],
)
def test_a_call_that_fails_says_why(client: Any, method: str, path: str, expected: tuple[int, str, int]) -> None:
    assert error_of(client.request(method, V2 + path)) == expected


def test_a_queue_that_refuses_says_why(client: Any, qm: Connection) -> None:
    with qm.work() as work:
        alter_queue(work, "QLOCAL", Q, {"inhibit_put": 1})
    assert error_of(client.post(V2 + MESSAGES, content="x")) == (403, "MQWB0303E", 2051)


def test_each_call_may_have_another_user(client: Any, qm: Connection) -> None:
    client.post(V2 + MESSAGES, content="x", auth=ADMIN)
    client.post(V2 + MESSAGES, content="x", auth=APP)
    assert [got(qm).md.user_identifier for _ in range(2)] == ["admin", "app"]
