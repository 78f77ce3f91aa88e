-- How far the points of monitors are computed, with which exclusions, and what is left to compute.

create table points_progress (
  singleton boolean primary key default true check (singleton),
  version bigint not null,
  checks_inserted_until timestamptz not null,
  computed_until timestamptz not null
);
comment on table points_progress is 'What the points, or the batches that wait, take into account';
comment on column points_progress.version is 'Of the run that began last; its points replace those of earlier ones, which stop when they see it';
comment on column points_progress.checks_inserted_until is 'Checks that ClickHouse got before this, by its own clock';
comment on column points_progress.computed_until is 'Time that had passed';

create table points_batches (
  id bigint generated always as identity primary key,
  ranges jsonb not null
);
comment on table points_batches is 'Hours of monitors to compute again, written with the progress that names them and deleted when it is done';
comment on column points_batches.ranges is '[page, monitor, from, to], …: hours since 1970, the last one exclusive; one range a monitor';

create table applied_exclusions (
  page_id uuid not null references pages,
  monitor_id uuid not null,
  from_at timestamptz not null,
  to_at timestamptz not null,
  primary key (monitor_id, from_at, to_at)
);
comment on table applied_exclusions is 'Maintenance and pauses as the points take them into account; a difference to what holds now names the hours to compute again';
comment on column applied_exclusions.to_at is 'infinity while there is no end';
