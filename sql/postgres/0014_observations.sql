-- What database servers looked like to whoever watches them: the saved connections that observations may name, the
-- sources of observations, and the observations of the last 24 hours.

create table connections (
  id uuid primary key,
  page_id uuid not null references pages,
  engine text not null check (engine in ('mongodb', 'postgresql', 'mysql')),
  name text not null check (char_length(name) between 1 and 120),
  created_at timestamptz not null,
  constraint connections_name_unique unique (page_id, name)
);
comment on table connections is 'Reporting ids of direct connections; how to connect is not stored';

create table observation_sources (
  page_id uuid not null references pages,
  source_id text not null,
  engine text not null check (engine in ('mongodb', 'postgresql', 'mysql')),
  environment text not null,
  target text not null,
  connection_id uuid,
  last_checked_at timestamptz not null,
  primary key (page_id, source_id)
);
comment on table observation_sources is 'At most 20 of a page; all but last_checked_at is fixed while the source lives';
comment on column observation_sources.connection_id is 'Kept when the connection is deleted, so without a reference to it';
comment on column observation_sources.last_checked_at is 'Of its newest observation; 24 hours later the source is forgotten';
create index observation_sources_last_checked_at on observation_sources (last_checked_at);

create table observations (
  page_id uuid not null,
  id uuid not null,
  source_id text not null,
  content_hash bytea not null check (octet_length(content_hash) = 32),
  outcome text not null,
  checked_at timestamptz not null,
  latency_ms double precision not null,
  capabilities text[] not null,
  connections integer,
  connection_limit integer,
  active_sessions integer,
  blocked_sessions integer,
  received_at timestamptz not null,
  primary key (page_id, id),
  foreign key (page_id, source_id) references observation_sources on delete cascade
);
comment on column observations.id is 'Chosen by whoever reports; says nothing about the observations of another page';
comment on column observations.content_hash is 'SHA-256 of the checked observation as canonical JSON: a retry has the same, other data has not';
comment on column observations.connections is 'null when it was not measured, as the columns below';
create index observations_newest on observations (page_id, source_id, checked_at desc, received_at desc);
create index observations_checked_at on observations (checked_at);

create table observation_requests (
  page_id uuid primary key references pages,
  window_ends_at timestamptz not null,
  requests integer not null
);
comment on table observation_requests is 'Requests of a page in the minute that began with the first of them';
