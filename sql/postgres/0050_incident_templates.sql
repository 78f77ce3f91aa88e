-- What incidents and maintenance begin from.

create table incident_templates (
  page_id uuid not null references pages,
  slug text not null check (slug ~ '^[a-z0-9-]{1,63}$'),
  name text not null check (char_length(name) between 1 and 100),
  type text not null check (type in ('incident', 'maintenance')),
  title text not null,
  summary text not null,
  monitor_slugs text[] not null,
  updates json not null,
  texts json not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (page_id, slug)
);
comment on table incident_templates is 'Texts that people prepare for incidents and maintenance';
comment on column incident_templates.title is 'In the default language of the page, as are summary and updates; empty where a person fills it in';
comment on column incident_templates.monitor_slugs is 'The page may lack a monitor for some of them by now';
comment on column incident_templates.updates is 'A list of {status, body}, in the order in which they are usually posted';
comment on column incident_templates.texts is 'Translations by language: {title, summary, updates}, the last one a list in the order of the updates';
