-- Objectives of pages: how much of the requests, or of the time of a monitor, has to be good over a window.

create table objectives (
  id uuid primary key,
  page_id uuid not null references pages,
  slug text not null check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and char_length(slug) <= 60),
  name text not null,
  target double precision not null check (target > 0 and target < 100),
  window_days smallint check (window_days between 1 and 90),
  calendar text check (calendar in ('month', 'quarter')),
  service text,
  endpoint text,
  method text,
  under_ms double precision check (under_ms > 0),
  monitor_id uuid references monitors on delete cascade,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (page_id, slug),
  check (num_nonnulls(window_days, calendar) = 1),
  check (monitor_id is null or num_nonnulls(service, endpoint, method, under_ms) = 0)
);
comment on table objectives is 'What share of the requests of a page, or of the time of a monitor, has to be good over a window';
comment on column objectives.target is 'Percent, with at most five decimals';
comment on column objectives.monitor_id is 'Null for requests; service, endpoint and method narrow those down';
comment on column objectives.under_ms is 'As it was asked for; reads take the nearest bound of the buckets of response times';
create index objectives_monitor on objectives (monitor_id) where monitor_id is not null;
