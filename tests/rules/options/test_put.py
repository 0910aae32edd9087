"""Put options that contradict each other, or that the handle was not opened for, are refused."""

from __future__ import annotations

from itertools import combinations

import pytest

from mqtools.constants import options as mq
from mqtools.constants import reasons
from mqtools.rules.options import put
from mqtools.rules.options.put import check_put_options, uses_put_syncpoint

from ...errors import fails
from ..entries import entry

CONTEXTS = {
    "PASS_IDENTITY_CONTEXT": reasons.MQRC_NOT_OPEN_FOR_PASS_IDENT,
    "PASS_ALL_CONTEXT": reasons.MQRC_NOT_OPEN_FOR_PASS_ALL,
    "SET_IDENTITY_CONTEXT": reasons.MQRC_NOT_OPEN_FOR_SET_IDENT,
    "SET_ALL_CONTEXT": reasons.MQRC_NOT_OPEN_FOR_SET_ALL,
}
#: open option, the put options it allows
IMPLIED = {
    "PASS_IDENTITY_CONTEXT": {"PASS_IDENTITY_CONTEXT"},
    "PASS_ALL_CONTEXT": {"PASS_IDENTITY_CONTEXT", "PASS_ALL_CONTEXT"},
    "SET_IDENTITY_CONTEXT": {"PASS_IDENTITY_CONTEXT", "SET_IDENTITY_CONTEXT"},
    "SET_ALL_CONTEXT": set(CONTEXTS),
}


def pmo(*names: str) -> int:
    return sum({getattr(mq, f"MQPMO_{name}") for name in names})


class TestPut:
    @pytest.mark.parametrize("put1", [False, True])
    @pytest.mark.parametrize(
        "options",
        [
            entry("BEY-03", pmo("SYNCPOINT", "NO_SYNCPOINT")),
            entry("BEY-08", pmo("NO_CONTEXT", "DEFAULT_CONTEXT")),
            pmo("ASYNC_RESPONSE", "SYNC_RESPONSE"),
            pytest.param(0x1, id="unknown"),
            pytest.param(-1, id="negative"),
        ],
    )
    def test_contradiction_of_a_put_is_refused(self, options: int, put1: bool) -> None:
        with fails(reasons.MQRC_OPTIONS_ERROR):
            check_put_options(options, mq.MQOO_OUTPUT, put1=put1)

    @pytest.mark.parametrize(
        ("a", "b"), list(combinations([*CONTEXTS, "NO_CONTEXT", "DEFAULT_CONTEXT"], 2)), ids=" with ".join
    )
    @pytest.mark.conformance("BEY-08")
    def test_two_context_options_are_refused_and_named(self, a: str, b: str) -> None:
        with fails(reasons.MQRC_OPTIONS_ERROR) as caught:
            check_put_options(pmo(a, b), mq.MQOO_OUTPUT | mq.MQOO_SET_ALL_CONTEXT)
        assert {f"MQPMO_{a}", f"MQPMO_{b}"} <= set(caught.value.text.split())

    @pytest.mark.parametrize("opened", IMPLIED)
    @pytest.mark.parametrize("context", CONTEXTS)
    def test_context_option_needs_its_open_option_or_one_that_implies_it(self, context: str, opened: str) -> None:
        handle = mq.MQOO_OUTPUT | getattr(mq, f"MQOO_{opened}")
        if context in IMPLIED[opened]:
            check_put_options(pmo(context), handle)
            return
        with fails(CONTEXTS[context]) as caught:
            check_put_options(pmo(context), handle)
        assert f"MQPMO_{context} needs" in caught.value.text

    @pytest.mark.parametrize("context", [*CONTEXTS, "NO_CONTEXT", "DEFAULT_CONTEXT"])
    def test_put1_opens_as_it_needs(self, context: str) -> None:
        check_put_options(pmo(context), 0, put1=True)

    def test_alternate_user_belongs_to_mqput1(self) -> None:
        check_put_options(pmo("ALTERNATE_USER_AUTHORITY"), 0, put1=True)
        with fails(reasons.MQRC_OPTIONS_ERROR):
            check_put_options(pmo("ALTERNATE_USER_AUTHORITY"), mq.MQOO_OUTPUT)

    def test_logical_order_needs_version_2_of_the_descriptor(self) -> None:
        with fails(reasons.MQRC_WRONG_MD_VERSION):
            check_put_options(pmo("LOGICAL_ORDER"), mq.MQOO_OUTPUT, md_version=1)
        check_put_options(pmo("SYNCPOINT"), mq.MQOO_OUTPUT, md_version=1)

    def test_every_put_option_is_known(self) -> None:
        for name, value in vars(mq).items():
            if (
                name.startswith("MQPMO_")
                and isinstance(value, int)
                and "_VERSION" not in name
                and "_LENGTH" not in name
            ):
                assert not value & ~put.PUT_OPTIONS, name

    @pytest.mark.parametrize(
        ("options", "profile", "expected"),
        [
            entry("BEY-04", 0, "zos", True),
            (0, "distributed", False),
            (pmo("SYNCPOINT"), "distributed", True),
            (pmo("NO_SYNCPOINT"), "zos", False),
        ],
    )
    def test_unit_of_work_of_a_put(self, options: int, profile: str, expected: bool) -> None:
        assert uses_put_syncpoint(options, profile) is expected
