-- Lists of subscribers, newest first, and of suppressed addresses, which need not be subscribers.

create index subscribers_page_id on subscribers (page_id, id);

-- The default is set behind the column: a column that is added with a random default makes PostgreSQL write the whole
-- table again. It stays, because an instance of the version before adds rows without an id.
alter table suppressions add column id uuid;
alter table suppressions alter column id set default gen_random_uuid();
update suppressions set id = gen_random_uuid() where id is null;
create unique index suppressions_id on suppressions (id);
comment on column suppressions.id is 'Names an address that is suppressed and no subscriber any more';
create index suppressions_page_id on suppressions (page_id, created_at, email);
