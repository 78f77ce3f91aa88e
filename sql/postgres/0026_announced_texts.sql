-- An announcement refers to what it announces. It held the whole entry of the ledger, with every update of the timeline,
-- and each delivery of a webhook held that again: 3 MB of updates grew the database by 1.2 GB.

create table announced_texts (
  incident_id uuid not null references incidents on delete cascade,
  hash bytea not null check (octet_length(hash) = 32),
  text text not null,
  primary key (incident_id, hash)
);
comment on table announced_texts is 'Titles, summaries and lists of services that an incident had when it was announced, each once, however often it changes back and forth';
comment on column announced_texts.hash is 'SHA-256 of the text in UTF-8';
comment on column announced_texts.text is 'In the default language of the page; the slugs of the services as a JSON array';

alter table announcements
  alter column entry drop not null,
  add column title_hash bytea,
  add column summary_hash bytea,
  add column services_hash bytea,
  add column started_at timestamptz,
  add column resolved_at timestamptz,
  add column scheduled_end_at timestamptz,
  add column timeline_until integer,
  add foreign key (incident_id, title_hash) references announced_texts,
  add foreign key (incident_id, summary_hash) references announced_texts,
  add foreign key (incident_id, services_hash) references announced_texts,
  add check ((entry is null) = (started_at is not null)),
  add check (num_nonnulls(title_hash, summary_hash, services_hash, started_at) in (0, 4));
comment on column announcements.entry is 'The whole entry, in rows of earlier versions, which go 30 days after their last delivery; null in all others';
comment on column announcements.started_at is 'Of the incident right after the change, as are resolved_at and scheduled_end_at';
comment on column announcements.timeline_until is 'The last place of the timeline right after the change; null when it was empty';
create index announcements_incident_id on announcements (incident_id);

-- Rewrites the table, which gives the room of the bodies back at once. A body that is left out is composed from its
-- announcement. An instance of the previous version cannot queue deliveries from now on, because of the check; one of
-- this version does.
alter table webhook_deliveries
  alter column body drop not null,
  alter column body type text using case when announcement_id is null then body end,
  add check ((body is not null) = (announcement_id is null));
comment on column webhook_deliveries.body is 'The bytes of a test; all other bodies are composed from the announcement when they are sent';

-- Each write counts the open incidents of its page.
create index incidents_open on incidents (page_id) where resolved_at is null;
