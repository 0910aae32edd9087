"""The manual pages: fresh, complete, and readable by man."""

from __future__ import annotations

import importlib
import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import click
import pytest

from mqtools.configuration.settings import SETTINGS
from mqtools.constants.states import STATE_NAMES
from mqtools.rules.states import DELETED, EVENTS, NEEDS, START, TRANSITIONS

pytestmark = pytest.mark.slow

MAN = Path(__file__).resolve().parent.parent / "man"

(SCRIPT,) = entry_points(group="console_scripts", name="mqx")
GROUP = importlib.import_module(f"{SCRIPT.load().__module__}._cli").mqx
CONTEXT = click.Context(GROUP, info_name="mqx")
NAMES = GROUP.list_commands(CONTEXT)

SECTIONS = ["NAME", "SYNOPSIS", "DESCRIPTION", "EXAMPLES", "EXIT STATUS", "ENVIRONMENT", "FILES", "SEE ALSO"]


@pytest.fixture(scope="module")
def generated(tmp_path_factory):
    """The pages as they would be now, made in a narrow terminal of another language and time."""
    folder = tmp_path_factory.mktemp("man")
    environment = {**os.environ, "COLUMNS": "40", "LC_ALL": "C", "TZ": "Asia/Tokyo", "TERM": "dumb"}
    subprocess.run([sys.executable, MAN / "generate.py", "--to", folder], env=environment, check=True)
    return {path.name: path.read_text(encoding="ascii") for path in folder.iterdir()}


def needs(program: str) -> str:
    """The path of a program that formats pages; the test is skipped without."""
    path = shutil.which(program)
    if path is None:
        pytest.skip(f"{program} is not installed here")
    return path


def test_the_pages_are_fresh(generated):
    here = {path.name: path.read_text(encoding="ascii") for path in MAN.glob("*.[157]")}
    assert sorted(here) == sorted(generated)
    stale = [name for name, text in generated.items() if here[name] != text]
    assert stale == [], "run: make man"


def test_there_is_a_page_for_each_command_and_one_for_the_states(generated):
    topics = {"mqx-states.7", "mqx-rules.5", "mqx-config.5", "mqx-json.5", "mqx-exit.7", "mqx-concepts.7"}
    assert set(generated) == {"mqx.1", *topics, *(f"mqx-{name}.1" for name in NAMES)}


def picture(page: str, section: str) -> list[str]:
    """The lines of a picture in a page, as a reader sees them."""
    part = page.replace("\\\n", "").split(f".SH {section}\n")[1].split(".ft CR\n")[1].split(".ft R\n")[0]
    return [line.replace("\\-", "-").removeprefix("\\&") for line in part.splitlines()]


def test_the_picture_of_the_states_has_every_transition_and_no_other(generated):
    names = {**dict(enumerate(name.replace("_", " ") for name in STATE_NAMES)), START: "(start)", DELETED: "(gone)"}
    found, state = {}, ""
    for line in picture(generated["mqx-states.7"], "TRANSITIONS"):
        edge = re.fullmatch(r"  \+-- (.+?)(?: \[(.+)\])? -+> (.+)", line)
        if edge:
            found[state, edge[1]] = (edge[2], edge[3])
        else:
            state = line or state
    assert found == {
        (names[before], event): (NEEDS.get((before, event)), names[after])
        for (before, event), after in TRANSITIONS.items()
    }


def test_the_table_of_the_states_says_of_each_event_where_it_is_refused(generated):
    head, *rows = picture(generated["mqx-states.7"], "EVENTS IN STATES")
    assert head.split() == ["start", "PU", "U", "LB", "GU", "BGU", "D"]
    states = (START, *range(len(STATE_NAMES)))
    assert [row[:24].strip() for row in rows] == list(EVENTS)
    for row, event in zip(rows, EVENTS, strict=True):
        allowed = [cell != "." for cell in row[24:].split()]
        assert allowed == [(state, event) in TRANSITIONS for state in states]


@pytest.mark.parametrize("name", ["mqx", *(f"mqx-{name}" for name in NAMES)])
def test_a_page_has_all_sections_in_their_order(generated, name):
    sections = re.findall(r"^\.SH (.+)$", generated[f"{name}.1"], re.M)
    assert [section for section in sections if section in SECTIONS] == SECTIONS


@pytest.mark.parametrize("name", NAMES)
def test_a_page_names_every_option(generated, name):
    text = generated[f"mqx-{name}.1"].replace("\\-", "-")
    command = GROUP.get_command(CONTEXT, name)
    inner = command.list_commands(CONTEXT) if isinstance(command, click.Group) else []
    for one in [command, *(command.get_command(CONTEXT, word) for word in inner)]:
        for parameter in one.get_params(CONTEXT):
            if isinstance(parameter, click.Option) and not parameter.hidden:
                assert all(word in text for word in parameter.opts), parameter.name


def test_what_takes_the_place_of_an_option_of_dmpmqmsg_is_there(generated):
    text = generated["mqx-unload.1"].replace("\\-", "-")
    table = text.split(".SH OPTIONS OF DMPMQMSG\n")[1].split(".SH ")[0]
    commands = {name: GROUP.get_command(CONTEXT, name) for name in NAMES}
    options = {word for one in commands.values() for option in one.get_params(CONTEXT) for word in option.opts}
    meanings = " ".join(line for line in table.splitlines() if not line.startswith("."))
    named = set(re.findall(r"--[a-z-]+", meanings))
    assert len(named) > 15
    assert named <= options
    assert set(re.findall(r"mqx ([a-z]+)", meanings)) <= set(NAMES)


def test_the_page_of_rules_tables_has_every_value_that_a_keyword_takes(generated):
    values = dict(re.findall(r"^\.TP\n\.B (\w+)\n(.+)$", generated["mqx-rules.5"], re.M))
    assert values["WAIT"] == "YES or NO or 0 to 999999999"
    assert values["HEADER"] == "YES or NO"
    assert values["RETRY"] == "1 to 999999999"


def test_the_date_is_that_of_the_version(generated):
    titles = [line for text in generated.values() for line in text.splitlines() if line.startswith(".TH")]
    endings = {re.sub(r"^\.TH \S+ [157] ", "", title) for title in titles}
    assert len(endings) == 1
    assert re.fullmatch(r'"20\d\d-\d\d-\d\d" "mqx \d+\.\d+\.\d+" "mqx manual"', endings.pop())


def test_the_pages_are_in_the_style_of_mandoc(generated):
    for name, text in generated.items():
        assert [line for line in text.splitlines() if len(line) > 80] == [], name
        assert not re.search(r"^\.S[HS] .*\n\.PP$", text, re.M), name


def test_mandoc_has_no_complaints(generated, tmp_path):
    mandoc = needs("mandoc")
    for name, text in generated.items():
        (tmp_path / name).write_text(text, encoding="ascii")
    done = subprocess.run(
        [mandoc, "-T", "lint", *sorted(generated)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert [line for line in done.stdout.splitlines() if "referenced manual not found" not in line] == []


def test_the_files_are_those_that_the_library_makes(generated):
    files = re.split(r"^\.SH ", generated["mqx.1"], flags=re.M)
    named = next(part for part in files if part.startswith("FILES")).replace("\\-", "-")
    for file in ("-wal", "-shm", "-wal.foreign-", ".vN.bak", "-run", "config.toml", "config.toml.bak"):
        assert file in named


def test_man_reads_the_pages_without_a_warning(generated, tmp_path):
    groff = needs("groff")
    for name, text in generated.items():
        (tmp_path / name).write_text(text, encoding="ascii")
        done = subprocess.run(
            [groff, "-man", "-ww", "-z", "-Tutf8", tmp_path / name], capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, "")


def test_a_page_shows_its_examples_as_they_are_typed(generated, tmp_path):
    groff = needs("groff")
    (tmp_path / "page").write_text(generated["mqx-put.1"], encoding="ascii")
    shown = subprocess.run(
        [groff, "-man", "-Tutf8", "-P-c", "-rLL=200n", tmp_path / "page"], capture_output=True, check=True
    ).stdout.decode("utf-8")
    plain = re.sub(r".\x08", "", shown)
    assert "mqx put ORDERS 'first order' 'second order'" in plain
    assert "id=$(mqx put ORDERS --print-id hello)" in plain


def test_every_setting_and_its_variables_are_on_the_pages():
    pages = {name: (MAN / name).read_text(encoding="ascii") for name in ("mqx.1", "mqx-config.5")}
    in_file = [setting.key for setting in SETTINGS if setting.in_file]
    assert [key for key in in_file if key not in pages["mqx-config.5"]] == []
    variables = [variable for setting in SETTINGS for variable in setting.variables]
    assert [variable for variable in variables if variable not in pages["mqx.1"]] == []
