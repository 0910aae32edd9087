"""``mqx edit``: change messages in place, in an editor or by options."""

from __future__ import annotations

from typing import Any

import click

from mqtools.operations.selection import Selection

from ..shared import click_options
from ..shared.command_session import Session, UsageError
from . import edit
from .editor import EditRequest


@click.command("edit")
@click.argument("queue")
@click.option("--set", "fields", multiple=True, metavar="FIELD=VALUE", help="Descriptor field to set; repeatable")
@click.option(
    "--set-property", "properties", multiple=True, metavar="NAME[:TYPE]=VALUE", help="Message property; repeatable"
)
@click.option("--unset-property", "unset", multiple=True, metavar="NAME", help="Property to remove; repeatable")
@click.option("--body-from", metavar="FILE|-", help="File with new data after the MQ headers; - is stdin")
@click.option("--no-trash", is_flag=True, help="Do not keep the previous version in the trash")
@click.option("--dry-run", is_flag=True, help="Show the difference, without changing anything")
@click_options.selection
@click_options.general
def command(session: Session, queue: str, selection: Selection, **given: Any) -> int:
    """Edit messages of QUEUE in place: one in an editor, or all selected ones with --set and similar options.

    \b
    mqx edit ORDERS --msg-id "$id"
    mqx edit ORDERS --msg-id "$id" --set priority=7 --set expiry=1h --set report=MQRO_COA,MQRO_COD
    mqx edit ORDERS --where "retry IS NULL" --set-property retry:int32=1
    mqx edit ORDERS --older 1d --unset-property route --dry-run
    mqx edit DLQ --msg-id "$id" --body-from repaired.xml

    Without --set, --set-property, --unset-property and --body-from the message is opened in $VISUAL or $EDITOR as JSON:
    text as text, other data as hex. It is locked meanwhile, and unlocked if this process dies. When the file was
    changed, the difference is shown and the message is replaced in one transaction. An invalid message can be edited
    again; without a terminal, or when editing is aborted, the exit status is 2, and the file with the edited text is
    kept.

    A message keeps its identifier, put date and position unless they are changed: a new priority moves it. It is not
    put again: no reports are generated, and MAXDEPTH and PUT(DISABLED) have no effect. Fields have the names and values
    of JSON. --set coded_char_set_id=... declares the character set of the data without converting it; in the editor
    text is converted to it. The previous version stays in the trash for a while (see mqx trash).

    Exit status: 0 edited, or unchanged; 3 no messages, or locked; 9 some edited, then a failure.
    """
    changes = edit.changes_of(given)
    if selection.is_everything:
        raise UsageError(
            "a selection is required: --msg-id, --pos, --where, ...",
            f"to edit all messages: mqx edit {queue} --pos 1.. --set ...",
        )
    request = EditRequest(queue, selection, changes, no_trash=given["no_trash"], dry_run=given["dry_run"])
    return edit.edit_messages(session, request)
