"""Administration over REST: MQSC as text and as JSON, and the resources of version 1."""

from __future__ import annotations

from typing import Any

import pytest

from mqtools.admin.mqsc.run import run_mqsc
from mqtools.constants.cmqcfc import (
    MQCACF_COMMAND_MQSC,
    MQCACF_EVENT_USER_ID,
    MQEVO_REST,
    MQIACF_EVENT_ORIGIN,
    MQRCCF_COMMAND_FAILED,
    MQRCCF_OBJECT_ALREADY_EXISTS,
)
from mqtools.constants.options import MQOO_INPUT_SHARED
from mqtools.headers.pcf_bytes import unpack_pcf
from mqtools.mqi.connection import Connection

from .conftest import ADMIN, APP, MQSC, V2, error_of

QUEUE = "/ibmmq/rest/v1/admin/qmgr/QM1/queue"


def run(client: Any, command: str, qualifier: str, name: str | None = None, **values: Any) -> dict[str, Any]:
    body = {"type": "runCommandJSON", "command": command, "qualifier": qualifier, **values}
    answer = client.post(MQSC, json=body | ({"name": name} if name else {}), auth=ADMIN)
    assert answer.status_code == 200, answer.text
    result: dict[str, Any] = answer.json()
    return result


def test_a_command_as_json_defines_and_shows(client: Any) -> None:
    parameters = {"maxdepth": 7, "Share": "no", "descr": "It's", "defpsist": "yes", "trigger": "yes", "replace": "yes"}
    done = run(client, "define", "ql", "Q1", parameters=parameters)
    assert (done["overallCompletionCode"], done["overallReasonCode"]) == (0, 0)
    assert done["commandResponse"][0]["message"] == ["AMQ8006I: mqx queue created."]
    shown = run(client, "DISPLAY", "QLOCAL", "Q1", responseParameters=["all"])["commandResponse"]
    assert shown[0] | {"parameters": None} == {"completionCode": 0, "reasonCode": 0, "parameters": None}
    expected = {"queue": "Q1", "type": "QLOCAL", "maxdepth": 7, "share": "no", "descr": "It's", "trigger": "yes"}
    assert expected.items() <= shown[0]["parameters"].items()


def test_a_display_has_an_item_for_each_object(client: Any) -> None:
    where = {"where": "maxdepth GT 10"}
    shown = run(client, "display", "queue", "DEV.Q*", parameters=where, responseParameters=["curdepth"])
    found = [each["parameters"] for each in shown["commandResponse"]]
    assert [each["queue"] for each in found] == ["DEV.QUEUE.1", "DEV.QUEUE.2", "DEV.QUEUE.3"]
    assert found[0] == {"queue": "DEV.QUEUE.1", "type": "QLOCAL", "curdepth": 0, "maxdepth": 5000}
    records = run(client, "display", "authrec", responseParameters=["all"])["commandResponse"]
    assert isinstance(records[0]["parameters"]["authlist"], list)


def test_attributes_that_ibm_mq_lacks_are_shown_by_name_only(client: Any) -> None:
    for object_type, name, own in (("qlocal", "DEV.QUEUE.1", "journal"), ("qmgr", None, "profile")):
        for asked, is_shown in (["all"], False), ([own], True):
            shown = run(client, "display", object_type, name, responseParameters=asked)["commandResponse"]
            assert (own in shown[0]["parameters"]) is is_shown


def test_a_command_that_fails_is_answered_with_its_reason(client: Any) -> None:
    failed = run(client, "define", "qlocal", "DEV.QUEUE.1")
    assert (failed["overallCompletionCode"], failed["overallReasonCode"]) == (2, MQRCCF_COMMAND_FAILED)
    item = failed["commandResponse"][0]
    assert (item["completionCode"], item["reasonCode"]) == (2, MQRCCF_OBJECT_ALREADY_EXISTS)
    assert item["message"][0].startswith("AMQ8150E")
    assert run(client, "display", "qlocal", "NONE")["commandResponse"][0]["reasonCode"] == 2085


@pytest.mark.parametrize(
    ("command", "code", "line"),
    [
        ("DISPLAY QLOCAL(DEV.QUEUE.1) CURDEPTH", 0, "   CURDEPTH(0)"),
        ("PING QMGR", 0, "AMQ8415I: Ping mqx Queue Manager command complete."),
        ("DELETE QLOCAL(NONE)", 2085, "AMQ8147E: mqx object NONE not found."),
        ("DEFINE X(", MQRCCF_COMMAND_FAILED, "DEFINE X"),
        ("DEFINE QLOCAL(A)\nDEFINE QLOCAL(B)", MQRCCF_COMMAND_FAILED, ""),
    ],
)
def test_a_command_as_text_is_answered_with_its_lines(client: Any, command: str, code: int, line: str) -> None:
    answer = client.post(MQSC, json={"type": "runCommand", "parameters": {"command": command}}, auth=ADMIN)
    assert answer.status_code == 200
    item = answer.json()["commandResponse"][0]
    assert (item["completionCode"], item["reasonCode"]) == (2 if code else 0, code)
    assert line in item["text"]


@pytest.mark.parametrize(
    "body",
    [
        {"command": "x", "qualifier": "qlocal"},
        {"command": "define", "qualifier": "x"},
        {"command": "define"},
        {"command": "define", "qualifier": "qlocal", "name": 1},
        {"command": "define", "qualifier": "qlocal", "name": "A", "parameters": []},
        {"command": "define", "qualifier": "qlocal", "name": "A", "parameters": {"maxdept": 1}},
        {"command": "define", "qualifier": "qlocal", "name": "A", "parameters": {"maxdepth": {}}},
        {"command": "define", "qualifier": "qlocal", "name": "A", "parameters": {"share": "maybe"}},
        {"command": "display", "qualifier": "qlocal", "name": "A", "responseParameters": [1]},
        {"command": "display", "qualifier": "qlocal", "name": "A", "parameters": {"where": "x"}},
    ],
)
def test_json_that_is_no_command_is_not_executed(client: Any, body: Any) -> None:
    answer = client.post(MQSC, json={"type": "runCommandJSON", **body}, auth=ADMIN)
    assert error_of(answer)[:2] == (400, "MQWB0120E")


@pytest.mark.parametrize("body", ["", "[]", "{", '{"type":"x"}', '{"type":"runCommand"}', "[" * 100_000, '"\ud800'])
def test_a_body_that_is_not_the_resource_s_is_refused(client: Any, body: str) -> None:
    answer = client.post(MQSC, content=body.encode("utf-8", "surrogatepass"), auth=ADMIN)
    assert error_of(answer)[:2] == (400, "MQWB0901E")


def test_a_command_needs_the_authority_of_its_user(client: Any) -> None:
    body = {"type": "runCommandJSON", "command": "delete", "qualifier": "qlocal", "name": "DEV.QUEUE.1"}
    item = client.post(MQSC, json=body, auth=APP).json()["commandResponse"][0]
    assert (item["completionCode"], item["reasonCode"]) == (2, 2035)
    assert run(client, "display", "qlocal", "DEV.QUEUE.1")["overallCompletionCode"] == 0


def test_the_event_of_a_command_says_that_it_came_by_rest(client: Any, qm: Connection) -> None:
    run_mqsc(qm, "ALTER QMGR CMDEV(ENABLED)")
    run(client, "define", "qlocal", "A", parameters={"maxdepth": 7})
    with qm.open("SYSTEM.ADMIN.COMMAND.EVENT", MQOO_INPUT_SHARED) as handle:
        (*_, message) = [each.message for each in handle.get_each(10)[0]]
    groups = unpack_pcf(message.data, message.md.encoding)[1]
    values = {each.parameter: each for group in groups for each in group.parameters}
    assert values[MQIACF_EVENT_ORIGIN].value == MQEVO_REST
    assert values[MQCACF_EVENT_USER_ID].string.rstrip() == b"admin"
    assert b"DEFINE QLOCAL(A) MAXDEPTH(7)" in values[MQCACF_COMMAND_MQSC].string


@pytest.mark.parametrize(
    "parameters",
    [
        {"chltype": "sdr", "conname": "exec:touch pwned", "xmitq": "X"},
        {"chltype": "sdr", "conname": "unix:/tmp/x", "xmitq": "X"},
        {"chltype": "rcvr", "msgexit": "/tmp/x(f)"},
    ],
)
@pytest.mark.parametrize("form", ["json", "text"])
def test_what_names_code_here_cannot_be_set(client: Any, qm: Connection, parameters: dict[str, str], form: str) -> None:
    run_mqsc(qm, "SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('admin') AUTHADD(ALL)")
    body: dict[str, Any] = {"type": "runCommandJSON", "command": "define", "qualifier": "channel", "name": "C"}
    if form == "json":
        body["parameters"] = parameters
    else:
        words = " ".join(f"{key}('{value}')" for key, value in parameters.items())
        body = {"type": "runCommand", "parameters": {"command": f"DEFINE CHANNEL(C) {words}"}}
    item = client.post(MQSC, json=body, auth=ADMIN).json()["commandResponse"][0]
    assert (item["completionCode"], item["reasonCode"]) == (2, 2035)


def test_the_queue_manager_and_the_installation(client: Any) -> None:
    shown = client.get(f"{V2}/admin/qmgr", auth=ADMIN).json()["qmgr"]
    assert shown == [{"name": "QM1", "state": "running"}]
    status = client.get(f"{V2}/admin/qmgr/QM1?status=*", auth=ADMIN).json()["qmgr"][0]["status"]
    assert {"started", "connectionCount", "channelInitiatorState"} <= status.keys()
    found = client.get(f"{V2}/admin/installation?attributes=*", auth=ADMIN).json()["installation"][0]
    assert (found["version"][:3], found["platform"], "operatingSystem" in found["extended"]) == ("9.4", "unix", True)
    assert error_of(client.get(f"{V2}/admin/installation/x", auth=ADMIN))[0] == 404
    assert error_of(client.get(f"{V2}/admin/qmgr/X", auth=ADMIN)) == (404, "MQWB0009E", None)


def test_a_queue_resource_from_its_creation_to_its_end(client: Any) -> None:
    body = {
        "name": "A/B",
        "type": "local",
        "storage": {"maximumDepth": 9},
        "general": {"inhibitGet": True},
        "trigger": {"type": "every"},
        "extended": {"allowSharedInput": False},
    }
    made = client.post(QUEUE, json=body, auth=ADMIN)
    assert (made.status_code, made.headers["location"]) == (201, f"{QUEUE}/A%2FB")
    asked = "storage.maximumDepth,general.*,trigger.type,extended.allowSharedInput"
    shown = client.get(f"{QUEUE}/A%2FB?attributes={asked}&status=currentDepth", auth=ADMIN).json()["queue"][0]
    assert {key: shown[key] for key in ("name", "type", "storage", "trigger", "extended", "status")} == {
        "name": "A/B",
        "type": "local",
        "storage": {"maximumDepth": 9},
        "trigger": {"type": "every"},
        "extended": {"allowSharedInput": False},
        "status": {"currentDepth": 0},
    }
    assert (shown["general"]["inhibitGet"], shown["general"]["inhibitPut"]) == (True, False)
    assert client.patch(f"{QUEUE}/A%2FB", json={"general": {"inhibitGet": False}}, auth=ADMIN).status_code == 204
    everything = client.get(f"{QUEUE}/A%2FB?attributes=*", auth=ADMIN).json()["queue"][0]
    assert everything["general"]["inhibitGet"] is False
    assert error_of(client.post(f"{QUEUE}?noReplace", json=body, auth=ADMIN)) == (
        409,
        "MQWB0037E",
        MQRCCF_OBJECT_ALREADY_EXISTS,
    )
    assert client.delete(f"{QUEUE}/A%2FB?purge", auth=ADMIN).status_code == 204
    assert error_of(client.get(f"{QUEUE}/A%2FB", auth=ADMIN)) == (404, "MQWB0037E", 2085)


def test_lists_of_queues_are_narrowed(client: Any) -> None:
    def names(query: str) -> list[str]:
        return [each["name"] for each in client.get(f"{QUEUE}?{query}", auth=ADMIN).json()["queue"]]

    assert names("name=DEV.Q*") == ["DEV.QUEUE.1", "DEV.QUEUE.2", "DEV.QUEUE.3"]
    assert names("type=model&name=DEV*") == ["DEV.APP.MODEL.QUEUE"]
    assert names("filter=storage.maximumDepth:lessThan:1") == names("name=NONE*") == []
    assert "DEV.QUEUE.1" in names("filter=general.inhibitGet:equalTo:false")
    every = client.get(f"{QUEUE}?name=DEV.*&status=lastGet", auth=ADMIN).json()["queue"]
    assert {each["type"]: each.get("status") for each in every} == {"local": {"lastGet": ""}, "model": None}
    for query in ("filter=x", "filter=a:lessThan:1", "attributes=x", "type=x"):
        assert error_of(client.get(f"{QUEUE}?{query}", auth=ADMIN))[:2] == (400, "MQWB0902E")


@pytest.mark.parametrize("body", [{"name": 1}, {"name": "A", "type": "x"}, {"name": "A", "general": {"x": 1}},
                                  {"name": "A", "general": {"inhibitGet": "maybe"}}])  # fmt: skip
def test_attributes_that_are_not_valid_create_nothing(client: Any, body: Any) -> None:
    assert error_of(client.post(QUEUE, json=body, auth=ADMIN))[0] == 400


def test_channels_and_subscriptions_are_shown(client: Any, qm: Connection) -> None:
    run_mqsc(qm, "DEFINE CHANNEL(C) CHLTYPE(SDR) CONNAME('h(1414)') XMITQ(X)\nDEFINE SUB(S) TOPICSTR('dev/a') DEST(D)")
    found = client.get(f"{V2}/admin/qmgr/QM1/channel/C?attributes=batch.messageLimit", auth=ADMIN).json()["channel"]
    sender = {"connectionName": "h(1414)", "transmissionQueueName": "X"}
    assert found == [{"name": "C", "type": "sender", "sender": sender, "batch": {"messageLimit": 50}}]
    every = client.get(f"{V2}/admin/qmgr/QM1/channel?type=sender", auth=ADMIN).json()["channel"]
    assert {each["type"] for each in every} == {"sender"}
    assert error_of(client.get(f"{V2}/admin/qmgr/QM1/subscription/NONE", auth=ADMIN))[0] == 404
    assert client.get(f"{V2}/admin/qmgr/QM1/subscription?name=S*", auth=ADMIN).status_code == 200
