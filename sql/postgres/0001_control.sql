-- Tenants, their status pages and the keys of the API.
--
-- Every instance keeps keys in memory and asks once a second what changed. `changed_in` answers that: it holds
-- the transaction that last changed the row, and whoever polls remembers pg_snapshot_xmin() of the snapshot in
-- which he asked. Every transaction below that number had ended then, so its rows were seen; rows from it upward
-- are read again. A plain sequence would lose rows: the transaction that took number 5 may commit after the
-- reader has seen number 6.
create function note_change() returns trigger language plpgsql as $$
begin
  new.changed_in := pg_current_xact_id();
  return new;
end
$$;

create table accounts (
  id uuid primary key,
  name text not null check (char_length(name) between 1 and 200),
  incident_writes boolean not null default true,
  internal_analytics boolean not null default true,
  database_health boolean not null default true,
  created_at timestamptz not null,
  changed_in xid8 not null
);
comment on table accounts is 'Who owns pages; a capability that is off here answers 403 on every route that needs it';
create index accounts_changed_in on accounts (changed_in);
create trigger accounts_note_change before insert or update on accounts
  for each row execute function note_change();

create table pages (
  id uuid primary key,
  account_id uuid not null references accounts,
  slug text not null constraint pages_slug_unique unique check (slug ~ '^[a-z0-9-]{1,63}$'),
  hostname text not null constraint pages_hostname_unique unique
    check (hostname ~ '^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$' and char_length(hostname) <= 253),
  name text not null check (char_length(name) between 1 and 200),
  languages text[] not null check (cardinality(languages) between 1 and 50),
  default_language text not null,
  history_days integer not null default 90 check (history_days between 7 and 90),
  monitoring_paused boolean not null default false,
  database_health_enabled boolean not null default false,
  created_at timestamptz not null,
  changed_in xid8 not null,
  check (default_language = any (languages))
);
comment on table pages is 'Status pages; every other row of a tenant, here and in ClickHouse, names one';
comment on column pages.hostname is 'Lower case, without a port';
comment on column pages.languages is 'BCP 47 tags in their canonical form, in the order in which the page offers them';
comment on column pages.history_days is 'How many days of uptime the page shows';
create index pages_account_id on pages (account_id);
create index pages_changed_in on pages (changed_in);
create trigger pages_note_change before insert or update on pages
  for each row execute function note_change();

create table keys (
  id uuid primary key,
  page_id uuid not null references pages,
  scope text not null check (scope in ('incident', 'ingest', 'read')),
  secret_hash bytea not null constraint keys_secret_hash_unique unique check (octet_length(secret_hash) = 32),
  display_prefix text not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz,
  changed_in xid8 not null
);
comment on table keys is 'API keys; revoked, never deleted: instances learn that a key stopped from its row';
comment on column keys.secret_hash is 'SHA-256 of the whole key; the key itself is shown once and kept nowhere';
comment on column keys.display_prefix is 'Start of the key, by which people tell keys apart in lists';
comment on column keys.last_used_at is 'Written at most once a minute; not a change that instances have to hear of';
create index keys_page_id on keys (page_id);
create index keys_changed_in on keys (changed_in);
create trigger keys_note_change
  before insert or update of page_id, scope, secret_hash, display_prefix, revoked_at on keys
  for each row execute function note_change();

create function refuse_key_delete() returns trigger language plpgsql as $$
begin
  raise exception 'a key is revoked, not deleted: a cached key whose row is gone would go on working';
end
$$;
create trigger keys_refuse_delete before delete on keys
  for each statement execute function refuse_key_delete();
