"""``mqx run``: programs of the Python bindings, run as they are."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
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


def test_the_channel_that_a_program_names_is_checked_on_request(mqx, qm, program):
    app = program(PUT_AND_GET)
    assert mqx("run", "--check-channel", app, check=True).out == b"QM1 hello\n"
    mqx("mqsc", "DELETE CHANNEL(DEV.APP.SVRCONN)", check=True)
    assert mqx("run", app, check=True).out == b"QM1 hello\n"
    mqx("run", "--check-channel", app).ended(1, "MQRC_UNKNOWN_CHANNEL_NAME")


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


SAYS_WHO_IT_IS = "import sys\nimport pymqi\nprint(sys.prefix, pymqi.connect('QM1').get_handle() > 0)\n"


@pytest.fixture
def environment_of(tmp_path):
    """Make a virtual environment without pip and without mqx; give its folder."""

    def make(name: str) -> Path:
        venv.create(tmp_path / name, with_pip=False, symlinks=True)
        return tmp_path / name

    return make


@pytest.fixture
def packages_of():
    """Where a virtual environment has its packages."""
    return lambda folder: folder / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"


def test_a_program_runs_with_the_python_of_its_environment(mqx, qm, program, environment_of, environment):
    active, on_path, named = (environment_of(name) for name in ("active", "on-path", "named"))
    path = f"{on_path}/bin{os.pathsep}{environment['PATH']}"
    app = program(SAYS_WHO_IT_IS)
    for words, extra, used in [
        ([], {"PATH": path}, on_path),
        ([], {"PATH": path, "VIRTUAL_ENV": str(active)}, active),
        ([], {"PATH": path, "VIRTUAL_ENV": "/no/such/environment"}, on_path),
        (["--python", str(named)], {"PATH": path, "VIRTUAL_ENV": str(active)}, named),
        (["--python", f"{named}/bin/python3"], {"PATH": path, "VIRTUAL_ENV": str(active)}, named),
        (["--python", "python3"], {"PATH": path, "VIRTUAL_ENV": str(active)}, on_path),
    ]:
        done = mqx("run", *words, app, check=True, **extra)
        assert done.out.decode() == f"{used} True\n", (words, extra)


def test_commands_are_those_of_the_environment_and_scripts_choose_their_python(
    mqx, qm, program, environment_of, environment
):
    active, other = environment_of("active"), environment_of("other")
    for folder in (active, other):
        script = folder / "bin" / "app"
        script.write_text(f"#!{folder}/bin/python\n{SAYS_WHO_IT_IS}", encoding="utf-8")
        script.chmod(0o755)
    for words, used in [
        (["app"], active),
        (["python", program(SAYS_WHO_IT_IS)], active),
        ([f"{other}/bin/app"], other),
        (["--python", str(other), "app"], other),
        (["--python", str(active), f"{other}/bin/app"], active),
    ]:
        done = mqx("run", *words, check=True, VIRTUAL_ENV=str(active))
        assert done.out.decode() == f"{used} True\n", words


def test_a_package_of_the_environment_is_used_and_none_of_mqx_but_what_it_needs(
    mqx, qm, program, environment_of, packages_of
):
    project = environment_of("project")
    package = packages_of(project) / "ibmmq"
    package.mkdir()
    (package / "__init__.py").write_text("from . import ibmmqc\ngenuine = ibmmqc.MQCONN('QM1')[1:]\n", encoding="utf-8")
    app = program(
        "import ibmmq\nfrom importlib.util import find_spec\n"
        "print(ibmmq.genuine, [name for name in ('click', 'rich', 'textual', 'pyspark_mqx') if find_spec(name)])\n"
    )
    done = mqx("run", app, check=True, VIRTUAL_ENV=str(project))
    assert done.out == b"(0, 0) []\n"


def test_selectors_work_in_an_environment_without_what_they_need(mqx, qm, program, environment_of):
    app = program(
        "import pymqi\nfrom pymqi import CMQC\n"
        "qmgr = pymqi.connect('QM1')\n"
        "sd = pymqi.SD(Options=CMQC.MQSO_CREATE | CMQC.MQSO_NON_DURABLE | CMQC.MQSO_MANAGED)\n"
        "sd.set_vs('ObjectString', b'prices')\n"
        "sd.set_vs('SelectionString', b\"colour = 'red'\")\n"
        "sub = pymqi.Subscription(qmgr, sd)\n"
        "print(sub.get_sub_queue() is not None)\n"
    )
    assert mqx("run", app, check=True, VIRTUAL_ENV=str(environment_of("project"))).out == b"True\n"


def test_without_ibmmq_the_python_that_it_is_needed_for_is_named(mqx, qm, program, environment_of):
    project = environment_of("project")
    done = mqx("run", program("import ibmmq\n"), VIRTUAL_ENV=str(project))
    done.ended(1, f"No module named 'ibmmq' for {project}/bin/python: install it there")


@pytest.mark.parametrize("module", ["pymqi", "ibmmq", "pymqe", "ibmmqc"])
def test_a_python_that_is_too_old_is_named(mqx, qm, program, environment_of, packages_of, module):
    project = environment_of("project")
    (packages_of(project) / "sitecustomize.py").write_text("import sys\nsys.version_info = (3, 9, 2, 'final', 0)\n")
    done = mqx("run", program(f"import {module}\n"), VIRTUAL_ENV=str(project)).ended(1)
    assert done.err.splitlines()[-1] == (
        f"ImportError: mqx needs Python 3.11 or later for pymqi and ibmmq; {project}/bin/python is Python 3.9: "
        "name another one with mqx run --python"
    )


def _link(folder: Path, place: Path) -> str:
    place.symlink_to(folder)
    return str(place)


def _copy(folder: Path, place: Path) -> str:
    for name in (p.name for p in folder.parents[1].iterdir() if (p / "__init__.py").is_file()):
        shutil.copytree(folder.parents[1] / name, place / "mqtools" / name)
    for file in folder.parents[1].glob("*.py"):
        shutil.copy(file, place / "mqtools")
    return str(place / "mqtools" / "bindings" / "path")


def _link_package(folder: Path, place: Path) -> str:
    place.mkdir()
    (place / "pymqi").symlink_to(folder / "pymqi")
    return str(place)


@pytest.mark.parametrize("first", [True, False], ids=["first", "last"])
@pytest.mark.parametrize("again", [_link, _copy, _link_package])
@pytest.mark.parametrize("genuine", [True, False], ids=["genuine", "stand-in"])
def test_a_second_copy_of_mqx_on_the_path_is_recognised(
    mqx, environment, program, environment_of, packages_of, tmp_path, qm, again, first, genuine
):
    folder = mqx("run", "--print-path", check=True).out.decode().strip()
    paths = [folder, again(Path(folder), tmp_path / "again")]
    project = environment_of("project")
    if genuine:
        (packages_of(project) / "pymqi").mkdir()
        (packages_of(project) / "pymqi" / "__init__.py").write_text("from . import pymqe\nconnect = pymqe.MQCONN\n")
    app = program("import pymqi\nprint(type(pymqi.connect('QM1')).__name__)\n")
    done = subprocess.run(
        [f"{project}/bin/python", app],
        env={**environment, "PYTHONPATH": os.pathsep.join(paths[:: 1 if first else -1])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout == ("tuple\n" if genuine else "QueueManager\n")


def test_the_same_without_the_command_line(environment, qm, program):
    line = [sys.executable, "-m", "mqtools.bindings", program(PUT_AND_GET)]
    done = subprocess.run(line, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "QM1 hello\n"


@pytest.mark.parametrize(
    ("line", "status", "words"),
    [
        (["run"], 2, "PROGRAM is required"),
        (["run", "no-such-program.py"], 2, "no-such-program.py: there is no such program"),
        (["run", "/no/such/program.py"], 2, "there is no such program"),
        (["run", "-m", "NOWHERE", "app.py"], 5, "NOWHERE"),
        (["run", "--python", "no-such-python", "app.py"], 2, "no-such-python: there is no such Python"),
    ],
)
def test_what_cannot_be_run_is_said(mqx, qm, line, status, words):
    mqx(*line).ended(status, words)


def test_a_killed_program_leaves_its_unit_of_work_to_be_backed_out(mqx, qm, program, lying_on):
    app = program(
        PUT_AND_GET.splitlines()[2]
        + "\nimport os\nqmgr = pymqi.connect('QM1')\n"
        + "qmgr.put1('DEV.QUEUE.1', b'x', pymqi.MD(), pymqi.PMO(Options=pymqi.CMQC.MQPMO_SYNCPOINT))\nos._exit(9)\n"
    )
    assert mqx("run", app).status == 9
    assert mqx("get", "DEV.QUEUE.1").status == 3
    assert lying_on("DEV.QUEUE.1") == []
