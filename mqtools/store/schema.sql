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

-- What changes with every put and get, apart from the definition so that the row stays small.
create table queue_status (
    queue_id integer primary key,
    depth integer not null default 0,        -- CURDEPTH
    uncommitted integer not null default 0,
    waiters integer not null default 0,      -- rows of the queue in waiters: a put looks no further when 0
    marks integer not null default 0,        -- rows of the queue in marks
    last_number integer not null default 0,  -- of an arrival; never goes back
    last_put_at integer,
    last_get_at integer
) strict;

-- Who can hold something: a connection or one of its handles (they die with their process), a confirm id
-- or a lock id (they stay until confirmed, undone, unlocked, or out of lease).
create table holders (
    id integer primary key autoincrement,
    kind text not null check (kind in ('connection', 'handle', 'confirm', 'lock')),
    connection_id integer,                   -- of a handle; of reports under a confirm id: its holder
    queue_id integer,        -- of all but a connection
    options integer not null default 0,      -- MQOO_* of a handle
    token blob,                              -- presence of a connection; id of a lock; of reports: about what
    confirm_id integer,                      -- of a confirm; of the browse that made a lock
    user_identifier text not null,
    appl_name text not null,
    pid integer not null,
    created_at integer not null,
    lease_until integer                      -- of a lock; null: for ever
) strict;
create unique index holders_confirm on holders (queue_id, confirm_id) where kind = 'confirm';
create unique index holders_token on holders (token) where token is not null;
create index holders_queue on holders (queue_id, kind) where queue_id is not null;
create index holders_connection on holders (connection_id) where connection_id is not null;

-- A message is one row. seq = (queue id << 40) + arrival number: never used twice, and the messages of a
-- queue lie together in order of arrival. order_key is where a message stands for delivery:
-- ((9 - priority) << 48) + number on a priority queue, the number alone on a FIFO queue.
create table messages (
    seq integer primary key,
    queue_id integer not null,
    state integer not null,                  -- constants/states.py
    order_key integer not null,
    holder_id integer,                       -- unit of work or confirm id of an uncommitted put or get
    lock_id integer,                         -- holder of the browse lock
    expires_at integer,
    put_at integer not null,
    persistence integer not null,
    priority integer not null,
    msg_id blob not null,
    correl_id blob,                          -- null: MQCI_NONE
    group_id blob,                           -- null: MQGI_NONE
    msg_seq_number integer not null,
    offset integer not null,
    msg_flags integer not null,
    original_length integer not null,
    report integer not null,
    msg_type integer not null,
    feedback integer not null,
    encoding integer not null,
    coded_char_set_id integer not null,
    format text not null,
    backout_count integer not null,
    reply_to_q text not null,
    reply_to_q_mgr text not null,
    user_identifier text not null,
    accounting_token blob,                   -- null: MQACT_NONE
    appl_identity_data text not null,
    put_appl_type integer not null,
    put_appl_name text not null,
    put_date text not null,
    put_time text not null,
    appl_origin_data text not null,
    properties text,                         -- JSON by name; null: none
    data_length integer not null,
    data blob                                -- null: in message_chunks
) strict;
create index messages_available on messages (queue_id, order_key) where state = 1;
create index messages_held on messages (queue_id, order_key) where state <> 1;
create index messages_msg_id on messages (queue_id, msg_id);
create index messages_correl_id on messages (queue_id, correl_id) where correl_id is not null;
create index messages_group on messages (queue_id, group_id, msg_seq_number, offset) where group_id is not null;
create index messages_holder on messages (holder_id) where holder_id is not null;
create index messages_lock on messages (lock_id) where lock_id is not null;

-- Data of long messages in pieces, so that none has to be in memory twice.
create table message_chunks (
    seq integer not null,
    number integer not null,
    data blob not null,
    primary key (seq, number)
) strict, without rowid;

-- Browse marks: of one handle, or of the co-operating set of the queue (handle_id 0).
create table marks (
    seq integer not null,
    handle_id integer not null,
    queue_id integer not null,
    until integer,                           -- null: no limit
    primary key (seq, handle_id)
) strict, without rowid;
create index marks_queue on marks (queue_id, handle_id);

-- Gets that wait. Whoever makes a message available wakes them through the presence of their connection.
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

-- What happened to the messages of queues that ask for it (JOURNAL(YES)), in the transaction that did it.
create table journal (
    event_seq integer primary key autoincrement,
    event_at integer not null,
    event text not null,
    queue_id integer not null,
    queue text not null,
    seq integer not null,
    holder text not null,
    appl_name text not null,
    outcome integer not null,                -- MQRC_*
    descriptor text not null,                -- JSON
    data_length integer not null,
    data blob
) strict;
create index journal_queue on journal (queue_id, event_seq);
