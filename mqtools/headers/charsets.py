"""Coded character sets and byte orders: from a CCSID to a Python codec, and text to bytes and back."""

from __future__ import annotations

from mqtools.constants.message import (
    MQCCSI_INHERIT,
    MQCCSI_UNDEFINED,
    MQENC_INTEGER_MASK,
    MQENC_INTEGER_NORMAL,
    MQENC_INTEGER_REVERSED,
    MQENC_NATIVE,
)
from mqtools.constants.reasons import MQRC_HEADER_ERROR, MQRC_NOT_CONVERTED, MQRC_SOURCE_CCSID_ERROR
from mqtools.errors import MQError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal, TypeAlias

    ByteOrder: TypeAlias = Literal["big", "little"]

#: CCSID of a queue manager's own text, and of the special values 0 and below.
DEFAULT_CCSID = 1208

#: CCSID to codec, for sets that need neither a byte order nor another package. A CCSID in no table of this
#: module is not convertible: there is no nearest guess.
_CODECS = {
    367: "ascii", 437: "cp437", 737: "cp737", 775: "cp775", 813: "iso8859_7", 819: "latin_1", 850: "cp850",
    852: "cp852", 855: "cp855", 857: "cp857", 858: "cp858", 860: "cp860", 861: "cp861", 862: "cp862",
    863: "cp863", 864: "cp864", 865: "cp865", 866: "cp866", 869: "cp869", 874: "cp874", 878: "koi8_r",
    912: "iso8859_2", 913: "iso8859_3", 914: "iso8859_4", 915: "iso8859_5", 916: "iso8859_8", 919: "iso8859_10",
    920: "iso8859_9", 921: "iso8859_13", 923: "iso8859_15", 1089: "iso8859_6", 1168: "koi8_u", 1208: "utf_8",
    1250: "cp1250", 1251: "cp1251", 1252: "cp1252", 1253: "cp1253", 1254: "cp1254", 1255: "cp1255",
    1256: "cp1256", 1257: "cp1257", 1258: "cp1258", 5346: "cp1250", 5347: "cp1251", 5348: "cp1252",
    5349: "cp1253", 5350: "cp1254", 5351: "cp1255", 5352: "cp1256", 5353: "cp1257", 5354: "cp1258",
    932: "cp932", 943: "cp932", 949: "cp949", 1363: "cp949", 950: "cp950", 954: "euc_jp", 970: "euc_kr",
    1383: "gb2312", 1386: "gbk", 1392: "gb18030", 5488: "gb18030",
    37: "cp037", 273: "cp273", 424: "cp424", 500: "cp500", 875: "cp875", 1026: "cp1026", 1140: "cp1140",
}  # fmt: skip
#: UTF-16 in the byte order of the encoding that goes with the CCSID.
_UTF_16 = frozenset({1200, 13488, 17584})
_UTF_16_CODECS = {MQENC_INTEGER_NORMAL: "utf_16_be", MQENC_INTEGER_REVERSED: "utf_16_le"}
#: EBCDIC sets of the standard library.
_EBCDIC = frozenset({37, 273, 424, 500, 875, 1026, 1140})
#: EBCDIC sets of the package ``ebcdic``, whose codecs are named ``cp`` and the CCSID.
_EBCDIC_PACKAGE = frozenset(
    (277, 278, 280, 284, 285, 290, 297, 420, 833, 838, 870, 871, 1025, 1047, 1097, 1112, 1122, 1123, *range(1141, 1150))
)
#: EBCDIC sets that have no codec: known for what they are, not convertible.
_EBCDIC_WITHOUT_CODEC = frozenset({924, 930, 933, 935, 937, 939, 1364, 1371, 1388, 1390, 1399, 5026, 5035})

#: Other sets that IBM MQ converts and that have no codec here. Source: IBM MQ, Code page conversion.
_WITHOUT_CODEC = frozenset((
    256, 259, 275, 300, 301, 423, 720, 808, 836, 851, 856, 867, 872, 880, 897, 899, *range(901, 906), 914, 922, 964,
    1009, 1027, *range(1040, 1044), 1051, 1088, 1098, 1100, 1114, 1115, 1124, 1126, *range(1130, 1133), 1137, 1161,
    1162, 1275, 1280, 1281, 1283, 1381, 4386, 4909, 4929, 4932, 4934, 4946, 4948, *range(4951, 4954), 4960, 4970, 4971,
    5012, 5039, 5050, 5123, 5210, 5211, 8229, 8482, 8612, 9025, 9030, 9044, 9049, 9056, 9061, 9066, 13121, 16804,
    17248, 25473, 25479, 25480, 25617, 25619, 25664, 28709, 33722,
))  # fmt: skip

#: Integer part of an encoding to byte order.
_ORDERS = {MQENC_INTEGER_NORMAL: ">", MQENC_INTEGER_REVERSED: "<"}

_field_codecs: dict[int, str] = {}


def byte_order(encoding: int, what: str = "header", reason: int = MQRC_HEADER_ERROR) -> str:
    """Return ``">"`` or ``"<"`` for the byte order of integers in an encoding.

    Raises MQError: the reason given, for an encoding without a byte order.
    """
    order = _ORDERS.get(encoding & MQENC_INTEGER_MASK)
    if order is None:
        raise MQError(f"{what}: encoding {encoding} defines no byte order of integers", reason)
    return order


def integer_order(encoding: int, what: str = "header", reason: int = MQRC_HEADER_ERROR) -> ByteOrder:
    """Return the byte order of integers in an encoding, as ``int.from_bytes`` takes it. Raises as ``byte_order``."""
    return "big" if byte_order(encoding, what, reason) == ">" else "little"


def known_ccsid(ccsid: int) -> int:
    """Return a CCSID, and the default one for a special value, which is 0 or below."""
    return ccsid if ccsid > 0 else DEFAULT_CCSID


def is_ebcdic(ccsid: int) -> bool:
    """Return whether a CCSID is one of the EBCDIC family, convertible or not."""
    return ccsid in _EBCDIC or ccsid in _EBCDIC_PACKAGE or ccsid in _EBCDIC_WITHOUT_CODEC


def is_lacking(ccsid: int) -> bool:
    """Return whether IBM MQ converts a CCSID and mqx has no codec for it."""
    return ccsid in _EBCDIC_WITHOUT_CODEC or ccsid in _WITHOUT_CODEC


def codec_of(ccsid: int, encoding: int = MQENC_NATIVE) -> str | None:
    """Return the Python codec of a CCSID, ready for use, or None where there is none.

    encoding: decides the byte order of UTF-16; without one there (integer part undefined) the answer is None.
    The special values 0 and below name no set: None.
    """
    codec = _CODECS.get(ccsid)
    if codec is not None:
        return codec
    if ccsid in _UTF_16:
        return _UTF_16_CODECS.get(encoding & MQENC_INTEGER_MASK)
    if ccsid in _EBCDIC_PACKAGE:
        import ebcdic  # noqa: F401  # registers its codecs; heavy, so only when met

        return f"cp{ccsid}"
    return None


def field_codec(ccsid: int, reason: int = MQRC_SOURCE_CCSID_ERROR) -> str:
    """Return the codec in which the fixed-length character fields of a structure are written under a CCSID.

    One byte is one blank there, so UTF-16 cannot apply to them: the fields of a header announced as UTF-16 are
    read and written as 1208. Raises MQError with the reason when the CCSID is not convertible.
    """
    codec = _field_codecs.get(ccsid)
    if codec is None:
        codec = _CODECS[DEFAULT_CCSID] if ccsid in _UTF_16 else text_codec(ccsid, MQENC_NATIVE, reason)
        _field_codecs[ccsid] = codec
    return codec


def encode_text(text: str, ccsid: int, encoding: int = MQENC_NATIVE) -> bytes:
    """Write text as bytes of a CCSID.

    Raises MQError: MQRC_SOURCE_CCSID_ERROR when the CCSID is not convertible, MQRC_NOT_CONVERTED when the set
    lacks a character of the text.
    """
    codec = text_codec(ccsid, encoding)
    try:
        return text.encode(codec)
    except UnicodeEncodeError as error:
        lacking = f"it has no character U+{ord(text[error.start]):04X} (character {error.start + 1} of the text)"
        raise MQError(f"text cannot be written in CCSID {ccsid}: {lacking}", MQRC_NOT_CONVERTED) from error


def decode_text(data: bytes, ccsid: int, encoding: int = MQENC_NATIVE) -> str:
    """Read bytes of a CCSID as text.

    Raises MQError: MQRC_SOURCE_CCSID_ERROR when the CCSID is not convertible, MQRC_NOT_CONVERTED when the bytes
    are not text in it.
    """
    codec = text_codec(ccsid, encoding)
    try:
        return data.decode(codec)
    except UnicodeError as error:
        raise MQError(f"data is not text in CCSID {ccsid}: {error}", MQRC_NOT_CONVERTED) from error


def text_codec(
    ccsid: int,
    encoding: int,
    ccsid_reason: int = MQRC_SOURCE_CCSID_ERROR,
    encoding_reason: int = MQRC_SOURCE_CCSID_ERROR,
) -> str:
    """Return the codec of a CCSID. Raises MQError: one reason for the CCSID, one for UTF-16 without a byte order."""
    codec = codec_of(ccsid, encoding)
    if codec is not None:
        return codec
    if ccsid in _UTF_16:
        raise MQError(f"CCSID {ccsid} needs a byte order and encoding {encoding} gives none", encoding_reason)
    why = "mqx lacks it" if is_lacking(ccsid) else "it is unknown"
    raise MQError(f"CCSID {ccsid} is not convertible: {why}", ccsid_reason)


def inherited(source: Any, encoding: int, ccsid: int) -> tuple[int, int]:
    """Return encoding and CCSID that a header gives its successor; where it gives none, its own."""
    is_inherited = source.coded_char_set_id in (MQCCSI_UNDEFINED, MQCCSI_INHERIT)
    return source.encoding or encoding, ccsid if is_inherited else source.coded_char_set_id
