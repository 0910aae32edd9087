"""PCF messages: every structure there and back, and damage that is told from sense."""

from struct import pack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqtools.constants import cmqcfc as c
from mqtools.constants.administration import MQCFC_NOT_LAST, MQCFOP_LIKE, MQCFT_COMMAND_XR, MQCFT_RESPONSE
from mqtools.constants.reasons import MQRC_PCF_ERROR
from mqtools.headers.pcf import CFBF, CFBS, CFGR, CFH, CFIF, CFIL, CFIL64, CFIN, CFIN64, CFSF, CFSL, CFST, PCFError
from mqtools.headers.pcf_bytes import MAX_DEPTH, pack_pcf, unpack_pcf

from ..errors import fails

BIG, LITTLE = 273, 546

numbers = st.integers(-(2**31), 2**31 - 1)
long_numbers = st.integers(-(2**63), 2**63 - 1)
strings = st.binary(max_size=20)
same_length = st.integers(1, 9).flatmap(
    lambda length: st.lists(st.binary(min_size=length, max_size=length), max_size=5)
)
single = st.one_of(
    st.builds(CFIN, numbers, numbers),
    st.builds(CFIN64, numbers, long_numbers),
    st.builds(CFIL, numbers, st.lists(numbers, max_size=5)),
    st.builds(CFIL64, numbers, st.lists(long_numbers, max_size=5)),
    st.builds(CFST, numbers, strings, numbers),
    st.builds(CFSL, numbers, same_length, numbers),
    st.builds(CFBS, numbers, strings),
    st.builds(CFIF, numbers, numbers, numbers),
    st.builds(CFSF, numbers, numbers, strings, numbers),
    st.builds(CFBF, numbers, numbers, strings),
)
parameters = st.recursive(single, lambda inner: st.builds(CFGR, numbers, st.lists(inner, max_size=4)), max_leaves=8)
headers = st.builds(CFH, numbers, type=numbers, version=st.integers(1, 3), control=numbers, reason=numbers)


def longs(*values: int) -> bytes:
    return pack(f"<{len(values)}i", *values)


def command(*structures: bytes, count: int | None = None) -> bytes:
    announced = len(structures) if count is None else count
    return longs(1, 36, 1, c.MQCMD_INQUIRE_Q, 1, 1, 0, 0, announced) + b"".join(structures)


@given(headers, st.lists(parameters, max_size=5), st.sampled_from([BIG, LITTLE]))
def test_a_pcf_message_comes_back_as_it_was(header: CFH, given: list[CFIN], encoding: int) -> None:
    assert unpack_pcf(pack_pcf(header, given, encoding), encoding) == (header, given)


def test_the_bytes_are_those_of_the_structures() -> None:
    header = CFH(c.MQCMD_INQUIRE_Q, type=MQCFT_COMMAND_XR, version=3)
    data = pack_pcf(header, [CFST(2016, b"A*"), CFIN64(7, -1), CFSF(2013, MQCFOP_LIKE, b"x" * 4, 819)], LITTLE)
    assert data[:36] == longs(16, 36, 3, 13, 1, 1, 0, 0, 3)
    assert data[36:60] == longs(4, 24, 2016, 0, 2) + b"A*\0\0"
    assert data[60:84] == longs(23, 24, 7, 0) + b"\xff" * 8
    assert data[84:] == longs(14, 28, 2013, 18, 819, 4) + b"xxxx"


def test_a_reply_says_in_its_own_byte_order_that_more_follow() -> None:
    header = CFH(c.MQCMD_INQUIRE_Q, type=MQCFT_RESPONSE, control=MQCFC_NOT_LAST, comp_code=2, reason=3065)
    data = pack_pcf(header, [], BIG)
    assert data == pack(">9i", 2, 36, 1, 13, 1, 0, 2, 3065, 0)


def test_the_strings_of_a_list_are_as_long_as_the_longest() -> None:
    data = pack_pcf(CFH(), [CFSL(3011, [b"A", b"BCD"])], LITTLE)
    assert data[36:] == longs(6, 32, 3011, 0, 2, 3) + b"A  BCD\0\0"


def test_the_parameters_of_a_group_count_there_and_not_in_the_header() -> None:
    data = pack_pcf(CFH(), [CFGR(8001, [CFIN(1, 2), CFGR(8002, [CFIN(3, 4)])]), CFIN(5, 6)], LITTLE)
    assert data[32:36] == longs(2)
    assert data[36:52] == longs(20, 16, 8001, 2)


DAMAGED = {
    "empty": (b"", c.MQRCCF_MSG_LENGTH_ERROR),
    "half a header": (command()[:35], c.MQRCCF_MSG_LENGTH_ERROR),
    "length of the header": (longs(1, 40, 1, 13, 1, 1, 0, 0, 0), c.MQRCCF_CFH_LENGTH_ERROR),
    "version of the header": (longs(1, 36, 4, 13, 1, 1, 0, 0, 0), c.MQRCCF_CFH_VERSION_ERROR),
    "negative count": (command(count=-1), c.MQRCCF_CFH_PARM_COUNT_ERROR),
    "parameter missing": (command(count=1), c.MQRCCF_MSG_LENGTH_ERROR),
    "half a parameter": (command(longs(3, 16)), c.MQRCCF_MSG_LENGTH_ERROR),
    "very many parameters": (command(longs(3, 16, 1, 1), count=2**31 - 1), c.MQRCCF_MSG_LENGTH_ERROR),
    "parameter too many": (command(longs(3, 16, 1, 1), count=0), c.MQRCCF_MSG_LENGTH_ERROR),
    "unknown structure": (command(longs(99, 16, 1, 1)), c.MQRCCF_STRUCTURE_TYPE_ERROR),
    "no length": (command(longs(3, 0, 1, 1)), c.MQRCCF_CFIN_LENGTH_ERROR),
    "negative length": (command(longs(3, -16, 1, 1)), c.MQRCCF_CFIN_LENGTH_ERROR),
    "longer than the message": (command(longs(3, 20, 1, 1)), c.MQRCCF_CFIN_LENGTH_ERROR),
    "integer too short": (command(longs(3, 12, 1)), c.MQRCCF_CFIN_LENGTH_ERROR),
    "integer too long": (command(longs(3, 20, 1, 1, 1)), c.MQRCCF_CFIN_LENGTH_ERROR),
    "half a long integer": (command(longs(23, 20, 1, 0, 0)), c.MQRCCF_CFIN_LENGTH_ERROR),
    "list longer than it is": (command(longs(5, 20, 1, 2, 1)), c.MQRCCF_CFIL_COUNT_ERROR),
    "list of very many": (command(longs(5, 20, 1, 2**31 - 1, 1)), c.MQRCCF_CFIL_COUNT_ERROR),
    "list of less than none": (command(longs(5, 16, 1, -1)), c.MQRCCF_CFIL_COUNT_ERROR),
    "list without a count": (command(longs(5, 12, 1)), c.MQRCCF_CFIL_LENGTH_ERROR),
    "string too long": (command(longs(4, 24, 1, 0, 5, 0)), c.MQRCCF_CFST_STRING_LENGTH_ERR),
    "string of negative length": (command(longs(4, 24, 1, 0, -1, 0)), c.MQRCCF_CFST_STRING_LENGTH_ERR),
    "more behind a string": (command(longs(4, 24, 1, 0, 0, 0)), c.MQRCCF_CFST_LENGTH_ERROR),
    "strings too many": (command(longs(6, 28, 1, 0, 2, 4, 0)), c.MQRCCF_CFSL_TOTAL_LENGTH_ERROR),
    "less than no strings": (command(longs(6, 28, 1, 0, -1, -4, 0)), c.MQRCCF_CFSL_COUNT_ERROR),
    "strings of less than no bytes": (command(longs(6, 28, 1, 0, 1, -4, 0)), c.MQRCCF_CFSL_STRING_LENGTH_ERR),
    "very many strings of no bytes": (command(longs(6, 24, 1, 0, 2**31 - 1, 0)), c.MQRCCF_CFSL_COUNT_ERROR),
    "bytes too long": (command(longs(9, 20, 1, 5, 0)), c.MQRCCF_CFBS_STRING_LENGTH_ERR),
    "integer filter too short": (command(longs(13, 16, 1, 2)), c.MQRCCF_CFIF_LENGTH_ERROR),
    "string filter too long": (command(longs(14, 28, 1, 2, 0, 5, 0)), c.MQRCCF_CFSF_FILTER_VAL_LEN_ERR),
    "byte filter too long": (command(longs(15, 24, 1, 2, 5, 0)), c.MQRCCF_CFBF_FILTER_VAL_LEN_ERR),
    "group of less than none": (command(longs(20, 16, 1, -1)), c.MQRCCF_CFGR_PARM_COUNT_ERROR),
    "group too long": (command(longs(20, 20, 1, 0, 0)), c.MQRCCF_CFGR_LENGTH_ERROR),
    "group without its parameters": (command(longs(20, 16, 1, 1)), c.MQRCCF_MSG_LENGTH_ERROR),
    "groups without end": (command(longs(20, 16, 1, 1) * 5000, count=1), c.MQRCCF_CFGR_PARM_COUNT_ERROR),
}


@pytest.mark.parametrize(("data", "reason"), DAMAGED.values(), ids=DAMAGED)
def test_damage_is_told_by_its_reason(data: bytes, reason: int) -> None:
    with pytest.raises(PCFError) as caught:
        unpack_pcf(data, LITTLE)
    assert caught.value.reason == reason


def test_damage_of_a_parameter_says_which_and_where() -> None:
    with pytest.raises(PCFError) as caught:
        unpack_pcf(command(longs(3, 16, 1, 1), longs(4, 24, 2016, 0, 99, 0)), LITTLE)
    assert (caught.value.parameter, caught.value.offset) == (2016, 52)


@given(st.lists(parameters, max_size=3), st.data())
def test_any_change_of_a_message_gives_a_message_or_a_pcf_error(given: list[CFIN], data: st.DataObject) -> None:
    message = bytearray(pack_pcf(CFH(), given, LITTLE))
    at = data.draw(st.integers(0, len(message) - 1))
    message[at] = data.draw(st.integers(0, 255))
    reason = 3000
    try:
        unpack_pcf(bytes(message[: data.draw(st.integers(0, len(message)))]), LITTLE)
    except PCFError as error:
        reason = error.reason
    assert reason // 1000 == 3


@pytest.mark.parametrize(
    "parameter", [CFIN(1, 2**31), CFIL(1, [-(2**31) - 1]), CFIN(2**31, 0), CFST(1, b"", 2**31), CFIN64(1, 2**63)]
)
def test_a_number_that_does_not_fit_its_field_is_refused(parameter: CFIN) -> None:
    with pytest.raises(PCFError) as caught:
        pack_pcf(CFH(), [parameter], LITTLE)
    assert caught.value.reason == MQRC_PCF_ERROR


def test_groups_that_nest_too_deep_are_not_written_either() -> None:
    group = CFGR(1)
    for _ in range(MAX_DEPTH - 1):
        group = CFGR(1, [group])
    assert unpack_pcf(pack_pcf(CFH(), [group], LITTLE), LITTLE) == (CFH(), [group])
    with pytest.raises(PCFError):
        pack_pcf(CFH(), [CFGR(1, [group])], LITTLE)


def test_an_encoding_without_byte_order_is_refused() -> None:
    with fails(c.MQRCCF_ENCODING_ERROR, "byte order"):
        unpack_pcf(command(), 0)
