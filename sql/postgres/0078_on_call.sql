-- Who is on call, when, and whom a policy tells, one step after another.

create table schedules (
  id uuid primary key,
  page_id uuid not null references pages,
  slug text not null check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and char_length(slug) <= 60),
  name text not null check (char_length(name) between 1 and 80),
  time_zone text not null,
  feed_token_hash bytea constraint schedules_feed_token_unique unique check (octet_length(feed_token_hash) = 32),
  created_at timestamptz not null,
  constraint schedules_slug_unique unique (page_id, slug)
);
comment on column schedules.feed_token_hash is 'SHA-256 of the token in the address of its calendar, which is kept nowhere; null without a calendar';

create table schedule_layers (
  schedule_id uuid not null references schedules on delete cascade,
  position smallint not null check (position >= 0),
  page_id uuid not null references pages,
  name text not null check (char_length(name) between 1 and 80),
  handoff text not null check (handoff ~ '^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$'),
  every_count smallint not null check (every_count between 1 and 366),
  every_unit text not null check (every_unit in ('days', 'weeks')),
  hours json,
  primary key (schedule_id, position)
);
comment on column schedule_layers.position is 'The highest one that covers a moment decides';
comment on column schedule_layers.handoff is 'What the clock of the time zone shows when the first person takes over';
comment on column schedule_layers.hours is 'When it covers: [{from, to, days}]; null for always';
create index schedule_layers_page_id on schedule_layers (page_id);

create table schedule_people (
  schedule_id uuid not null,
  layer_position smallint not null,
  position smallint not null check (position >= 0),
  page_id uuid not null references pages,
  user_id uuid references users on delete set null,
  primary key (schedule_id, layer_position, position),
  foreign key (schedule_id, layer_position) references schedule_layers on delete cascade
);
comment on column schedule_people.user_id is 'null once the account was deleted: the turn stays, so that the turns of the others do not move';
create index schedule_people_page_id on schedule_people (page_id);
create index schedule_people_user_id on schedule_people (user_id);

create table schedule_overrides (
  id uuid primary key,
  schedule_id uuid not null references schedules on delete cascade,
  page_id uuid not null references pages,
  user_id uuid not null references users on delete cascade,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  check (starts_at < ends_at)
);
comment on table schedule_overrides is 'They beat the layers; of two at once, the one with the higher id';
create index schedule_overrides_schedule_id on schedule_overrides (schedule_id, ends_at);
create index schedule_overrides_page_id on schedule_overrides (page_id);
create index schedule_overrides_user_id on schedule_overrides (user_id);

create table policies (
  id uuid primary key,
  page_id uuid not null references pages,
  slug text not null check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and char_length(slug) <= 60),
  name text not null check (char_length(name) between 1 and 80),
  repeat smallint not null check (repeat between 0 and 9),
  created_at timestamptz not null,
  constraint policies_slug_unique unique (page_id, slug)
);
comment on column policies.repeat is 'How often all steps are gone through again';

create table policy_defaults (
  page_id uuid not null references pages,
  severity text not null check (severity in ('page', 'ticket', 'info')),
  policy_id uuid not null references policies on delete cascade,
  primary key (page_id, severity)
);
comment on table policy_defaults is 'The policy of the rules of a page that name none, by severity';
create index policy_defaults_policy_id on policy_defaults (policy_id);

create table policy_steps (
  policy_id uuid not null references policies on delete cascade,
  position smallint not null check (position >= 0),
  page_id uuid not null references pages,
  wait_minutes smallint not null check (wait_minutes between 1 and 1440),
  primary key (policy_id, position)
);
comment on column policy_steps.wait_minutes is 'Without an acknowledgement for so long, the next step begins';
create index policy_steps_page_id on policy_steps (page_id);

create table policy_targets (
  policy_id uuid not null,
  step_position smallint not null,
  position smallint not null check (position >= 0),
  page_id uuid not null references pages,
  user_id uuid references users on delete cascade,
  schedule_id uuid references schedules,
  channel_id uuid references channels on delete cascade,
  primary key (policy_id, step_position, position),
  foreign key (policy_id, step_position) references policy_steps on delete cascade,
  check (num_nonnulls(user_id, schedule_id, channel_id) = 1)
);
comment on table policy_targets is 'Whom a step tells. A step may be left without anybody when an account is deleted; the next one then begins at once';
comment on column policy_targets.channel_id is 'A channel that a policy names is not deleted; an instance of an earlier version, which does not look, takes it out';
create index policy_targets_page_id on policy_targets (page_id);
create index policy_targets_user_id on policy_targets (user_id) where user_id is not null;
create index policy_targets_schedule_id on policy_targets (schedule_id) where schedule_id is not null;
create index policy_targets_channel_id on policy_targets (channel_id) where channel_id is not null;
