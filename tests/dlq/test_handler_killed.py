"""A handler that is killed at any point loses nothing and doubles nothing (BEY-77)."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from mqtools.mqi import recovery

from .dead_letters import DLQ, OTHER, TO, bury, data_on, once

if TYPE_CHECKING:
    from mqtools.mqi.connection import Connection

TABLE = f"APPLIDAT(F) ACTION(FWD) FWDQ({OTHER}) HEADER(NO)\nAPPLIDAT(D) ACTION(DISCARD)\nACTION(RETRY)"

#: Runs the handler and kills its own process at transaction number ``at``: before it begins, inside it when its
#: work is done, or after it is through.
PROGRAM = """
import os, signal, sys
from mqtools.dlq.handler import Handler
from mqtools.dlq.rules_table import parse_rules_table
from mqtools.mqi.connection import connect
from mqtools.mqi.transaction import Work

at, moment, table, q_name = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
enter, leave, count, numbers = Work.__enter__, Work.__exit__, 0, {}

def die_if(number, here):
    if number == at and here == moment:
        os.kill(os.getpid(), signal.SIGKILL)

def entering(work):
    global count
    count += 1
    numbers[id(work)] = number = count  # one may be inside another
    die_if(number, "before")
    return enter(work)

def leaving(work, *error):
    number = numbers.pop(id(work))
    die_if(number, "inside")
    leave(work, *error)
    die_if(number, "after")

Work.__enter__, Work.__exit__ = entering, leaving
connection = connect("QM1")
Handler(connection, parse_rules_table(table), q_name, once=True, say=print).run()
connection.disconnect()
print("transactions:", count)
"""

#: Transactions of a run over five dead letters: open, look around, then lock, get, put and commit of each (a
#: DISCARD puts nothing, but keeps the message in the trash around its commit), unlock or close, disconnect. The first
#: test holds the number.
TRANSACTIONS = 24
POINTS = [(at, moment) for at in range(1, TRANSACTIONS + 1) for moment in ("before", "inside", "after")]


def run_and_die(at: int, moment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, str(at), moment, TABLE, DLQ],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def fill(connection: Connection) -> None:
    for number, letter in enumerate("RFDRF"):
        bury(connection, f"{number}{letter}".encode(), appl_identity_data=letter, persistence=number % 2)


def test_a_run_that_is_not_killed_has_so_many_transactions(conn: Connection) -> None:
    fill(conn)
    result = run_and_die(0, "never")
    assert result.stdout.splitlines()[-1] == f"transactions: {TRANSACTIONS}", result.stderr


@pytest.mark.conformance("BEY-77")
@pytest.mark.parametrize(("at", "moment"), sorted(random.Random(77).sample(POINTS, 20)))
def test_a_kill_loses_and_doubles_nothing(conn: Connection, at: int, moment: str) -> None:
    fill(conn)
    assert run_and_die(at, moment).returncode == -signal.SIGKILL
    with conn.work() as work:
        recovery.recover(work)
    bodies = [data[172:] for data in data_on(conn, DLQ)]
    handled = data_on(conn, TO) + data_on(conn, OTHER)
    kept = {b"0R", b"1F", b"3R", b"4F"}
    assert sorted(body for body in bodies + handled if body != b"2D") == sorted(kept)
    once(conn, *TABLE.splitlines())
    assert (data_on(conn, DLQ), data_on(conn, TO), data_on(conn, OTHER)) == ([], [b"0R", b"3R"], [b"1F", b"4F"])
