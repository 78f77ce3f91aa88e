-- Who changed what. Rows are written in the transaction of the change, and never changed afterwards.

create table audit_log (
  id uuid primary key,
  at timestamptz not null,
  page_id uuid,
  actor_type text not null check (actor_type in ('user', 'key', 'cli', 'job')),
  actor_id text not null,
  actor_name text not null,
  address text,
  action text not null check (action ~ '^[a-z-]+\.[a-z-]+$'),
  target_type text not null,
  target_id text not null,
  target_name text not null,
  before jsonb,
  after jsonb
);
comment on table audit_log is 'Changes of everything that people and keys can change; kept 400 days';
comment on column audit_log.page_id is 'null for what belongs to the installation; no reference, because rows outlive their page';
comment on column audit_log.before is 'The changed fields as they were; null when the change created the target. No secrets';
comment on column audit_log.address is 'Address of the client; null for jobs and the command line';
create index audit_log_page_id on audit_log (page_id, id);
create index audit_log_at on audit_log (at);

-- Only rows that are older than the log is kept may go; the job that removes them says so in its transaction.
create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and old.at < now() - interval '399 days' then
    return old;
  end if;
  raise exception 'the audit log can only be appended to';
end
$$;
create trigger audit_log_append_only before update or delete on audit_log
  for each row execute function refuse_audit_change();
create trigger audit_log_keep before truncate on audit_log
  for each statement execute function refuse_audit_change();
