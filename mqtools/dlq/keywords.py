"""The keywords of a rules table as data: what each takes and, for a pattern, which field it is compared with.

Source: BEY-69, BEY-70, BEY-71, BEY-72, BEY-73, BEY-75.
"""

from __future__ import annotations

from mqtools.constants.structures import (
    MQ_APPL_IDENTITY_DATA_LENGTH,
    MQ_FORMAT_LENGTH,
    MQ_PUT_APPL_NAME_LENGTH,
    MQ_Q_MGR_NAME_LENGTH,
    MQ_Q_NAME_LENGTH,
    MQ_USER_ID_LENGTH,
)

CHAR = "char"
NUMBER = "number"

#: Character pattern -> (structure, field, length in bytes). A pattern that is not here compares a number.
CHAR_PATTERNS: dict[str, tuple[str, str, int]] = {
    "APPLIDAT": ("md", "appl_identity_data", MQ_APPL_IDENTITY_DATA_LENGTH),
    # The descriptor's name, not the MQDLH's: that one names the channel program.
    "APPLNAME": ("md", "put_appl_name", MQ_PUT_APPL_NAME_LENGTH),
    "DESTQ": ("dlh", "dest_q_name", MQ_Q_NAME_LENGTH),
    "DESTQM": ("dlh", "dest_q_mgr_name", MQ_Q_MGR_NAME_LENGTH),
    # The format of what is behind the MQDLH; the descriptor's would always be MQDEAD.
    "FORMAT": ("dlh", "format", MQ_FORMAT_LENGTH),
    "REPLYQ": ("md", "reply_to_q", MQ_Q_NAME_LENGTH),
    "REPLYQM": ("md", "reply_to_q_mgr", MQ_Q_MGR_NAME_LENGTH),
    "USERID": ("md", "user_identifier", MQ_USER_ID_LENGTH),
}

#: Number pattern -> (structure, field, families of names it takes). A name of another family is a mistake.
#: A trigger monitor stores feedback codes in the MQDLH's reason, and exception reports carry reason codes
#: as feedback, so these two take both families.
NUMBER_PATTERNS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "APPLTYPE": ("md", "put_appl_type", ("MQAT",)),
    "FEEDBACK": ("md", "feedback", ("MQFB", "MQRC")),
    "MSGTYPE": ("md", "msg_type", ("MQMT",)),
    "PERSIST": ("md", "persistence", ("MQPER",)),
    "REASON": ("dlh", "reason", ("MQRC", "MQFB")),
}

#: Keyword that names a queue or queue manager -> (its longest name, may it be blank, words it may hold in
#: place of a name). Any other word that begins with ``&`` is a mistake.
NAMES: dict[str, tuple[int, bool, tuple[str, ...]]] = {
    "INPUTQ": (MQ_Q_NAME_LENGTH, True, ()),
    "INPUTQM": (MQ_Q_MGR_NAME_LENGTH, True, ()),
    "FWDQ": (MQ_Q_NAME_LENGTH, False, ("&DESTQ", "&REPLYQ")),
    "FWDQM": (MQ_Q_MGR_NAME_LENGTH, True, ("&DESTQM", "&REPLYQM")),
}

#: Keyword that takes one of a few words -> those words.
WORDS: dict[str, tuple[str, ...]] = {
    "ACTION": ("DISCARD", "IGNORE", "RETRY", "FWD"),
    "HEADER": ("YES", "NO"),
    "PUTAUT": ("DEF", "CTX"),
    "WAIT": ("YES", "NO"),
}

#: The largest number of the language.
LARGEST = 999_999_999

#: Keyword that takes a number of its own -> smallest and largest. WAIT takes words as well.
INTEGERS: dict[str, tuple[int, int]] = {
    "RETRYINT": (0, LARGEST),
    "WAIT": (0, LARGEST),
    "RETRY": (1, LARGEST),
}

CONTROL_KEYWORDS = ("INPUTQ", "INPUTQM", "RETRYINT", "WAIT")
ACTION_KEYWORDS = ("ACTION", "FWDQ", "FWDQM", "HEADER", "PUTAUT", "RETRY")
PATTERN_KEYWORDS = (*CHAR_PATTERNS, *NUMBER_PATTERNS)
RULE_KEYWORDS = (*PATTERN_KEYWORDS, *ACTION_KEYWORDS)
ALL_KEYWORDS = (*CONTROL_KEYWORDS, *RULE_KEYWORDS)

#: Keywords whose value is text, so that lower case and odd characters in it matter.
TEXT_KEYWORDS = frozenset((*CHAR_PATTERNS, *NAMES))

#: Keywords that go with ACTION(FWD) only; the others go with every action.
FORWARD_ONLY = ("FWDQ", "FWDQM", "HEADER")
