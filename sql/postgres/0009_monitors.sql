-- What is probed, how, and where its schedule and its state stand.

alter table monitors
  add column names jsonb not null default '{}',
  add column position integer not null default 0,
  add column icon_url text,
  add column kind text not null default 'http' check (kind in ('http', 'tcp', 'heartbeat')),
  add column url text,
  add column options jsonb not null default '{}',
  add column secrets bytea,
  add column heartbeat_token_hash bytea constraint monitors_heartbeat_token_unique unique,
  add column every_seconds integer not null default 60 check (every_seconds between 10 and 3600),
  add column timeout_ms integer not null default 10000 check (timeout_ms between 100 and 60000),
  add column failures_to_down integer not null default 2 check (failures_to_down between 1 and 20),
  add column paused_at timestamptz,
  add column next_due_at timestamptz,
  add column claimed_until timestamptz,
  add column state text check (state in ('up', 'down')),
  add column state_since timestamptz,
  add column failures integer not null default 0,
  add column last_checked_at timestamptz,
  add column last_error text,
  add column last_ping_at timestamptz,
  add column resumed_at timestamptz,
  add constraint monitors_url_given check ((kind = 'heartbeat') = (url is null));
comment on column monitors.names is 'Names in other languages of the page, by language';
comment on column monitors.url is 'https://…, http://… or tcp://host:port; never shown in public';
comment on column monitors.options is 'What is expected of an answer; nothing secret';
comment on column monitors.secrets is 'Headers and body of the request, as JSON, encrypted with HEARTLINE_SECRET_KEY';
comment on column monitors.every_seconds is 'Between checks; of a heartbeat, between looks whether its ping is late';
comment on column monitors.paused_at is 'null while it is not paused itself; its page may be all the same';
comment on column monitors.next_due_at is 'null while it or its page is paused; moves on with the result of a check';
comment on column monitors.claimed_until is 'An instance has the check that is due; another may take it after this';
comment on column monitors.state is 'null before the first check';
comment on column monitors.failures is 'Failed checks in a row';
comment on column monitors.last_error is 'Why the last check failed: a class, a colon and a sentence; null when it passed';
comment on column monitors.resumed_at is 'End of its last pause; a ping that should have come before it is not missed';
create index monitors_due on monitors (next_due_at) where next_due_at is not null;

create table pauses (
  id bigint generated always as identity primary key,
  page_id uuid not null references pages,
  monitor_id uuid references monitors on delete cascade,
  from_at timestamptz not null,
  to_at timestamptz check (to_at >= from_at)
);
-- One pause at a time, so that resuming ends it.
create unique index pauses_open on pauses (page_id, coalesce(monitor_id, page_id)) where to_at is null;
comment on table pauses is 'Times in which a monitor, or without one all of the page, was not meant to be checked';
create index pauses_page_id on pauses (page_id, from_at);
