"""The examples run, and end as they say."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

EXAMPLES = Path(__file__).parent.parent / "examples"


def run(*words: str, status: int = 0, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run an example with the mqx that is tested; check its exit status."""
    env = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", **settings}
    line = ["bash", str(EXAMPLES / words[0]), *words[1:]]
    done = subprocess.run(line, capture_output=True, text=True, env=env, check=False)
    assert done.returncode == status, done.stdout[-3000:] + done.stderr[-3000:]
    return done


def test_the_demo_accounts_for_every_message() -> None:
    done = run("demo.sh")
    assert "1791 put (1791 different ids)" in done.stdout
    assert "0 lost, 0 doubled" in done.stdout


@pytest.mark.skipif(shutil.which("mvn") is None, reason="Maven is not installed here")
def test_a_java_program_with_ibms_client_sends_and_receives() -> None:
    done = run("java.sh")
    if done.stdout.startswith("skipped"):
        pytest.skip(done.stdout)
    assert done.stdout.splitlines()[1:] == ["two sledges", "skates: a pair of skates", "scarf: a red scarf"]


@pytest.mark.conformance("LIFE-07", "LIFE-15", "LIFE-17")
def test_scripts_that_are_killed_at_random_lose_nothing_and_double_nothing() -> None:
    done = run("assured-delivery.sh", "demo", "6", ASSURED_SEED="2", ASSURED_LIVES="7", ASSURED_WAIT="500ms")
    sent, received, killed = map(int, re.findall(r"\d+", done.stdout.splitlines()[0]))
    assert (sent, received) == (6, 6)
    assert killed >= 5
    assert done.stdout.splitlines()[-1] == "0 lost, 0 doubled, in order"


@pytest.mark.parametrize("words", [[], ["sned", "file"], ["exit", "0"]])
def test_the_scripts_of_assured_delivery_say_how_they_are_called(words: list[str]) -> None:
    done = run("assured-delivery.sh", *words, status=2)
    assert done.stdout == ""
    assert "assured-delivery.sh demo [N]" in done.stderr


def test_the_rehearsal_brings_last_nights_dead_letters_back_as_dumps() -> None:
    done = run("rehearsal.sh")
    assert "edited.dump:73:19: the last hexadecimal digit has no second one" in done.stderr
    assert "moved 3 messages (55 B) from ORDERS.OVERFLOW to overflow.dump" in done.stderr
    assert done.stdout.splitlines()[-1] == "8 messages accounted for, 1 report discarded by rule"


def test_what_was_rehearsed_here_is_applied_there_once() -> None:
    done = run("rehearse-and-apply.sh")
    pushes = ["pushed 1 message; 8 there already", "pushed 0 messages; 9 there already"]
    applies = ["would have applied 6 actions", "applied 6 actions", "applied 0 actions; 6 applied before"]
    said = [line for line in done.stderr.splitlines() if line.startswith(("pushed", "applied", "would"))]
    assert said == pushes + applies
    assert done.stdout.splitlines()[-1] == "6"


@pytest.mark.conformance("REF-02", "REF-17", "REF-19")
def test_a_file_crosses_three_queue_managers_whose_channels_are_killed_on_the_way() -> None:
    done = run("big-file.sh", "40")
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines[:3]] == ["killed"] * 3
    assert lines[3:6] == ["40 MiB arrived as they were sent", "11 reference messages", "no object is incomplete"]
    assert all(line.startswith("QM1.TO.QM2: ") for line in lines[6:])


def test_two_queue_managers_talk_and_a_killed_channel_loses_nothing() -> None:
    done = run("two-queue-managers.sh")
    assert "one sledge, in stock" in done.stdout
    assert '"feedback":"MQRC_UNKNOWN_OBJECT_NAME"' in done.stdout
    assert done.stdout.splitlines()[-1] == "500 orders arrived: 0 lost, 0 doubled"


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed here")
def test_curl_administers_and_sends_over_rest() -> None:
    pytest.importorskip("starlette", reason="pip install 'mqtools[rest]'")
    done = run("rest.sh")
    assert '"reasonCode":2053' in done.stdout
    assert done.stdout.splitlines()[-1] == "two"


def test_messages_cross_the_network_and_a_read_only_remote_keeps_them() -> None:
    done = run("remote.sh")
    assert "mqx: get: LOOK is read-only (MQRC_NOT_AUTHORIZED 2035)" in done.stderr
    assert [line for line in done.stdout.splitlines() if line in ("TWO SLEDGES", "one scarf")] == [
        "TWO SLEDGES",
        "one scarf",
    ]


def test_the_past_of_a_queue_is_shown_and_put_again() -> None:
    done = run("replay.sh")
    assert "replayed 9 messages from DEV.QUEUE.1 to REHEARSAL, job rehearsal" in done.stderr
    assert "replayed 0 messages from DEV.QUEUE.1 to REHEARSAL, job rehearsal; 9 put before" in done.stderr
    assert done.stdout.splitlines()[-1] == "nothing is missing"


@pytest.mark.xdist_group("spark")
def test_the_pipeline_archives_loads_once_and_streams(
    spark: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """On the Spark of all tests: it is started once."""
    run_path(str(EXAMPLES / "pipeline.py"))["main"](spark, str(tmp_path))
    assert capsys.readouterr().out.splitlines() == [
        "archived: 50, left: 0",
        "loaded: 50",
        "loaded: 50",
        "DEV.QUEUE.1 browse_lock: 50",
        "DEV.QUEUE.1 get: 50",
        "DEV.QUEUE.1 put: 50",
    ]


@pytest.mark.xdist_group("spark")
def test_the_notebook_of_a_fleet_finds_lost_orders_and_puts_them_once(
    spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pyspark_mqx.session.session.start", lambda: spark)
    cells = json.loads((EXAMPLES / "fleet.ipynb").read_text(encoding="utf-8"))["cells"]
    found: dict[str, Any] = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), found)
    assert found["archived"] == [35, 0]
    assert found["breaches"] == [("OSLO", 2, 9.0), ("OSLO", 4, None), ("OSLO", 5, None)]
    assert (found["reasons"], found["actions"]) == ([("OSLO", "MQRC_Q_FULL", 1)], [("PACKING", "RETRY")])
    assert [tuple(row) for row in found["redone"]] == [("09000500", 0)]


@pytest.mark.skipif("MQX_TABLES" not in os.environ, reason="make test-tables runs it: it starts Spark twice")
def test_the_declarative_pipeline_adds_what_is_new_to_its_tables() -> None:
    pytest.importorskip("grpc", reason="pip install 'mqtools[pipelines]'")
    done = run("declarative.sh")
    assert done.stdout.splitlines() == [
        "run 1: 3 waiting",
        "run 2: 6 waiting",
        "events ['put', 'put', 'put', 'put', 'put', 'put']",
        "waiting by priority {1: 2, 2: 2, 3: 2}",
        "puts 6",
    ]


def test_the_events_say_when_a_queue_fills_up_and_empties() -> None:
    shown = run("events.sh").stdout.splitlines()[-3:]
    assert shown == ["Queue Depth High\tORDERS", "Unknown Object Name\tORDRES", "Queue Depth Low\tORDERS"]


def test_the_trace_shows_the_life_of_an_order_over_two_queue_managers() -> None:
    done = run("trace.sh")
    assert "PLANT,DLQ,dead_letter,committed,channel SHOP.TO.PLANT from SHOP; for ORDERS; MQRC_Q_FULL" in done.stdout
    assert "PLANT,ORDERS,get,backed out,confirm id 1; backout count 1" in done.stdout
