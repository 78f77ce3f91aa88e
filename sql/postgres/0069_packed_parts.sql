-- A write and the ids of its batches go to PostgreSQL in one statement, and the write in a quarter of the bytes.

-- A packed part has no body, so that an instance of an earlier version fails to join it to others, and leaves the block to
-- an instance that can.
alter table held_parts
  alter column body drop not null,
  add column packed bytea,
  add constraint one_form check (num_nonnulls(body, packed) = 1);
comment on column held_parts.body is 'RowBinary: parts of versions before packed';
comment on column held_parts.packed is 'The rows of the part, packed';

-- A statement that finds one of the ids taken writes -1 here, so that PostgreSQL refuses it as a whole.
alter table held_parts add constraint every_batch_is_new check (rows >= 0);

-- Rows that are packed do not get much smaller, and the attempt takes the time of the write.
alter table held_parts alter column packed set storage external;
