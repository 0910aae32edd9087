"""Exit folders: where the exit REFERENCE may write files, as the operator says outside of the definitions."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mqtools.channel.acceptor import serve
from mqtools.channel.link import Link
from mqtools.channel.reference.files import check_allowed, open_root
from mqtools.configuration import settings
from mqtools.configuration.file import ConfigError
from mqtools.constants.reasons import MQRC_NOT_AUTHORIZED
from mqtools.errors import MQError
from mqtools.message import MQMD, Message

from .conftest import CHANNEL, Ends, fails
from .reference.ends import reference_message


def is_allowed(root: Path, *folders: Path) -> bool:
    descriptor = open_root(str(root))
    try:
        check_allowed(descriptor, str(root), [str(folder) for folder in folders])
        return True
    except MQError:
        return False
    finally:
        os.close(descriptor)


def test_a_folder_is_allowed_that_is_listed_or_below_one_that_is(tmp_path: Path) -> None:
    below = tmp_path / "in" / "deep" / "down"
    below.mkdir(parents=True)
    other = tmp_path / "inner"
    other.mkdir()
    assert is_allowed(below, tmp_path / "in")
    assert is_allowed(below, tmp_path / "missing", below)
    assert not is_allowed(below, other)
    assert not is_allowed(other, tmp_path / "in")
    assert not is_allowed(tmp_path, tmp_path / "in")
    assert not is_allowed(tmp_path)


def test_a_link_does_not_lead_past_the_list(tmp_path: Path) -> None:
    (tmp_path / "allowed").mkdir()
    (tmp_path / "secret").mkdir()
    (tmp_path / "allowed" / "way").symlink_to(tmp_path / "secret")
    assert not is_allowed(tmp_path / "allowed" / "way", tmp_path / "allowed")
    assert is_allowed(tmp_path / "allowed" / "way", tmp_path / "secret")


@pytest.fixture
def filing(ends: Ends, tmp_path: Path) -> Ends:
    """A file is on its way to the folder ``inbox`` of QM2."""
    (tmp_path / "outbox").mkdir()
    (tmp_path / "inbox").mkdir()
    (tmp_path / "outbox" / "film.bin").write_bytes(b"film")
    exit_of = "MSGEXIT('REFERENCE') MSGDATA"
    ends.one.mqsc(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SDR) {exit_of}('{tmp_path}/outbox')")
    ends.two.mqsc(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(RCVR) {exit_of}('{tmp_path}/inbox')")
    message = reference_message()
    ends.one.main.put1("ORDERS", Message(message.data, MQMD(format="MQHREF", coded_char_set_id=1208, persistence=1)))
    return ends


def test_a_folder_that_is_not_listed_is_refused_and_the_message_stays(
    filing: Ends, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MQX_EXIT_FOLDERS", f"{tmp_path}/elsewhere")
    with fails(MQRC_NOT_AUTHORIZED) as caught:
        filing.drain()
    assert "is not below an exit folder" in caught.value.text
    assert (filing.one.depth("QM2"), filing.two.depth(), filing.two.depth("DLQ")) == (1, 0, 0)
    assert list((tmp_path / "inbox").iterdir()) == []
    monkeypatch.setenv("MQX_EXIT_FOLDERS", f"{tmp_path}/elsewhere:{tmp_path}")
    filing.drain()
    assert (tmp_path / "inbox" / "film.bin").read_bytes() == b"film"
    assert filing.two.depth() == 1


def test_without_a_list_the_operator_who_runs_the_channel_answers_for_its_folder(filing: Ends, tmp_path: Path) -> None:
    filing.drain()
    assert (tmp_path / "inbox" / "film.bin").read_bytes() == b"film"


def test_a_listener_that_lists_none_writes_no_files(filing: Ends, monkeypatch: pytest.MonkeyPatch) -> None:
    def serve_without(connect: object, link: Link, **options: object) -> None:
        serve(connect, link, **{**options, "folders": ()})  # type: ignore[arg-type]

    monkeypatch.setattr("mqtools.channel.transport.serve", serve_without)
    with fails(MQRC_NOT_AUTHORIZED) as caught:
        filing.drain()
    assert caught.value.text.endswith("files may be written below none")
    assert filing.one.depth("QM2") == 1


def test_a_folder_in_the_configuration_is_absolute(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MQX_EXIT_FOLDERS", "/srv/in:~/in:")
    assert settings.value_of(settings.EXIT_FOLDERS) == ("/srv/in", os.path.expanduser("~/in"))
    monkeypatch.setenv("MQX_EXIT_FOLDERS", "in")
    with pytest.raises(ConfigError, match="not an absolute path"):
        settings.value_of(settings.EXIT_FOLDERS)
