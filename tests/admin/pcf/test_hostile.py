"""Malformed PCF commands: each is answered, and only valid commands change anything."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mqtools.admin.commands.catalogue import BY_NUMBER
from mqtools.admin.pcf.command_server import answer
from mqtools.constants import cmqcfc as c
from mqtools.constants import objects as o
from mqtools.headers.pcf import CFBF, CFBS, CFGR, CFH, CFIF, CFIL, CFIL64, CFIN, CFIN64, CFSF, CFSL, CFST
from mqtools.headers.pcf_bytes import pack_pcf, unpack_pcf
from mqtools.message import MQMD

LITTLE = 546
NUMBERS = sorted({value for name, value in vars(c).items() if name.startswith(("MQIA", "MQCA", "MQBA"))}
                 | {value for name, value in vars(o).items() if name.startswith(("MQIA_", "MQCA_"))})  # fmt: skip

numbers = st.sampled_from(NUMBERS)
values = st.one_of(st.integers(-2, 1200), st.integers(-(2**31), 2**31 - 1))
strings = st.one_of(st.sampled_from([b"Q", b"*", b"R", b"A.B", b"\0", b" "]), st.binary(max_size=60))
operators = st.integers(0, 30)
parameters = st.one_of(
    st.builds(CFIN, numbers, values),
    st.builds(CFIN64, numbers, st.integers(-(2**63), 2**63 - 1)),
    st.builds(CFIL, numbers, st.lists(values, max_size=4)),
    st.builds(CFIL64, numbers, st.lists(st.integers(-(2**63), 2**63 - 1), max_size=2)),
    st.builds(CFST, numbers, strings, st.sampled_from([0, 1208, 500, 1200, 99999])),
    st.builds(CFSL, numbers, st.lists(strings, max_size=3)),
    st.builds(CFBS, numbers, strings),
    st.builds(CFIF, numbers, operators, values),
    st.builds(CFSF, numbers, operators, strings),
    st.builds(CFBF, numbers, operators, strings),
    st.builds(CFGR, numbers),
)
#: What most commands begin with.
names = st.sampled_from(
    [o.MQCA_Q_NAME, c.MQCACH_CHANNEL_NAME, o.MQCA_NAMELIST_NAME, c.MQCACF_AUTH_PROFILE_NAME, o.MQCA_PROCESS_NAME]
)
openings = st.lists(
    st.one_of(
        st.builds(CFST, names, st.sampled_from([b"Q", b"*", b"R", b"NEW"])),
        st.builds(CFIN, st.sampled_from([o.MQIA_Q_TYPE, c.MQIACH_CHANNEL_TYPE, c.MQIACF_OBJECT_TYPE]), values),
    ),
    max_size=2,
)


@pytest.mark.parametrize("command", sorted((*BY_NUMBER, c.MQCMD_ESCAPE)))
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(openings, st.lists(parameters, max_size=3))
def test_any_parameters_give_replies(server: Any, command: int, opening: list[Any], given: list[Any]) -> None:
    body = pack_pcf(CFH(command), [*opening, *given], LITTLE)
    with server.qm.main.work() as work:
        replies = [
            unpack_pcf(reply, LITTLE)[0]
            for reply in answer(work, MQMD(format="MQADMIN", encoding=LITTLE, coded_char_set_id=1208), body)
        ]
    assert [reply.control for reply in replies] == [0] * (len(replies) - 1) + [1]
    assert {reply.command for reply in replies} == {command}


words = st.sampled_from(
    ["DEFINE", "DISPLAY", "STOP", "QLOCAL(Q)", "CONN(*)", "CHANNEL(A)", "ALL", "WHERE(", ")", "'", "\n"]
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.one_of(st.binary(max_size=40), st.lists(words, max_size=6).map(lambda found: " ".join(found).encode())))
def test_any_text_in_an_escape_is_answered(server: Any, text: bytes) -> None:
    sent = [CFIN(c.MQIACF_ESCAPE_TYPE, c.MQET_MQSC), CFST(c.MQCACF_ESCAPE_TEXT, text)]
    md = MQMD(format="MQADMIN", encoding=LITTLE, coded_char_set_id=1208)
    with server.qm.main.work() as work:
        replies = answer(work, md, pack_pcf(CFH(c.MQCMD_ESCAPE), sent, LITTLE))
    headers = [unpack_pcf(reply, LITTLE)[0] for reply in replies]
    assert [each.control for each in headers] == [0] * (len(headers) - 1) + [1]
