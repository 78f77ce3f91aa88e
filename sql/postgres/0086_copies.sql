-- Rows that the SQL of a page joins with its traffic are copied to ClickHouse. A change notes its row here, in the same transaction;
-- a loop copies the rows as they are then, and deletes the notes. Nothing is noted for a change that no column of the copy shows:
-- each check updates its monitor.

create sequence copies_changes;
-- Notes of rows that did not change have higher numbers than all others, so that a change is copied before them.
create sequence copies_repeats start 4611686018427387904;

create table copies_due (
  page_id uuid not null,
  kind text not null check (kind in ('monitor', 'incident', 'maintenance', 'incident_update', 'deployment', 'alert',
    'reporter')),
  id text not null,
  change bigint not null default nextval('copies_changes'),
  noted_at timestamptz not null default now(),
  primary key (page_id, kind, id)
);
-- Not unique: sequences that a copy of the database left behind must not make the transactions of changes fail.
create index copies_due_change on copies_due (change);
comment on table copies_due is 'Rows whose copies in ClickHouse are out of date';
comment on column copies_due.page_id is 'Without a reference, which would cost a lock on the page for each change';
comment on column copies_due.change is 'The order of the copies; another one with each change: a note is deleted only as it was read';
comment on column copies_due.noted_at is 'Since when the copy is out of date';

-- A row and not sequences: a backup has it as it was with the notes. The rows from before this table are noted first, by the loop.
create table copies_state (
  is_only boolean primary key default true check (is_only),
  taken bigint not null default 0,
  version bigint not null default 0,
  noted_to text[] default '{}',
  doubted bigint not null default 0
);
comment on table copies_state is 'One row: what the copies in ClickHouse must be like, and how far all rows are noted again';
comment on column copies_state.taken is 'The last version that was taken: the time in microseconds, or one more; no copy has a higher one';
comment on column copies_state.version is 'The version of the last copies whose notes are deleted; ClickHouse has them';
comment on column copies_state.noted_to is 'Where the noting of all rows has come to; null when it is over';
comment on column copies_state.doubted is 'Copies up to this version are noted with the rows';
insert into copies_state default values;

-- Nothing is noted of a deleted page, whose rows a job removes.
create function note_copy(of_page uuid, of_kind text, of_id text) returns void language sql as $$
  insert into copies_due (page_id, kind, id)
  select of_page, of_kind, of_id
  where exists (select from pages p where p.id = of_page and p.deleted_at is null)
  on conflict (page_id, kind, id) do update set change = excluded.change
$$;

-- For tables with a page and an id. The argument is the kind.
create function note_copy_of_row() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    perform note_copy(old.page_id, tg_argv[0], old.id::text);
  else
    perform note_copy(new.page_id, tg_argv[0], new.id::text);
  end if;
  return null;
end
$$;

create function note_copy_of_incident() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    perform note_copy(old.page_id, old.type, old.id::text);
  else
    perform note_copy(new.page_id, new.type, new.id::text);
  end if;
  return null;
end
$$;

-- An incident that is deleted with its services is gone by now, and has a note of its own.
create function note_copy_of_incident_monitor() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    perform note_copy(i.page_id, i.type, i.id::text) from incidents i where i.id = old.incident_id;
  else
    perform note_copy(i.page_id, i.type, i.id::text) from incidents i where i.id = new.incident_id;
  end if;
  return null;
end
$$;

create function note_copy_of_source() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    perform note_copy(old.page_id, 'reporter', old.kind || ':' || old.source);
  else
    perform note_copy(new.page_id, 'reporter', new.kind || ':' || new.source);
  end if;
  return null;
end
$$;

-- Takes all tables or none, and waits for each for less time than a deadlock takes to be found: a transaction that has changed one
-- table and is about to change another goes first, and other writers wait for some seconds at most.
set local lock_timeout = '500ms';
do $$
begin
  for attempt in 1..300 loop
    begin
      lock table monitors, incidents, incident_monitors, incident_updates, deployments, alerts, sources
        in share row exclusive mode;
      return;
    exception when lock_not_available then
      if attempt = 300 then raise; end if;
    end;
    perform pg_sleep(0.5);
  end loop;
end
$$;

create trigger monitors_note_copy after insert or delete on monitors
  for each row execute function note_copy_of_row('monitor');
create trigger monitors_note_copy_of_change after update on monitors
  for each row when (
    (old.slug, old.name, old.description, old.kind, old.state, old.state_since, old.degraded_since, old.paused_at,
      old.every_seconds, old.timeout_ms, old.failures_to_down, old.degraded_over_ms, old.depends_on, old.hidden,
      old.certificate_ends_at)
    is distinct from
    (new.slug, new.name, new.description, new.kind, new.state, new.state_since, new.degraded_since, new.paused_at,
      new.every_seconds, new.timeout_ms, new.failures_to_down, new.degraded_over_ms, new.depends_on, new.hidden,
      new.certificate_ends_at))
  execute function note_copy_of_row('monitor');

create trigger incidents_note_copy after insert or delete on incidents
  for each row execute function note_copy_of_incident();
create trigger incidents_note_copy_of_change after update on incidents
  for each row when (
    (old.title, old.summary, old.impact, old.announced_state, old.started_at, old.resolved_at, old.scheduled_end_at,
      old.published_at, old.author_type)
    is distinct from
    (new.title, new.summary, new.impact, new.announced_state, new.started_at, new.resolved_at, new.scheduled_end_at,
      new.published_at, new.author_type))
  execute function note_copy_of_incident();

create trigger incident_monitors_note_copy after insert or update or delete on incident_monitors
  for each row execute function note_copy_of_incident_monitor();

create trigger incident_updates_note_copy after insert or delete on incident_updates
  for each row execute function note_copy_of_row('incident_update');
create trigger incident_updates_note_copy_of_change after update on incident_updates
  for each row when (
    (old.status, old.body, old.created_at, old.corrected_at, old.author_type)
    is distinct from (new.status, new.body, new.created_at, new.corrected_at, new.author_type))
  execute function note_copy_of_row('incident_update');

create trigger deployments_note_copy after insert or delete on deployments
  for each row execute function note_copy_of_row('deployment');
create trigger deployments_note_copy_of_change after update on deployments
  for each row when (
    (old.service, old.version, old.environment, old.at, old.announced_at, old.first_seen_at)
    is distinct from (new.service, new.version, new.environment, new.at, new.announced_at, new.first_seen_at))
  execute function note_copy_of_row('deployment');

create trigger alerts_note_copy after insert or delete on alerts
  for each row execute function note_copy_of_row('alert');
create trigger alerts_note_copy_of_change after update on alerts
  for each row when (
    (old.rule_slug, old.rule_name, old.kind, old.group_key, old.group_name, old.service, old.endpoint, old.severity,
      old.title, old.value, old.threshold, old.started_at, old.resolved_at, old.ended_by, old.acknowledged_at, old.held_by,
      old.incident_id)
    is distinct from
    (new.rule_slug, new.rule_name, new.kind, new.group_key, new.group_name, new.service, new.endpoint, new.severity,
      new.title, new.value, new.threshold, new.started_at, new.resolved_at, new.ended_by, new.acknowledged_at, new.held_by,
      new.incident_id))
  execute function note_copy_of_row('alert');

create trigger sources_note_copy after insert or delete on sources
  for each row execute function note_copy_of_source();
create trigger sources_note_copy_of_change after update on sources
  for each row when (
    (old.name, old.region, old.team, old.service, old.expected_every_seconds, old.first_seen_at, old.stopped_at,
      old.forgotten_at)
    is distinct from
    (new.name, new.region, new.team, new.service, new.expected_every_seconds, new.first_seen_at, new.stopped_at,
      new.forgotten_at))
  execute function note_copy_of_source();
