-- Figures of pages that go to an S3-compatible bucket, an hour at a time.

create table figure_exports (
  page_id uuid primary key references pages,
  endpoint text not null,
  region text not null,
  bucket text not null,
  prefix text not null,
  access_key_id text not null,
  secret bytea not null,
  format text not null check (format in ('parquet', 'csv', 'jsonl')),
  enabled boolean not null,
  since timestamptz,
  revision integer not null default 1,
  last_put_at timestamptz,
  failures integer not null default 0,
  failing_since timestamptz,
  next_attempt_at timestamptz not null,
  last_error text,
  set_at timestamptz not null,
  -- Two pages would write over the objects of each other. With another key it is another place, so that the name of a bucket
  -- is not enough to block it.
  constraint figure_exports_place_unique unique (endpoint, bucket, prefix, access_key_id),
  check ((failures = 0) = (failing_since is null)),
  check ((failures = 0) = (last_error is null))
);
comment on table figure_exports is 'Where the figures of a page go';
comment on column figure_exports.endpoint is 'Origin of the service that has the bucket, such as https://s3.eu-central-1.amazonaws.com';
comment on column figure_exports.prefix is 'Begins the names of objects, without slashes at its ends; empty for none';
comment on column figure_exports.secret is 'Encrypted with HEARTLINE_SECRET_KEY: requests are signed with it';
comment on column figure_exports.since is 'First hour that was last asked for: asked for again, it changes nothing';
comment on column figure_exports.revision is 'Another one with every change of the settings, so that a run of the settings before puts and moves nothing on';
comment on column figure_exports.failures is 'Attempts in a row that failed';
comment on column figure_exports.next_attempt_at is 'The page with the earliest comes first; each turn sets it to the begin of its run at least';
create index figure_exports_due on figure_exports (next_attempt_at) where enabled;

create table figure_export_tables (
  page_id uuid not null references figure_exports on delete cascade,
  name text not null,
  exported_until timestamptz not null,
  final_until timestamptz not null,
  primary key (page_id, name),
  check (final_until <= exported_until)
);
comment on table figure_export_tables is 'The tables that a page exports, and how far each has gone';
comment on column figure_export_tables.exported_until is 'End of the last hour of which the bucket has acknowledged the object';
comment on column figure_export_tables.final_until is 'End of the last hour whose object was put again with the rows that came late, or was put late enough';
