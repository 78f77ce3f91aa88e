-- Pages whose events are kept in a ClickHouse of their own.

create sequence event_store_revisions;
create table event_stores (
  page_id uuid primary key references pages,
  url text not null,
  database text not null,
  username text not null,
  password bytea not null,
  revision bigint not null default nextval('event_store_revisions'),
  set_at timestamptz not null
);
comment on column event_stores.password is 'Encrypted with HEARTLINE_SECRET_KEY: it has to be known to connect with';
comment on column event_stores.revision is 'Another one after every change, so that instances notice it';
