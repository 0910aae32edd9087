"""Messages of the error log: their AMQ numbers, with the severity, texts and what to do.

The numbers are those of IBM MQ, the texts are ours. Names in braces are inserts.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Inserts:
    """Inserts of a message; empty: none. object: the listener, service, queue, ... that it is about."""

    channel: str = ""
    connection_name: str = ""
    user: str = ""
    object: str = ""
    q_mgr_name: str = ""


#: Number to text and action. A number that is not listed has the text "{number}" and no action.
MESSAGES: dict[str, tuple[str, str]] = {
    "AMQ5008S": (
        "The process of listener or service '{object}' ended unexpectedly.",
        "It is started again. Read what this entry says, and the files that STDOUT and STDERR name.",
    ),
    "AMQ5026I": ("Listener '{object}' has started.", ""),
    "AMQ5027I": ("Listener '{object}' has ended.", ""),
    "AMQ5028I": ("Service '{object}' has started.", ""),
    "AMQ5029I": ("Service '{object}' has ended.", ""),
    "AMQ5030I": ("The command of service '{object}' has started.", ""),
    "AMQ5042E": (
        "The program of listener or service '{object}' failed.",
        "Correct what this entry says. A listener or server is tried again after a pause, until it is stopped.",
    ),
    "AMQ5534E": (
        "User '{user}' gave a wrong password.",
        "Check the password, or set a new one: mqx user password {user}.",
    ),
    "AMQ5540E": (
        "Application '{object}' gave no user and password.",
        "Let the application give both, or change CHCKCLNT of the authentication information.",
    ),
    "AMQ5541E": (
        "The owner of the queue manager's file gave no password.",
        "Let the application give one, or change CHCKCLNT of the authentication information.",
    ),
    "AMQ5542E": (
        "An application gave no user and password, which CHCKCLNT requires.",
        "Let the application give both, or change CHCKCLNT of the authentication information.",
    ),
    "AMQ7104W": (
        "Transaction '{object}' is prepared.",
        "Start its transaction manager. If that is lost, decide: mqx qmgr transactions --commit or --backout.",
    ),
    "AMQ7105I": ("An operator has committed transaction '{object}'.", "Its transaction manager is told."),
    "AMQ7106I": ("An operator has backed out transaction '{object}'.", "Its transaction manager is told."),
    "AMQ8003I": ("Queue manager {q_mgr_name} has started.", ""),
    "AMQ8004I": ("Queue manager {q_mgr_name} has ended.", ""),
    "AMQ8077W": (
        "User '{user}' has no authority to access object '{object}'.",
        "Grant the authority with SET AUTHREC, if the user shall have it.",
    ),
    "AMQ9001I": ("Channel '{channel}' has ended normally.", ""),
    "AMQ9002I": ("Channel '{channel}' has started.", ""),
    "AMQ9202E": (
        "Host '{connection_name}' is not available.",
        "Check CONNAME, the network, and that a listener runs there. A sender tries again.",
    ),
    "AMQ9208E": ("An error occurred while receiving from '{connection_name}'.", "Check the network and the other end."),
    "AMQ9209E": ("The connection to '{connection_name}' was closed.", "Read the error log of the other end."),
    "AMQ9218E": (
        "Cannot listen on '{connection_name}'.",
        "Choose a free port, or end the program that uses this one.",
    ),
    "AMQ9259E": ("'{connection_name}' has sent nothing in time.", "Check the network and the other end."),
    "AMQ9502E": ("Channel '{channel}' does not serve clients.", "Name a channel of type SVRCONN."),
    "AMQ9508E": ("Cannot connect to queue manager '{q_mgr_name}'.", "Check that the queue manager runs."),
    "AMQ9513E": ("The maximum number of channels is reached.", "Raise the limit of the listener, or end channels."),
    "AMQ9514E": ("Channel '{channel}' is in use.", "End the process that runs it: mqx channel stop {channel}."),
    "AMQ9519E": ("Channel '{channel}' is not defined.", "Define the channel, or correct its name at the other end."),
    "AMQ9528I": ("Channel '{channel}' was stopped.", ""),
    "AMQ9534E": ("Channel '{channel}' is stopped.", "Start it: mqx channel start {channel}."),
    "AMQ9547E": (
        "Channel '{channel}' has another type than the other end needs.",
        "Change the type of one of both definitions.",
    ),
    "AMQ9557E": (
        "Channel '{channel}' has no user to run under, or one who may not connect.",
        "Set MCAUSER, a channel authentication record or ADOPTCTX(YES), or grant CONNECT to the user.",
    ),
    "AMQ9604E": ("An unexpected error occurred.", "Report it with the words of this entry."),
    "AMQ9631E": (
        "The cipher suite of the other end of channel '{channel}' is not the one of SSLCIPH.",
        "Use the same CipherSpec at both ends.",
    ),
    "AMQ9633E": ("The certificate of '{connection_name}' is not accepted.", "Check certificates and tls.trust."),
    "AMQ9635E": (
        "Channel '{channel}' has no SSLCIPH for a client that uses TLS.",
        "Set SSLCIPH, or connect without TLS.",
    ),
    "AMQ9636E": (
        "The certificate of '{connection_name}' does not match SSLPEER of channel '{channel}'.",
        "Correct SSLPEER, or use another certificate.",
    ),
    "AMQ9637E": ("'{connection_name}' has sent no certificate.", "Configure a certificate at the other end."),
    "AMQ9639E": (
        "The other end of channel '{channel}' does not use TLS.",
        "Set SSLCIPH in both definitions or in none.",
    ),
    "AMQ9776E": (
        "Channel '{channel}' refuses user '{user}'.",
        "Change the BLOCKUSER record, if the user shall be admitted.",
    ),
    "AMQ9777E": (
        "Channel '{channel}' refuses '{connection_name}'.",
        "Change the channel authentication records, if the caller shall be admitted.",
    ),
    "AMQ9776W": (
        "Channel '{channel}' would refuse user '{user}' without WARN(YES).",
        "Remove WARN(YES) to refuse the user, or change the record.",
    ),
    "AMQ9777W": (
        "Channel '{channel}' would refuse '{connection_name}' without WARN(YES).",
        "Remove WARN(YES) to refuse the caller, or change the record.",
    ),
    "AMQ9999E": ("Channel '{channel}' ended abnormally.", "Correct what the words of this entry say, then start it."),
}


class _Given(dict[str, str]):
    """Inserts of a text: one that is not given is shown as question marks."""

    def __missing__(self, name: str) -> str:
        return "????"


def text_and_action(number: str, inserts: dict[str, str]) -> tuple[str, str]:
    """Return the text of a message with its inserts, and what to do."""
    text, action = MESSAGES.get(number, (number, ""))
    given = _Given({name: value for name, value in inserts.items() if value})
    return text.format_map(given), action.format_map(given)
