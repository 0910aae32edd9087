"""Every parser returns or raises the errors it promises, whatever bytes it is given."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from .targets import TARGETS, run_target, seeds


@pytest.mark.parametrize("name", TARGETS)
@given(data=st.data())
def test_a_parser_raises_nothing_but_its_errors(name: str, data: st.DataObject) -> None:
    if data.draw(st.booleans()):
        run_target(name, data.draw(st.binary(max_size=200)))
        return
    seed = data.draw(st.sampled_from(seeds(name)))
    place = data.draw(st.integers(0, len(seed)))
    run_target(name, seed[:place] + data.draw(st.binary(max_size=20)) + seed[place + data.draw(st.integers(0, 3)) :])


@pytest.mark.parametrize("name", TARGETS)
def test_what_each_parser_begins_with_is_read(name: str) -> None:
    for seed in seeds(name):
        run_target(name, seed)
