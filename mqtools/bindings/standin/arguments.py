"""Arguments that calls take in several forms."""

from __future__ import annotations

from typing import Any

from mqtools.bindings.standin.errors import ensure_bytes
from mqtools.bindings.standin.structures import OD


def make_q_desc(q_desc: Any) -> Any:
    """Return an object descriptor for a name, or the descriptor itself."""
    return OD(ObjectName=ensure_bytes(q_desc)) if isinstance(q_desc, (str, bytes)) else q_desc


def common_q_args(*opts: Any) -> tuple[Any, Any]:
    """Return descriptor and options of a put or get. Raises TypeError for more than two arguments."""
    if len(opts) > 2:
        raise TypeError("Too many args")
    md, options = (*opts, None, None)[:2]
    return md, options
