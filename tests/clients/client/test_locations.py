"""Addresses, connection lists, MQSERVER, and tables of channels in JSON."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from mqtools.clients.client.ccdt import ChannelEntry, choose, parse_ccdt, read_ccdt
from mqtools.clients.client.locations import from_environment, parse_connection_list, parse_mqserver, parse_url
from mqtools.clients.client.options import ConnectionOptions, HostPort
from mqtools.constants import cmqc
from mqtools.errors import MQError, UsageError

from ...errors import fails


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mq://h/CH", ConnectionOptions((HostPort("h"),), "CH")),
        ("mq://app@h:1415/CH/QM1", ConnectionOptions((HostPort("h", 1415),), "CH", q_mgr_name="QM1", user="app")),
        ("mq://h/A%2FB/*", ConnectionOptions((HostPort("h"),), "A/B", q_mgr_name="*")),
        ("mq://[::1]:1/CH", ConnectionOptions((HostPort("::1", 1),), "CH")),
    ],
)
def test_addresses(text: str, expected: ConnectionOptions) -> None:
    assert parse_url(text) == expected


@pytest.mark.parametrize(
    "text",
    ["mq://", "mq://h", "mq://h/", "mq:///CH", "mq://h:0x/CH", "mq://h:99999/CH", "mq://h/CH/Q/X", "http://h/CH",
     "mq://h/CH?a=b", "mq://h/NAME.THAT.IS.FAR.TOO.LONG", "mq://h/C H", "mq://u:password@h/CH", "mq://[::1/CH"],
)  # fmt: skip
def test_wrong_addresses_are_refused_without_the_password(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_url(text)
    assert "u:password" not in str(refused.value)


def test_connection_lists() -> None:
    assert parse_connection_list("a(1), b , ::1(1415)") == (HostPort("a", 1), HostPort("b"), HostPort("::1", 1415))
    for wrong in ("", "a(", "a(x)", "a(0)", "a(70000)", "a,,b"):
        with pytest.raises(UsageError):
            parse_connection_list(wrong)


def test_mqserver() -> None:
    assert parse_mqserver("CH/TCP/h(1415),i") == ConnectionOptions((HostPort("h", 1415), HostPort("i")), "CH")
    for wrong in ("", "CH", "CH/LU62/h", "CH/TCP/", "/TCP/h"):
        with pytest.raises(UsageError):
            parse_mqserver(wrong)


def entry(name: str, q_mgr_name: str = "", **changes: Any) -> dict[str, Any]:
    client = {"connection": [{"host": "h", "port": 1415}, {"host": "i"}], "queueManager": q_mgr_name}
    return {"name": name, "type": "clientConnection", "clientConnection": client, **changes}


def table(*entries: dict[str, Any]) -> bytes:
    return json.dumps({"channel": list(entries)}).encode()


def test_a_table_is_read() -> None:
    (read,) = parse_ccdt(
        table(
            entry(
                "CH", "QM1",
                connectionManagement={"clientWeight": 5, "affinity": "none", "heartbeatInterval": 60},
                transmissionSecurity={"cipherSpecification": "ANY_TLS12", "certificatePeerName": "CN=QM1"},
            ),
            {"name": "TO.QM2", "type": "sender"},
        ),
        "t",
    )  # fmt: skip
    options = ConnectionOptions(
        (HostPort("h", 1415), HostPort("i")), "CH", q_mgr_name="QM1",
        cipher_spec="ANY_TLS12", peer_name="CN=QM1", heartbeat_s=60,
    )  # fmt: skip
    assert read == ChannelEntry(options, weight=5, is_preferred=False)


@pytest.mark.parametrize(
    "data",
    [b"", b"AMQR\0\0", b"[]", b"{}", b'{"channel":[{}]}', b'{"channel":[3]}', b'{"channel":{"a":1}}',
     table(entry("A", connectionManagement={"clientWeight": 100})), b"[" * 100_000,
     table({**entry("A"), "clientConnection": {"connection": []}})],
)  # fmt: skip
def test_what_is_no_table_is_refused(data: bytes) -> None:
    with fails(cmqc.MQRC_CHANNEL_CONFIG_ERROR, "cannot use t as a CCDT: (?!.*(Error|codec))"):
        parse_ccdt(data, "t")


def test_a_table_is_a_file_or_is_read_by_https(tmp_path: Path) -> None:
    path = tmp_path / "a table.json"
    path.write_bytes(table(entry("CH")))
    for location in (str(path), path.as_uri()):
        assert [each.options.channel for each in read_ccdt(location)] == ["CH"]
    path.write_bytes(b" " * (1 << 20) + b"{}")
    for wrong in (str(path), "http://h/t", "ftp://h/t", str(tmp_path), str(tmp_path / "none")):
        with pytest.raises(MQError):
            read_ccdt(wrong)


def names(found: list[ConnectionOptions]) -> list[str]:
    return [options.channel for options in found]


def test_channels_are_chosen_by_queue_manager_or_group() -> None:
    known = parse_ccdt(table(entry("B", "QM1"), entry("A", "QM1"), entry("C", "GROUP"), entry("D")), "t")
    assert names(choose(known, "QM1")) == ["A", "B"]  # weight 0: by name
    (grouped,) = choose(known, "*GROUP")
    assert (grouped.channel, grouped.q_mgr_name) == ("C", "*GROUP")
    assert names(choose(known, "")) == names(choose(known, "*")) == ["D"]
    with fails(cmqc.MQRC_Q_MGR_NAME_ERROR):
        choose(known, "QM9")


@pytest.mark.parametrize("affinity", ["preferred", "none"])
def test_weights_and_affinity_order_the_channels(affinity: str) -> None:
    management = [{"clientWeight": weight, "affinity": affinity} for weight in (0, 90, 10)]
    known = parse_ccdt(
        table(*(entry(name, connectionManagement=each) for name, each in zip("ABC", management, strict=True))), "t"
    )
    random = Random(1)
    second = Counter(names(choose(known, "", random))[1] for _ in range(500))
    assert second["A"] == 0
    assert 400 < second["B"] < 490
    orders = {tuple(names(choose(known, ""))) for _ in range(200)}
    assert len(orders) == (1 if affinity == "preferred" else 2)


def test_the_environment_of_a_client(tmp_path: Path) -> None:
    path = tmp_path / "AMQCLCHL.TAB"
    path.write_bytes(table(entry("CH", "QM1")))
    folder = {"MQCHLLIB": str(tmp_path)}
    assert names(from_environment(folder, "QM1")) == ["CH"]
    assert names(from_environment({"MQCHLLIB": "/nowhere", "MQCCDTURL": path.as_uri()}, "QM1")) == ["CH"]
    assert names(from_environment({**folder, "MQSERVER": "S/TCP/h"}, "QM1")) == ["S"]
    assert from_environment({"MQSERVER": "S/TCP/h"}, "QM1")[0].q_mgr_name == "QM1"
    with pytest.raises(UsageError):
        from_environment({})
