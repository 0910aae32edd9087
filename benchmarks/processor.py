"""Processor time of single calls, against raw SQLite without flushes: what a busy machine or a slow disk hides."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from measure import BODY, Raw, fill, least_us, new_qmgr, open_all, put_one, report

from mqtools.constants.options import MQGMO_SYNCPOINT, MQPMO_SYNCPOINT
from mqtools.message import MQMD, Message
from mqtools.mqi.connection import connect

_SINGLE, _UNIT = 50, 100
_BROWSED = 20_000


def processor() -> None:
    """Measure the least processor time of calls; both sides without flushes."""
    raw = Raw()
    raw.sql.execute("pragma synchronous = normal")
    with connect(new_qmgr()) as connection:
        handle = open_all(connection)

        def put_each(options: int = 0) -> None:
            connection.put_each("BENCH", [Message(BODY, MQMD(persistence=0)) for _ in range(_UNIT)], options)
            connection.commit()

        def get_each() -> None:
            handle.get_each(_UNIT, MQGMO_SYNCPOINT)
            connection.commit()

        rows: tuple[tuple[str, Callable[[], object], Callable[[], object], int, str], ...] = (
            ("put", _times(lambda: put_one(handle, 0), _SINGLE), _times(raw.put, _SINGLE), _SINGLE, "at least 0.40"),
            ("get", _times(handle.get, _SINGLE), _times(raw.get, _SINGLE), _SINGLE, "at least 0.38"),
            (
                "put in units of 100",
                _unit(lambda: put_one(handle, 0, MQPMO_SYNCPOINT), connection.commit),
                _raw_unit(raw, raw.insert),
                _UNIT,
                "at least 0.08",
            ),
            ("put_each of 100", put_each, _raw_unit(raw, raw.insert), _UNIT, "at least 0.55"),
            (
                "put_each of a unit of 100",
                lambda: put_each(MQPMO_SYNCPOINT),
                _raw_unit(raw, raw.insert),
                _UNIT,
                "at least 0.40",
            ),
            (
                "get in units of 100",
                _unit(lambda: handle.get(MQGMO_SYNCPOINT), connection.commit),
                _raw_unit(raw, raw.take),
                _UNIT,
                "at least 0.08",
            ),
            ("get_each of a unit of 100", get_each, _raw_unit(raw, raw.take), _UNIT, "at least 0.40"),
        )
        for name, ours, theirs, count, goal in rows:
            mine, other = least_us(ours, theirs, count)
            report("processor", f"{name} {mine:.1f} us, raw {other:.1f} us", f"{other / mine:.2f}", goal)
    _browse()


def _browse() -> None:
    """Measure the processor time of a message in ``mqx browse -o jsonl``, start included."""
    path = new_qmgr()
    fill(path, _BROWSED)
    before = _children_s()
    script = str(Path(sys.executable).with_name("mqx"))
    command = [script, "-m", path, "browse", "BENCH", "-o", "jsonl"]
    subprocess.run(command, env=dict(os.environ), check=True, stdout=subprocess.DEVNULL)
    us = (_children_s() - before) / _BROWSED * 1e6
    report("processor", f"browse -o jsonl of {_BROWSED}, a message", f"{us:.0f} us", "at most 40 us")


def _children_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _times(one: Callable[[], object], count: int) -> Callable[[], object]:
    def run() -> None:
        for _ in range(count):
            one()

    return run


def _unit(one: Callable[[], object], end: Callable[[], object]) -> Callable[[], object]:
    def run() -> None:
        for _ in range(_UNIT):
            one()
        end()

    return run


def _raw_unit(raw: Raw, one: Callable[[], object]) -> Callable[[], object]:
    def run() -> None:
        raw.sql.execute("begin immediate")
        for _ in range(_UNIT):
            one()
        raw.sql.execute("commit")

    return run
