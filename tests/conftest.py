"""What all tests share: on several workers, those of one group run on one of them, so that Spark starts once.

Where the whole run was begun in the background of a script, it ignores the signals that a terminal sends, and so would
every program that a test starts and interrupts.
"""

from __future__ import annotations

import signal

import pytest

for _signal, _handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(_signal) == signal.SIG_IGN:
        signal.signal(_signal, _handler)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """``pytest -n 2`` keeps the groups together without being told."""
    if getattr(config.option, "numprocesses", None) and config.option.dist in ("no", "load"):
        config.option.dist = "loadgroup"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the tests of a group, which only one worker runs: the others have the rest to do meanwhile."""
    items.sort(key=lambda item: item.get_closest_marker("xdist_group") is None)
