"""The responders of examples/, as processes of their own: they do what the report options of a request ask for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("qm")

EXAMPLES = Path(__file__).parents[3] / "examples"
Q, ANSWERS, OTHER, DEAD = "DEV.QUEUE.1", "DEV.QUEUE.2", "DEV.QUEUE.3", "DEV.DEAD.LETTER.QUEUE"
CORREL_ID = "C0" * 24
REBOOKED = b"rebooked from AA1 to tomorrow\n"


@pytest.fixture
def everything(environment, mqx_path):
    """The environment of a responder that finds mqx and this queue manager."""
    return {**environment, "PATH": f"{Path(mqx_path).parent}:{os.environ['PATH']}"}


@pytest.fixture(params=["responder.sh", "responder.py"])
def respond(request, everything, mqx_path):
    """Have all requests that are there answered."""
    if request.param.endswith(".sh"):
        words = [mqx_path, "get", Q, "--all", "--exec", str(EXAMPLES / request.param)]
    else:
        words = [sys.executable, str(EXAMPLES / request.param), Q, "--wait", "0"]

    def run():
        done = subprocess.run(words, env=everything, capture_output=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr

    return run


@pytest.fixture
def ask(mqx):
    def put(data, report):
        words = ("--type", "request", "--reply-to", ANSWERS, "--correl-id", CORREL_ID, "--print-id")
        return mqx("put", Q, data, *words, *(("--report", report) if report else ()), check=True).out.decode().strip()

    return put


@pytest.mark.conformance("TYPES-12", "TYPES-17")
@pytest.mark.parametrize("passes_msg_id", [False, True])
@pytest.mark.parametrize("passes_correl_id", [False, True])
def test_answers_have_the_identifiers_that_were_asked_for(
    ask, respond, browse, bodies, passes_msg_id, passes_correl_id
):
    words = ["pan", *["pass-msg-id"] * passes_msg_id, *["pass-correl-id"] * passes_correl_id]
    msg_id = ask("AA1", ",".join(words))
    respond()
    answers = browse(ANSWERS)
    assert [(answer["md"]["msg_type"], answer["md"]["feedback"]) for answer in answers] == [
        ("MQMT_REPLY", "MQFB_NONE"),
        ("MQMT_REPORT", "MQFB_PAN"),
    ]
    for answer in answers:
        assert (answer["md"]["msg_id"] == msg_id) == passes_msg_id
        assert answer["md"]["correl_id"] == (CORREL_ID if passes_correl_id else msg_id)
    assert (bodies(ANSWERS), bodies(Q)) == ([REBOOKED, b""], [])


@pytest.mark.conformance("RPT-06", "RPT-07")
@pytest.mark.parametrize(
    ("data", "report", "expected"),
    [
        ("AA1", "", [("MQMT_REPLY", "MQFB_NONE")]),
        ("AA1", "nan", [("MQMT_REPLY", "MQFB_NONE")]),
        ("AA1", "pan,nan", [("MQMT_REPLY", "MQFB_NONE"), ("MQMT_REPORT", "MQFB_PAN")]),
        ("", "pan,nan", [("MQMT_REPORT", "MQFB_NAN")]),
        ("", "pan", [("MQMT_REPLY", "MQFB_NONE")]),
    ],
)
def test_it_says_that_all_went_well_or_did_not_only_when_asked(ask, respond, browse, data, report, expected):
    ask(data, report)
    respond()
    assert [(answer["md"]["msg_type"], answer["md"]["feedback"]) for answer in browse(ANSWERS)] == expected


def test_a_reply_that_its_queue_refuses_is_dead_lettered_and_the_next_request_served(
    ask, everything, define, bodies, browse
):
    ask("AA1", "")
    ask("AA2", "")
    define(ANSWERS, max_q_depth=1)
    words = [sys.executable, str(EXAMPLES / "responder.py"), Q, "--wait", "0"]
    done = subprocess.run(words, env=everything, capture_output=True, timeout=60, check=True)
    assert done.stdout == b"2 requests answered\n"
    assert (bodies(Q), bodies(ANSWERS)) == ([], [REBOOKED])
    assert browse(DEAD)[0]["headers"][0]["reason"] == "MQRC_Q_FULL"
