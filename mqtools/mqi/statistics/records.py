"""Messages with statistics and accounting records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mqtools.constants.administration import MQCFH_VERSION_3, MQCFT_ACCOUNTING
from mqtools.constants.message import MQENC_NATIVE, MQFMT_ADMIN
from mqtools.headers.pcf import CFGR, CFH, CFIL64, Parameter
from mqtools.headers.pcf_bytes import pack_pcf
from mqtools.mqi.instrumentation import put_instrumentation_message
from mqtools.mqi.statistics.tallies import Tally
from mqtools.mqi.transaction import Work
from mqtools.rules.attributes.qmgr import COMMAND_LEVEL
from mqtools.rules.local_time import stamp
from mqtools.rules.pcf.values import ParameterWriter
from mqtools.rules.statistics import ACCOUNTING_QUEUE, STATISTICS_QUEUE, RecordField, RecordType

#: How many groups a message has at most.
_MOST_GROUPS = 100
_NOTHING: Tally = {}


def write_record(
    work: Work,
    kind: RecordType,
    since_ms: int,
    values: Mapping[str, object],
    tally: Tally = _NOTHING,
    groups: Sequence[tuple[Mapping[str, object], Tally]] = (),
) -> None:
    """Put a record. since_ms: begin of its interval, which ends now.  groups: values and tally of each object."""
    members = [CFGR(kind.group or 0, _parameters(work, kind.members, *group)) for group in groups]
    head = {
        "q_mgr_name": work.qmgr.name,
        **stamp("interval_start", since_ms),
        **stamp("interval_end", work.now_ms),
        "command_level": COMMAND_LEVEL,
        **values,
        "object_count": len(groups),
    }
    header = CFH(kind.command, type=kind.header_type, version=MQCFH_VERSION_3)
    data = pack_pcf(header, [*_parameters(work, kind.fields, head, tally), *members], MQENC_NATIVE)
    q_name = ACCOUNTING_QUEUE if kind.header_type == MQCFT_ACCOUNTING else STATISTICS_QUEUE
    put_instrumentation_message(work, q_name, MQFMT_ADMIN, data)


def write_groups(
    work: Work,
    kind: RecordType,
    since_ms: int,
    values: Mapping[str, object],
    groups: Sequence[tuple[Mapping[str, object], Tally]],
) -> None:
    """Put records with a group for each object, ``_MOST_GROUPS`` in each."""
    for start in range(0, len(groups), _MOST_GROUPS):
        write_record(work, kind, since_ms, values, groups=groups[start : start + _MOST_GROUPS])


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
