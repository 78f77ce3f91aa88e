-- Histograms of Prometheus, which sends each of their buckets as a series of its own, in any request.

create table remote_write_joins (
  page_id uuid not null,
  series uuid not null,
  bounds text[] not null,
  counted_at_ms bigint not null,
  waiting json not null,
  seen_at timestamptz not null,
  primary key (page_id, series)
);
comment on table remote_write_joins is 'Points of histograms whose buckets have not all arrived, or that have not counted yet';
comment on column remote_write_joins.page_id is 'Without a reference: checking one costs a lock on the page for each batch';
comment on column remote_write_joins.series is 'Of metric and labels but for le: the first 128 bits of a SHA-256';
comment on column remote_write_joins.bounds is 'The buckets that the last point had, by their upper bounds';
comment on column remote_write_joins.counted_at_ms is 'Time of the newest point that has counted, since the epoch';
comment on column remote_write_joins.waiting is 'Points with the counts of their buckets by upper bound';
create index remote_write_joins_seen_at on remote_write_joins (seen_at);
