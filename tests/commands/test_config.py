"""``mqx config`` from outside: each value with its origin, and a file that is changed with care."""

from __future__ import annotations

import json
from pathlib import Path

import pytest


@pytest.fixture
def file(environment):
    path = Path(environment["XDG_CONFIG_HOME"]) / "mqx" / "config.toml"
    path.parent.mkdir(parents=True)
    return path


def explained(mqx, *words, **extra):
    rows = json.loads(mqx("config", "explain", *words, "-o", "json", check=True, **extra).out)
    return {row["key"]: (row["value"], row["origin"], row["where"]) for row in rows}


def test_without_anything_all_is_default(mqx, environment):
    found = explained(mqx)
    assert found["trash.max_age"] == ("7d", "default", "")
    assert found["trash.max_size"] == ("256MiB", "default", "")
    assert found["editor"] == ("vi", "default", "")
    assert found["default_qmgr"] == ("", "default", "")
    assert found["home"] == (environment["MQX_HOME"], "environment", "MQX_HOME")


def test_the_only_queue_manager_is_the_default(mqx, qm):
    assert explained(mqx)["default_qmgr"] == ("QM1", "default", "")


@pytest.mark.parametrize(
    ("key", "variable", "values"),
    [
        ("trash.max_age", "MQX_TRASH_MAX_AGE", ("1d", "2d")),
        ("trash.max_size", "MQX_TRASH_MAX_SIZE", ("1MiB", "2MiB")),
        ("lock_lease", "MQX_LOCK_LEASE", ("never", "2d")),
        ("tui.notify", "MQX_TUI_NOTIFY", ("bell", "OSC9")),
        ("editor", "EDITOR", ("ed", "nano")),
        ("default_qmgr", "MQX_QMGR", ("mq:", "QM4")),
    ],
)
def test_environment_goes_before_file_and_file_before_default(mqx, file, key, variable, values):
    default = explained(mqx)[key]
    assert default[1] == "default"
    mqx("config", "set", key, values[0], check=True)
    assert explained(mqx)[key] == (values[0], "file", str(file))
    assert explained(mqx, **{variable: values[1]})[key] == (values[1], "environment", variable)
    assert explained(mqx, **{variable: ""})[key][1] == "file"
    mqx("config", "unset", key, check=True)
    assert explained(mqx)[key] == default


def test_a_flag_goes_before_all(mqx):
    assert explained(mqx, "-m", "QM2", MQX_QMGR="QM3")["default_qmgr"] == ("QM2", "flag", "-m")


def test_visual_goes_before_editor(mqx):
    assert explained(mqx, VISUAL="a", EDITOR="b")["editor"] == ("a", "environment", "VISUAL")


def test_one_key_alone(mqx):
    assert mqx("config", "explain", "trash.max_age", check=True).out == b"trash.max_age\t7d\tdefault\t\n"


def test_a_key_that_is_none_is_2_with_a_suggestion(mqx):
    mqx("config", "explain", "trash.max_agee").ended(2, "did you mean trash.max_age?")
    assert mqx("config", "set", "nonsense", "1").status == 2


def test_a_value_that_cannot_be_read_names_where_it_stands(mqx, file):
    file.write_text('[trash]\nmax_age = "soon"\n', encoding="utf-8")
    mqx("config", "explain").ended(2, f"{file}: trash.max_age: 'soon' is not a duration")
    file.write_text("trash = 3\n", encoding="utf-8")
    assert mqx("config", "explain").status == 2
    file.write_text("[trash]\nmax_size = true\n", encoding="utf-8")
    assert mqx("config", "explain").status == 2


def test_a_number_in_the_file_will_do(mqx, file):
    file.write_text("[trash]\nmax_age = 3600\n", encoding="utf-8")
    assert explained(mqx)["trash.max_age"][0] == "3600"


def test_what_is_no_setting_is_named_and_stays(mqx, file):
    file.write_text('[keymap]\nquit = "q"\n', encoding="utf-8")
    assert "keymap.quit" in mqx("config", "explain", check=True).err
    mqx("config", "set", "trash.max_age", "1d", check=True)
    assert file.read_text(encoding="utf-8") == '[keymap]\nquit = "q"\n\n[trash]\nmax_age = "1d"\n'


def test_a_bad_value_is_not_written(mqx, file):
    assert mqx("config", "set", "trash.max_age", "soon").status == 2
    assert not file.exists()
    assert mqx("config", "set", "home", "/x").status == 2


def test_lost_comments_are_said(mqx, file):
    file.write_text("# mine\n", encoding="utf-8")
    done = mqx("config", "set", "editor", "ed", check=True)
    assert "comments were removed" in done.err
    assert Path(f"{file}.bak").read_text(encoding="utf-8") == "# mine\n"


def test_what_the_environment_overrides_is_said(mqx, file):
    assert "EDITOR is nano" in mqx("config", "set", "editor", "ed", check=True, EDITOR="nano").err
