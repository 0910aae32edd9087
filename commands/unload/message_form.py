"""Changes of messages by ``mqx unload``: headers removed, data converted."""

from __future__ import annotations

from dataclasses import dataclass, field

from mqtools.headers.chain import without_envelope
from mqtools.headers.conversion import convert
from mqtools.message import Message


@dataclass(slots=True, kw_only=True)
class MessageForm:
    """Changes to make, and their failures.

    strip: remove MQDLH and MQXQH.  convert_to: CCSID and encoding of the data, None for no conversion.
    failures: reason to number of messages that were not converted.
    """

    strip: bool = False
    convert_to: tuple[int, int] | None = None
    failures: dict[int, int] = field(default_factory=dict, init=False)

    def apply(self, message: Message) -> Message:
        """Return the changed message; one that cannot be converted stays as it is and is counted."""
        md, data = without_envelope(message.md, message.data) if self.strip else (message.md, message.data)
        if self.convert_to is not None:
            done = convert(md, data, to_ccsid=self.convert_to[0], to_encoding=self.convert_to[1])
            md, data = done.md, done.data
            if done.reason:
                self.failures[done.reason] = self.failures.get(done.reason, 0) + 1
        return Message(data, md, message.properties)
