-- Batches of events that their senders named, so that one that is sent twice counts once.

create table event_batches (
  page_id uuid not null,
  key uuid not null,
  acknowledgement json not null,
  claimed_at timestamptz not null,
  primary key (page_id, key)
);
comment on table event_batches is 'Batches with an id; each is written in the transaction that writes its events to held_parts or delivery_batches';
comment on column event_batches.page_id is 'Without a reference: checking one costs a lock on the page for each batch';
comment on column event_batches.key is 'Of the reporter and the id: the first 128 bits of a SHA-256';
comment on column event_batches.acknowledgement is 'The first answer, for those who send the batch again';
create index event_batches_claimed_at on event_batches (claimed_at);

create table held_blocks (
  token uuid primary key,
  store text not null,
  held_until timestamptz not null
);
comment on table held_blocks is 'Blocks of events that the instance which writes them brings to their store; afterwards they move to delivery_batches';
comment on column held_blocks.held_until is 'An instance that has not removed the block by then has ended or is suspended';
create index held_blocks_held_until on held_blocks (held_until);

-- A part cannot be added to a block that is gone: its row is locked until the transaction of the part ends.
create table held_parts (
  token uuid not null references held_blocks on delete cascade,
  part integer not null,
  body bytea not null,
  rows integer not null,
  events integer not null,
  created_at timestamptz not null,
  primary key (token, part)
);
comment on table held_parts is 'What one write adds to a block; the parts one after another are the block';
alter table held_parts alter column body set storage external;
