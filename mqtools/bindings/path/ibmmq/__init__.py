"""``ibmmq``: the genuine package, which needs no MQ client to be installed, with our module for its C part."""

import sys

import _mqx_python  # type: ignore[import-not-found]  # noqa: F401
from _mqx_bindings import load_genuine  # type: ignore[import-not-found]

if not load_genuine(__name__, "ibmmqc"):
    raise ModuleNotFoundError(
        f"No module named 'ibmmq' for {sys.executable}: install it there (pip install ibmmq), "
        "or name another Python with mqx run --python",
        name=__name__,
    )
