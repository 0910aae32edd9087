"""Notes on constants of MQ, by subject; ``NOTES`` has all of them."""

from __future__ import annotations

from mqtools.explanations.notes.completion_codes import COMPLETION_CODE_NOTES
from mqtools.explanations.notes.connection_reasons import CONNECTION_REASON_NOTES
from mqtools.explanations.notes.data_reasons import DATA_REASON_NOTES
from mqtools.explanations.notes.descriptor import DESCRIPTOR_NOTES
from mqtools.explanations.notes.event_reasons import EVENT_REASON_NOTES
from mqtools.explanations.notes.feedback import FEEDBACK_NOTES
from mqtools.explanations.notes.get_options import GET_OPTION_NOTES
from mqtools.explanations.notes.message_reasons import MESSAGE_REASON_NOTES
from mqtools.explanations.notes.open_options import OPEN_OPTION_NOTES
from mqtools.explanations.notes.put_options import PUT_OPTION_NOTES
from mqtools.explanations.notes.report_options import REPORT_OPTION_NOTES

TABLES = (
    GET_OPTION_NOTES,
    PUT_OPTION_NOTES,
    OPEN_OPTION_NOTES,
    REPORT_OPTION_NOTES,
    DESCRIPTOR_NOTES,
    FEEDBACK_NOTES,
    COMPLETION_CODE_NOTES,
    CONNECTION_REASON_NOTES,
    MESSAGE_REASON_NOTES,
    DATA_REASON_NOTES,
    EVENT_REASON_NOTES,
)
NOTES = {name: note for table in TABLES for name, note in table.items()}
