"""Functions that read the headers of messages, by structure identifier."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mqtools.headers.bridges import unpack_mqcih, unpack_mqdh, unpack_mqiih, unpack_mqwih
from mqtools.headers.mqdlh import unpack_mqdlh
from mqtools.headers.mqheader import unpack_mqheader as unpack_mqheader
from mqtools.headers.mqmde import unpack_mqmde
from mqtools.headers.mqrfh import unpack_mqrfh
from mqtools.headers.mqrfh2 import unpack_mqrfh2
from mqtools.headers.mqrmh import unpack_mqrmh
from mqtools.headers.mqxqh import unpack_mqxqh

#: Structure identifier to function that reads a header: data, encoding, CCSID, offset.
READERS: dict[str, Callable[[bytes, int, int, int], Any]] = {
    "MDE": unpack_mqmde,
    "DLH": unpack_mqdlh,
    "XQH": unpack_mqxqh,
    "RFH": unpack_mqrfh,
    "RFH2": unpack_mqrfh2,
    "RMH": unpack_mqrmh,
    "IIH": unpack_mqiih,
    "CIH": unpack_mqcih,
    "DH": unpack_mqdh,
    "WIH": unpack_mqwih,
}
