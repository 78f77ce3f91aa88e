-- Incidents and scheduled maintenance, their timelines, and what every change of them announces.

create table monitors (
  id uuid primary key,
  page_id uuid not null references pages,
  slug text not null check (slug ~ '^[a-z0-9-]{1,63}$'),
  name text not null check (char_length(name) between 1 and 200),
  created_at timestamptz not null,
  constraint monitors_slug_unique unique (page_id, slug)
);
comment on table monitors is 'What a page watches, and its incidents name by their slugs';

create table incidents (
  id uuid primary key,
  page_id uuid not null references pages,
  type text not null check (type in ('incident', 'maintenance')),
  title text not null,
  summary text not null,
  started_at timestamptz not null,
  resolved_at timestamptz check (resolved_at >= started_at),
  scheduled_end_at timestamptz check (scheduled_end_at > started_at),
  announced_state text check (announced_state in ('scheduled', 'in_progress', 'completed')),
  published_at timestamptz not null,
  check ((type = 'maintenance') = (announced_state is not null)),
  check (type = 'maintenance' or scheduled_end_at is null)
);
comment on table incidents is 'Incidents and maintenance; a change locks the row first, so that changes of one incident follow each other';
comment on column incidents.title is 'In the default language of the page, as is summary';
comment on column incidents.announced_state is 'State of a maintenance that was last told to anyone; a job moves it on';
create index incidents_page_id on incidents (page_id, started_at desc);
create index incidents_maintenance_moves on incidents (started_at)
  where type = 'maintenance' and announced_state <> 'completed';

create table incident_monitors (
  incident_id uuid not null references incidents on delete cascade,
  monitor_id uuid not null references monitors on delete cascade,
  place smallint not null,
  primary key (incident_id, monitor_id)
);
comment on column incident_monitors.place is 'Order in which the monitors were named';

create table incident_updates (
  id uuid primary key,
  incident_id uuid not null references incidents on delete cascade,
  page_id uuid not null references pages,
  place integer generated always as identity,
  status text not null check (status in ('investigating', 'identified', 'monitoring', 'resolved')),
  body text not null,
  created_at timestamptz not null
);
comment on table incident_updates is 'The timeline; rows are added and never changed';
comment on column incident_updates.place is 'Order of the timeline: clocks of instances differ, and rows of one millisecond need one too';
create index incident_updates_incident_id on incident_updates (incident_id, place);

-- Written in the transaction of the change it tells of; the workers of notify/ turn each into deliveries.
create table announcements (
  id uuid primary key,
  page_id uuid not null references pages,
  incident_id uuid not null references incidents on delete cascade,
  seq bigint generated always as identity,
  kind text not null check (kind ~ '^(incident|maintenance)\.(created|updated|resolved|reopened|update_posted)$'),
  entry jsonb not null,
  update_id uuid references incident_updates,
  created_at timestamptz not null,
  webhooks_queued_at timestamptz,
  emails_queued_at timestamptz
);
comment on table announcements is 'Changes of incidents that subscribers and webhooks are told of';
comment on column announcements.seq is 'Given while the row of the incident is locked: the announcements of one incident are in its order';
comment on column announcements.entry is 'The incident as the public ledger showed it right after the change';
comment on column announcements.update_id is 'The timeline update that was posted, where one was';
create index announcements_webhooks_due on announcements (seq) where webhooks_queued_at is null;
create index announcements_emails_due on announcements (seq) where emails_queued_at is null;
create index announcements_created_at on announcements (created_at);
