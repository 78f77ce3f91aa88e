-- Requests that publish, by the key that their sender gave them, so that one that is sent twice publishes once.

create table publish_keys (
  page_id uuid not null references pages,
  key text collate "C" not null check (char_length(key) between 1 and 64),
  request_hash bytea not null check (octet_length(request_hash) = 32),
  made jsonb not null,
  created_at timestamptz not null,
  primary key (page_id, key)
);
comment on table publish_keys is 'Idempotency-Key of requests that published something';
comment on column publish_keys.request_hash is 'SHA-256 of what the request asked for; another one with the same key is refused';
comment on column publish_keys.made is 'What the request made, such as {id}';
create index publish_keys_created_at on publish_keys (created_at);
