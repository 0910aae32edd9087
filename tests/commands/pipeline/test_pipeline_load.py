"""``mqx pipeline`` load and reassemble: what is loaded, what is set aside, what is refused."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mqtools.constants.message import MQMF_LAST_SEGMENT, MQMF_SEGMENT

Q, REPORTS = "DEV.QUEUE.1", "DEV.QUEUE.2"


def test_reassemble_ends_with_9_where_there_are_gaps(lay: Callable[..., None], on_spark: Callable[..., Any]) -> None:
    segment = {"group_id": b"g" * 24, "msg_flags": MQMF_SEGMENT | MQMF_LAST_SEGMENT, "offset": 3, "original_length": 3}
    lay(Q, (b"end", segment), (b"whole", {}))
    done = on_spark("reassemble", "--from", Q, "--to", "result", "-o", "json")
    assert (done.status, done.err) == (9, "")
    assert json.loads(done.out) == {"written": 2, "outcomes": {"complete": 1, "incomplete": 1}}


def test_load_sets_aside_what_is_refused(define: Callable[..., None], on_spark: Callable[..., Any]) -> None:
    define(Q, max_msg_length=4)
    Path("a.csv").write_text("data,priority,seq\none,1,\ntwo,77,\nthree,3,\nfour,4,\n", encoding="utf-8")
    done = on_spark("load", Q, "a.csv", "--job-id", "j", "--quarantine", "q", "-o", "json")
    assert (done.status, json.loads(done.out)) == (9, {"read": 4, "written": 2, "quarantined": 2})
    assert done.err.splitlines() == [f"quarantined 2: rejected rows are in {Path('q/j.jsonl').absolute()}"]
    refused = [json.loads(line) for line in Path("q/j.jsonl").read_text().splitlines()]
    assert [(row["file"], row["row"]) for row in refused] == [(str(Path("a.csv").absolute()), row) for row in (2, 3)]


def test_load_refuses_columns_of_csv_that_no_message_has(qm: str, here: Callable[..., Any]) -> None:
    Path("a.csv").write_text('data,"prio",seq\none,,1\n', encoding="utf-8")
    Path("b.csv").write_text("dta,file,propertys,event\n", encoding="utf-8")
    done = here("pipeline", "load", Q, "a.csv", "b.csv", "-m", qm, "--job-id", "j")
    assert (done.status, done.out) == (2, b"")
    assert done.err.splitlines()[:4] == [
        "a.csv:1:6: prio: unknown column; did you mean priority?",
        "b.csv:1:1: dta: unknown column; did you mean data?",
        "b.csv:1:10: propertys: unknown column; did you mean properties?",
        "mqx: pipeline load: 3 mistakes; nothing was loaded",
    ]


def test_load_fails_where_the_queue_is_full(
    define: Callable[..., None], lay: Callable[..., None], on_spark: Callable[..., Any]
) -> None:
    define(Q, max_q_depth=2)
    lay(Q, (b"one", {}), (b"two", {}))
    Path("a.csv").write_text("data,priority\none,1\n", encoding="utf-8")
    done = on_spark("load", Q, "a.csv", "--job-id", "k")
    assert (done.status, done.out) == (7, b"")
    assert "a.csv, row 1: queue DEV.QUEUE.1 is full; nothing was written (MQRC_Q_FULL 2053)" in done.err


def test_a_name_with_the_signs_of_a_pattern_is_just_that_file_or_folder(on_spark: Callable[..., Any]) -> None:
    for name, number in {"[a].jsonl": 1, "a.jsonl": 2}.items():
        Path(name).write_text('{"data":"x"}\n' * number, encoding="utf-8")
    done = on_spark("load", Q, "[a].jsonl", "--job-id", "j", "-o", "json")
    assert (done.status, json.loads(done.out)["written"]) == (0, 1)
    assert on_spark("archive", "--queue", Q, "--to", "b*").status == 0
    shutil.copytree("b*", "bb")
    done = on_spark("reassemble", "--from", "b*/", "--to", "whole", "-o", "json")
    assert (done.status, json.loads(done.out)["written"]) == (0, 1)
