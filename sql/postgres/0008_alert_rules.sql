-- The rule by which a page's traffic opens an incident, and the incident it has open.

create table alert_rules (
  page_id uuid primary key references pages,
  threshold_percent double precision not null check (threshold_percent > 0 and threshold_percent <= 100),
  window_seconds integer not null check (window_seconds between 60 and 86400 and window_seconds % 60 = 0),
  requests_min integer not null check (requests_min >= 1),
  incident_id uuid references incidents on delete set null,
  created_at timestamptz not null
);
comment on table alert_rules is 'A page without a row has no rule, which is the default';
comment on column alert_rules.incident_id is 'Set while an outage lasts, also after someone resolved the incident by hand: one incident per outage';
