-- The file of one queue manager. Times are milliseconds since 1970 UTC; booleans and enumerations are the
-- MQ integers; character fields are text without trailing blanks.

create table qmgr (
    id integer primary key check (id = 1),
    state text not null check (state in ('running', 'quiescing', 'ended')),
    starts integer not null,             -- how often it was started: a connection of an earlier life is broken
    profile text not null check (profile in ('distributed', 'zos')),
    q_mgr_name text not null,
    q_mgr_identifier text not null,
    q_mgr_desc text not null,
    coded_char_set_id integer not null,
    dead_letter_q_name text not null,
    def_xmit_q_name text not null,
    max_handles integer not null,
    max_msg_length integer not null,
    max_uncommitted_msgs integer not null,
    max_priority integer not null,
    max_properties_length integer not null,
    msg_mark_browse_interval integer not null,
    trigger_interval integer not null,
    journals integer not null default 0, -- whether any queue is journaled
    journal_age_s integer not null default 604800,      -- retention of the journal, -1 without limit
    journal_size_bytes integer not null default 268435456,
    attributes text not null             -- JSON: the attributes that no verb reads
) strict;

create table queues (
    id integer primary key autoincrement,
    name text not null unique,
    q_type integer not null,             -- MQQT_*
    definition_type integer not null,    -- MQQDT_*
    creator_id integer,                  -- connection of a temporary dynamic queue: it goes with it
    q_desc text not null,
    inhibit_get integer not null,
    inhibit_put integer not null,
    def_persistence integer not null,
    def_priority integer not null,
    def_input_open_option integer not null,
    shareability integer not null,
    max_q_depth integer not null,
    max_msg_length integer not null,
    msg_delivery_sequence integer not null,
    backout_threshold integer not null,
    backout_req_q_name text not null,
    usage integer not null,
    npm_class integer not null,
    property_control integer not null,
    index_type integer not null,
    base_q_name text not null,
    remote_q_name text not null,
    remote_q_mgr_name text not null,
    xmit_q_name text not null,
    trigger_control integer not null,
    trigger_type integer not null,
    trigger_depth integer not null,
    trigger_msg_priority integer not null,
    trigger_data text not null,
    process_name text not null,
    initiation_q_name text not null,
    journal integer not null,            -- 0 no, 1 yes, 2 with bodies
    attributes text not null             -- JSON: the attributes that no verb reads
) strict;

create index queues_creator on queues (creator_id) where creator_id is not null;

-- Change counter of queues and of the queue manager's attributes: the caches of a connection are valid while it is
-- unchanged. Its upper half counts changes of messages in place (store/messages/revisions.py).
create table definitions (
    id integer primary key check (id = 1),
    version integer not null
) strict;
insert into definitions values (1, 1);
create trigger queues_made after insert on queues begin
    update definitions set version = version + 1;
end;
create trigger queues_altered after update on queues begin
    update definitions set version = version + 1;
end;
create trigger queues_deleted after delete on queues begin
    update definitions set version = version + 1;
end;
create trigger qmgr_made after insert on qmgr begin
    update definitions set version = version + 1;
end;
create trigger qmgr_altered after update on qmgr begin
    update definitions set version = version + 1;
end;

-- Values that change with every put and get. They are separate from the definition, so that the row stays small.
create table queue_status (
    queue_id integer primary key,
    depth integer not null default 0,        -- CURDEPTH
    uncommitted integer not null default 0,
    waiters integer not null default 0,      -- rows of the queue in waiters: a put looks no further when 0
    marks integer not null default 0,        -- rows of the queue in marks
    grouped integer not null default 0,      -- messages in groups or segments: a get looks for none when 0
    last_number integer not null default 0,  -- of an arrival; never goes back
    last_put_at integer,
    last_get_at integer,
    high_depth integer not null default 0,   -- highest depth since the statistics were last reset
    locked integer not null default 0        -- messages that are locked for browse; kept by triggers of messages
) strict;

-- Holders of messages and locks: connections and their handles, which end with their process; confirm ids and lock ids,
-- which stay until they are confirmed, undone, unlocked, or out of lease; channels with a batch in doubt; XA
-- transactions, whose token is the XID, and whose options have their state (mqi/xa.py).
create table holders (
    id integer primary key autoincrement,
    kind text not null check (kind in ('connection', 'handle', 'confirm', 'lock', 'channel', 'transaction')),
    connection_id integer,     -- of a handle, and of a transaction not prepared; of reports under a confirm id: its holder
    queue_id integer,        -- of all but a connection and a channel
    options integer not null default 0,      -- MQOO_* of a handle
    token blob,                              -- presence of a connection; id of a lock; of reports: about what
    confirm_id integer,                      -- of a confirm; of the browse that made a lock
    user_identifier text not null,
    appl_name text not null,
    pid integer not null,
    created_at integer not null,
    lease_until integer                      -- of a lock, or of the gets of a confirm id; null: for ever
) strict;
create unique index holders_confirm on holders (queue_id, confirm_id) where kind = 'confirm';
create unique index holders_token on holders (token) where token is not null;
create index holders_queue on holders (queue_id, kind) where queue_id is not null;
create index holders_connection on holders (connection_id) where connection_id is not null;
create index holders_connections on holders (id) where kind = 'connection';
create index holders_transactions on holders (id) where kind = 'transaction';
create index holders_lease on holders (lease_until) where lease_until is not null;

-- Messages that were put under confirm ids. A program that was killed and puts one again puts nothing new.
create table confirm_puts (
    holder_id integer not null,              -- of the confirm id
    fingerprint blob not null,               -- of descriptor, properties, data and options
    seq integer not null,                    -- of the (first) message that it became
    msg_id blob not null,                    -- of the message that was put: one to another queue manager lies in an MQXQH
    connection_token blob not null,          -- of the connection that put it last: each of its own puts is a message
    primary key (holder_id, fingerprint, seq)
) strict, without rowid;
create trigger holders_forget after delete on holders when old.kind = 'confirm' begin
    delete from confirm_puts where holder_id = old.id;
end;

-- Keys of messages that are put once (mqx put --once), in the transaction that commits them.
create table once_keys (
    queue_id integer not null,
    key blob not null,
    put_at integer not null,
    until integer not null,                  -- end of its window: then it is deleted
    primary key (queue_id, key)
) strict, without rowid;
create index once_keys_until on once_keys (until);

-- Origins and targets of mqx pull and push. Each row is a message here, found by its MsgId and put time, and its
-- original there. Such a message does not expire, and causes no reports.
create table origins (
    msg_id blob not null,
    put_date text not null,
    put_time text not null,
    q_mgr_identifier text not null,
    queue text not null,
    there_msg_id blob not null,
    there_correl_id blob not null,
    there_put_date text not null,
    there_put_time text not null,
    there_digest blob not null,              -- of rules/message_digest.py
    here_digest blob not null,               -- of the message here when it was pulled or pushed
    expiry integer not null,                 -- tenths of a second that were left then, -1 without limit
    copies integer not null,                 -- equal messages there
    primary key (msg_id, put_date, put_time, q_mgr_identifier, queue, there_digest)
) strict, without rowid;
create index origins_there on origins (q_mgr_identifier, queue, there_digest);

-- A message is one row. seq = (queue id << 40) + arrival number: it is never reused, and the messages of a queue are
-- adjacent, in order of arrival. order_key is the position for delivery: ((9 - priority) << 48) + number on a priority
-- queue, the number alone on a FIFO queue.
create table messages (
    seq integer primary key,
    -- include message_columns.sql
) strict;
create index messages_available on messages (queue_id, completeness, order_key, priority) where state = 1;
create index messages_held on messages (queue_id, order_key) where state <> 1;
create index messages_delayed on messages (queue_id, deliver_at) where state = 5;
create index messages_msg_id on messages (queue_id, msg_id);
create index messages_correl_id on messages (queue_id, correl_id) where correl_id is not null;
create index messages_group on messages (queue_id, group_id, msg_seq_number, offset) where group_id is not null;
create index messages_holder on messages (holder_id, queue_id) where holder_id is not null;
create index messages_lock on messages (lock_id, queue_id) where lock_id is not null;
create trigger messages_lock_changed after update of state on messages when (old.state = 2) <> (new.state = 2) begin
    update queue_status set locked = locked + (new.state = 2) - (old.state = 2) where queue_id = new.queue_id;
end;
create trigger messages_locked_gone after delete on messages when old.state = 2 begin
    update queue_status set locked = locked - 1 where queue_id = old.queue_id;
end;

-- Available part of each group and logical message. The triggers of groups.sql maintain it, so that a get of complete
-- groups needs no scan. A segment counts by its span in bytes, an unsegmented message as a span of 1. A logical message
-- is complete when the spans reach its end. Each complete group is complete here. Overlapping segments, and numbers
-- after the last, can make an incomplete one look complete, so a get checks it.
create table logical_messages (
    queue_id integer not null,
    group_id blob not null,
    msg_seq_number integer not null,
    present integer not null,                -- spans that are available, the longest at each offset
    end_at integer,                          -- where the (first) last segment ends; null: not available
    complete integer not null,
    primary key (queue_id, group_id, msg_seq_number)
) strict, without rowid;

create table groups (
    queue_id integer not null,
    group_id blob not null,
    complete_messages integer not null,      -- complete logical messages
    last_number integer,                     -- sequence number of the (first) last message; null: not available
    complete integer not null,
    primary key (queue_id, group_id)
) strict, without rowid;

-- Data of long messages in chunks, so that a whole message is never in memory twice.
create table message_chunks (
    seq integer not null,
    number integer not null,
    data blob not null,
    primary key (seq, number)
) strict, without rowid;

-- Deleted, cleared and discarded messages that can be restored, as they were on their queue. seq is the key on that
-- queue. number is in the order of removal, and never reused. The columns from seq on are those of messages.
create table trash (
    number integer primary key autoincrement,
    removal integer not null,                -- the same for all that one connection removed in one way from one queue
    removed_at integer not null,
    removed_by text not null,                -- user and process
    cause text not null,                     -- delete, clear, purge, discard, edit
    queue text not null,                     -- its name: the queue may be gone
    size integer not null,                   -- bytes that it counts for against the limit
    seq integer not null,
    -- include message_columns.sql
) strict;
create index trash_removal on trash (removal, number, removed_at, size);

create table trash_chunks (
    trash_number integer not null,
    number integer not null,
    data blob not null,
    primary key (trash_number, number)
) strict, without rowid;

create table trash_status (
    id integer primary key check (id = 1),
    messages integer not null,
    bytes integer not null,                  -- sum of their sizes
    last_removal integer not null
) strict;
insert into trash_status values (1, 0, 0, 0);

create trigger trash_grows after insert on trash begin
    update trash_status set messages = messages + 1, bytes = bytes + new.size;
end;
create trigger trash_shrinks after delete on trash begin
    update trash_status set messages = messages - 1, bytes = bytes - old.size;
    delete from trash_chunks where old.data is null and trash_number = old.number;
end;

-- Browse marks: of one handle, or of the co-operating set of the queue: handle_id 0, or -1 for one that stays
-- when no handle of the set is open.
create table marks (
    seq integer not null,
    handle_id integer not null,
    queue_id integer not null,
    until integer,                           -- null: no limit
    primary key (seq, handle_id)
) strict, without rowid;
create index marks_queue on marks (queue_id, handle_id);

-- Waiting gets. A program that makes a message available wakes them through the presence of their connection.
create table waiters (
    handle_id integer primary key,
    queue_id integer not null,
    destructive integer not null,            -- a browse with lock counts as destructive
    wants_msg_id blob,
    wants_correl_id blob,
    wake_token blob not null
) strict;
create index waiters_queue on waiters (queue_id);

-- Definitions other than queues (channels, namelists, ...): their attributes as JSON.
create table objects (
    kind text not null,
    name text not null,
    attributes text not null,
    primary key (kind, name)
) strict, without rowid;

-- Status of each channel. The row without a partner belongs to the channel itself, and is created with its definition.
-- A sending channel has only this row. A receiver has a row for each sending queue manager, with its sequence numbers.
create table channel_status (
    channel text not null,
    partner text not null,
    peer text not null,                      -- the other queue manager, once known
    state text not null,                     -- binding, running or retrying, while the connection of token lives
    token blob,                              -- of the connection that runs it
    session integer not null,                -- which one it is: what an earlier one goes on with does not count
    stopped integer not null,                -- in the own row: nothing passes until it is started
    resets integer not null,                 -- the other end is to take over the sequence number
    sequence integer not null,               -- of the last message of the last batch that was settled
    batch_id blob,                           -- of that batch
    indoubt_sequence integer,                -- the same of a batch that was sent and is not settled yet
    indoubt_batch_id blob,
    indoubt_bytes integer not null,          -- of the data of its messages
    holder_id integer,                       -- of the messages of that batch
    batches integer not null,
    messages integer not null,
    bytes integer not null,
    last_message_at integer,
    primary key (channel, partner)
) strict, without rowid;

-- Events of messages of queues with JOURNAL(YES), written in the transaction of the event. A row has the message as it
-- was before the event, or after an arrival. number is in the order of commits, and never reused: the last event is
-- never removed. The columns from seq on are those of messages. docs/explanation/journal.md has the events.
create table journal (
    event_seq integer primary key,
    event_at integer not null,               -- milliseconds since 1970
    event text not null,                     -- put, get, browse_lock, unlock, expire, dead_letter, report, backout, ...
    holder text not null,                    -- user and process
    appl_name text not null,
    outcome integer not null,                -- MQRC_*
    queue text not null,                     -- its name: the queue may be gone
    has_body integer not null,               -- the data is kept: JOURNAL(BODY)
    head blob,                               -- of a dead letter: its MQDLH
    state_before integer,                    -- constants/states.py; null: it was not on the queue
    state_after integer,                     -- null: it is no longer on the queue
    held_at integer,                         -- of what was uncommitted before: since when
    undone text,                             -- of a backout: the event that it undid
    detail text,                             -- words: rules file and line, channel, changed fields, ...; null: none
    seq integer not null,
    -- include message_columns.sql
) strict;

-- The message, correlation and group ids of events, and their queues, up to the number in journal_status.counted:
-- written many at a time, because an index would cost each put and get a page.
create table journal_ids (
    id blob not null,
    event_seq integer not null,
    primary key (id, event_seq)
) strict, without rowid;
create table journal_queues (
    q_name text not null,
    number integer not null,                 -- event_seq
    primary key (q_name, number)
) strict, without rowid;

-- Changes of the attribute JOURNAL of queues.
create table journal_levels (
    number integer primary key,
    queue text not null,
    level integer not null,                  -- 0 no (or the queue was deleted), 1 yes, 2 with bodies
    since integer not null,                  -- milliseconds since 1970
    event_seq integer not null               -- of the last event before
) strict;
create index journal_levels_queue on journal_levels (queue, number);

-- Earlier values of MSGDLVSQ of queues with a journal.
create table journal_orders (
    number integer primary key,
    queue text not null,
    since integer not null,                  -- milliseconds since 1970, from which it is ordered otherwise
    by_priority integer not null             -- whether it was by priority before
) strict;
create index journal_orders_queue on journal_orders (queue, number);

-- Progress of replays of the journal, so that a second run continues there.
create table replays (
    job_id text primary key,
    queue text not null,
    target text not null,
    position integer not null,               -- the last event that was put again
    last_event integer not null,             -- the last one to put
    messages integer not null                -- put so far
) strict, without rowid;

create table journal_chunks (
    event_seq integer not null,
    number integer not null,
    data blob not null,
    primary key (event_seq, number)
) strict, without rowid;

-- Events of units of work that are not committed: each becomes an event with the commit, or a backout.
create table journal_pending (
    seq integer primary key,
    number integer not null,                 -- increases with what one holder does
    event text not null,
    holder text not null,
    appl_name text not null,
    outcome integer not null,
    queue text not null,
    has_body integer not null,
    held_at integer not null default 0,
    state integer not null default 0,        -- the uncommitted one
    detail text
) strict;

create table journal_status (
    id integer primary key check (id = 1),
    events integer not null,
    bytes integer not null,
    removed_at integer,                      -- when the latest event happened that is no longer kept; null: none
    counted integer not null default 0       -- number of the last event in events, bytes, journal_ids and journal_queues
) strict;
insert into journal_status values (1, 0, 0, null, 0);

-- Whether any queue has a journal. If none has, no call looks for one.
create trigger journal_begins after insert on queues when new.journal > 0 begin
    update qmgr set journals = 1;
end;
create trigger journal_changes after update of journal on queues when new.journal <> old.journal begin
    update qmgr set journals = exists (select 1 from queues where journal > 0);
end;
create trigger journal_ends after delete on queues when old.journal > 0 begin
    update qmgr set journals = exists (select 1 from queues where journal > 0);
end;

-- Finished units of work of the data pipeline. A second one with the same id does nothing.
create table applied (
    kind text not null,                      -- load, stream
    id text not null,                        -- given by who asked for it
    applied_at integer not null,
    written integer not null,                -- messages
    quarantined integer not null,            -- rows that could be no messages
    primary key (kind, id)
) strict, without rowid;

-- Users who connect with a password. Without one all columns after changed_at are null.
create table users (
    name text primary key,
    created_at integer not null,
    changed_at integer,                      -- when the password was set
    salt blob,
    digest blob,                             -- scrypt of the password
    cost integer,                            -- parameters of scrypt: n, r, p
    block_size integer,
    parallelism integer
) strict, without rowid;

-- The error log: what happens in channels, listeners, services, the command server and background processes. An event
-- that occurs again within an hour of its entry is counted in that entry. Only the newest entries are kept.
create table errors (
    number integer primary key autoincrement, -- in the order of the first occurrences; never used twice
    first_at integer not null,
    last_at integer not null,                -- of the latest occurrence
    occurrences integer not null,
    amq text not null,                       -- message number with severity: AMQ9999E
    reason integer not null,                 -- MQRC_*, 0: none
    text text not null,
    detail text not null,                    -- words of the error; empty: none
    action text not null,                    -- what to do
    channel text not null,                   -- empty: none
    inserts text not null,                   -- JSON: the other inserts, such as connection_name, user, object
    program text not null,                   -- of the latest occurrence
    pid integer not null,
    is_unsolved integer not null             -- the channel has failed with it, and has not run since
) strict;
create index errors_amq on errors (amq, first_at);
create index errors_unsolved on errors (channel) where is_unsolved = 1;
