"""Every pair of options of MQGET on a real queue: what is refused changes nothing, what is allowed is done."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from mqtools.admin import queue_managers
from mqtools.constants import options as mq
from mqtools.constants import reasons as rc
from mqtools.constants.objects import MQIT_GROUP_ID
from mqtools.errors import MQError
from mqtools.message import MQMD, Message
from mqtools.mqi.get.request import GetResult
from mqtools.mqi.handle import Handle
from mqtools.mqi.message_handles.handle import MessageHandle
from mqtools.rules.options.get import GET_COMPANIONS, browses

from ...rules.options.get_checks import gmo
from ..conftest import QM, fails

DATA: dict[str, Any] = tomllib.loads(
    (Path(__file__).parents[2] / "rules" / "options" / "data" / "get_option_pairs.toml").read_text()
)
FOR_ALL = mq.MQOO_INPUT_SHARED | mq.MQOO_BROWSE | mq.MQOO_CO_OP | mq.MQOO_OUTPUT
#: What is left out of an open with one option missing: MQOO_CO_OP needs MQOO_BROWSE.
LACKING = {
    "INPUT": mq.MQOO_INPUT_SHARED,
    "BROWSE": mq.MQOO_BROWSE | mq.MQOO_CO_OP,
    "CO_OP": mq.MQOO_CO_OP,
}
NUMBER = 4  # of messages on the queue


def companions(*names: str) -> int:
    """What the named options cannot do without."""
    needed = 0
    for name in names:
        wanted = GET_COMPANIONS.get(gmo(name), 0)
        needed |= mq.MQGMO_BROWSE_NEXT if wanted & mq.MQGMO_BROWSE_NEXT else wanted
    return needed


def rows(section: str, *expected: str) -> list[Any]:
    chosen = [row for row in DATA[section] if not expected or row[3] in expected]
    return [pytest.param(*row[1:], id=row[0], marks=pytest.mark.conformance(row[0])) for row in chosen]


class Desk:
    """A queue with messages and a handle open for everything, with its cursor, its lock and its marks set."""

    def __init__(self, qm: QM) -> None:
        self.qm = qm
        self.db = qm.main.db
        self.handle = self.open()

    def open(self, order: int = 0) -> Handle:
        """Open the queue with all its messages on it: the first locked and under the cursor, the next two marked."""
        for _ in range(NUMBER - self.qm.depth()):
            self.qm.put("x", options=mq.MQPMO_NO_SYNCPOINT)
        handle = self.qm.open("Q", FOR_ALL)
        handle.get(mq.MQGMO_BROWSE_FIRST)
        handle.get(mq.MQGMO_BROWSE_NEXT | mq.MQGMO_MARK_BROWSE_HANDLE)
        handle.get(mq.MQGMO_BROWSE_NEXT | mq.MQGMO_MARK_BROWSE_CO_OP)
        handle.get(mq.MQGMO_BROWSE_FIRST | mq.MQGMO_LOCK | order)
        return handle

    def again(self, order: int) -> None:
        """Set everything as it was in the beginning, whatever a get has done.

        order: MQGMO_LOGICAL_ORDER where the sweep that is under way is to be in that order.
        """
        for _ in range(2):  # what MARK_SKIP_BACKOUT has kept goes back with the second
            self.qm.main.backout()
        self.handle.close()
        with self.db.writing():
            self.db.run("delete from marks")
            self.db.run("update queue_status set marks = 0")
        self.handle = self.open(order)

    def get(self, options: int, handle: Handle | None = None) -> GetResult:
        return (handle or self.handle).get(options, md=MQMD(), msg_handle=MessageHandle())

    def state(self) -> dict[str, object]:
        """All that a get could change: the queue, locks, marks, holders, the handle, the unit of work."""
        tables = ("messages", "marks", "holders", "waiters", "queue_status")
        kept = {name: self.db.all(f"select * from {name}") for name in tables}
        fields = {name: value for name, value in vars(self.handle).items() if name != "connection"}
        return {**kept, **fields, "unit": self.qm.main.in_unit_of_work, "got": self.qm.main.last_got}

    def assert_refused(self, options: int) -> None:
        before = self.state()
        with fails(rc.MQRC_OPTIONS_ERROR):
            self.get(options)
        assert self.state() == before


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """The profile zos has all options; its queue is indexed by group id, or groups would be refused."""
    qm = QM(queue_managers.create(str(tmp_path_factory.mktemp("options") / "QM1.db"), profile="zos"))
    qm.define("Q", index_type=MQIT_GROUP_ID)
    yield Desk(qm)
    for connection in qm.connections:
        with suppress(MQError):
            connection.disconnect()


@pytest.mark.parametrize(("a", "b", "expected", "with_", "opened"), rows("pairs", "invalid", "unspecified"))
def test_pair_at_odds_is_refused_and_nothing_changes(
    desk: Desk, a: str, b: str, expected: str, with_: list[str], opened: list[str]
) -> None:
    for options in {gmo(a, b), gmo(a, b, *with_)}:
        desk.assert_refused(options)


@pytest.mark.conformance("WAIT-51")
@pytest.mark.parametrize(("a", "b", "expected", "with_", "opened"), rows("pairs", "valid"))
def test_pair_that_goes_together_is_done(
    desk: Desk, a: str, b: str, expected: str, with_: list[str], opened: list[str]
) -> None:
    options = gmo(a, b, *with_)
    desk.again(options & mq.MQGMO_LOGICAL_ORDER)
    result = desk.get(options)
    assert result.reason == rc.MQRC_NONE
    assert result.message.data == (b"" if options & mq.MQGMO_UNLOCK else b"x")
    assert desk.qm.depth() == NUMBER - (not browses(options) and not options & mq.MQGMO_UNLOCK)
    assert (desk.handle.locked_seq is not None) == bool(options & mq.MQGMO_LOCK)


@pytest.mark.conformance(
    "BROWSE-06",
    "BROWSE-07",
    "BROWSE-08",
    "BROWSE-53",
    "LOCK-28",
    "LOCK-34",
    "MARK-05",
    "MARK-18",
    "MARK-31",
    "MARK-38",
    "MARK-43",
    "SYNC-07",
    "SYNC-11",
    "SYNC-15",
    "SYNC-17",
    "WAIT-18",
    "WAIT-42",
)
@pytest.mark.parametrize(("name", "value", "excluded"), rows("options"))
def test_option_is_refused_with_each_it_excludes_and_nothing_changes(
    desk: Desk, name: str, value: int, excluded: list[str]
) -> None:
    for other in excluded:
        desk.assert_refused(value | gmo(other) | companions(name, other))


@pytest.mark.conformance(
    "BROWSE-03",
    "BROWSE-04",
    "BROWSE-05",
    "BROWSE-54",
    "BROWSE-55",
    "LOCK-02",
    "MARK-04",
    "MARK-16",
    "MARK-17",
    "MARK-35",
    "MARK-37",
    "MARK-42",
    "SYNC-16",
)
@pytest.mark.parametrize(("name", "without", "without_open", "reason"), rows("missing_requirements"))
def test_option_without_what_it_needs_is_refused_and_nothing_changes(
    desk: Desk, name: str, without: list[str], without_open: list[str], reason: str
) -> None:
    if without:
        desk.assert_refused(gmo(name))
    for missing in without_open:
        handle = desk.qm.open("Q", FOR_ALL & ~LACKING[missing])
        before = desk.state()
        with fails(getattr(rc, reason)):
            desk.get(gmo(name) | companions(name), handle)
        assert (desk.state(), handle.cursor_seq, handle.locked_seq) == (before, None, None)
        handle.close()


@pytest.mark.conformance("AMB-12", "SYNC-32", "WAIT-45")
@pytest.mark.parametrize("option", [mq.MQGMO_SET_SIGNAL, mq.MQGMO_MARK_SKIP_BACKOUT])
def test_option_of_the_other_profile_is_refused_and_nothing_changes(qm: QM, option: int) -> None:
    qm.main.put1("Q", Message(b"x"))
    with qm.open() as handle, fails(rc.MQRC_OPTIONS_ERROR):
        handle.get(option | GET_COMPANIONS.get(option, 0))
    assert qm.data() == [b"x"]
