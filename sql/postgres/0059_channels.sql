-- Channels that tell the people who run a page of trouble, the messages to them, and the trouble itself.

create table channels (
  id uuid primary key,
  page_id uuid not null references pages,
  kind text not null check (kind in ('slack', 'discord', 'teams', 'telegram', 'mattermost', 'ntfy', 'gotify',
    'pushover', 'pagerduty', 'opsgenie', 'webhook')),
  name text not null check (char_length(name) between 1 and 80),
  host text not null,
  open_settings jsonb not null,
  settings bytea not null,
  topics text[] check (cardinality(topics) between 1 and 12),
  quiet_from_minute smallint check (quiet_from_minute between 0 and 1439),
  quiet_to_minute smallint check (quiet_to_minute between 0 and 1439),
  created_at timestamptz not null,
  disabled_at timestamptz,
  check ((quiet_from_minute is null) = (quiet_to_minute is null)),
  check (quiet_from_minute <> quiet_to_minute)
);
comment on column channels.host is 'The host that messages go to; attempts to one host are few at a time, so that one that is dead delays no other';
comment on column channels.open_settings is 'What may be shown of the settings, such as the server of Gotify';
comment on column channels.settings is 'All settings as JSON, encrypted with HEARTLINE_SECRET_KEY: the URLs and tokens of chats are secrets';
comment on column channels.topics is 'null for every topic, those of later versions included';
comment on column channels.quiet_from_minute is 'Minute of the day in the time zone of the page from which nothing is sent; until quiet_to_minute, which may be on the next day';
create index channels_page_id on channels (page_id, id);

create table channel_messages (
  id uuid primary key,
  page_id uuid not null references pages,
  channel_id uuid not null references channels on delete cascade,
  seq bigint generated always as identity,
  alarm_id uuid,
  event text not null,
  message jsonb not null,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'parked')),
  attempts integer not null default 0,
  next_attempt_at timestamptz not null,
  held_until timestamptz,
  claimed_until timestamptz,
  status integer,
  reason text,
  created_at timestamptz not null,
  finished_at timestamptz,
  check ((state = 'pending') = (finished_at is null)),
  check (state <> 'parked' or reason is not null)
);
comment on column channel_messages.seq is 'In a channel none is sent before those of lower seq are delivered or parked';
comment on column channel_messages.alarm_id is 'Alarms that began together have one; null for a test';
comment on column channel_messages.next_attempt_at is 'Not before that of a message in front of it';
comment on column channel_messages.held_until is 'The end of the quiet hours in which it was queued; it is dropped when it is over by then';
comment on column channel_messages.status is 'HTTP status of the last attempt; null without an answer';
comment on column channel_messages.reason is 'Why the last attempt failed: a class, a colon and a sentence';
create index channel_messages_due on channel_messages (next_attempt_at) where state = 'pending';
create index channel_messages_pending on channel_messages (channel_id, seq) where state = 'pending';
create index channel_messages_channel_id on channel_messages (channel_id, seq);
create index channel_messages_created_at on channel_messages (created_at);
create index channel_messages_page_id on channel_messages (page_id);
create index channel_messages_alarm_id on channel_messages (alarm_id) where state = 'pending';

create table alarms (
  page_id uuid not null references pages,
  topic text not null,
  subject text not null,
  alarm_id uuid not null,
  told_with integer not null check (told_with >= 1),
  name text not null,
  since timestamptz not null,
  primary key (page_id, topic, subject)
);
comment on table alarms is 'Trouble that lasts and was told; its row goes in the transaction that queues that it is over';
comment on column alarms.subject is 'What is in trouble, such as the id of a monitor';
comment on column alarms.alarm_id is 'Those that began together may share it, and are then over together for whoever is told';
comment on column alarms.told_with is 'How many were told in one message, this one included';

alter table monitors add column certificate_ends_at timestamptz;
comment on column monitors.certificate_ends_at is 'The earliest end of the certificates that its last answered check met; null without TLS';
