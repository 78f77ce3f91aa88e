-- The processes of the service that run, for the people who run the installation.

create table instances (
  id uuid primary key,
  host text not null,
  process integer not null,
  version text not null,
  roles text[] not null,
  started_at timestamptz not null,
  seen_at timestamptz not null
);
comment on table instances is 'One row per process of the service; removed when it stops in order, and a day after it was last seen';
comment on column instances.seen_at is 'Written every ten seconds while the process runs';
