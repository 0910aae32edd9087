"""``mqx lock`` from outside: what it prints, whom it keeps out, and how long it lasts."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from ..mqi.children import kill, start_ready

QUEUE = "DEV.QUEUE.1"
OTHER = "DEV.QUEUE.2"

#: Locks the first message of a queue through the MQI, and hangs.
HOLDER = """
handle = connect(path).open("DEV.QUEUE.1", MQOO_BROWSE | MQOO_INPUT_SHARED)
handle.get(MQGMO_BROWSE_FIRST | MQGMO_LOCK)
print("held", flush=True)
sys.stdin.read()
"""


def lock(mqx: Callable[..., Any], *arguments: str) -> str:
    """Lock messages of the queue; give the lock id."""
    done = mqx("lock", QUEUE, "--print-id", *arguments, check=True)
    return str(done.out.decode().strip())


@pytest.fixture
def three(mqx: Callable[..., Any], qm: str) -> str:
    """Three messages a, b, c on the queue."""
    mqx("put", QUEUE, "a", "b", "c", check=True)
    return qm


@pytest.mark.usefixtures("three")
class TestLocking:
    def test_each_plain_line_has_the_lock_id(self, mqx: Callable[..., Any]) -> None:
        done = mqx("lock", QUEUE, check=True)
        rows = [line.split("\t") for line in done.out.decode().splitlines()]
        assert len(rows) == 3
        assert {row[1] for row in rows} == {"locked_for_browse"}
        assert len({row[2] for row in rows}) == 1
        assert len(bytes.fromhex(rows[0][2])) == 8
        assert [row[-1] for row in rows] == ["a", "b", "c"]

    def test_counts_and_lock_id_are_said_on_stderr(self, mqx: Callable[..., Any]) -> None:
        done = mqx("lock", QUEUE, check=True)
        assert f"locked 3 messages with lock id {done.out.decode().split()[2]}" in done.err

    def test_quiet_says_nothing_on_stderr(self, mqx: Callable[..., Any]) -> None:
        assert mqx("lock", QUEUE, "-q", check=True).err == ""

    def test_jsonl_envelope_has_lock_id_and_state(self, mqx: Callable[..., Any]) -> None:
        done = mqx("lock", QUEUE, "-n", "1", "-o", "jsonl", check=True)
        envelope = json.loads(done.out)
        assert envelope["state"] == "locked_for_browse"
        assert len(envelope["lock_id"]) == 16
        assert envelope["data"] == "a"

    def test_print_id_prints_the_lock_id_alone(self, mqx: Callable[..., Any]) -> None:
        done = mqx("lock", QUEUE, "--print-id", check=True)
        assert len(bytes.fromhex(done.out.decode().rstrip("\n"))) == 8

    @pytest.mark.conformance("LIFE-19")
    def test_selection_locks_what_it_means_and_no_more(self, mqx: Callable[..., Any]) -> None:
        lock(mqx, "--grep", "b")
        assert mqx("get", QUEUE, "--all", check=True).out == b"a\nc\n"

    @pytest.mark.parametrize(
        "command",
        [
            ("get",),
            ("get", "--all"),
            ("get", "--wait", "1ms"),
            ("get", "--exec", "true"),
            ("get", "--confirm-id", "9"),
            ("get", "--grep", "c"),
            ("lock",),
            ("delete", "--grep", "c", "--yes"),
            ("edit", "--grep", "c", "--set", "priority=1"),
            ("report-gen", "--grep", "c", "--feedback", "pan", "--to", "DEV.QUEUE.2"),
            ("copy", "DEV.QUEUE.2"),
            ("move", "DEV.QUEUE.2", "--grep", "c"),
        ],
        ids=" ".join,
    )
    def test_command_that_finds_only_a_locked_message_names_its_holder(
        self, mqx: Callable[..., Any], command: tuple[str, ...]
    ) -> None:
        mqx("get", QUEUE, "-n", "2", check=True)
        lock_id = lock(mqx)
        done = mqx(command[0], QUEUE, *command[1:]).ended(3)
        (hint,) = (line for line in done.err.splitlines() if line.startswith("hint: "))
        assert hint.startswith("hint: 1 message is locked by ")
        assert hint.endswith(f" with lock id {lock_id}: mqx browse {QUEUE} --all-states")

    def test_hint_for_several_held_messages_says_their_number(self, mqx: Callable[..., Any]) -> None:
        lock(mqx, "-n", "2")
        mqx("get", QUEUE, "--confirm-id", "9", check=True)
        done = mqx("get", QUEUE).ended(3)
        assert done.err.startswith("hint: 3 messages are locked or uncommitted, the first is locked by ")

    def test_no_hint_without_a_held_message_that_fits(self, mqx: Callable[..., Any]) -> None:
        lock(mqx, "-n", "1")
        for command in (
            ("get", QUEUE, "--grep", "nothing"),
            ("get", "DEV.QUEUE.2"),
            ("-q", "get", QUEUE, "--grep", "a"),
        ):
            done = mqx(*command)
            assert (done.status, done.err) == (3, "")

    def test_ended_lease_frees_the_messages(self, mqx: Callable[..., Any]) -> None:
        lock_id = lock(mqx, "--lease", "1ms")
        assert mqx("get", QUEUE, "--all", check=True).out == b"a\nb\nc\n"
        assert mqx("unlock", QUEUE, "--lock-id", lock_id).status == 6

    def test_ended_lease_frees_for_a_selection_too(self, mqx: Callable[..., Any]) -> None:
        lock(mqx, "--lease", "1ms")
        assert mqx("lock", QUEUE, "--grep", "b", check=True).out.count(b"\n") == 1

    def test_dry_run_shows_and_locks_nothing(self, mqx: Callable[..., Any]) -> None:
        assert mqx("lock", QUEUE, "--dry-run", "-n", "2", "-o", "raw", check=True).out == b"a\nb\n"
        assert mqx("lock", "--list").status == 3

    def test_closed_pipe_before_the_id_was_told_locks_nothing(
        self, mqx: Callable[..., Any], start: Callable[..., Any], closed_pipe: int
    ) -> None:
        process = start("lock", QUEUE, stdout=closed_pipe)
        assert (process.wait(60), process.stderr.read()) == (141, b"")
        assert mqx("lock", "--list").status == 3


def test_nothing_to_lock_is_3_and_makes_no_lock(mqx: Callable[..., Any], qm: str) -> None:
    done = mqx("lock", QUEUE)
    assert (done.status, done.out) == (3, b"")
    assert mqx("lock", "--list").status == 3


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param((), id="no queue"),
        pytest.param((QUEUE, "--lease", "0"), id="no lease"),
        pytest.param((QUEUE, "-n", "0"), id="no message"),
        pytest.param((QUEUE, "--confirm-id", "0"), id="no confirm id"),
        pytest.param(("--list", "--print-id"), id="list and id"),
        pytest.param(("--list", "--grep", "x"), id="list and selection"),
    ],
)
def test_senseless_line_is_a_usage_error(mqx: Callable[..., Any], qm: str, arguments: tuple[str, ...]) -> None:
    assert mqx("lock", *arguments).status == 2


@pytest.mark.usefixtures("three")
class TestList:
    def rows(self, mqx: Callable[..., Any], *arguments: str) -> list[dict[str, Any]]:
        return list(json.loads(mqx("lock", "--list", *arguments, "-o", "json").out))

    def test_list_says_who_since_when_and_how_long(self, mqx: Callable[..., Any]) -> None:
        lock_id = lock(mqx, "-n", "2", "--lease", "10m", "--confirm-id", "4")
        (row,) = self.rows(mqx)
        assert (row["queue"], row["lock_id"], row["messages"]) == (QUEUE, lock_id, 2)
        assert (row["state"], row["kind"], row["confirm_id"]) == ("locked_for_browse", "lock", 4)
        assert " pid " in row["holder"]
        assert row["since"].endswith("Z")
        assert 500 < row["lease_left_s"] <= 600
        assert len(row["msg_ids"]) == 2

    @pytest.mark.parametrize("output", ["json", "plain", "csv"])
    def test_list_names_each_message_for_programs_and_the_first_for_people(
        self, mqx: Callable[..., Any], output: str
    ) -> None:
        mqx("put", QUEUE, *"abcdefghijklmnop", check=True)
        ids = [row["md"]["msg_id"] for row in json.loads(mqx("browse", QUEUE, "-o", "json", check=True).out)]
        lock(mqx)
        assert len(ids) == 19
        listed = mqx("lock", "--list", "-o", output, check=True).out.decode()
        assert [msg_id for msg_id in ids if msg_id in listed] == ids
        for_people = mqx("lock", "--list", "-o", "table", check=True).out.decode()
        assert [msg_id for msg_id in ids if msg_id in for_people] == ids[:1]

    @pytest.mark.parametrize(
        ("words", "setting", "least", "said"),
        [
            ((), None, 3500, "for 1h"),
            ((), "2h", 7100, "for 2h"),
            (("--lease", "5m"), "never", 290, "for 5m"),
            (("--lease", "never"), "2h", None, "without a lease"),
            ((), "never", None, "without a lease"),
        ],
    )
    def test_lock_has_the_lease_that_is_given_or_set(self, mqx, words, setting, least, said) -> None:  # type: ignore[no-untyped-def]
        environment = {} if setting is None else {"MQX_LOCK_LEASE": setting}
        assert said in mqx("lock", QUEUE, *words, check=True, **environment).err
        left = self.rows(mqx)[0]["lease_left_s"]
        assert (left is None) if least is None else least < left < least + 120
        table = mqx("lock", "--list", "-o", "table", check=True).out.decode()
        assert ("never" in table) == (least is None)

    def test_setting_that_is_no_lease_is_a_usage_error(self, mqx: Callable[..., Any]) -> None:
        assert mqx("lock", QUEUE, MQX_LOCK_LEASE="0").status == 2
        assert self.rows(mqx) == []

    def test_list_names_the_queue_that_a_confirm_id_belongs_to(self, mqx: Callable[..., Any]) -> None:
        mqx("put", OTHER, "x", "--report", "coa", "--reply-to", QUEUE, "--confirm-id", "5", check=True)
        rows = {row["queue"]: row for row in self.rows(mqx)}
        assert rows[QUEUE]["confirm_queue"] == OTHER
        mqx("confirm", "put", rows[QUEUE]["confirm_queue"], "--confirm-id", "5", check=True)
        assert self.rows(mqx) == []

    def test_list_of_a_queue_leaves_out_the_others(self, mqx: Callable[..., Any]) -> None:
        mqx("put", OTHER, "x", check=True)
        lock(mqx)
        mqx("lock", OTHER, check=True)
        assert len(self.rows(mqx)) == 2
        assert [row["queue"] for row in self.rows(mqx, OTHER)] == [OTHER]

    def test_list_shows_what_is_unconfirmed(self, mqx: Callable[..., Any]) -> None:
        mqx("get", QUEUE, "--confirm-id", "9", check=True)
        (row,) = self.rows(mqx)
        assert (row["state"], row["confirm_id"], row["lock_id"]) == ("get_unconfirmed", 9, None)


@pytest.mark.usefixtures("three")
class TestOtherProcesses:
    def test_lock_of_a_handle_goes_with_the_kill_of_its_process(self, mqx: Callable[..., Any], three: str) -> None:
        program = start_ready(HOLDER, three, says="held")
        try:
            (row,) = json.loads(mqx("lock", "--list", "-o", "json", check=True).out)
            assert (row["kind"], row["lock_id"]) == ("handle", None)
            assert row["holder"].endswith(f"pid {program.pid}")
            assert mqx("get", QUEUE, check=True).out == b"b"
        finally:
            kill(program)
        # The dead let go when somebody finds nothing else.
        assert mqx("get", QUEUE, "--all", check=True).out.split() == [b"c", b"a"]

    def test_dead_handles_let_go_before_a_selection_is_made(self, mqx: Callable[..., Any], three: str) -> None:
        kill(start_ready(HOLDER, three, says="held"))
        assert mqx("lock", QUEUE, "--grep", "a").status == 0
