"""Proof of life: what becomes of a pipe that cannot be made."""

from __future__ import annotations

import errno
import os

import pytest

from mqtools.constants import reasons as rc
from mqtools.errors import StorageError
from mqtools.store.liveness import Presence


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        pytest.param(errno.EACCES, rc.MQRC_NOT_AUTHORIZED, id="forbidden"),
        pytest.param(errno.EROFS, rc.MQRC_NOT_AUTHORIZED, id="read-only"),
        pytest.param(errno.ENOSPC, rc.MQRC_STORAGE_MEDIUM_FULL, id="full"),
        pytest.param(errno.EMFILE, rc.MQRC_RESOURCE_PROBLEM, id="too many"),
    ],
)
def test_a_pipe_that_cannot_be_made_says_why(tmp_path, monkeypatch, number, reason):
    def refuse(path, mode):
        raise OSError(number, os.strerror(number), path)

    monkeypatch.setattr(os, "mkfifo", refuse)
    with pytest.raises(StorageError) as failure:
        Presence(str(tmp_path))
    assert failure.value.reason == reason
    assert os.strerror(number) in failure.value.text
