-- What instances have to agree on: requests of keys that have a limit, and whether the run of a job has ended.

create table key_requests (
  key_id uuid primary key references keys,
  window_ends_at timestamptz not null,
  requests integer not null
);
comment on table key_requests is 'Of the minute that began with the first of them';

-- A run that was cut off can be told from one that ended, and is made up for by another instance.
alter table job_leases add column ended_at timestamptz;
comment on column job_leases.ended_at is 'Of the last run, whether it failed or not; earlier than started_at while one is under way, or was cut off';
update job_leases set ended_at = started_at;
