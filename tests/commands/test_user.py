"""``mqx user`` from outside: passwords from a terminal or one line of standard input, and shown nowhere."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pexpect
import pytest

from mqtools.admin import users
from mqtools.mqi.connection import connect

from ..errors import fails

SECRET = "correct horse"
LINE = f"{SECRET}\n".encode()


def is_right(qm: str, name: str, password: str) -> bool:
    with connect(qm) as connection:
        return users.verify_password(connection.db, name, password.encode())


def test_a_user_is_added_listed_changed_and_deleted(mqx: Callable[..., Any], qm: str) -> None:
    done = mqx("user", "add", "ana", stdin=LINE, check=True)
    assert (done.out, done.err) == (b"", "user ana added\n")
    rows = json.loads(mqx("user", "list", "-o", "json", check=True).out)
    assert [(row["user"], row["password"]) for row in rows] == [("admin", False), ("ana", True), ("app", False)]
    assert {key for row in rows for key in row} == {"user", "password", "created_at", "changed_at"}
    assert is_right(qm, "ana", SECRET)
    mqx("user", "password", "ana", stdin=b"other\r\nsecond line\n", check=True)
    assert (is_right(qm, "ana", SECRET), is_right(qm, "ana", "other")) == (False, True)
    mqx("user", "delete", "ana", check=True)
    assert not is_right(qm, "ana", "other")
    for name in ("admin", "app"):
        mqx("user", "delete", name, check=True)
    assert mqx("user", "list").status == 3


@pytest.mark.parametrize(
    ("words", "stdin", "status", "error"),
    [
        (("add", "ana"), "", 2, "no password on standard input"),
        (("add", "ana"), "\n", 2, "1 to 256 bytes"),
        (("add", "ana"), "x" * 5000, 2, "1 to 256 bytes"),
        (("add", "app"), "new\n", 1, "user app already exists"),
        (("add", "a b"), "new\n", 1, "not a valid user name"),
        (("add", "*MQADMIN"), "new\n", 1, "not a valid user name"),
        (("add", "ana", SECRET), "", 2, "unexpected extra argument"),
        (("password", "ana"), "new\n", 5, "user ana does not exist"),
        (("delete", "ana"), "", 5, "user ana does not exist"),
    ],
)
def test_what_cannot_be_is_refused(
    mqx: Callable[..., Any], qm: str, words: tuple[str, ...], stdin: str, status: int, error: str
) -> None:
    mqx("user", *words, stdin=stdin.encode()).ended(status, error)
    assert len(json.loads(mqx("user", "list", "-o", "json", check=True).out)) == 2


@pytest.mark.parametrize(("second", "status"), [(f"{SECRET}\n", 0), ("another\n", 2), ("\4", 2)])
def test_a_terminal_asks_twice_and_shows_nothing(
    environment: dict[str, str], mqx_path: str, qm: str, second: str, status: int
) -> None:
    terminal = pexpect.spawn(mqx_path, ["user", "add", "ana"], env=environment, timeout=60, encoding="utf-8")
    shown = ""
    for prompt, answer in (("Password: ", f"{SECRET}\n"), ("Repeat the password: ", second)):
        terminal.expect_exact(prompt)
        shown += terminal.before
        terminal.send(answer)
    terminal.expect(pexpect.EOF)
    shown += terminal.before
    terminal.wait()
    terminal.close()
    assert (terminal.exitstatus, SECRET in shown) == (status, False)
    assert is_right(qm, "ana", SECRET) is (status == 0)


def test_no_output_has_a_password_or_what_it_is_stored_as(mqx: Callable[..., Any], qm: str) -> None:
    mqx("user", "add", "zoe", stdin=LINE, check=True)
    for words in (("sql", "select * from users"), ("sql", "select hex(digest) from users")):
        assert mqx(*words).status == 8
    assert mqx("sql", "select name from users", check=True).out.split() == [b"admin", b"app", b"zoe"]
    assert b"zoe" not in mqx("qmgr", "export", check=True).out
    assert "zoe" not in mqx("mqsc", "DISPLAY QMGR ALL", "DISPLAY AUTHINFO(*) ALL", check=True).out.decode()


def test_one_password_is_stored_in_two_ways(mqx: Callable[..., Any], qm: str) -> None:
    for name in ("ana", "bo"):
        mqx("user", "add", name, stdin=LINE, check=True)
    with connect(qm) as connection:
        stored = connection.db.all("select salt, digest, cost, block_size, parallelism from users where salt not null")
    assert len({row[0] for row in stored}) == len({row[1] for row in stored}) == 2
    assert {row[2:] for row in stored} == {(32768, 8, 1)}


def test_only_the_owner_of_the_file_manages_users(qm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(users, "is_run_by_owner", lambda _: False)
    with connect(qm) as connection:
        calls: tuple[Callable[[Any], object], ...] = (
            lambda work: users.add_user(work, "ana"),
            lambda work: users.set_password(work, "app", users.hash_password(b"new")),
            lambda work: users.delete_user(work, "app"),
            lambda work: users.list_users(work.connection),
        )
        for call in calls:
            with fails(2035), connection.work() as work:
                call(work)
