"""A program that is killed while its commit begins the log anew: the file opens, with all that was acknowledged."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from .accounting import take_stock

#: Puts once, moves the log into the file, and dies at the commit of the second put: KILL says when.
PROGRAM = """
import os, sys
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect
from mqtools.store.log import log_mark

connection = connect(sys.argv[1])
connection.put1("Q", Message(b"first", MQMD(persistence=1)))
connection.db.one("pragma wal_checkpoint(passive)")
real = log_mark.write
def write(descriptor, mark):
    if sys.argv[2] == "after the commit" and mark & log_mark.HAS_LOG:
        os.kill(os.getpid(), 9)
    real(descriptor, mark)
log_mark.write = write
if sys.argv[2] == "before the commit":
    connection.db.sql.set_trace_callback(lambda text: text.lower().startswith("commit") and os.kill(os.getpid(), 9))
connection.put1("Q", Message(b"second", MQMD(persistence=1)))
"""


@pytest.mark.filterwarnings("ignore::mqtools.store.file_warnings.StorageWarning")
@pytest.mark.parametrize(
    ("when", "found"), [("before the commit", ["first"]), ("after the commit", ["first", "second"])]
)
def test_a_kill_while_the_log_is_begun_anew_leaves_a_file_that_opens(
    made: str, tmp_path: Path, when: str, found: list[str]
) -> None:
    path = shutil.copyfile(made, str(tmp_path / "QM1.db"))
    Path(path).chmod(0o600)
    done = subprocess.run([sys.executable, "-c", PROGRAM, path, when], check=False)
    assert done.returncode == -signal.SIGKILL
    assert take_stock(path)["Q"] == found
    assert take_stock(path)["Q"] == found
