-- The last points of cumulative data points, so that the difference to them counts once, whichever instance gets a point.

create table series_groups (
  page_id uuid not null,
  key uuid not null,
  state bytea not null default '',
  weight integer not null default 0,
  touched_at timestamptz not null,
  primary key (page_id, key)
);
comment on table series_groups is 'Series of cumulative data points, one row for each sender and metric; written in the transaction that writes the differences to held_parts';
comment on column series_groups.page_id is 'Without a reference: checking one costs a lock on the page for each body';
comment on column series_groups.key is 'Of the resource, the scope and the metric: the first 128 bits of a SHA-256';
comment on column series_groups.state is 'The last point of each series, packed';
comment on column series_groups.weight is 'Number of series; one with more than 64 buckets counts for several';
comment on column series_groups.touched_at is 'When the last point of any of them came. Without an index, so that locking a row changes no index';

-- A state does not get much smaller, and the attempt takes the time of the write.
alter table series_groups alter column state set storage external;
