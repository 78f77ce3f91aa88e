-- How people are told of alerts, and the messages to them.

create table contact_ways (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  kind text not null check (kind in ('email', 'ntfy', 'pushover', 'telegram', 'webhook', 'sms', 'voice')),
  name text not null check (char_length(name) between 1 and 80),
  host text not null,
  open_settings jsonb not null,
  settings bytea not null,
  severities text[] not null check (cardinality(severities) between 1 and 3),
  quiet_from_minute smallint check (quiet_from_minute between 0 and 1439),
  quiet_to_minute smallint check (quiet_to_minute between 0 and 1439),
  quiet_time_zone text,
  confirmed_at timestamptz,
  code_hash bytea check (octet_length(code_hash) = 32),
  code_expires_at timestamptz,
  code_tries integer not null default 0,
  code_failed text,
  created_at timestamptz not null,
  check (num_nulls(quiet_from_minute, quiet_to_minute, quiet_time_zone) in (0, 3)),
  check (quiet_from_minute <> quiet_to_minute),
  check ((code_hash is null) = (code_expires_at is null))
);
comment on table contact_ways is 'Alerts come to the ways of a person that are confirmed; a person without one gets email';
comment on column contact_ways.host is 'The host that messages go to, or smtp, sms or voice; attempts to one host are few at a time';
comment on column contact_ways.open_settings is 'What its owner may see of the settings, such as the number of a phone';
comment on column contact_ways.settings is 'All settings as JSON, encrypted with HEARTLINE_SECRET_KEY';
comment on column contact_ways.code_hash is 'MAC of the code that was sent last, by HEARTLINE_SECRET_KEY: six digits would be found out from a plain hash';
comment on column contact_ways.code_tries is 'Guesses at that code, wrong ones and the right one';
comment on column contact_ways.code_failed is 'Why that code could not be sent';
create index contact_ways_user_id on contact_ways (user_id, id);

create table contact_way_sends (
  user_id uuid not null references users on delete cascade,
  purpose text not null check (purpose in ('code', 'test')),
  window_ends_at timestamptz not null,
  requests integer not null,
  primary key (user_id, purpose)
);
comment on table contact_way_sends is 'What a person has sent within an hour: messages to phones cost the operator money';

create table person_messages (
  id uuid primary key,
  page_id uuid not null references pages,
  user_id uuid not null references users on delete cascade,
  way_id uuid not null,
  kind text not null,
  name text not null,
  seq bigint generated always as identity,
  alert_key text not null check (char_length(alert_key) between 1 and 100),
  phase text not null check (phase in ('start', 'reminder', 'end')),
  step integer not null,
  severity text not null check (severity in ('page', 'ticket', 'info')),
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
  constraint person_messages_once unique (page_id, way_id, alert_key, phase, step),
  check ((state = 'pending') = (finished_at is null)),
  check (state <> 'parked' or reason is not null)
);
comment on column person_messages.way_id is 'A way, which may have been deleted since; the id of the person for the email of the account';
comment on column person_messages.kind is 'As the way was when the message was queued, like name';
comment on column person_messages.seq is 'On a way none is sent before those of lower seq are delivered or parked';
comment on column person_messages.held_until is 'The end of the quiet hours in which it was queued; it is parked when its alert is over by then';
comment on column person_messages.status is 'HTTP status of the last attempt; null without one';
comment on column person_messages.reason is 'Why the last attempt failed: a class, a colon and a sentence';
create index person_messages_due on person_messages (next_attempt_at) where state = 'pending';
create index person_messages_pending on person_messages (way_id, seq) where state = 'pending';
create index person_messages_way_id on person_messages (way_id, seq);
create index person_messages_alert on person_messages (page_id, alert_key);
create index person_messages_user_id on person_messages (user_id);
create index person_messages_created_at on person_messages (created_at);
