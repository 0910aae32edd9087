"""A handler that is killed at any point loses nothing, doubles nothing, and has reported nothing untrue (BEY-77)."""

from __future__ import annotations

import random
import signal
import subprocess
import sys

import pytest

from mqtools.mqi import recovery
from mqtools.mqi.connection import Connection

from .dead_letters import DLQ, OTHER, TO, alter, bury, data_on, once, stored_on

TABLE = f"APPLIDAT(F) ACTION(FWD) FWDQ({OTHER}) HEADER(NO)\nAPPLIDAT(D) ACTION(DISCARD)\nACTION(RETRY)"

#: Runs the handler and kills its own process at transaction number ``at``: before it begins, inside it when its
#: work is done, or after it is through; or before the statement of that number that changes the file.
PROGRAM = """
import os, signal, sys
from mqtools.dlq.handler import Handler
from mqtools.dlq.rules_table import parse_rules_table
from mqtools.mqi.connection import connect
from mqtools.mqi.transaction import Work
from mqtools.store.database import Database

at, moment, table, q_name = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
enter, leave, numbers = Work.__enter__, Work.__exit__, {}
transactions = statements = 0

def die_if(number, here):
    if number == at and here == moment:
        os.kill(os.getpid(), signal.SIGKILL)

def entering(work):
    global transactions
    transactions += 1
    numbers[id(work)] = number = transactions  # one may be inside another
    die_if(number, "before")
    return enter(work)

def leaving(work, *error):
    number = numbers.pop(id(work))
    die_if(number, "inside")
    leave(work, *error)
    die_if(number, "after")

def counting(function):
    def run(database, *words):
        global statements
        statements += 1
        die_if(statements, "statement")
        return function(database, *words)

    return run

connection = connect("QM1")
Work.__enter__, Work.__exit__ = entering, leaving
Database.run, Database.run_many = counting(Database.run), counting(Database.run_many)

def say(line):
    print(line, flush=True)

Handler(connection, parse_rules_table(table), q_name, once=True, say=say).run()
connection.disconnect()
print(transactions, statements)
"""

#: Transactions of a run over five dead letters: open, look around, handle all five, close, disconnect. The first test
#: holds the number.
TRANSACTIONS = 5
POINTS = [(at, moment) for at in range(1, TRANSACTIONS + 1) for moment in ("before", "inside", "after")]
#: Statements of the same run that change messages or counters, or begin or end a transaction or a savepoint. The first
#: test holds the number.
STATEMENTS = 38
#: Letters of three transactions, every eighth of which cannot be put, and some of the statements that handle them.
MANY = 250
AMONG_MANY = sorted(random.Random(22).sample(range(1, 900), 12))


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


def let_go(connection: Connection) -> None:
    with connection.work() as work:
        recovery.recover(work)


def test_a_run_that_is_not_killed_has_so_many_transactions(conn: Connection) -> None:
    fill(conn)
    result = run_and_die(0, "never")
    assert result.stdout.splitlines()[-1] == f"{TRANSACTIONS} {STATEMENTS}", result.stderr


@pytest.mark.conformance("BEY-77")
@pytest.mark.parametrize(("at", "moment"), [*POINTS, *((at, "statement") for at in range(1, STATEMENTS + 1, 2))])
def test_a_kill_loses_and_doubles_nothing(conn: Connection, at: int, moment: str) -> None:
    fill(conn)
    assert run_and_die(at, moment).returncode == -signal.SIGKILL
    let_go(conn)
    bodies = [data[172:] for data in data_on(conn, DLQ)]
    handled = data_on(conn, TO) + data_on(conn, OTHER)
    kept = {b"0R", b"1F", b"3R", b"4F"}
    assert sorted(body for body in bodies + handled if body != b"2D") == sorted(kept)
    once(conn, *TABLE.splitlines())
    assert (data_on(conn, DLQ), data_on(conn, TO), data_on(conn, OTHER)) == ([], [b"0R", b"3R"], [b"1F", b"4F"])


@pytest.mark.conformance("BEY-77")
@pytest.mark.parametrize("at", AMONG_MANY)
def test_a_kill_among_many_letters_leaves_whole_transactions_and_true_reports(conn: Connection, at: int) -> None:
    alter(conn, TO, max_q_depth=MANY)
    alter(conn, DLQ, max_q_depth=MANY)
    for number in range(MANY):
        bury(conn, b"%d" % number, to="NOWHERE" if number % 8 == 3 else TO, persistence=number % 2)
    killed = run_and_die(at, "statement")
    assert killed.returncode == -signal.SIGKILL
    let_go(conn)
    left, put = stored_on(conn, DLQ), [int(data) for data in data_on(conn, TO)]
    bodies = [int(data[172:]) for data in data_on(conn, DLQ)]
    assert sorted(bodies + put) == list(range(MANY))
    failed = {stored.md.msg_id.hex().upper() for stored in left if stored.md.backout_count}
    reported = [line.split()[-1] for line in killed.stdout.splitlines() if line.startswith("AMQ8722")]
    assert set(reported) <= failed
    assert len(put) + len(failed) in (0, 100, 200, 250)
