-- Which pool reports were accepted; their measurements are in ClickHouse. A report is first written down here, in one
-- transaction with the block of rows that it goes to ClickHouse in, so that whoever comes later can bring the block there.

create table pool_report_rates (
  page_id uuid primary key references pages,
  window_ends_at timestamptz not null,
  requests integer not null
) with (fillfactor = 50);
comment on table pool_report_rates is 'How many reports a page sent in the minute that ends then; its row is the lock under which reports of the page are decided';

create table pool_sessions (
  page_id uuid not null references pages,
  session uuid not null,
  service text not null,
  environment text not null,
  revision text not null,
  started_at timestamptz not null,
  hour_from timestamptz not null,
  hour_reports integer not null,
  hour_pools text[] not null,
  last_report_at timestamptz not null,
  primary key (page_id, session)
) with (fillfactor = 50);
comment on table pool_sessions is 'Processes that report their pools, with what is fixed for each; forgotten two hours after the last report';
comment on column pool_sessions.hour_from is 'Start of the hour that the limits count in: when its first report came';
comment on column pool_sessions.hour_pools is 'Server pools of that hour: system, target, pool and server pool, a line each';

-- Without a reference to pages, which would be looked up for each of hundreds of rows a second that live for an hour.
create table pool_reports (
  page_id uuid not null,
  session uuid not null,
  sequence bigint not null,
  body_hash bytea not null check (octet_length(body_hash) = 32),
  from_at timestamptz not null,
  to_at timestamptz not null,
  block_id uuid not null,
  primary key (page_id, session, sequence)
);
comment on table pool_reports is 'Identities of the reports whose interval ended within the last hour';
comment on column pool_reports.body_hash is 'SHA-256 of the report in its one form, by which a repetition is told from a contradiction';
comment on column pool_reports.block_id is 'Block that brings the measurements to ClickHouse; they are there once pool_blocks has no such row';
create index pool_reports_to_at on pool_reports (to_at);

create table pool_blocks (
  id uuid primary key,
  created_at timestamptz not null,
  body bytea not null
);
comment on table pool_blocks is 'Blocks of reports that ClickHouse may not have yet; their id is the token under which it takes them once';
comment on column pool_blocks.body is 'The reports of the block as JSON, deflated (RFC 1951)';
-- Compressed already.
alter table pool_blocks alter column body set storage external;
