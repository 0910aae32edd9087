"""Schema migrations: one step per version, in one transaction, after a copy of the file was made."""

from __future__ import annotations

import os
from collections.abc import Callable

from mqtools.constants.reasons import MQRC_OBJECT_DAMAGED
from mqtools.errors import StorageError
from mqtools.store import OpenFile
from mqtools.store.log import checkpoint, log_mark
from mqtools.store.maintenance.copies import copy_database
from mqtools.store.messages import group_counts
from mqtools.store.messages.stored_message import COLUMNS
from mqtools.store.sql_files import read_sql

#: The statements that lead to version 2: what a connection has read of definitions has a version.
_COUNT_DEFINITIONS = """
create table definitions (id integer primary key check (id = 1), version integer not null) strict;
insert into definitions values (1, 1);
create trigger queues_made after insert on queues begin update definitions set version = version + 1; end;
create trigger queues_altered after update on queues begin update definitions set version = version + 1; end;
create trigger queues_deleted after delete on queues begin update definitions set version = version + 1; end;
create trigger qmgr_made after insert on qmgr begin update definitions set version = version + 1; end;
create trigger qmgr_altered after update on qmgr begin update definitions set version = version + 1; end;
"""

#: The statements that lead to version 3. The highest depth of each queue is kept. Messages on the command queue are
#: marked as relayed, because their author is unknown (remote_commands.py). Channels of clients, which PCF kept by
#: the numbers of its parameters, become channels like the others.
_KEEP_HIGH_DEPTH = """
alter table queue_status add column high_depth integer not null default 0;
update queue_status set high_depth = depth;
insert or ignore into objects (kind, name, attributes)
    select 'relayed_command', cast(seq as text), '{}' from messages
    where queue_id = (select id from queues where name = 'SYSTEM.ADMIN.COMMAND.QUEUE');
insert or ignore into objects (kind, name, attributes)
    select 'channel', name, json_set((
            select json_group_object(column2, value) from json_each(attributes)
            join (values ('1511', 'channel_type'), ('3502', 'channel_desc'), ('3506', 'connection_name'),
                ('1501', 'transport_type'), ('1510', 'max_msg_length'), ('1563', 'heartbeat_interval'),
                ('1566', 'keep_alive_interval'), ('3527', 'mca_user_identifier'), ('3544', 'ssl_cipher_spec'),
                ('3545', 'ssl_peer_name'), ('1568', 'ssl_client_auth'), ('1615', 'sharing_conversations'),
                ('1618', 'max_instances'), ('1619', 'max_instances_per_client'), ('2015', 'peer_q_mgr_name'))
            on column1 = key
        ), '$.name', name) from objects where kind = 'client_channel';
delete from objects where kind = 'client_channel';
"""

#: The statements of version 4 for the column that older versions call ``standing``. They come before all that read it.
_RENAME_COMPLETENESS = """
alter table messages rename column standing to completeness;
alter table trash rename column standing to completeness;
alter table journal rename column standing to completeness;
"""

#: The statements of version 4 for checksums of messages. They come early, because other statements recreate tables
#: with all columns of a message. Existing messages have no checksum, and are not checked.
_ADD_CHECKSUMS = """
alter table messages add column checksum integer;
alter table trash add column checksum integer;
"""

#: The columns of a message of versions 4 and 5, in the order of COLUMNS and in that of the table.
_COLUMNS_4 = COLUMNS.replace("deliver_at, ", "")
_TABLE_4 = read_sql("message_columns.sql").partition(",\n    deliver_at")[0]

_OLD_JOURNAL = f"event_seq, event_at, event, holder, appl_name, outcome, queue, has_body, head, {_COLUMNS_4}, data"

#: The statements of version 4 for the journal: an event has the states before and after it, words of its own, and is
#: found by the message's identifiers. What older events did to a message's state is not known. The journal can show how
#: a queue was from now on only: edits and backouts were no events before.
_KEEP_STATES_IN_JOURNAL = f"""
drop trigger if exists journal_grows;
drop trigger if exists journal_shrinks;
drop index journal_queue;
alter table journal rename to old_journal;
create table journal (
    event_seq integer primary key, event_at integer not null, event text not null, holder text not null,
    appl_name text not null, outcome integer not null, queue text not null, has_body integer not null, head blob,
    state_before integer, state_after integer, held_at integer, undone text, detail text, seq integer not null,
{_TABLE_4}
) strict;
insert into journal ({_OLD_JOURNAL}) select {_OLD_JOURNAL} from old_journal;
drop table old_journal;
create table journal_ids (id blob not null, event_seq integer not null, primary key (id, event_seq)) strict,
    without rowid;
insert or ignore into journal_ids select msg_id, event_seq from journal;
insert or ignore into journal_ids select correl_id, event_seq from journal where correl_id is not null;
insert or ignore into journal_ids select group_id, event_seq from journal where group_id is not null;
create table journal_queues (q_name text not null, number integer not null, primary key (q_name, number)) strict,
    without rowid;
insert into journal_queues select queue, event_seq from journal;
create table journal_levels (number integer primary key, queue text not null, level integer not null,
    since integer not null, event_seq integer not null) strict;
create index journal_levels_queue on journal_levels (queue, number);
insert into journal_levels (queue, level, since, event_seq)
    select name, journal, cast((julianday('now') - 2440587.5) * 86400000 as integer),
        coalesce((select max(event_seq) from journal), 0)
    from queues where journal > 0;
alter table journal_pending rename to old_pending;
create table journal_pending (
    seq integer primary key, number integer not null, event text not null, holder text not null,
    appl_name text not null, outcome integer not null, queue text not null, has_body integer not null,
    held_at integer not null default 0, state integer not null default 0, detail text
) strict;
insert into journal_pending (seq, number, event, holder, appl_name, outcome, queue, has_body, state)
    select seq, number, event, holder, appl_name, outcome, queue, has_body,
        coalesce((select state from messages where messages.seq = old_pending.seq), 0) from old_pending;
drop table old_pending;
alter table journal_status add column removed_at integer;
alter table journal_status add column counted integer not null default 0;
update journal_status set counted = coalesce((select max(event_seq) from journal), 0);
"""  # noqa: S608 - our own names

#: The statements of version 4 for the past: the order of delivery that queues had, and the jobs of ``mqx replay``.
_KEEP_ORDERS = """
create table journal_orders (number integer primary key, queue text not null, since integer not null,
    by_priority integer not null) strict;
create index journal_orders_queue on journal_orders (queue, number);
create table replays (job_id text primary key, queue text not null, target text not null, position integer not null,
    last_event integer not null, messages integer not null) strict, without rowid;
"""

#: The statements of version 5: the locked messages of each queue are counted.
_COUNT_LOCKED = """
alter table queue_status add column locked integer not null default 0;
update queue_status set locked = (
    select count(*) from messages where queue_id = queue_status.queue_id and state = 2
);
create trigger messages_lock_changed after update of state on messages when (old.state = 2) <> (new.state = 2) begin
    update queue_status set locked = locked + (new.state = 2) - (old.state = 2) where queue_id = new.queue_id; end;
create trigger messages_locked_gone after delete on messages when old.state = 2 begin
    update queue_status set locked = locked - 1 where queue_id = old.queue_id; end;
"""

#: The statements of version 6 for delivery delays.
_ADD_DELAY = """
alter table messages add column deliver_at integer;
alter table trash add column deliver_at integer;
alter table journal add column deliver_at integer;
create index messages_delayed on messages (queue_id, deliver_at) where state = 5;
"""

#: The statements of version 6 for prepared transactions: another kind of holder.
_ADD_PREPARED = """
alter table holders rename to old_holders;
create table holders (
    id integer primary key autoincrement,
    kind text not null check (kind in ('connection', 'handle', 'confirm', 'lock', 'channel', 'transaction')),
    connection_id integer, queue_id integer, options integer not null default 0, token blob, confirm_id integer,
    user_identifier text not null, appl_name text not null, pid integer not null, created_at integer not null,
    lease_until integer
) strict;
insert into sqlite_sequence select 'holders', seq from sqlite_sequence where name = 'old_holders';
insert into holders select * from old_holders;
drop table old_holders;
create unique index holders_confirm on holders (queue_id, confirm_id) where kind = 'confirm';
create unique index holders_token on holders (token) where token is not null;
create index holders_queue on holders (queue_id, kind) where queue_id is not null;
create index holders_connection on holders (connection_id) where connection_id is not null;
create index holders_connections on holders (id) where kind = 'connection';
create index holders_transactions on holders (id) where kind = 'transaction';
create index holders_lease on holders (lease_until) where lease_until is not null;
create trigger holders_forget after delete on holders when old.kind = 'confirm' begin
    delete from confirm_puts where holder_id = old.id; end;
"""

#: The statements of version 6 for the users who connect with a password.
_ADD_USERS = """
create table users (name text primary key, created_at integer not null, changed_at integer, salt blob, digest blob,
    cost integer, block_size integer, parallelism integer) strict, without rowid;
"""

#: The statements of version 6 for the error log, which has the last errors of channels too. Listeners and services,
#: which were kept as they were written, are kept by the numbers of PCF, as other objects.
_ADD_ERRORS = """
create table errors (
    number integer primary key autoincrement, first_at integer not null, last_at integer not null,
    occurrences integer not null, amq text not null, reason integer not null, text text not null, detail text not null,
    action text not null, channel text not null, inserts text not null, program text not null, pid integer not null,
    is_unsolved integer not null
) strict;
create index errors_amq on errors (amq, first_at);
create index errors_unsolved on errors (channel) where is_unsolved = 1;
delete from objects where kind = 'channel_error';
insert or ignore into objects (kind, name, attributes)
    select substr(kind, 6), name, (
        select json_group_object(column3, case
            when column2 in ('PORT', 'BACKLOG') then cast(json_extract(value, '$[0]') as integer)
            when column2 = 'CONTROL' then
                case upper(json_extract(value, '$[0]')) when 'QMGR' then 0 when 'STARTONLY' then 1 else 2 end
            when column2 = 'SERVTYPE' then upper(json_extract(value, '$[0]')) = 'SERVER'
            else json_extract(value, '$[0]') end)
        from json_each(attributes) join (values ('mqsc listener', 'PORT', '1522'), ('mqsc listener', 'BACKLOG', '1602'),
            ('mqsc listener', 'CONTROL', '1601'), ('mqsc listener', 'DESCR', '3555'),
            ('mqsc listener', 'IPADDR', '3552'), ('mqsc service', 'CONTROL', '139'), ('mqsc service', 'DESCR', '2078'),
            ('mqsc service', 'SERVTYPE', '121'), ('mqsc service', 'STARTCMD', '2079'),
            ('mqsc service', 'STARTARG', '2080'), ('mqsc service', 'STOPCMD', '2081'),
            ('mqsc service', 'STOPARG', '2082'), ('mqsc service', 'STDOUT', '2083'), ('mqsc service', 'STDERR', '2084'))
        on column1 = kind and column2 = key
    ) from objects where kind in ('mqsc listener', 'mqsc service');
"""

#: The statements of version 6 for the keys of messages that are put once.
_ADD_ONCE_KEYS = """
create table once_keys (queue_id integer not null, key blob not null, put_at integer not null, until integer not null,
    primary key (queue_id, key)) strict, without rowid;
create index once_keys_until on once_keys (until);
"""

#: The statements of version 7 for where messages were pulled from.
_ADD_ORIGINS = """
create table origins (msg_id blob not null, put_date text not null, put_time text not null,
    q_mgr_identifier text not null, queue text not null, there_msg_id blob not null, there_correl_id blob not null,
    there_put_date text not null, there_put_time text not null, there_digest blob not null, here_digest blob not null,
    expiry integer not null, copies integer not null,
    primary key (msg_id, put_date, put_time, q_mgr_identifier, queue, there_digest)) strict, without rowid;
create index origins_there on origins (q_mgr_identifier, queue, there_digest);
"""

#: Version to the statements that lead to the next one, each on a line. A version not listed cannot be migrated.
STEPS: dict[int, str] = {
    1: _COUNT_DEFINITIONS,
    2: _KEEP_HIGH_DEPTH,
    3: f"{_RENAME_COMPLETENESS}{_ADD_CHECKSUMS}{_KEEP_STATES_IN_JOURNAL}{_KEEP_ORDERS}",
    4: _COUNT_LOCKED,
    5: f"{_ADD_USERS}{_ADD_ERRORS}{_ADD_DELAY}{_ADD_PREPARED}{_ADD_ONCE_KEYS}",
    6: _ADD_ORIGINS,
}


def migrate(database: OpenFile, version: int, target: int, steps: dict[int, str] = STEPS) -> None:
    """Migrate a file to the target version in one transaction; a copy stays in its folder.

    Raises StorageError as ``check_version``, and when the file or its copy cannot be written; nothing is changed then.
    """
    check_version(database.path, version, target, steps)
    with database.writing():
        row = database.one("pragma user_version")
        user_version = target if row is None else int(row[0])
        found = user_version & log_mark.SCHEMA
        if found >= target:
            return  # another process was faster: its copy must not be replaced by one of the new file
        _back_up(database, _copy_of(database.path, found))
        for step in range(found, target):
            for statement in steps[step].split(";\n"):
                database.run(statement)
        group_counts.end_if_none(database)
        database.run(f"pragma user_version = {user_version & ~log_mark.SCHEMA | target}")
    checkpoint.flush(database)


def migrate_for_reader(open_to_write: Callable[[], OpenFile]) -> None:
    """Migrate a file for a reader, by opening it for writing. Raises StorageError as ``migrate``."""
    try:
        open_to_write().close()
    except StorageError as error:
        words = f"{error.text}; an older mqx made the file, which has to be written once before it can be read"
        raise StorageError(words, error.reason, hint=error.hint) from error


def check_version(path: str, version: int, target: int, steps: dict[int, str] = STEPS) -> None:
    """Raise StorageError (MQRC_OBJECT_DAMAGED) for a file that no steps bring to the target version."""
    if version > target:
        raise StorageError(
            f"{path}: made by a newer mqx (schema {version}, this one knows {target})", MQRC_OBJECT_DAMAGED
        )
    if any(step not in steps for step in range(version, target)):
        raise StorageError(f"{path}: schema {version} cannot be migrated", MQRC_OBJECT_DAMAGED)


def copies(path: str) -> list[str]:
    """Return the paths of the copies that migrations of a file have left."""
    return [copy for version in STEPS if os.path.exists(copy := _copy_of(path, version))]


def _copy_of(path: str, version: int) -> str:
    return f"{path}.v{version}.bak"


def _back_up(database: OpenFile, path: str) -> None:
    source = database.open_reader()  # a connection that writes cannot be copied from
    try:
        copy_database(source, path)
    finally:
        source.close()
