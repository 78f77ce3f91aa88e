-- Who opened an incident and who posted an update, and corrections of what is in a timeline.

alter table incidents
  add column author_type text check (author_type in ('user', 'key', 'cli', 'job')),
  add column author_id text,
  add column author_name text,
  add column revision integer not null default 0;
comment on column incidents.author_type is 'Who opened it; null for an incident from before this was kept';
comment on column incidents.revision is 'Counts the changes of the incident, its timeline and the texts that people have translated: two people who edit at once notice each other';

alter table incident_updates
  add column author_type text check (author_type in ('user', 'key', 'cli', 'job')),
  add column author_id text,
  add column author_name text,
  add column corrected_at timestamptz;
comment on table incident_updates is 'The timeline; a row changes only when somebody corrects it';
comment on column incident_updates.author_type is 'Who posted it; null for an update from before this was kept';

-- What was announced stays as it was, also when a webhook delivery is replayed.
create table announced_updates (
  update_id uuid not null references incident_updates on delete cascade,
  until_seq bigint not null,
  incident_id uuid not null,
  status text not null,
  body_hash bytea not null,
  primary key (update_id, until_seq),
  foreign key (incident_id, body_hash) references announced_texts on delete cascade
);
comment on table announced_updates is 'Updates as they were before a correction, as long as an announcement shows them';
comment on column announced_updates.until_seq is 'The last announcement of the incident before the correction';
comment on column announced_updates.body_hash is 'Of the text in announced_texts';
create index announced_updates_body on announced_updates (incident_id, body_hash);

-- The lists of the management API begin at any place of 100,000 incidents: one index for those without an end, one for
-- each type. The first takes the place of incidents_open.
create index incidents_open_started on incidents (page_id, started_at desc, id desc) where resolved_at is null;
drop index incidents_open;
create index incidents_type_started on incidents (page_id, type, started_at desc, id desc);
-- Deleting an update looks for the announcements of it.
create index announcements_update_id on announcements (update_id) where update_id is not null;
