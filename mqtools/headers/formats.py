"""Names of formats: which of them announce a header."""

from __future__ import annotations

#: Format name to structure identifier. A format that is not here is a header all the same when it begins with MQH;
#: any other is the format of a body.
STRUC_IDS = {
    "MQHMDE": "MDE",
    "MQDEAD": "DLH",
    "MQXMIT": "XQH",
    "MQHRF": "RFH",
    "MQHRF2": "RFH2",
    "MQHREF": "RMH",
    "MQIMS": "IIH",
    "MQCICS": "CIH",
    "MQHDIST": "DH",
    "MQHWIH": "WIH",
}
HEADER_FORMATS = tuple(STRUC_IDS)
#: Any other format that begins so names a header with the common first 32 bytes.
COMMON_PREFIX = "MQH"


def is_header_format(format: str) -> bool:
    return format.startswith(COMMON_PREFIX) or format in STRUC_IDS
