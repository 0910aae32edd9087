"""``pymqi``: the genuine package with our module for its C part, else a stand-in."""

import sys

import _mqx_python  # type: ignore[import-not-found]  # noqa: F401
from _mqx_bindings import load_genuine  # type: ignore[import-not-found]

if not load_genuine(__name__, "pymqe"):
    from mqtools.bindings.standin import fill

    fill(sys.modules[__name__])
