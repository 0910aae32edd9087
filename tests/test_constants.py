"""Every number of MQ stands in one place; what the bindings show and the enumerations are made from there."""

from __future__ import annotations

import ast
from enum import IntEnum, IntFlag
from pathlib import Path

import pytest

from mqtools import constants
from mqtools.bindings.standin.constants import NamesByValue
from mqtools.constants import (
    administration,
    channels,
    cmqc,
    cmqcfc,
    cmqxc,
    cmqzc,
    enums,
    message,
    objects,
    options,
    properties,
    reasons,
    structures,
)

FOLDER = Path(next(iter(constants.__path__)))
SHOWN = {
    cmqc: (channels, message, objects, options, properties, reasons, structures),
    cmqcfc: (administration,),
    cmqxc: (channels,),
    cmqzc: (),
}

#: Names whose value depends on who asks: the structures of exits are newer among the constants of exits.
NEWER_FOR_EXITS = {
    "MQCD_CURRENT_LENGTH", "MQCD_CURRENT_VERSION", "MQCD_LENGTH_4", "MQCD_LENGTH_5", "MQCD_LENGTH_6",
    "MQCXP_CURRENT_VERSION", "MQDXP_CURRENT_VERSION",
    "MQWDR_CURRENT_LENGTH", "MQWDR_CURRENT_VERSION", "MQWQR_CURRENT_LENGTH", "MQWQR_CURRENT_VERSION",
    "MQWXP_CURRENT_VERSION",
}  # fmt: skip


def constants_of(module):
    return {name: value for name, value in vars(module).items() if name.startswith("MQ")}


def assigned(path):
    """Return each name of a constant that a file assigns, with the node of its value."""
    found = [(node.targets[0], node.value) for node in ast.parse(path.read_text()).body if isinstance(node, ast.Assign)]
    return [(to.id, value) for to, value in found if isinstance(to, ast.Name) and to.id.startswith("MQ")]


def is_taken(value):
    """Return whether a value is taken from another module, or made with what is."""
    return any(isinstance(node, ast.Name) and node.id.startswith("_") for node in ast.walk(value))


def test_no_constant_is_written_twice():
    places = {}
    for path in sorted(FOLDER.glob("*.py")):
        for name, value in assigned(path):
            if not is_taken(value):
                places.setdefault(name, []).append(path.name)
    assert len(places) > 5000
    twice = {name: files for name, files in places.items() if len(files) > 1}
    assert twice == {name: ["cmqc.py", "cmqxc.py"] for name in NEWER_FOR_EXITS}


@pytest.mark.parametrize("shown", SHOWN, ids=lambda module: module.__name__.rpartition(".")[2])
def test_the_bindings_show_the_same_numbers(shown):
    for source in SHOWN[shown]:
        for name, value in constants_of(source).items():
            if isinstance(value, int):
                assert getattr(shown, name) == value, name
    assert {type(value) for value in constants_of(shown).values()} <= {int, bytes, list}
    # Names with @ come from pytest, which may rewrite what its plug-ins import.
    assert {name for name in vars(shown) if not name.startswith(("MQ", "_", "@"))} == set()
    assert set(constants_of(shown)) <= set(dir(shown))


def test_the_bindings_show_texts_at_full_length():
    assert (message.MQFMT_STRING, cmqc.MQFMT_STRING) == ("MQSTR", b"MQSTR   ")
    assert (structures.MQMD_STRUC_ID, cmqc.MQMD_STRUC_ID) == ("MD  ", b"MD  ")
    assert cmqc.MQMD_STRUC_ID_ARRAY == [b"M", b"D", b" ", b" "]
    assert options.MQGS_MSG_IN_GROUP == "G"
    assert ord("G") == cmqc.MQGS_MSG_IN_GROUP
    assert cmqc.MQMI_NONE == structures.MQMI_NONE == bytes(24)
    assert len(cmqxc.MQXPDA_NONE_ARRAY) == len(cmqxc.MQXPDA_NONE)


@pytest.mark.parametrize(
    ("shown", "name"),
    [
        *((cmqc, name) for name in ("MQRC_Q_FULL", "MQRC_CONVERTED_MSG_TOO_BIG", "MQAT_UNIX", "MQIA_MAX_Q_DEPTH")),
        (cmqcfc, "MQRCCF_CHANNEL_NOT_FOUND"),
    ],
)
def test_a_name_is_found_by_its_value(shown, name):
    prefix = name.partition("_")[0] + "_"
    assert NamesByValue(shown, prefix)[getattr(shown, name)] == name


def test_the_enumerations_repeat_no_number():
    tree = ast.parse((FOLDER / "enums.py").read_text())
    members = [node for owner in tree.body if isinstance(owner, ast.ClassDef) for node in owner.body]
    values = [node.value for node in members if isinstance(node, ast.Assign)]
    assert len(values) > 700
    assert {type(value) for value in values} == {ast.Attribute}


def test_every_enumeration_has_its_own_family():
    kinds = [kind for kind in vars(enums).values() if isinstance(kind, type) and issubclass(kind, IntEnum | IntFlag)]
    families = {}
    tree = ast.parse((FOLDER / "enums.py").read_text())
    for owner in tree.body:
        if isinstance(owner, ast.ClassDef):
            named = [node for node in owner.body if isinstance(node, ast.Assign)]
            for node in named:
                constant = node.value.attr
                family, _, member = constant.partition("_")
                assert node.targets[0].id.rstrip("_") == member, constant
                families.setdefault(owner.name, set()).add(family)
    assert len(families) > 10
    assert len(kinds) > len(families)
    assert {name for name, found in families.items() if len(found) != 1} == set()
