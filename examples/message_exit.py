"""Message exit that counts the messages of a channel in a file and changes nothing.

    DEFINE CHANNEL(QM1.TO.QM2) CHLTYPE(RCVR) MSGEXIT('message_exit:Meter') MSGDATA('/var/tmp/meter')

with the folder of this file on PYTHONPATH. An exit gives the message that goes on, another one in its place, or None to
send it to the dead-letter queue; at a sender, ``context.put_next(message)`` puts one more.
"""

from __future__ import annotations

from mqtools.channel.exits import ExitContext, ExitMessage


class Meter:
    """Counter of messages and bytes. An instance lives as long as its channel runs."""

    def start(self, context: ExitContext) -> None:
        """Start. MSGDATA is the file."""
        self.messages = self.bytes = self.longest = 0
        self.path = context.data

    def __call__(self, context: ExitContext, message: ExitMessage) -> ExitMessage:
        """Count one message."""
        self.messages += 1
        self.bytes += len(message.data)
        self.longest = max(self.longest, len(message.data))
        assert self.longest <= context.max_message_length
        return message

    def end(self, context: ExitContext) -> None:
        """Add a line to the file."""
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(f"{context.channel}: {self.messages} messages, {self.bytes} bytes, longest {self.longest}\n")
