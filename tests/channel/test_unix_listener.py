"""A listener on a UNIX socket: who may call it, what it leaves behind, and the sender that names it."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from mqtools.channel.transport import UNIX, parse_address
from mqtools.constants.reasons import (
    MQRC_CHANNEL_CONFIG_ERROR,
    MQRC_HOST_NOT_AVAILABLE,
    MQRC_NOT_AUTHORIZED,
)
from mqtools.mqi.file_owner import user_name
from mqtools.network.dispatch import Limits, Service
from mqtools.network.unix_listener import UnixListener

from .conftest import Ends, Serve, fails


@pytest.fixture
def listening(ends: Ends, tmp_path: Path, serve: Serve[UnixListener]) -> Callable[..., UnixListener]:
    """Begin to listen for QM2 on ``socket`` in the folder of the test."""

    def listen(*user_ids: int) -> UnixListener:
        path = str(tmp_path / "socket")
        return serve(
            UnixListener(
                Service(
                    path=ends.two.path,
                    connect=ends.two.connect_apart,
                    limits=Limits(idle_s=60),
                    folders=(),
                    note=ends.notes.append,
                ),
                path,
                user_ids,
            )
        )

    return listen


def drain(ends: Ends, listener: UnixListener) -> None:
    ends.drain(f"unix:{listener.path}")


def test_a_channel_works_over_a_unix_socket(ends: Ends, listening: Callable[..., UnixListener]) -> None:
    listener = listening()
    ends.one.put("near")
    drain(ends, listener)
    assert ends.two.data() == [b"near"]


@pytest.mark.parametrize(("user_ids", "mode"), [((), 0o600), ((54321,), 0o666)])
def test_only_the_owner_can_open_the_socket_unless_others_are_allowed(
    listening: Callable[..., UnixListener], user_ids: tuple[int, ...], mode: int
) -> None:
    assert stat.S_IMODE(os.stat(listening(*user_ids).path).st_mode) == mode


def test_a_user_that_is_not_allowed_is_refused_and_loses_nothing(
    ends: Ends, listening: Callable[..., UnixListener]
) -> None:
    listener = listening()
    listener._user_ids = {54321}
    ends.one.put("kept")
    with fails(MQRC_NOT_AUTHORIZED) as caught:
        drain(ends, listener)
    words = f"user {user_name(os.geteuid())} may not use this listener"
    assert caught.value.text.endswith(words)
    assert f"refused: {words}" in ends.notes
    assert (ends.one.depth("QM2"), ends.two.depth()) == (1, 0)
    listener._user_ids = {54321, os.geteuid()}
    drain(ends, listener)
    assert ends.two.data() == [b"kept"]


def test_the_user_that_the_kernel_names_is_mapped(ends: Ends, listening: Callable[..., UnixListener]) -> None:
    user = user_name(os.geteuid())
    ends.two.mqsc(
        "SET CHLAUTH('*') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS)",
        f"SET CHLAUTH('*') TYPE(USERMAP) CLNTUSER('{user}') USERSRC(CHANNEL)",
    )
    ends.one.put("mapped")
    drain(ends, listening())
    assert ends.two.data() == [b"mapped"]


def test_the_socket_goes_with_the_listener(listening: Callable[..., UnixListener]) -> None:
    listener = listening()
    listener.close()
    assert not os.path.exists(listener.path)


def test_a_socket_that_is_in_use_is_not_taken(listening: Callable[..., UnixListener]) -> None:
    listener = listening()
    with fails(MQRC_HOST_NOT_AVAILABLE):
        listening()
    assert os.path.exists(listener.path)


def test_an_abandoned_socket_is_replaced_and_a_file_is_not(
    ends: Ends, listening: Callable[..., UnixListener], tmp_path: Path
) -> None:
    with socket.socket(socket.AF_UNIX) as abandoned:
        abandoned.bind(str(tmp_path / "socket"))
    listener = listening()
    ends.one.put("anew")
    drain(ends, listener)
    listener.close()
    (tmp_path / "socket").write_text("a file")
    with fails(MQRC_HOST_NOT_AVAILABLE):
        listening()
    assert (tmp_path / "socket").read_text() == "a file"


def test_a_connection_name_with_a_socket_has_an_absolute_path(ends: Ends, tmp_path: Path) -> None:
    address = parse_address("UNIX: /run/mq.sock ")
    assert (address.kind, address.target) == (UNIX, "/run/mq.sock")
    for text in ("unix:", "unix:mq.sock"):
        with fails(MQRC_CHANNEL_CONFIG_ERROR):
            parse_address(text)
    with fails(MQRC_HOST_NOT_AVAILABLE):
        ends.drain(f"unix:{tmp_path}/nobody")
    with fails(MQRC_HOST_NOT_AVAILABLE):
        ends.drain("unix:/" + "x" * 200)
