-- A write and the ids of its batches go to PostgreSQL in one statement, and the write in a quarter of the bytes.

alter table held_parts add column packed boolean not null default false;
comment on column held_parts.packed is 'Whether body is a packed block; otherwise it is RowBinary, as before this column';

-- A statement that finds one of the ids taken writes -1 here, so that PostgreSQL refuses it as a whole.
alter table held_parts add constraint every_batch_is_new check (rows >= 0);
