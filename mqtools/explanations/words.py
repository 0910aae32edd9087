"""Explanation of words other than constants: message numbers, MQSC attributes, exit statuses, terms."""

from __future__ import annotations

from collections.abc import Iterator

from mqtools.constants.names import name_of
from mqtools.explanations.attributes import OWN_ATTRIBUTES
from mqtools.explanations.glossary import find_terms
from mqtools.explanations.lookup import MQSC, Explanation, explain, phrase_of
from mqtools.explanations.notes.note import Note
from mqtools.formats.mqsc.output import MESSAGES
from mqtools.headers.charsets import codec_of, is_lacking
from mqtools.rules.attributes.table import INTEGER, NAME, TEXT, Attribute, attributes_of, format_value
from mqtools.rules.exit_status import MEANINGS

#: Families of what is explained here, and what they are.
AMQ, STATUS, CCSID, TERM = "AMQ", "STATUS", "CCSID", "TERM"
KINDS = {
    AMQ: "a message of MQSC or of the dead-letter handler",
    STATUS: "an exit status",
    CCSID: "a coded character set",
    TERM: "a term",
}

#: Number of a message of the dead-letter handler, or of a failure of MQSC, to what its text does not say.
_MESSAGES = {
    "AMQ8708": Note("The dead-letter handler has started to process a queue."),
    "AMQ8709": Note(
        "The dead-letter handler has ended; the line has its totals.",
        "Look at what was left, and at the reason.",
    ),
    "AMQ8721": Note(
        "A message on the dead-letter queue has no valid dead-letter header (MQDLH); no rule applies to it.",
        "mqx browse shows it; move it with mqx move, or delete it.",
    ),
    "AMQ8722": Note(
        "A rule could not put a message: the target refuses it, or is the queue that is read.",
        "The reason in the line says why; mqx dlq-handle --dry-run shows all messages that would be left.",
    ),
    "AMQ8405": Note("A command of MQSC has a syntax error and was not run.", "Line and column of the mistake follow."),
    "AMQ8143": Note("A local queue with messages is not deleted.", "DELETE QLOCAL(NAME) PURGE, or CLEAR it first."),
    "AMQ8147": Note(
        "There is no object of this name and type.",
        "DISPLAY QUEUE(*) lists queues; names are case-sensitive.",
    ),
    "AMQ8148": Note("A program has the object open.", "mqx mqsc 'DISPLAY CONN(*)' shows the programs."),
    "AMQ8150": Note("There is an object of this name already.", "ALTER it, or DEFINE it with REPLACE."),
    "AMQ8420": Note("The channel has not run, so it has no status.", "mqx channel start NAME"),
}

#: MQSC attribute to what its name does not say. One that is not here is explained by its name.
_ATTRIBUTES = {
    "BOTHRESH": "How often a message may be backed out before mqx get --exec moves it to BOQNAME; 0: without limit",
    "BOQNAME": "Queue for messages that were backed out BOTHRESH times; without one it is the dead-letter queue",
    "MAXDEPTH": "How many messages fit on a queue; the next put fails with MQRC_Q_FULL (2053)",
    "MAXMSGL": "The longest message, in bytes; a longer one fails with MQRC_MSG_TOO_BIG_FOR_Q (2030)",
    "DEFPSIST": "Persistence of messages that leave it to the queue: a persistent one survives a restart",
    "DEFPRTY": "Priority of messages that leave it to the queue",
    "MSGDLVSQ": "Order of delivery: by priority, or first in first out",
    "GET": "Whether gets are allowed; disabled they fail with MQRC_GET_INHIBITED (2016)",
    "PUT": "Whether puts are allowed; disabled they fail with MQRC_PUT_INHIBITED (2051)",
    "NPMCLASS": "Whether nonpersistent messages survive the end of the queue manager (HIGH) or not",
    "USAGE": "Whether a queue is for programs (NORMAL) or holds messages for a channel (XMITQ)",
    "XMITQ": "Transmission queue: where messages wait for a channel",
    "TARGET": "The queue that an alias resolves to",
    "DEADQ": "Queue for messages that cannot be delivered; see mqx dlq-handle",
    "CONNAME": "The partner of a channel: 'host(port)', 'qmgr:NAME' or 'exec:COMMAND'",
    "BATCHSZ": "How many messages a channel sends before both ends commit",
    "NPMSPEED": "Whether nonpersistent messages wait for the batch (NORMAL) or not (FAST), which can lose them",
    "MARKINT": "How long a co-operative browse mark lasts, in milliseconds",
    "CHCKCLNT": (
        "Whether clients must prove a password. NONE ignores passwords. OPTIONAL refuses wrong ones. REQUIRED refuses "
        "clients without one. REQDADM refuses clients that a certificate alone would make the owner. A change "
        "counts from REFRESH SECURITY TYPE(CONNAUTH) on; see mqx user"
    ),
    "ADOPTCTX": "Whether a client acts as the user who proved a password (YES), or as MCAUSER of its channel",
    "FAILDLAY": "How long a client without a way in waits for its refusal, in seconds",
    "CONNAUTH": "AUTHINFO that says when clients must prove a password, from REFRESH SECURITY TYPE(CONNAUTH) on; blank "
    "ignores passwords",
    "EXPRYINT": "How often expired messages are removed, in seconds",
}

_CCSID_DIGITS = 5
#: Types whose attributes are explained, in the order in which one is looked for.
_TABLES = ("QUEUE", "QMGR", "CHANNEL", "AUTHINFO")


def explain_word(text: str) -> list[Explanation]:
    """Explain the number of a message, an MQSC attribute, an exit status, a CCSID or a term, all statuses for ``exit``.

    An exit status is written ``8`` or ``exit-8``, a CCSID ``ccsid-939``. The list is empty for any other word.
    """
    word = text.strip().upper()
    return [*_message(word), *_attributes(word), *_status(word), *_ccsid(word), *_terms(text)]


def _message(word: str) -> Iterator[Explanation]:
    number = word.rstrip("IEWS")
    texts = [text for name, text in MESSAGES.items() if name.rstrip("IEWS") == number]
    if not number.startswith("AMQ") or not (texts or number in _MESSAGES):
        return
    note = _MESSAGES.get(number, Note(""))
    said = texts[0].replace("{name}", "NAME") if texts else ""
    whole = " ".join(part for part in (f'"{said}"' if said else "", note.meaning) if part)
    yield Explanation(family=AMQ, name=number, value=number[3:], meaning=whole, what_to_do=note.what_to_do)


def _terms(text: str) -> Iterator[Explanation]:
    for term in find_terms(text):
        yield Explanation(family=TERM, name=term.name, value="", meaning=term.text)


def _attributes(word: str) -> Iterator[Explanation]:
    if word in OWN_ATTRIBUTES:
        return
    for table in _TABLES:
        for row in attributes_of(table):
            if word in row.keywords:
                yield _attribute(row)
                return


def _attribute(row: Attribute) -> Explanation:
    meaning = phrase_of(row.name).capitalize()
    known = _ATTRIBUTES.get(row.keyword) or _note_of(row)
    parts = [f"{known or meaning}.".replace("..", "."), f"An attribute of {', '.join(row.object_types)}."]
    if row.kind == INTEGER:
        words = "".join(f" or {word}" for word, _ in row.words)
        parts.append(f"{row.minimum} to {row.maximum}{words}.")
    elif row.kind in (TEXT, NAME):
        parts.append(f"Up to {row.maximum} bytes.")
    else:
        parts.append(f"One of {' '.join(word for word, _ in row.words)}.")
    default = "" if row.default is None else format_value(row, row.default)
    if not row.settable:
        parts.append("Can be displayed, not set.")
    what = f"mqx mqsc 'DISPLAY {_display_of(row)} {row.keyword}' shows it." if row.object_types else ""
    return Explanation(family=MQSC, name=row.keyword, value=default, meaning=" ".join(parts), what_to_do=what)


def _note_of(row: Attribute) -> str:
    """Return the meaning that the constant of an attribute is explained with; empty for one that has only its name."""
    for family in ("MQIA", "MQCA"):
        name = None if row.selector is None else name_of(family, row.selector)
        for found in explain(name) if name else ():
            if "by its name" not in found.meaning:
                return found.meaning
    return ""


def _display_of(row: Attribute) -> str:
    if "QMGR" in row.object_types:
        return "QMGR"
    if "AUTHINFO" in row.object_types:
        return "AUTHINFO(*)"
    return f"{'QUEUE' if row.object_types[0].startswith('Q') else 'CHANNEL'}(*)"


def _status(word: str) -> Iterator[Explanation]:
    """Yield an exit status by number, with or without ``exit-`` before it, or all of them."""
    number = word.replace("_", "-").replace(" ", "-").removeprefix("EXIT-").removeprefix("STATUS-")
    for value, meaning in MEANINGS.items():
        if number in (str(value), "EXIT", "STATUS"):
            yield Explanation(family=STATUS, name=f"exit-{value}", value=value, meaning=f"{meaning.capitalize()}.")


def _ccsid(word: str) -> Iterator[Explanation]:
    """Yield what mqx can do with a character set, by ``ccsid-`` and its number."""
    prefix, _, number = word.replace(" ", "-").partition("-")
    if prefix != CCSID or not (number.isascii() and number.isdecimal() and len(number) <= _CCSID_DIGITS):
        return
    ccsid = int(number)
    if not ccsid:
        return  # MQCCSI_Q_MGR
    if codec_of(ccsid) is not None:
        meaning, what_to_do = "mqx converts messages from and to this character set.", ""
    elif is_lacking(ccsid):
        meaning = "IBM MQ converts this character set, mqx lacks it."
        what_to_do = "Leave messages in it as they are, and convert them where they are read."
    else:
        meaning = "Neither IBM MQ nor mqx is known to have a character set of this number."
        what_to_do = "Correct the message with mqx edit, or put with --ccsid."
    yield Explanation(family=CCSID, name=f"ccsid-{ccsid}", value=ccsid, meaning=meaning, what_to_do=what_to_do)
