-- Whom a policy tells next of alerts, and who was told.

create table escalations (
  batch_id uuid primary key,
  page_id uuid not null references pages,
  policy text not null,
  step smallint not null check (step >= 0),
  round smallint not null check (round >= 0),
  next_at timestamptz not null
);
comment on table escalations is 'Alerts that were told together and that a policy still escalates; the row goes when they are over or all steps were gone through';
comment on column escalations.batch_id is 'told_batch of the alerts';
comment on column escalations.policy is 'Slug of the policy';
create index escalations_next_at on escalations (next_at);
create index escalations_page_id on escalations (page_id);

create table alert_notices (
  id uuid primary key,
  batch_id uuid not null,
  page_id uuid not null references pages,
  at timestamptz not null,
  step smallint not null,
  round smallint not null,
  recipient_type text not null check (recipient_type in ('person', 'channel', 'schedule', 'nobody')),
  recipient_id uuid,
  recipient_name text not null,
  reason text
);
comment on table alert_notices is 'Whom a step of a policy told, or why it reached nobody';
comment on column alert_notices.reason is 'Why nobody was reached; null when somebody was';
create index alert_notices_batch_id on alert_notices (batch_id, at);
create index alert_notices_page_id on alert_notices (page_id);
