"""Stand-in for ``pymqi`` if it is not installed: its class level, on top of ``mqtools.bindings.pymqe``."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType

from mqtools.bindings import pymqe
from mqtools.bindings.standin import constants


class _Default:
    """Defaults for text without encoding or CCSID."""

    ccsid = 1208
    bytes_encoding = "utf8"


#: Module to the names of it that the package has.
_NAMES = {
    "errors": (
        *("Error", "MQMIError", "PYIFError", "ensure_bytes", "ensure_not_unicode", "is_unicode", "padded_count"),
        "py23long",
    ),
    "structures": (
        *("MQOpts", "MD", "GMO", "PMO", "OD", "SD", "SRO", "CD", "SCO", "TM", "TMC2", "CMHO", "PD", "SMPO", "IMPO"),
        *("XQH", "CFH", "make_q_desc", "common_q_args"),
    ),
    "rfh2": ("RFH2",),
    "queue_manager": ("QueueManager", "connect"),
    "queue": ("Queue",),
    "topic": ("Topic", "Subscription"),
    "handles": ("MessageHandle",),
    "pcf": ("PCFExecute",),
    "pcf_structures": (
        *("ByteString", "CFIN", "CFST", "CFIL", "CFSL", "CFBS", "CFIF", "CFSF", "CFBF", "CFIN64", "CFIL64", "CFGR"),
        *("Filter", "FilterOperator", "StringFilter", "IntegerFilter", "_Filter"),
    ),
}
#: Other names of the same objects.
_ALIASES = {
    **{name.lower(): name for name in ("MD", "GMO", "PMO", "OD", "CD", "SCO")},
    "makeQDesc": "make_q_desc",
    "commonQArgs": "common_q_args",
}


def fill(package: ModuleType) -> None:
    """Fill a package with everything that programs find in ``pymqi``."""
    for name in constants.MODULES:
        module = constants.load(package.__name__, name)
        setattr(package, name, module)
        vars(package).update({name: value for name, value in vars(module).items() if name.startswith("MQ")})
    for module_name, names in _NAMES.items():
        source = import_module(f"mqtools.bindings.standin.{module_name}")
        for name in names:
            found = getattr(source, name)
            found.__module__ = package.__name__  # as tracebacks and pickles name it
            setattr(package, name, found)
    sys.modules[f"{package.__name__}.pymqe"] = pymqe
    attributes = {
        **{alias: getattr(package, name) for alias, name in _ALIASES.items()},
        "pymqe": pymqe,
        "__version__": pymqe.__version__,
        "__mqlevels__": pymqe.__mqlevels__,
        "__mqbuild__": pymqe.__mqbuild__,
        "_MQConst2String": constants.NamesByValue,
        "default": _Default,
        "is_py2": False,
        "is_py3": True,
        "MQLONG_TYPE": "i",
        "INTEGER64_TYPE": "q",
    }
    vars(package).update(attributes)
