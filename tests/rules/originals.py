"""A message that asks for reports, and the report about it."""

from __future__ import annotations

from mqtools.constants import message as c
from mqtools.message import MQMD
from mqtools.rules.reports import ReportOrigin, derive_report

A, B, NEW = b"A" * 24, b"B" * 24, b"N" * 24
DATA = bytes(range(250))


def original(**fields: object) -> MQMD:
    values: dict[str, object] = {
        "report": c.MQRO_COA,
        "expiry": 600,
        "encoding": 273,
        "coded_char_set_id": 819,
        "format": "MQSTR",
        "priority": 7,
        "persistence": 1,
        "msg_id": A,
        "correl_id": B,
        "backout_count": 3,
        "reply_to_q": "R",
        "reply_to_q_mgr": "QM2",
        "user_identifier": "ana",
        "accounting_token": b"T" * 32,
        "appl_identity_data": "identity",
        "put_appl_type": 6,
        "put_appl_name": "app",
        "put_date": "20260101",
        "put_time": "01020304",
        "appl_origin_data": "orig",
    }
    return MQMD(**{**values, **fields})  # type: ignore[arg-type]


def report(md: MQMD | None = None, data: bytes = DATA, **changes: object) -> tuple[MQMD, bytes]:
    arguments: dict[str, object] = {
        "feedback": c.MQFB_COA,
        "data_option": 1,
        "header_length": 0,
        "q_mgr_name": "QM1",
        "msg_id": NEW,
        "put_date": "20261120",
        "put_time": "10111213",
        "remaining_expiry": 580,
    }
    given = {**arguments, **changes}
    of_origin = {name: given.pop(name) for name in ReportOrigin.__annotations__ if name in given}
    return derive_report(md or original(), data, ReportOrigin(**of_origin), **given)  # type: ignore[arg-type]
