"""``ibmmq``: the genuine package, which needs no MQ client to be installed, with our module for its C part."""

from _mqx_bindings import load_genuine  # type: ignore[import-not-found]

if not load_genuine(__name__, "ibmmqc"):
    raise ModuleNotFoundError("No module named 'ibmmq': install it with pip install ibmmq", name=__name__)
