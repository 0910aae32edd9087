"""``ibmmqc`` for the Python layer of a binding whose C part is not there."""

from _mqx_bindings import become  # type: ignore[import-not-found]

become(__name__, "mqtools.bindings.ibmmqc")
