-- What `mqx sql` shows: temporary views, each in front of the table of the same name (main.messages is still
-- there). Times are RFC 3339 in UTC; enumerations and flags are the MQ integers but for type, state and kind;
-- identifiers are upper-case hex of full length. A column that does not apply is null.

-- One row a message, whatever its state. expiry is what is left, in tenths of a second, -1 without limit; expiry_s
-- the same in seconds, null without limit, 0 when the time has run out. properties is JSON by name. data and text
-- are null for a message of more than 262144 bytes, whose data is in main.message_chunks; text is null too where
-- the data is not UTF-8.
create temp view messages as
select
    (select q_mgr_name from main.qmgr) as qmgr,
    q.name as queue,
    m.seq as seq,
    case m.state
        when 0 then 'put_unconfirmed'
        when 1 then 'unlocked'
        when 2 then 'locked_for_browse'
        when 3 then 'get_unconfirmed'
        when 4 then 'browse_get_unconfirmed'
        when 5 then 'delayed'
    end as state,
    2 as version,
    m.report as report,
    m.msg_type as msg_type,
    case
        when m.expires_at is null then -1
        -- Never more than the message was put with: SQLite's time can be a millisecond behind that of the put.
        else max(1, (m.expires_at - max(cast((julianday('now') - 2440587.5) * 86400000 as integer), m.put_at) + 99) / 100)
    end as expiry,
    max(0.0, round((m.expires_at - max((julianday('now') - 2440587.5) * 86400000, m.put_at)) / 1000.0, 3)) as expiry_s,
    -- include view_message_columns.sql
    ,
    mqx_dlh('reason', m.format, m.encoding, m.coded_char_set_id, m.data) as reason,
    mqx_dlh('dest_q_name', m.format, m.encoding, m.coded_char_set_id, m.data) as dest_q_name,
    mqx_dlh('dest_q_mgr_name', m.format, m.encoding, m.coded_char_set_id, m.data) as dest_q_mgr_name
from main.messages as m
join main.queues as q on q.id = m.queue_id;

-- One row a queue definition. depth is CURDEPTH; the open counts are those written down, a process that was
-- killed a moment ago included. The rest are the attributes that DEFINE takes, under their names.
create temp view queues as
select
    q.name as name,
    case q.q_type when 1 then 'QLOCAL' when 2 then 'QMODEL' when 3 then 'QALIAS' when 6 then 'QREMOTE' end as type,
    s.depth as depth,
    iif(q.q_type in (1, 2), q.max_q_depth, null) as max_depth,
    iif(q.q_type = 1, iif(q.max_q_depth, round(100.0 * s.depth / q.max_q_depth, 1), 100.0), null) as percent_full,
    s.uncommitted as uncommitted,
    s.locked as locked,
    iif(q.q_type = 1,
        (select count(*) from main.holders as h where h.queue_id = q.id and h.kind = 'handle' and h.options & 7),
        null) as open_input,
    iif(q.q_type = 1,
        (select count(*) from main.holders as h where h.queue_id = q.id and h.kind = 'handle' and h.options & 16),
        null) as open_output,
    strftime('%Y-%m-%dT%H:%M:%fZ', s.last_put_at / 1000.0, 'unixepoch') as last_put,
    strftime('%Y-%m-%dT%H:%M:%fZ', s.last_get_at / 1000.0, 'unixepoch') as last_get,
    q.q_type as q_type,
    q.q_desc as q_desc,
    q.inhibit_put as inhibit_put,
    iif(q.q_type in (1, 2, 3), q.inhibit_get, null) as inhibit_get,
    q.def_persistence as def_persistence,
    q.def_priority as def_priority,
    iif(q.q_type in (1, 2), q.definition_type, null) as definition_type,
    iif(q.q_type in (1, 2), q.max_q_depth, null) as max_q_depth,
    iif(q.q_type in (1, 2), q.max_msg_length, null) as max_msg_length,
    iif(q.q_type in (1, 2), q.msg_delivery_sequence, null) as msg_delivery_sequence,
    iif(q.q_type in (1, 2), q.def_input_open_option, null) as def_input_open_option,
    iif(q.q_type in (1, 2), q.shareability, null) as shareability,
    iif(q.q_type in (1, 2), q.backout_threshold, null) as backout_threshold,
    iif(q.q_type in (1, 2), q.backout_req_q_name, null) as backout_req_q_name,
    json_extract(q.attributes, '$.harden_get_backout') as harden_get_backout,
    iif(q.q_type in (1, 2), q.usage, null) as usage,
    iif(q.q_type in (1, 2), q.npm_class, null) as npm_class,
    iif(q.q_type in (1, 2, 3), q.property_control, null) as property_control,
    iif(q.q_type in (1, 2), q.index_type, null) as index_type,
    iif(q.q_type = 3, q.base_q_name, null) as base_q_name,
    json_extract(q.attributes, '$.base_type') as base_type,
    iif(q.q_type = 6, q.remote_q_name, null) as remote_q_name,
    iif(q.q_type = 6, q.remote_q_mgr_name, null) as remote_q_mgr_name,
    iif(q.q_type = 6, q.xmit_q_name, null) as xmit_q_name,
    iif(q.q_type in (1, 2), q.trigger_control, null) as trigger_control,
    iif(q.q_type in (1, 2), q.trigger_type, null) as trigger_type,
    iif(q.q_type in (1, 2), q.trigger_depth, null) as trigger_depth,
    iif(q.q_type in (1, 2), q.trigger_msg_priority, null) as trigger_msg_priority,
    iif(q.q_type in (1, 2), q.trigger_data, null) as trigger_data,
    iif(q.q_type in (1, 2), q.process_name, null) as process_name,
    iif(q.q_type in (1, 2), q.initiation_q_name, null) as initiation_q_name,
    iif(q.q_type in (1, 2), q.journal, null) as journal,
    json_extract(q.attributes, '$.accounting_q') as accounting_q,
    json_extract(q.attributes, '$.cap_expiry') as cap_expiry,
    json_extract(q.attributes, '$.cluster_name') as cluster_name,
    json_extract(q.attributes, '$.cluster_namelist') as cluster_namelist,
    json_extract(q.attributes, '$.clwl_q_priority') as clwl_q_priority,
    json_extract(q.attributes, '$.clwl_q_rank') as clwl_q_rank,
    json_extract(q.attributes, '$.clwl_useq') as clwl_useq,
    json_extract(q.attributes, '$.custom') as custom,
    json_extract(q.attributes, '$.def_bind') as def_bind,
    json_extract(q.attributes, '$.def_put_response_type') as def_put_response_type,
    json_extract(q.attributes, '$.def_read_ahead') as def_read_ahead,
    json_extract(q.attributes, '$.dist_lists') as dist_lists,
    json_extract(q.attributes, '$.image_recover_q') as image_recover_q,
    json_extract(q.attributes, '$.max_q_file_size') as max_q_file_size,
    json_extract(q.attributes, '$.monitoring_q') as monitoring_q,
    json_extract(q.attributes, '$.q_depth_high_limit') as q_depth_high_limit,
    json_extract(q.attributes, '$.q_depth_low_limit') as q_depth_low_limit,
    json_extract(q.attributes, '$.q_depth_high_event') as q_depth_high_event,
    json_extract(q.attributes, '$.q_depth_low_event') as q_depth_low_event,
    json_extract(q.attributes, '$.q_depth_max_event') as q_depth_max_event,
    json_extract(q.attributes, '$.q_service_interval') as q_service_interval,
    json_extract(q.attributes, '$.q_service_interval_event') as q_service_interval_event,
    json_extract(q.attributes, '$.retention_interval') as retention_interval,
    json_extract(q.attributes, '$.scope') as scope,
    json_extract(q.attributes, '$.statistics_q') as statistics_q,
    json_extract(q.attributes, '$.stream_queue_name') as stream_queue_name,
    json_extract(q.attributes, '$.stream_queue_qos') as stream_queue_qos,
    iif(q.q_type in (1, 2), json_extract(q.attributes, '$.creation_date'), null) as creation_date,
    iif(q.q_type in (1, 2), json_extract(q.attributes, '$.creation_time'), null) as creation_time,
    json_extract(q.attributes, '$.alteration_date') as alteration_date,
    json_extract(q.attributes, '$.alteration_time') as alteration_time
from main.queues as q
left join main.queue_status as s on s.queue_id = q.id;

-- One row a message and holder: a message that was got while locked has two. kind is lock (a lock id, lock_id),
-- handle (a browse lock of an open handle), confirm (a confirm id) or unit of work (of a connection). since is when
-- the holder came to be; lease_until is null for ever.
create temp view locks as
select
    q.name as queue,
    m.seq as seq,
    hex(m.msg_id) as msg_id,
    iif(h.kind = 'lock', hex(h.token), null) as lock_id,
    iif(h.kind = 'connection', 'unit of work', h.kind) as kind,
    h.confirm_id as confirm_id,
    h.user_identifier as user,
    h.appl_name as application,
    h.pid as pid,
    strftime('%Y-%m-%dT%H:%M:%fZ', h.created_at / 1000.0, 'unixepoch') as since,
    strftime('%Y-%m-%dT%H:%M:%fZ', h.lease_until / 1000.0, 'unixepoch') as lease_until
from main.holders as h
join main.messages as m on m.holder_id = h.id
join main.queues as q on q.id = m.queue_id
union all
select
    q.name,
    m.seq,
    hex(m.msg_id),
    iif(h.kind = 'lock', hex(h.token), null),
    iif(h.kind = 'connection', 'unit of work', h.kind),
    h.confirm_id,
    h.user_identifier,
    h.appl_name,
    h.pid,
    strftime('%Y-%m-%dT%H:%M:%fZ', h.created_at / 1000.0, 'unixepoch'),
    strftime('%Y-%m-%dT%H:%M:%fZ', h.lease_until / 1000.0, 'unixepoch')
from main.holders as h
join main.messages as m on m.lock_id = h.id
join main.queues as q on q.id = m.queue_id;

-- One row an event of the queues that have JOURNAL(YES) or JOURNAL(BODY): the message as it was then. data is null
-- where the body is not kept, and for more than 262144 bytes of it, which are in main.journal_chunks.
create temp view journal as
select
    (select q_mgr_name from main.qmgr) as qmgr,
    m.event_seq as event_seq,
    strftime('%Y-%m-%dT%H:%M:%fZ', m.event_at / 1000.0, 'unixepoch') as event_at,
    m.event as event,
    m.outcome as outcome,
    m.holder as holder,
    m.appl_name as appl_name,
    m.queue as queue,
    m.seq as seq,
    case m.state_before
        when 0 then 'put_unconfirmed'
        when 1 then 'unlocked'
        when 2 then 'locked_for_browse'
        when 3 then 'get_unconfirmed'
        when 4 then 'browse_get_unconfirmed'
        when 5 then 'delayed'
    end as state_before,
    case m.state_after
        when 0 then 'put_unconfirmed'
        when 1 then 'unlocked'
        when 2 then 'locked_for_browse'
        when 3 then 'get_unconfirmed'
        when 4 then 'browse_get_unconfirmed'
        when 5 then 'delayed'
    end as state_after,
    strftime('%Y-%m-%dT%H:%M:%fZ', m.held_at / 1000.0, 'unixepoch') as held_at,
    m.undone as undone,
    m.detail as detail,
    2 as version,
    m.report as report,
    m.msg_type as msg_type,
    -- include view_message_columns.sql
from main.journal as m;
