"""``mqx run``: programs of the Python bindings, run as they are."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PUT_AND_GET = """
import sys
import pymqi
qmgr = pymqi.connect(sys.argv[1] if len(sys.argv) > 1 else "", "DEV.APP.SVRCONN", "mq.example.com(1414)", "app", "x")
queue = pymqi.Queue(qmgr, "DEV.QUEUE.1")
queue.put(b"hello")
queue.close()
queue = pymqi.Queue(qmgr, "DEV.QUEUE.1")
print(qmgr.inquire(pymqi.CMQC.MQCA_Q_MGR_NAME).strip().decode(), queue.get().decode())
"""


@pytest.fixture
def program(tmp_path):
    """Write a program; give its path."""

    def write(text: str, name: str = "app.py") -> str:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


def test_a_program_runs_against_the_queue_manager_that_it_names(mqx, qm, program):
    done = mqx("run", program(PUT_AND_GET), "QM1", check=True)
    assert done.out == b"QM1 hello\n"


def test_the_queue_manager_of_m_is_the_default_of_the_program(mqx, qm, program):
    mqx("qmgr", "create", "OTHER", "--dev", check=True)
    assert mqx("run", "-m", "OTHER", program(PUT_AND_GET), check=True).out == b"OTHER hello\n"
    assert mqx("run", "-m", "OTHER", program(PUT_AND_GET), "QM1", check=True).out == b"QM1 hello\n"


def test_a_queue_manager_given_as_a_path_is_found_by_its_name_too(mqx, qm, program, tmp_path):
    away = str(tmp_path / "elsewhere" / "AWAY.db")
    mqx("qmgr", "create", away, "--dev", check=True)
    assert mqx("run", "-m", away, program(PUT_AND_GET), "AWAY", check=True).out == b"AWAY hello\n"


def test_the_status_and_the_arguments_are_the_programs(mqx, qm, program):
    app = program("import sys\nprint(sys.argv[1:])\nsys.exit(37)\n")
    done = mqx("run", app, "-m", "nothing of ours", "--help", "-o")
    assert (done.status, done.out) == (37, b"['-m', 'nothing of ours', '--help', '-o']\n")


def test_a_program_without_an_ending_and_one_of_another_language_run_too(mqx, qm, program):
    python = program("#!/usr/bin/env python3\nimport pymqi\nprint(pymqi.CMQC.MQRC_Q_FULL)\n", "app")
    shell = program("#!/bin/sh\nexec python3 -c 'import pymqi; print(pymqi.MD().Version)'\n", "app.sh")
    for path in (python, shell):
        os.chmod(path, 0o755)
    assert mqx("run", python, check=True).out == b"2053\n"
    assert mqx("run", shell, check=True).out == b"1\n"


def test_a_command_of_the_path_runs(mqx, qm):
    assert mqx("run", "python", "-c", "import pymqi; print(pymqi.__version__[:2])", check=True).out == b"1.\n"


def test_the_folder_printed_is_all_that_python_needs(mqx, qm, program, environment):
    folder = mqx("run", "--print-path", check=True).out.decode().strip()
    assert Path(folder).is_dir()
    code = f"import sys; sys.path.insert(0, {folder!r}); import pymqi; print(len(pymqi.connect('QM1').inquire(2015)))"
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], env=environment, capture_output=True, text=True, cwd="/", check=True
    )
    assert done.stdout == "48\n"


def test_nothing_by_the_names_of_the_bindings_is_installed(environment):
    code = "import importlib.util as u; print([n for n in ('pymqi', 'pymqe', 'ibmmqc') if u.find_spec(n)])"
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_genuine_package_is_used_with_our_c_part_where_it_is_further_on_the_path(mqx, qm, tmp_path, program):
    package = tmp_path / "site" / "pymqi"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("from . import pymqe\ngenuine = pymqe.MQCONN('QM1')[1:]\n", encoding="utf-8")
    (package / "pymqe.py").write_text("raise ImportError('no client library')\n", encoding="utf-8")
    app = program("import pymqi\nprint(pymqi.genuine)\n")
    assert mqx("run", app, check=True, PYTHONPATH=str(tmp_path / "site")).out == b"(0, 0)\n"


def test_the_same_without_the_command_line(environment, qm, program):
    line = [sys.executable, "-m", "mqtools.bindings", program(PUT_AND_GET)]
    done = subprocess.run(line, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "QM1 hello\n"


@pytest.mark.parametrize(
    ("line", "status", "words"),
    [
        (["run"], 2, "a program is needed"),
        (["run", "no-such-program.py"], 2, "no-such-program.py: there is no such program"),
        (["run", "/no/such/program.py"], 2, "there is no such program"),
        (["run", "-m", "NOWHERE", "app.py"], 5, "NOWHERE"),
    ],
)
def test_what_cannot_be_run_is_said(mqx, qm, line, status, words):
    done = mqx(*line)
    assert done.status == status
    assert words in done.err


def test_a_killed_program_leaves_its_unit_of_work_to_be_backed_out(mqx, qm, program, lying_on):
    app = program(
        PUT_AND_GET.splitlines()[2]
        + "\nimport os\nqmgr = pymqi.connect('QM1')\n"
        + "qmgr.put1('DEV.QUEUE.1', b'x', pymqi.MD(), pymqi.PMO(Options=pymqi.CMQC.MQPMO_SYNCPOINT))\nos._exit(9)\n"
    )
    assert mqx("run", app).status == 9
    assert mqx("get", "DEV.QUEUE.1").status == 3
    assert lying_on("DEV.QUEUE.1") == []
