-- Versions of services: those that report now, and when each one came.

create table service_versions (
  page_id uuid not null references pages on delete cascade,
  service text not null,
  version text not null,
  environment text not null,
  first_seen_at timestamptz not null,
  seen_at timestamptz not null,
  primary key (page_id, service, version, environment)
);
comment on table service_versions is 'Versions whose requests count apart now, a bounded number a service; one that is silent makes room for another';
comment on column service_versions.environment is 'Empty for none';
comment on column service_versions.seen_at is 'Moved every few minutes while requests of the version come';

create table deployments (
  id uuid primary key,
  page_id uuid not null references pages,
  service text not null,
  version text not null,
  environment text not null,
  at timestamptz not null,
  announced_at timestamptz,
  first_seen_at timestamptz,
  url text,
  unique (page_id, service, version, environment),
  constraint announced_or_seen check (num_nonnulls(announced_at, first_seen_at) > 0)
);
comment on table deployments is 'A version that came to a service: a job has announced it, its first request has arrived, or both';
comment on column deployments.environment is 'Empty for none';
comment on column deployments.at is 'When it came: what the announcement says, or else its first request';
comment on column deployments.announced_at is 'What the last announcement says';
create index deployments_at on deployments (page_id, at desc, id desc);
create index deployments_service_at on deployments (page_id, service, at desc, id desc);
