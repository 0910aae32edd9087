"""Combination rules for the options of MQOPEN and MQCLOSE, with each other and with the type of the queue."""

from __future__ import annotations

from mqtools.constants.names import name_or_number
from mqtools.constants.objects import (
    MQQDT_PERMANENT_DYNAMIC,
    MQQDT_SHARED_DYNAMIC,
    MQQDT_TEMPORARY_DYNAMIC,
    MQQT_REMOTE,
)
from mqtools.constants.options import (
    MQCO_DELETE,
    MQCO_DELETE_PURGE,
    MQCO_KEEP_SUB,
    MQCO_QUIESCE,
    MQCO_REMOVE_SUB,
    MQOO_ALTERNATE_USER_AUTHORITY,
    MQOO_BIND_NOT_FIXED,
    MQOO_BIND_ON_GROUP,
    MQOO_BIND_ON_OPEN,
    MQOO_BROWSE,
    MQOO_CO_OP,
    MQOO_FAIL_IF_QUIESCING,
    MQOO_INPUT_AS_Q_DEF,
    MQOO_INPUT_EXCLUSIVE,
    MQOO_INPUT_SHARED,
    MQOO_INQUIRE,
    MQOO_NO_MULTICAST,
    MQOO_NO_READ_AHEAD,
    MQOO_OUTPUT,
    MQOO_PASS_ALL_CONTEXT,
    MQOO_PASS_IDENTITY_CONTEXT,
    MQOO_READ_AHEAD,
    MQOO_RESOLVE_LOCAL_Q,
    MQOO_RESOLVE_NAMES,
    MQOO_SAVE_ALL_CONTEXT,
    MQOO_SET,
    MQOO_SET_ALL_CONTEXT,
    MQOO_SET_IDENTITY_CONTEXT,
)
from mqtools.constants.reasons import MQRC_OPTION_NOT_VALID_FOR_TYPE, MQRC_OPTIONS_ERROR
from mqtools.errors import MQError
from mqtools.rules.options.table import (
    check_options,
    lowest_option,
    option_name,
    option_names,
)

INPUT_OPTIONS = MQOO_INPUT_AS_Q_DEF | MQOO_INPUT_SHARED | MQOO_INPUT_EXCLUSIVE

#: The options that make a handle good for something; an open needs at least one of them (BEY-98).
ACCESS_OPTIONS = INPUT_OPTIONS | MQOO_BROWSE | MQOO_OUTPUT | MQOO_INQUIRE | MQOO_SET

#: Groups that allow one option at most (BEY-98). An option in no group excludes none.
#: MQOO_BIND_AS_Q_DEF and MQOO_READ_AHEAD_AS_Q_DEF are zero and contradict nothing.
OPEN_EXCLUSIVE = (
    INPUT_OPTIONS,
    MQOO_BIND_ON_OPEN | MQOO_BIND_NOT_FIXED | MQOO_BIND_ON_GROUP,
    MQOO_READ_AHEAD | MQOO_NO_READ_AHEAD,
)

#: Option to the options that it needs one of. An option not listed needs none.
OPEN_COMPANIONS = {
    MQOO_CO_OP: MQOO_BROWSE,  # MARK-47
    MQOO_SAVE_ALL_CONTEXT: INPUT_OPTIONS,  # BEY-99, this row and the next four
    MQOO_PASS_IDENTITY_CONTEXT: MQOO_OUTPUT,
    MQOO_PASS_ALL_CONTEXT: MQOO_OUTPUT,
    MQOO_SET_IDENTITY_CONTEXT: MQOO_OUTPUT,
    MQOO_SET_ALL_CONTEXT: MQOO_OUTPUT,
    MQOO_NO_MULTICAST: MQOO_OUTPUT,
}

#: Every open option that is a bit; another bit is MQRC_OPTIONS_ERROR.
OPEN_OPTIONS = (
    ACCESS_OPTIONS
    | sum(OPEN_EXCLUSIVE[1:])
    | sum(OPEN_COMPANIONS)
    | MQOO_ALTERNATE_USER_AUTHORITY
    | MQOO_FAIL_IF_QUIESCING
    | MQOO_RESOLVE_LOCAL_Q
    | MQOO_RESOLVE_NAMES
)

#: Close options that exclude each other; MQCO_NONE and MQCO_IMMEDIATE are zero.
CLOSE_EXCLUSIVE = (MQCO_DELETE | MQCO_DELETE_PURGE | MQCO_KEEP_SUB | MQCO_REMOVE_SUB,)

#: Every close option that is a bit; another bit is MQRC_OPTIONS_ERROR.
CLOSE_OPTIONS = CLOSE_EXCLUSIVE[0] | MQCO_QUIESCE

#: Definition types of queues that a close may delete. Other types, and objects other than queues, have only
#: MQCO_QUIESCE (MQRC_OPTION_NOT_VALID_FOR_TYPE). The two options about subscriptions fit no queue.
_DYNAMIC = (MQQDT_PERMANENT_DYNAMIC, MQQDT_SHARED_DYNAMIC, MQQDT_TEMPORARY_DYNAMIC)


def check_open_options(options: int, q_type: int | None = None) -> None:
    """Check the options of an open: by themselves, then for the type of the queue.

    q_type: MQQT_* of the queue at the end of the resolution (the base of an alias); None for other objects.
    Raises MQError: MQRC_OPTIONS_ERROR, MQRC_OPTION_NOT_VALID_FOR_TYPE.
    Source: BEY-98, BEY-99, MARK-47.
    """
    check_options("MQOO", options, OPEN_OPTIONS, exclusive=OPEN_EXCLUSIVE, companions=OPEN_COMPANIONS)
    if not options & ACCESS_OPTIONS:
        raise MQError(f"an open needs {option_names('MQOO', ACCESS_OPTIONS)}", MQRC_OPTIONS_ERROR)
    unfit = options & (INPUT_OPTIONS | MQOO_BROWSE)
    if unfit and q_type == MQQT_REMOTE:
        raise _not_for_type("MQOO", unfit, "a queue of type MQQT_REMOTE")


def check_close_options(options: int, definition_type: int | None) -> None:
    """Check the options of a close.

    definition_type: MQQDT_* of the queue, None where the object is no queue.  Whether this handle created a
    temporary dynamic queue, and so may delete it, is for the caller to say: the reason is the same.
    Raises MQError: MQRC_OPTIONS_ERROR, MQRC_OPTION_NOT_VALID_FOR_TYPE.
    """
    check_options("MQCO", options, CLOSE_OPTIONS, exclusive=CLOSE_EXCLUSIVE)
    deletes = MQCO_DELETE | MQCO_DELETE_PURGE if definition_type in _DYNAMIC else 0
    unfit = options & ~(MQCO_QUIESCE | deletes)
    if unfit:
        what = "what is no queue"
        if definition_type is not None:
            what = f"a queue of {name_or_number('MQQDT', definition_type)}"
        raise _not_for_type("MQCO", unfit, what)


def _not_for_type(family: str, unfit: int, what: str) -> MQError:
    name = option_name(family, lowest_option(unfit))
    return MQError(f"{name} does not fit {what}", MQRC_OPTION_NOT_VALID_FOR_TYPE)
