"""Properties, and messages that begin with an MQRFH2."""

from __future__ import annotations

from typing import Any

from mqtools.constants import properties as p
from mqtools.constants.message import MQENC_NATIVE, MQFMT_STRING
from mqtools.headers.mqrfh2 import MQRFH2, pack_mqrfh2
from mqtools.message import MQMD, Property


def text(value: str = "v") -> Property:
    return Property(p.MQTYPE_STRING, value)


def message(*folders: str, data: bytes = b"body", **fields: Any) -> tuple[MQMD, bytes]:
    """A message in UTF-8 that begins with an MQRFH2, which describes what follows as MQSTR."""
    header = MQRFH2(format=MQFMT_STRING, coded_char_set_id=1208, folders=list(folders), **fields)
    md = MQMD(format="MQHRF2", encoding=MQENC_NATIVE, coded_char_set_id=1208)
    return md, pack_mqrfh2(header, MQENC_NATIVE, 1208) + data
