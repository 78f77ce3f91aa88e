-- Keys that run a page or the installation, who made a key, and when it ends.

alter table keys
  alter column page_id drop not null,
  drop constraint keys_scope_check,
  add constraint keys_scope_check check (scope in ('incident', 'ingest', 'read', 'manage', 'admin')),
  add column access text check (access in ('read', 'write')),
  add column expires_at timestamptz,
  add column created_by_type text check (created_by_type in ('user', 'key', 'cli', 'job')),
  add column created_by_id text,
  add column created_by_name text,
  add check ((scope = 'admin') = (page_id is null)),
  add check ((scope = 'manage') = (access is not null));
comment on column keys.page_id is 'null for a key of the installation';
comment on column keys.access is 'Whether a manage key may write';
comment on column keys.expires_at is 'null for a key that works until it is revoked';
comment on column keys.created_by_type is 'null for a key that was made before this was kept';

drop trigger keys_note_change on keys;
create trigger keys_note_change
  before insert or update of page_id, scope, secret_hash, display_prefix, revoked_at, access, expires_at, name on keys
  for each row execute function note_change();
