"""Comfort of the command line: rates, words of errors, the default of several queue managers."""

from __future__ import annotations

from pathlib import Path

import pytest

Q = "DEV.QUEUE.1"


def test_a_rate_is_read_and_wrong_ones_are_refused(inline, qm):
    inline("put", Q, "a", "b", "--rate", "1000/s", check=True)
    assert inline("get", Q, "--all", "--rate", "60000/m", check=True).out == b"a\nb\n"
    assert inline("put", Q, "a", "--rate", "5").status == 2
    assert inline("get", Q, "--rate", "5/s", "--confirm-id", "1").status == 2


def test_an_expiry_without_a_unit_asks_for_one(inline, qm):
    inline("put", Q, "x", "--expiry", "600").ended(2, "600s is seconds, 600t tenths of a second")
    inline("put", Q, "x", "--expiry", "600t", check=True)
    assert int(inline("browse", Q, "--columns", "expiry").out) in range(500, 601)


@pytest.mark.parametrize("name", ["boolean", "BOOLEAN", "bool", "MQTYPE_BOOLEAN"])
def test_names_of_property_types(inline, qm, name):
    inline("put", Q, "x", "--property", f"flag:{name}=true", check=True)
    assert inline("browse", Q, "--where", "flag = TRUE", "--format", "%b").out == b"x"


def test_an_unknown_property_type_lists_the_known_ones(inline, qm):
    assert "string bool int8" in inline("put", Q, "x", "--property", "a:foo=1").err


def test_a_lowered_priority_is_said(inline, qm):
    inline("put", Q, "x", "--priority", "99").ended(4, "priority 99 is above the maximum, 9")


def test_a_mistake_in_a_selector_says_what_was_found(inline, qm):
    assert "expected a value, found `=`" in inline("browse", Q, "--where", "a = = 3").err


def test_only_one_statement_of_sql(inline, qm):
    assert "SQL error: only one statement at a time" in inline("sql", "select 1; select 2").err


def test_an_unknown_setting_is_named(inline, qm, environment):
    file = Path(environment["XDG_CONFIG_HOME"]) / "mqx" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text("colour = 1\n")
    assert "unknown setting 'colour' ignored" in inline("config", "explain").err


def test_a_rehearsed_redrive_says_what_would_stay(inline, qm):
    inline("mqsc", "DEFINE QLOCAL(ORDERS) MAXDEPTH(1)", check=True)
    inline("put", "ORDERS", "--dead-letter", "a", "b")
    inline("dlq-handle", "--redrive", "--dry-run").ended(9, "1 would be left: ORDERS@QM1 is full (2053)")
