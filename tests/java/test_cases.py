"""The table of cases, run by the bindings in this process; ``CasesTest.java`` runs it through a client connection."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mqtools.bindings import pymqe
from mqtools.constants import cmqc
from mqtools.headers.structures_message import GMO, MD, OD, PMO

from ..copied import developers
from .serving import define

CASES = json.loads(Path(__file__).with_name("cases.json").read_text(encoding="utf-8"))
#: Fields that have one character.
STATUSES = ("GroupStatus", "SegmentStatus")


def number(names: str | int) -> int:
    """Return the value of names of constants, joined by ``|``."""
    if isinstance(names, int):
        return names
    return sum(getattr(cmqc, name) for name in names.split(" | "))


class Runner:
    """Connections, handles and saved messages of a case."""

    def __init__(self) -> None:
        self.connections: dict[str, int] = {}
        self.handles: dict[str, int] = {}
        self.saved: dict[str, dict[str, Any]] = {}

    def connection(self, step: dict[str, Any]) -> int:
        name = step.get("by", "first")
        if name not in self.connections:
            self.connections[name], comp_code, reason = pymqe.MQCONN("QM1")
            assert (comp_code, reason) == (0, 0)
        return self.connections[name]

    def value(self, given: Any) -> Any:
        if isinstance(given, str) and given.startswith("$"):
            name, field = given[1:].split(".")
            return self.saved[name][field]
        return given.encode() if isinstance(given, str) else given

    def made(self, structure: Any, **values: Any) -> bytes:
        return structure.pack({**structure.initial(), **{name: self.value(value) for name, value in values.items()}})

    def run(self, step: dict[str, Any]) -> tuple[dict[str, Any], int, int]:
        """Return the fields that a call gave, with its completion code and reason."""
        call = next(iter(step))
        return getattr(self, f"_{call}")(self.connection(step), step[call], step)

    def _open(self, h: int, name: str, step: dict[str, Any]) -> tuple[dict[str, Any], int, int]:
        od = self.made(OD, ObjectName=step["object"])
        self.handles[name], _, comp_code, reason = pymqe.MQOPEN(h, od, number(step["options"]))
        return {}, comp_code, reason

    def _close(self, h: int, name: str, step: dict[str, Any]) -> tuple[dict[str, Any], int, int]:
        return {}, *pymqe.MQCLOSE(h, self.handles[name], number(step.get("options", 0)))[-2:]

    def _put(self, h: int, name: str, step: dict[str, Any]) -> tuple[dict[str, Any], int, int]:
        context = self.handles[step["context"]] if "context" in step else 0
        md = self.made(MD, Version=2, **step.get("md", {}))
        pmo = self.made(PMO, Options=number(step.get("options", 0)), Context=context)
        md, _, comp_code, reason = pymqe.MQPUT(h, self.handles[name], md, pmo, data(step))
        return MD.unpack(md), comp_code, reason

    def _put1(self, h: int, name: str, step: dict[str, Any]) -> tuple[dict[str, Any], int, int]:
        md = self.made(MD, Version=2, **step.get("md", {}))
        pmo = self.made(PMO, Options=number(step.get("options", 0)))
        *_, md, _, comp_code, reason = pymqe.MQPUT1(h, self.made(OD, ObjectName=name), md, pmo, data(step))
        return MD.unpack(md), comp_code, reason

    def _get(self, h: int, name: str, step: dict[str, Any]) -> tuple[dict[str, Any], int, int]:
        gmo = self.made(
            GMO,
            Version=3,
            Options=number(step.get("options", 0)),
            WaitInterval=step.get("wait", 0),
            MatchOptions=number(step.get("match", "MQMO_MATCH_MSG_ID | MQMO_MATCH_CORREL_ID")),
            MsgToken=step.get("token", ""),
        )
        md = self.made(MD, Version=2, **step.get("md", {}))
        body, md, gmo, _, comp_code, reason = pymqe.MQGET(h, self.handles[name], md, gmo, step.get("length", 1 << 20))
        return {**GMO.unpack(gmo), **MD.unpack(md), "data": body}, comp_code, reason

    def _inq(self, h: int, name: str, step: dict[str, Any]) -> tuple[dict[str, Any], int, int]:
        for selector, value in zip(step["selectors"], step["values"], strict=True):
            found, comp_code, reason = pymqe.MQINQ(h, self.handles[name], number(selector))
            if value is not None and not reason:
                assert text(found) == value, selector
        return {}, comp_code, reason

    def _set(self, h: int, name: str, step: dict[str, Any]) -> tuple[dict[str, Any], int, int]:
        (selector,), (value,) = step["selectors"], step["values"]
        return {}, *pymqe.MQSET(h, self.handles[name], number(selector), value)[-2:]

    def _commit(self, h: int, _: bool, __: dict[str, Any]) -> tuple[dict[str, Any], int, int]:
        return {}, *pymqe.MQCMIT(h)

    def _back(self, h: int, _: bool, __: dict[str, Any]) -> tuple[dict[str, Any], int, int]:
        return {}, *pymqe.MQBACK(h)


def data(step: dict[str, Any]) -> bytes:
    if "hex" in step:
        return bytes.fromhex(step["hex"])
    return (step["data"] * step.get("repeat", 1)).encode()


def text(value: Any) -> Any:
    """Return a value of a field as the table has it."""
    return value.rstrip(b" \0").decode("latin-1") if isinstance(value, bytes) else value


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Runner]:
    monkeypatch.setenv("MQX_HOME", str(tmp_path))
    developers("QM1")
    define("QM1")
    made = Runner()
    yield made
    for h in made.connections.values():
        pymqe.MQDISC(h)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_case(runner: Runner, case: dict[str, Any]) -> None:
    for at, step in enumerate(case["steps"]):
        found, comp_code, reason = runner.run(step)
        due = number(step.get("reason", "MQRC_NONE"))
        comp = number(step.get("comp", "MQCC_FAILED" if due else "MQCC_OK"))
        assert (comp_code, reason) == (comp, due), (at, step)
        if "get" in step and ("data" in step or "hex" in step):
            assert found["data"] == data(step), (at, step)
        for field, value in step.get("expect", {}).items():
            wanted = ord(value) if field in STATUSES else text(runner.value(value))
            assert text(found[field]) == wanted, (at, field)
        if "save" in step:
            runner.saved[step["save"]] = found
