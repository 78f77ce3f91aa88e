-- What subscribers hear of, reminders of maintenance, and subscribers that are told in their chats.

alter table subscribers
  alter column email drop not null,
  add column monitor_ids uuid[] check (cardinality(monitor_ids) <= 200),
  add column group_ids uuid[] check (cardinality(group_ids) <= 100),
  add column reminders boolean not null default false,
  add check ((monitor_ids is null) = (group_ids is null));
comment on column subscribers.email is 'In lower case; null for one that is told through a channel';
comment on column subscribers.monitor_ids is 'Told of what affects one of these or a service of group_ids, and of what affects no service; null for everything';
comment on column subscribers.reminders is 'Whether it is reminded a day and an hour before maintenance';

alter table channels
  add column subscriber_id uuid unique references subscribers on delete cascade,
  add column address_hash bytea;
comment on column channels.subscriber_id is 'The reader whose chat it is; null for a channel of the team';
comment on column channels.address_hash is 'Keyed hash of the URL of a reader, so that one chat has one subscription';
create unique index channels_address_once on channels (page_id, address_hash) where subscriber_id is not null;

alter table channel_messages
  add column announcement_id uuid references announcements on delete cascade,
  add constraint channel_messages_once unique (announcement_id, channel_id);

alter table announcements add column reminder_hours smallint check (reminder_hours in (1, 24));
comment on column announcements.reminder_hours is 'How long before its start it reminds of maintenance, for subscribers who want that; null for a change';

alter table incidents
  add column reminded_for timestamptz,
  add column reminded_hours smallint,
  add check ((reminded_for is null) = (reminded_hours is null));
comment on column incidents.reminded_for is 'The start of which the last reminder was; maintenance that is moved is reminded of once more';
