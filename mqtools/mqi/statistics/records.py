"""Messages with statistics and accounting records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from mqtools.constants.administration import MQCFH_VERSION_3, MQCFT_ACCOUNTING
from mqtools.constants.message import MQENC_NATIVE, MQFMT_ADMIN
from mqtools.headers.pcf import CFGR, CFH, CFIL64, Parameter
from mqtools.headers.pcf_bytes import pack_pcf
from mqtools.mqi.instrumentation import put_instrumentation_message
from mqtools.mqi.statistics.tallies import Tally
from mqtools.mqi.transaction import Work
from mqtools.rules.attributes.qmgr import COMMAND_LEVEL
from mqtools.rules.pcf.values import ParameterWriter
from mqtools.rules.statistics import ACCOUNTING_QUEUE, STATISTICS_QUEUE, RecordField, RecordType

#: How many groups a message has at most.
_MOST_GROUPS = 100


def write_record(work: Work, kind: RecordType, since_ms: int, values: Mapping[str, object], tally: Tally) -> None:
    """Put a record without groups. since_ms: begin of its interval, which ends now."""
    _put(work, kind, _parameters(work, kind.fields, {**_interval(work, since_ms), **values}, tally))


def write_groups(
    work: Work,
    kind: RecordType,
    since_ms: int,
    values: Mapping[str, object],
    groups: Sequence[tuple[Mapping[str, object], Tally]],
) -> None:
    """Put records with a group for each object; its values and its tally."""
    assert kind.group is not None
    for start in range(0, len(groups), _MOST_GROUPS):
        part = groups[start : start + _MOST_GROUPS]
        head = {**_interval(work, since_ms), **values, "object_count": len(part)}
        members = [CFGR(kind.group, _parameters(work, kind.members, own, tally)) for own, tally in part]
        _put(work, kind, [*_parameters(work, kind.fields, head, {}), *members])


def _put(work: Work, kind: RecordType, parameters: Sequence[Parameter]) -> None:
    header = CFH(kind.command, type=kind.header_type, version=MQCFH_VERSION_3)
    q_name = ACCOUNTING_QUEUE if kind.header_type == MQCFT_ACCOUNTING else STATISTICS_QUEUE
    put_instrumentation_message(work, q_name, MQFMT_ADMIN, pack_pcf(header, parameters, MQENC_NATIVE))


def _interval(work: Work, since_ms: int) -> dict[str, object]:
    return {
        "q_mgr_name": work.qmgr.name,
        **stamp("interval_start", since_ms),
        **stamp("interval_end", work.now_ms),
        "command_level": COMMAND_LEVEL,
    }


def stamp(name: str, at_ms: int) -> dict[str, str]:
    """Return the date and time of an event, in local time, under its name with ``_date`` and ``_time``."""
    local = datetime.fromtimestamp(at_ms / 1000)
    return {f"{name}_date": local.strftime("%Y-%m-%d"), f"{name}_time": local.strftime("%H.%M.%S")}


def _parameters(
    work: Work, fields: Sequence[RecordField], values: Mapping[str, object], tally: Tally
) -> list[Parameter]:
    """Return the fields of a record as parameters; a field without a value or counter is left out."""
    writer = ParameterWriter(work.qmgr.coded_char_set_id)
    found: list[Parameter] = []
    for field in fields:
        if not field.length:
            found += [writer.parameter(field.parameter, values[field.name])] if field.name in values else []
            continue
        most = (1 << (63 if field.is_wide else 31)) - 1
        numbers = [min(number or 0, most) for number in tally.get(field.name) or [0] * field.length]
        if field.is_wide:
            found.append(CFIL64(field.parameter, numbers))
        else:
            found.append(writer.parameter(field.parameter, numbers if field.length > 1 else numbers[0]))
    return found
