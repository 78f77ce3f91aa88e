-- What was learned from an incident that is over.

create table postmortems (
  incident_id uuid primary key references incidents on delete cascade,
  page_id uuid not null references pages,
  body text not null,
  published_at timestamptz not null,
  corrected_at timestamptz
);
comment on table postmortems is 'A text about an incident that is over; one of an incident that was opened again is not shown';
comment on column postmortems.body is 'In the default language of the page; Markdown';
comment on column postmortems.corrected_at is 'When the text was replaced last; null while it never was';
create index postmortems_page_id on postmortems (page_id);
