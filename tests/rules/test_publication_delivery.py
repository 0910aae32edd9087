"""Which subscriptions a publication must reach."""

from __future__ import annotations

from mqtools.constants import cmqc
from mqtools.rules.publication_delivery import must_reach


def test_who_must_be_reached() -> None:
    table = {value: (must_reach(value, is_durable=True), must_reach(value, is_durable=False)) for value in (1, 2, 3)}
    assert table == {
        cmqc.MQDLV_ALL: (True, True),
        cmqc.MQDLV_ALL_DUR: (True, False),
        cmqc.MQDLV_ALL_AVAIL: (False, False),
    }
