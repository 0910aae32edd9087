"""``ibmmqc`` for the Python layer of a binding whose C part is not there."""

import _mqx_python  # type: ignore[import-not-found]  # noqa: F401
from _mqx_bindings import replace_module  # type: ignore[import-not-found]

replace_module(__name__, "mqtools.bindings.ibmmqc")
