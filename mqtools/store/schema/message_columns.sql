    -- The columns of a message behind its key: of messages, trash and journal alike.
    queue_id integer not null,
    state integer not null,                  -- constants/states.py
    completeness integer not null,           -- group completeness: constants/completeness.py; kept by triggers
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
    -- Null: in the chunks of the table, or not kept.
    data blob,
    -- As store/messages/checksums.py has it: CRC-32 or above 1024 bytes of data XXH3. Null: put by an older mqx.
    checksum integer,
    deliver_at integer                       -- when it becomes or became available, ms since 1970; null: at once
