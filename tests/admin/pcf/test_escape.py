"""Escape: MQSC in PCF; and what no command by PCF or Escape may set."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from mqtools.admin.commands.catalogue import COMMANDS
from mqtools.admin.mqsc.run import run_mqsc
from mqtools.admin.pcf.command_server import answer
from mqtools.constants import cmqc
from mqtools.constants import cmqcfc as c
from mqtools.constants.channels import MQCHT_SENDER
from mqtools.constants.message import MQENC_NATIVE
from mqtools.constants.reasons import MQRC_FUNCTION_NOT_SUPPORTED, MQRC_NOT_AUTHORIZED, MQRC_UNKNOWN_OBJECT_NAME
from mqtools.headers.pcf import CFH, CFIN, CFST
from mqtools.headers.pcf_bytes import pack_pcf, unpack_pcf
from mqtools.message import MQMD
from mqtools.rules.attributes.channel import CHANNEL_TYPES
from mqtools.rules.attributes.table import Attribute, attributes_of, by_name
from mqtools.rules.stored_objects import KINDS
from mqtools.store import objects

from .asking import named

MQSC = CFIN(c.MQIACF_ESCAPE_TYPE, c.MQET_MQSC)


def escape(server: Any, text: str) -> tuple[list[str], list[tuple[int, int, int]]]:
    """Return the texts of the replies, and command, completion code and reason of each."""
    found = []
    for reply in server.send(c.MQCMD_ESCAPE, MQSC, CFST(c.MQCACF_ESCAPE_TEXT, text.encode())):
        header, given = unpack_pcf(reply.data, reply.md.encoding)
        texts = [each.string.decode() for each in given if each.parameter == c.MQCACF_ESCAPE_TEXT]
        found.append((texts, (header.command, header.comp_code, header.reason)))
    return [text for texts, _ in found for text in texts], [header for _, header in found]


def test_mqsc_in_pcf_is_answered_with_texts_under_the_number_of_the_command(server: Any) -> None:
    texts, headers = escape(server, "DEFINE QLOCAL(NEW) MAXDEPTH(7)")
    assert (texts, headers) == (["AMQ8006I: mqx queue created."], [(c.MQCMD_CREATE_Q, 0, 0)])
    (text,), headers = escape(server, "DISPLAY QLOCAL(NEW) MAXDEPTH")
    assert text.splitlines()[0] == "AMQ8409I: Display Queue details."
    assert "MAXDEPTH(7)" in text
    assert headers == [(c.MQCMD_INQUIRE_Q, 0, 0)]
    texts, headers = escape(server, "DISPLAY QUEUE(*)")
    assert len(texts) == len(headers) > 3


@pytest.mark.parametrize(
    ("text", "header", "words"),
    [
        ("DISPLAY QUEUE(NONE)", (c.MQCMD_INQUIRE_Q, 2, MQRC_UNKNOWN_OBJECT_NAME), "AMQ8147E"),
        ("DEFINE QLOCAL(Q)", (c.MQCMD_CREATE_Q, 2, c.MQRCCF_OBJECT_ALREADY_EXISTS), "AMQ8150E"),
        ("DEFINE QLOCAL(Q) MAXDEPTH(x)", (c.MQCMD_CREATE_Q, 2, c.MQRCCF_COMMAND_FAILED), "AMQ8405I"),
        ("PING QMGR\nPING QMGR", (c.MQCMD_ESCAPE, 2, c.MQRCCF_COMMAND_FAILED), "2 commands"),
        ("DISPLAY SMDS(*)", (c.MQCMD_ESCAPE, 2, MQRC_FUNCTION_NOT_SUPPORTED), "not supported"),
    ],
)
def test_mqsc_that_fails_has_the_reason_and_the_words(
    server: Any, text: str, header: tuple[int, int, int], words: str
) -> None:
    texts, headers = escape(server, text)
    assert headers == [header]
    assert words in texts[0]


def test_an_escape_of_another_type_or_without_text_is_refused(server: Any) -> None:
    text = CFST(c.MQCACF_ESCAPE_TEXT, b"PING QMGR")
    assert server.reason(c.MQCMD_ESCAPE, CFIN(c.MQIACF_ESCAPE_TYPE, 2), text)[0] == c.MQRCCF_ESCAPE_TYPE_ERROR
    assert server.reason(c.MQCMD_ESCAPE, MQSC)[1] == c.MQCACF_ESCAPE_TEXT
    assert server.reason(c.MQCMD_ESCAPE, MQSC, text, named("Q"))[0] == c.MQRCCF_CFST_PARM_ID_ERROR


@pytest.mark.parametrize(
    ("text", "granted", "reason"),
    [
        ("DISPLAY QUEUE(Q)", "DSP", 0),
        ("DELETE QLOCAL(Q)", "DSP", MQRC_NOT_AUTHORIZED),
        ("SET CHLAUTH('*') TYPE(BLOCKUSER) USERLIST('x')", "DSP", MQRC_NOT_AUTHORIZED),
        ("ALTER QMGR DESCR('x')", "CHG", 0),
        ("ALTER QMGR CHLAUTH(DISABLED)", "CHG", MQRC_NOT_AUTHORIZED),
    ],
)
def test_the_authority_of_the_sender_counts_for_the_command_in_an_escape(
    server: Any, text: str, granted: str, reason: int
) -> None:
    profile = "OBJTYPE(QMGR)" if granted == "CHG" else "PROFILE('Q') OBJTYPE(QUEUE)"
    run_mqsc(server.qm.main, f"SET AUTHREC {profile} PRINCIPAL('bo') AUTHADD({granted})")
    with server.qm.main.work() as work:
        objects.define(work.db, "relayed_command", "77", {"relayed": False, "user": "bo"})
        body = pack_pcf(CFH(c.MQCMD_ESCAPE), [MQSC, CFST(c.MQCACF_ESCAPE_TEXT, text.encode())], MQENC_NATIVE)
        (reply,) = answer(work, MQMD(format="MQADMIN", encoding=MQENC_NATIVE, coded_char_set_id=1208), body, 77)
    assert unpack_pcf(reply, MQENC_NATIVE)[0].reason == reason


# What names code or files here


def value_of(row: Attribute) -> str | int:
    """Return a value that is refused from afar."""
    return row.words[-1][1] if row.words else "exec:x"[: row.maximum]


def local_only(kind: str, rows: Iterable[Attribute]) -> list[tuple[str, Attribute]]:
    return [(kind, row) for row in rows if row.local_only and value_of(row) != ""]


LOCAL = [each for kind in ("CHANNEL", "QMGR", *KINDS) for each in local_only(kind, attributes_of(kind))]


def test_every_command_that_sets_such_an_attribute_is_checked() -> None:
    types = {kind for kind, _ in LOCAL}
    setting = [each for each in COMMANDS if each.sets and types.intersection(each.object_types)]
    assert {kind for each in setting for kind in each.object_types} == types
    assert all(each.finds is not None for each in setting)


@pytest.mark.parametrize(("object_type", "row"), LOCAL, ids=lambda each: getattr(each, "keyword", each))
def test_nothing_from_afar_names_code_or_files(server: Any, object_type: str, row: Attribute) -> None:
    value = value_of(row)
    begin, end, sent = f"{object_type}(X)", "", [CFST(c.MQCACH_CHANNEL_NAME, b"X")]
    if object_type == "CHANNEL":
        word = next(word for word in CHANNEL_TYPES if by_name(word, row.name) is not None)
        sent.append(CFIN(c.MQIACH_CHANNEL_TYPE, CHANNEL_TYPES[word]))
        end = f"CHLTYPE({word})"
        if CHANNEL_TYPES[word] == MQCHT_SENDER:
            sent.append(CFST(c.MQCACH_XMIT_Q_NAME, b"XQ"))
            end += " XMITQ(XQ)"
    shown = dict((number, word) for word, number in row.words).get(value, value)
    text = f"DEFINE {begin} {end} {row.keyword}('{shown}')"
    if object_type == "QMGR":
        text = f"ALTER QMGR {row.keyword}('{shown}')"
    assert escape(server, text)[1][0][1:] == (2, MQRC_NOT_AUTHORIZED)
    if row.selector is not None:
        parameter = CFST(row.selector, str(value).encode()) if isinstance(value, str) else CFIN(row.selector, value)
        number, names = {
            "CHANNEL": (c.MQCMD_CREATE_CHANNEL, sent),
            "QMGR": (c.MQCMD_CHANGE_Q_MGR, []),
            "SERVICE": (c.MQCMD_CREATE_SERVICE, [CFST(cmqc.MQCA_SERVICE_NAME, b"X")]),
        }[object_type]
        assert server.reason(number, *names, parameter) == (MQRC_NOT_AUTHORIZED, row.selector)
    (here,) = run_mqsc(server.qm.main, text).commands
    assert here.outcome == "ok"


def test_a_copy_of_a_channel_with_an_exit_is_refused_too(server: Any) -> None:
    run_mqsc(server.qm.main, "DEFINE CHANNEL(A) CHLTYPE(RCVR) MSGEXIT('x(y)')")
    assert escape(server, "DEFINE CHANNEL(B) CHLTYPE(RCVR) LIKE(A)")[1][0][1:] == (2, MQRC_NOT_AUTHORIZED)
    assert escape(server, "ALTER CHANNEL(A) CHLTYPE(RCVR) MSGEXIT('x(y)') DESCR('same exit')")[1][0][1:] == (0, 0)
