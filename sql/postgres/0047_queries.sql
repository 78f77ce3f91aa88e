-- SQL that people save to run it again.

create table queries (
  id uuid primary key,
  page_id uuid not null references pages,
  owner_id uuid references users on delete cascade,
  name text not null check (char_length(name) between 1 and 100),
  sql text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
comment on table queries is 'Saved SQL of pages';
comment on column queries.owner_id is 'The only person who sees it; null for one that everybody who may read the page sees';
create index queries_page_id on queries (page_id, id);
create unique index queries_shared_name on queries (page_id, name) where owner_id is null;
create unique index queries_own_name on queries (page_id, owner_id, name) where owner_id is not null;
