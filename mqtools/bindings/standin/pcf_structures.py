"""PCF structures as objects, filters, and byte strings."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from mqtools.bindings.standin.errors import Error, ensure_not_unicode
from mqtools.bindings.standin.structures import MQOpts
from mqtools.constants import cmqc, cmqcfc
from mqtools.headers import pcf
from mqtools.headers.pcf_bytes import pack_parameter, pack_pcf, unpack_pcf


class ByteString:
    """Bytes that are sent as a byte string, not as a string."""

    def __init__(self, value: bytes) -> None:
        ensure_not_unicode(value)
        self.value = value

    def __len__(self) -> int:
        return len(self.value)


class _ParameterStructure(MQOpts):
    """Parameter of a command: members by name; type, length and counts follow from the others.

    record: what it is in ``mqtools.headers.pcf``.  members: a member and its initial value each, as the record's own
    fields are called in snake_case.
    """

    record: type[Any]
    members: tuple[tuple[str, Any], ...] = ()

    def __init__(self, **kw: Any) -> None:
        self.Type = self.record.kind
        super().__init__([("Parameter", 0, "i"), *((name, initial, "i") for name, initial in self.members)], **kw)

    def as_record(self) -> Any:
        """Return the parameter as a record. Raises TypeError for text."""
        values = self.get()
        for value in values.values():
            for part in value if isinstance(value, list) else [value]:
                ensure_not_unicode(part)
        return self.record(**{_snake(name): value for name, value in values.items()})

    def pack(self, *_: Any) -> bytes:
        """Return the packed structure."""
        return pack_parameter(self.as_record(), "<")

    def unpack(self, buff: bytes, *_: Any) -> None:
        """Set the members from a packed structure."""
        front = pack_pcf(pcf.CFH(), [], cmqc.MQENC_NATIVE)[:-4] + b"\1\0\0\0"
        found = unpack_pcf(front + buff, cmqc.MQENC_NATIVE)[1][0]
        for name in self.get():
            setattr(self, name, getattr(found, _snake(name)))

    def get_length(self) -> int:
        return len(self.pack())

    @property
    def StrucLength(self) -> int:
        return self.get_length()


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


_CCSID = ("CodedCharSetId", 0)
_OPERATOR = ("Operator", 0)


def _structure(record: type[Any], *members: tuple[str, Any]) -> type[_ParameterStructure]:
    name = record.__name__
    return type(name, (_ParameterStructure,), {"record": record, "members": members, "__doc__": f"MQ{name}."})


CFIN = _structure(pcf.CFIN, ("Value", 0))
CFST = _structure(pcf.CFST, _CCSID, ("String", b""))
CFIL = _structure(pcf.CFIL, ("Values", []))
CFSL = _structure(pcf.CFSL, _CCSID, ("Strings", []))
CFBS = _structure(pcf.CFBS, ("String", b""))
CFIF = _structure(pcf.CFIF, _OPERATOR, ("FilterValue", 0))
CFSF = _structure(pcf.CFSF, _OPERATOR, _CCSID, ("FilterValue", b""))
CFBF = _structure(pcf.CFBF, _OPERATOR, ("FilterValue", b""))
CFIN64 = _structure(pcf.CFIN64, ("Value", 0))
CFIL64 = _structure(pcf.CFIL64, ("Values", []))


class CFGR(MQOpts):
    """Group; the parameters that follow belong to it."""

    def __init__(self, **kw: Any) -> None:
        rows = [
            ("Type", cmqcfc.MQCFT_GROUP, "i"),
            ("StrucLength", cmqcfc.MQCFGR_STRUC_LENGTH, "i"),
            ("Parameter", 0, "i"),
            ("ParameterCount", 0, "i"),
        ]
        super().__init__(rows, **kw)


class _Filter:
    """Filter of an inquiry. operator: MQCFOP_*."""

    def __init__(self, selector: int, value: Any, operator: int) -> None:
        self.selector = selector
        self.value = value
        self.operator = operator


class StringFilter(_Filter):
    """Filter of a character attribute."""

    def __init__(self, selector: int, value: bytes, operator: int) -> None:
        ensure_not_unicode(value)
        super().__init__(selector, value, operator)


class IntegerFilter(_Filter):
    """Filter of an integer attribute."""


class FilterOperator:
    """Factory of filters by the name of an operator. Raises Error for a selector of another kind."""

    operator_mapping = {
        name: getattr(cmqcfc, f"MQCFOP_{name.upper()}")
        for name in (
            *("less", "equal", "greater", "not_less", "not_equal", "not_greater", "like", "not_like"),
            *("contains", "excludes", "contains_gen", "excludes_gen"),
        )
    }

    def __init__(self, selector: int) -> None:
        self.selector = selector
        self.filter_cls: type[_Filter]
        if cmqc.MQIA_FIRST <= selector <= cmqc.MQIA_LAST:
            self.filter_cls = IntegerFilter
        elif cmqc.MQCA_FIRST <= selector <= cmqc.MQCA_LAST:
            self.filter_cls = StringFilter
        else:
            raise Error(f"selector [{selector}] is of an unsupported type (neither integer nor a string attribute)")

    def __getattr__(self, name: str) -> Callable[[Any], _Filter]:
        if name not in self.operator_mapping:
            raise AttributeError(name)
        return lambda value: self.filter_cls(self.selector, value, self.operator_mapping[name])


class Filter:
    """``Filter(selector).like(value)``."""

    def __init__(self, selector: int) -> None:
        self.selector = selector

    def __getattr__(self, name: str) -> Any:
        return getattr(FilterOperator(self.selector), name)
