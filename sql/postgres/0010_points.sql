-- How far the points of monitors are computed, and with which exclusions.

create table points_progress (
  singleton boolean primary key default true check (singleton),
  checks_inserted_until timestamptz not null
);
comment on table points_progress is 'Checks that ClickHouse got before this are in the points';

create table applied_exclusions (
  page_id uuid not null references pages,
  monitor_id uuid not null,
  from_at timestamptz not null,
  to_at timestamptz not null,
  primary key (monitor_id, from_at, to_at)
);
comment on table applied_exclusions is 'Maintenance and pauses as the points take them into account; a difference to what holds now names the days to compute again';
