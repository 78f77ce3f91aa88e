-- Rules by which a page alerts, the state of what they look at, and the alerts that they make.

create table rules (
  id uuid primary key,
  page_id uuid not null references pages,
  slug text not null check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and char_length(slug) <= 60),
  name text not null check (char_length(name) between 1 and 120),
  kind text not null check (kind in ('failure-rate', 'latency', 'traffic', 'reporter', 'monitor', 'pool', 'burn-rate',
    'query')),
  target jsonb not null,
  condition jsonb not null,
  for_seconds integer not null check (for_seconds between 0 and 86400),
  resolve_for_seconds integer not null check (resolve_for_seconds between 0 and 86400),
  no_data text not null check (no_data in ('ok', 'keep', 'alert')),
  severity text not null check (severity in ('page', 'ticket', 'info')),
  policy text,
  opens_incident jsonb,
  depends_on jsonb not null default '[]' check (jsonb_typeof(depends_on) = 'array'),
  enabled boolean not null default true,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (page_id, slug)
);
comment on column rules.policy is 'Slug of a policy of the page; null for its default';
comment on column rules.opens_incident is '{"template": slug or null}; null when it opens none';
comment on column rules.depends_on is '[{"monitor": slug} or {"rule": slug}, …]';

create table rule_groups (
  rule_id uuid not null references rules on delete cascade,
  group_key text not null,
  state text not null check (state in ('pending', 'firing')),
  since timestamptz not null,
  clear_since timestamptz,
  alert_id uuid,
  primary key (rule_id, group_key),
  check ((state = 'firing') = (alert_id is not null)),
  check (clear_since is null or state = 'firing')
);
comment on table rule_groups is 'What pends or fires; a group without a row is fine';
comment on column rule_groups.group_key is 'The service, endpoint, monitor or reporter that the rule looks at apart; empty for a rule without groups';
comment on column rule_groups.clear_since is 'Since when the condition does not hold any more, while the alert lasts';

create table rule_gaps (
  rule_id uuid primary key references rules on delete cascade,
  kind text not null check (kind in ('error', 'no-data')),
  since timestamptz not null,
  reason text,
  check ((kind = 'error') = (reason is not null))
);
comment on table rule_gaps is 'Rules whose figures cannot be read, or have no data; their states stay what they were';

create table alerts (
  id uuid primary key,
  page_id uuid not null references pages,
  rule_id uuid references rules on delete set null,
  rule_slug text not null,
  rule_name text not null,
  kind text not null,
  group_key text not null,
  group_name text not null,
  service text,
  endpoint text,
  severity text not null check (severity in ('page', 'ticket', 'info')),
  policy text,
  title text not null,
  value double precision,
  threshold double precision,
  evidence jsonb not null,
  started_at timestamptz not null,
  resolved_at timestamptz,
  ended_by text check (ended_by in ('rule', 'person', 'change')),
  acknowledged_at timestamptz,
  acknowledged_by uuid,
  acknowledged_name text,
  note text,
  held_by text,
  silence_id uuid,
  told_at timestamptz,
  told_batch uuid,
  told_policy text,
  told_with integer check (told_with >= 1),
  end_told_at timestamptz,
  incident_id uuid,
  check ((resolved_at is null) = (ended_by is null)),
  check ((acknowledged_at is null) = (acknowledged_name is null))
);
create index alerts_told_batch on alerts (told_batch) where told_batch is not null;
create unique index alerts_open on alerts (rule_id, group_key) where resolved_at is null;
create index alerts_page_started on alerts (page_id, started_at desc, id desc);
create index alerts_page_open on alerts (page_id) where resolved_at is null;
create index alerts_resolved on alerts (resolved_at) where resolved_at is not null;
comment on table alerts is 'What a rule made while it fired; kept 400 days';
comment on column alerts.evidence is 'What an engineer would look up first, as it was when the alert began';
comment on column alerts.ended_by is 'rule: the condition is over; person: somebody resolved it; change: the rule was changed, turned off or deleted';
comment on column alerts.held_by is 'What the rule depends on and is down: nobody is told meanwhile';
comment on column alerts.silence_id is 'The silence that holds back the message';
comment on column alerts.told_at is 'When the first message about it was queued; null while it is held back';
comment on column alerts.told_batch is 'Alerts that were told in one message share it, and are over together for whoever was told';
comment on column alerts.told_policy is 'The policy that decides who is told; null when the channels of the page are';
comment on column alerts.told_with is 'How many were told in one message, this one included';
create index alerts_to_tell on alerts (page_id) where told_at is null or (resolved_at is not null and end_told_at is null);

create table silences (
  id uuid primary key,
  page_id uuid not null references pages,
  rule text,
  service text,
  endpoint text,
  severity text check (severity in ('page', 'ticket', 'info')),
  note text not null check (char_length(note) <= 500),
  created_by text not null,
  created_at timestamptz not null,
  ends_at timestamptz not null,
  check (ends_at > created_at)
);
create index silences_page_ends on silences (page_id, ends_at);
comment on table silences is 'Alerts that nobody is told of for some time; a column that is null fits all';
comment on column silences.rule is 'Slug of a rule';
