-- Blocks of events that their store did not take, until it does.

create table delivery_queues (
  store text primary key,
  page_id uuid references pages,
  next_attempt_at timestamptz not null,
  failures integer not null default 0,
  claimed_until timestamptz,
  removed_batches bigint not null default 0,
  removed_events bigint not null default 0,
  check ((page_id is null) = (store = 'default'))
);
comment on table delivery_queues is 'One per event store that was ever behind: the installation''s own ("default"), or that of a page (its id)';
comment on column delivery_queues.failures is 'Attempts in a row that failed; the pause before the next one grows with them';
comment on column delivery_queues.claimed_until is 'An instance is at it; after that time it is taken to have died';
comment on column delivery_queues.removed_batches is 'Taken out undelivered, because newer ones needed the room';

create table delivery_batches (
  id bigint generated always as identity primary key,
  store text not null references delivery_queues,
  token uuid not null unique,
  body bytea not null,
  rows integer not null,
  events integer not null,
  created_at timestamptz not null,
  attempts integer not null default 0,
  exhausted_at timestamptz,
  last_error text
);
-- Compressing it again would cost the processor that is needed for what arrives.
alter table delivery_batches alter column body set storage external;
comment on column delivery_batches.id is 'Order of delivery within a store';
comment on column delivery_batches.token is 'The store counts a token once, however often it is delivered';
comment on column delivery_batches.exhausted_at is 'After the last attempt; it is then delivered only by hand';
create index delivery_batches_pending on delivery_batches (store, id) where exhausted_at is null;
create index delivery_batches_exhausted on delivery_batches (created_at) where exhausted_at is not null;
