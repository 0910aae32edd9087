-- Triggers that count the messages of groups (the tables groups and logical_messages, and queue_status.grouped). The
-- first message in a group creates them (store/messages/group_counts.py). SQLite compiles them with each statement that
-- changes messages, which costs a process with one put or get one or two milliseconds.

-- A message in a group, or a segment, as the triggers see it. Flags: MQMF_SEGMENT 2, MQMF_LAST_SEGMENT 4,
-- MQMF_MSG_IN_GROUP 8, MQMF_LAST_MSG_IN_GROUP 16. OriginalLength is the span without MQ headers; a report has that
-- of the segment it is about.
create view group_members as
select
    seq, queue_id, group_id, msg_seq_number, offset, state,
    case
        when msg_flags & 2 = 0 then 1
        when original_length >= 0 then original_length
        else data_length
    end as span,
    (msg_flags & 2 = 0 or msg_flags & 4 <> 0) as ends_message,
    (msg_flags & 8 = 0 or msg_flags & 16 <> 0) as ends_group
from messages
where group_id is not null;

-- An insert into one of these views adds a member to the available ones, or removes it.
create view group_arrivals as select seq from messages where 0;
create view group_departures as
select seq, queue_id, group_id, msg_seq_number, offset, span, ends_message, ends_group from group_members where 0;
create view group_settlements as select queue_id, group_id, msg_seq_number from messages where 0;

create trigger group_arrival instead of insert on group_arrivals begin
    insert or ignore into logical_messages
        select queue_id, group_id, msg_seq_number, 0, null, 0 from group_members where seq = new.seq;
    insert or ignore into groups
        select queue_id, group_id, 0, null, 0 from group_members where seq = new.seq;
    update logical_messages
        set present = present + max(0, member.span - coalesce((
                select max(other.span) from group_members as other
                where other.queue_id = member.queue_id and other.group_id = member.group_id
                    and other.msg_seq_number = member.msg_seq_number and other.offset = member.offset
                    and other.state = 1 and other.seq <> new.seq
            ), 0)),
            end_at = case
                when member.ends_message and coalesce(end_at > member.offset + member.span, 1)
                then member.offset + member.span
                else end_at
            end
        from group_members as member
        where member.seq = new.seq and logical_messages.queue_id = member.queue_id
            and logical_messages.group_id = member.group_id
            and logical_messages.msg_seq_number = member.msg_seq_number;
    update groups set last_number = member.msg_seq_number
        from group_members as member
        where member.seq = new.seq and member.ends_group
            and coalesce(groups.last_number > member.msg_seq_number, 1)
            and groups.queue_id = member.queue_id and groups.group_id = member.group_id;
    insert into group_settlements
        select queue_id, group_id, msg_seq_number from group_members where seq = new.seq;
    update messages
        set completeness = 1 + (completeness - 1) / 3 * 3 + coalesce((
            select whole.complete * (1 + grp.complete) from logical_messages as whole, groups as grp
            where whole.queue_id = messages.queue_id and whole.group_id = messages.group_id
                and whole.msg_seq_number = messages.msg_seq_number
                and grp.queue_id = messages.queue_id and grp.group_id = messages.group_id
        ), 0)
        where seq = new.seq;
end;

create trigger group_departure instead of insert on group_departures begin
    update logical_messages
        set present = present - max(0, new.span - coalesce((
                select max(other.span) from group_members as other
                where other.queue_id = new.queue_id and other.group_id = new.group_id
                    and other.msg_seq_number = new.msg_seq_number and other.offset = new.offset
                    and other.state = 1 and other.seq <> new.seq
            ), 0)),
            end_at = case when not new.ends_message then end_at else (
                select min(other.offset + other.span) from group_members as other
                where other.queue_id = new.queue_id and other.group_id = new.group_id
                    and other.msg_seq_number = new.msg_seq_number and other.state = 1
                    and other.seq <> new.seq and other.ends_message
            ) end
        where queue_id = new.queue_id and group_id = new.group_id and msg_seq_number = new.msg_seq_number;
    update groups
        set last_number = (
            select other.msg_seq_number from group_members as other
            where other.queue_id = new.queue_id and other.group_id = new.group_id
                and other.msg_seq_number >= new.msg_seq_number and other.state = 1
                and other.seq <> new.seq and other.ends_group
            order by other.msg_seq_number limit 1
        )
        where queue_id = new.queue_id and group_id = new.group_id
            and new.ends_group and last_number = new.msg_seq_number;
    insert into group_settlements values (new.queue_id, new.group_id, new.msg_seq_number);
    delete from logical_messages
        where queue_id = new.queue_id and group_id = new.group_id and msg_seq_number = new.msg_seq_number
            and not exists (
                select 1 from messages as other
                where other.queue_id = new.queue_id and other.group_id = new.group_id
                    and other.msg_seq_number = new.msg_seq_number and other.state = 1 and other.seq <> new.seq
            );
    delete from groups
        where queue_id = new.queue_id and group_id = new.group_id and not exists (
            select 1 from logical_messages
            where logical_messages.queue_id = new.queue_id and logical_messages.group_id = new.group_id
        );
end;

-- Update all rows that depend on completeness, but only if it has changed.
create trigger group_settlement instead of insert on group_settlements begin
    update groups
        set complete_messages = complete_messages + case when whole.complete then -1 else 1 end
        from logical_messages as whole
        where groups.queue_id = new.queue_id and groups.group_id = new.group_id
            and whole.queue_id = new.queue_id and whole.group_id = new.group_id
            and whole.msg_seq_number = new.msg_seq_number
            and whole.complete <> (whole.end_at is not null and whole.present >= whole.end_at);
    update messages
        set completeness = 1 + (completeness - 1) / 3 * 3 + (not whole.complete) * (1 + grp.complete)
        from logical_messages as whole, groups as grp
        where messages.queue_id = new.queue_id and messages.group_id = new.group_id
            and messages.msg_seq_number = new.msg_seq_number
            and grp.queue_id = new.queue_id and grp.group_id = new.group_id
            and whole.queue_id = new.queue_id and whole.group_id = new.group_id
            and whole.msg_seq_number = new.msg_seq_number
            and whole.complete <> (whole.end_at is not null and whole.present >= whole.end_at);
    update logical_messages
        set complete = (end_at is not null and present >= end_at)
        where queue_id = new.queue_id and group_id = new.group_id and msg_seq_number = new.msg_seq_number
            and complete <> (end_at is not null and present >= end_at);
    update messages
        set completeness = 1 + (completeness - 1) / 3 * 3 + coalesce((
            select whole.complete * (2 - grp.complete) from logical_messages as whole
            where whole.queue_id = messages.queue_id and whole.group_id = messages.group_id
                and whole.msg_seq_number = messages.msg_seq_number
        ), 0)
        from groups as grp
        where messages.queue_id = new.queue_id and messages.group_id = new.group_id
            and grp.queue_id = new.queue_id and grp.group_id = new.group_id
            and grp.complete <> (grp.last_number is not null and grp.complete_messages >= grp.last_number);
    update groups
        set complete = (last_number is not null and complete_messages >= last_number)
        where queue_id = new.queue_id and group_id = new.group_id
            and complete <> (last_number is not null and complete_messages >= last_number);
end;

create trigger messages_join after insert on messages when new.group_id is not null begin
    update queue_status set grouped = grouped + 1 where queue_id = new.queue_id;
    insert into group_arrivals select new.seq where new.state = 1;
end;

create trigger messages_leave before delete on messages when old.group_id is not null begin
    update queue_status set grouped = grouped - 1 where queue_id = old.queue_id;
    insert into group_departures
        select seq, queue_id, group_id, msg_seq_number, offset, span, ends_message, ends_group from group_members
        where seq = old.seq and state = 1;
end;

create trigger messages_appear after update of state on messages
when new.group_id is not null and new.state = 1 and old.state <> 1 begin
    insert into group_arrivals values (new.seq);
end;

create trigger messages_vanish after update of state on messages
when new.group_id is not null and new.state <> 1 and old.state = 1 begin
    insert into group_departures
        select seq, queue_id, group_id, msg_seq_number, offset, span, ends_message, ends_group from group_members
        where seq = new.seq;
end;
