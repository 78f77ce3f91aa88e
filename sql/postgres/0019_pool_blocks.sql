-- Pool reports are acknowledged when they are written down here. Several transactions add to a block until it is sealed,
-- and a sealed block goes to ClickHouse.

create table pool_block_parts (
  block_id uuid not null references pool_blocks on delete cascade,
  number bigint generated always as identity,
  body bytea not null,
  primary key (block_id, number)
);
comment on table pool_block_parts is 'What the transactions of a block have added to it; goes with the block';
comment on column pool_block_parts.body is 'Reports as JSON, deflated (RFC 1951)';
-- Compressed already.
alter table pool_block_parts alter column body set storage external;

insert into pool_block_parts (block_id, body) select id, body from pool_blocks;
alter table pool_blocks drop column body, add column sealed_at timestamptz;
comment on column pool_blocks.sealed_at is 'From then on nothing is added: ClickHouse may have the block under its id';

-- Whoever repeats a report need not know where it waits.
alter table pool_reports drop column block_id;
