"""``mqx edit``: change messages in place, in an editor or by options."""

from __future__ import annotations

from typing import Any

import click

from mqtools.operations.selection import Selection

from ..shared import click_options
from ..shared.command_session import Session, UsageMistake
from . import edit
from .request import EditRequest


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
    """Edit messages of QUEUE where they lie: one in an editor, or all that are meant with --set and the like.

    \b
    mqx edit ORDERS --msg-id "$id"
    mqx edit ORDERS --msg-id "$id" --set priority=7 --set expiry=1h --set report=MQRO_COA,MQRO_COD
    mqx edit ORDERS --where "retry IS NULL" --set-property retry:int32=1
    mqx edit ORDERS --older 1d --unset-property route --dry-run
    mqx edit DLQ --msg-id "$id" --body-from repaired.xml

    Without --set, --set-property, --unset-property and --body-from the message is opened in $VISUAL or $EDITOR as
    JSON: text as text, the rest as hex. It is locked meanwhile, and free again if this process dies. Saved, its
    difference is shown and it is replaced in one transaction; unchanged, nothing is done. What is no message can be
    edited again; without a terminal, or given up, it ends with 2, and names the file that has what was edited.

    A message keeps its identifier, put date and place unless they are changed: a priority moves it among the
    priorities. It is not put again: there are no reports, and MAXDEPTH and PUT(DISABLED) do not matter. Fields are
    named and written as in JSON. --set coded_char_set_id=... says what the data is; in the editor text is written in
    it anew. The message as it was stays in the trash for a while (mqx trash).

    Status 3: nothing there, or locked by others; 9: some were edited, then one could not be.
    """
    changes = edit.changes_of(given)
    if selection.is_everything:
        raise UsageMistake(
            "a selection is required: --msg-id, --pos, --where, ...",
            f"to edit all messages: mqx edit {queue} --pos 1.. --set ...",
        )
    request = EditRequest(queue, selection, changes, no_trash=given["no_trash"], dry_run=given["dry_run"])
    return edit.edit_messages(session, request)
