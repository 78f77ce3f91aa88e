-- Batches of events that their senders named, so that one that is sent twice counts once.

create table event_batches (
  page_id uuid not null,
  key uuid not null,
  acknowledgement json not null,
  claimed_at timestamptz not null,
  primary key (page_id, key)
);
comment on table event_batches is 'Batches with an id; each is written in the transaction that writes its events to the delivery buffer';
comment on column event_batches.page_id is 'Without a reference: checking one costs a lock on the page for each batch';
comment on column event_batches.key is 'Of the reporter and the id: the first 128 bits of a SHA-256';
comment on column event_batches.acknowledgement is 'The first answer, for those who send the batch again';
create index event_batches_claimed_at on event_batches (claimed_at);

alter table delivery_batches add column held_until timestamptz;
comment on column delivery_batches.held_until is 'Until then the instance that wrote the batch brings it to its store; none when null';
