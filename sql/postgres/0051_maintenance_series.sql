-- Maintenance that recurs.

create table maintenance_series (
  id uuid primary key,
  page_id uuid not null references pages,
  title text not null,
  summary text not null,
  monitor_slugs text[] not null,
  texts json not null,
  starts_at text not null check (starts_at ~ '^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$'),
  time_zone text not null,
  duration_minutes integer not null check (duration_minutes > 0),
  rule text not null check (char_length(rule) between 1 and 500),
  notice_days integer not null check (notice_days between 1 and 90),
  planned_from timestamptz not null,
  due_at timestamptz,
  revision integer not null default 1,
  author_type text not null check (author_type in ('user', 'key', 'cli', 'job')),
  author_id text not null,
  author_name text not null,
  created_at timestamptz not null
);
comment on table maintenance_series is 'Maintenance that recurs by a rule of RFC 5545';
comment on column maintenance_series.monitor_slugs is 'The page may lack a monitor for some of them by now';
comment on column maintenance_series.texts is 'Translations by language: {title, summary}';
comment on column maintenance_series.starts_at is 'What the clock of the time zone shows at the first start';
comment on column maintenance_series.planned_from is 'When the rule or its times were changed; no occurrence that starts before is published';
comment on column maintenance_series.due_at is 'When the next occurrence is to be published; null when none is left';
create index maintenance_series_page_id on maintenance_series (page_id, id);
create index maintenance_series_due_at on maintenance_series (due_at) where due_at is not null;

create table maintenance_occurrences (
  series_id uuid not null references maintenance_series on delete cascade,
  starts_at timestamptz not null,
  page_id uuid not null references pages,
  incident_id uuid,
  incident_revision integer,
  primary key (series_id, starts_at),
  check ((incident_id is null) = (incident_revision is null))
);
comment on table maintenance_occurrences is 'Occurrences that were published or skipped; neither happens again';
comment on column maintenance_occurrences.incident_id is 'The maintenance, which stays here when it is deleted, so that it is not published again; null for a skipped occurrence';
comment on column maintenance_occurrences.incident_revision is 'Revision of the maintenance as the series left it; a higher one was edited by somebody';
create index maintenance_occurrences_page_id on maintenance_occurrences (page_id);
create index maintenance_occurrences_incident_id on maintenance_occurrences (incident_id);
