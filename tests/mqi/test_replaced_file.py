"""Nothing is written to a file that was removed or replaced after it was opened: nobody would ever read it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable

import pytest

from mqtools.constants.options import MQPMO_SYNCPOINT
from mqtools.constants.reasons import MQRC_CONNECTION_BROKEN
from tests.mqi.conftest import QM, fails


def replace(path: str) -> None:
    shutil.copyfile(path, f"{path}.new")
    os.rename(f"{path}.new", path)


def rename(path: str) -> None:
    os.rename(path, f"{path}.moved")


@pytest.mark.filterwarnings("ignore::mqtools.store.file_warnings.StorageWarning")
@pytest.mark.parametrize("lose", [os.unlink, replace, rename])
def test_an_open_connection_puts_nothing_into_a_file_that_is_gone(qm: QM, lose: Callable[[str], None]) -> None:
    qm.put(b"before")
    handle = qm.open()
    lose(qm.path)
    with fails(MQRC_CONNECTION_BROKEN):
        qm.put(b"lost")
    with fails(MQRC_CONNECTION_BROKEN):
        qm.put(b"lost", options=MQPMO_SYNCPOINT)
    with fails(MQRC_CONNECTION_BROKEN):
        handle.get()
    qm.main.abandon()
