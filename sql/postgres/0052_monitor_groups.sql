-- Groups under whose names a page shows its monitors.

create table monitor_groups (
  id uuid primary key,
  page_id uuid not null references pages,
  slug text not null check (slug ~ '^[a-z0-9-]{1,63}$'),
  name text not null check (char_length(name) between 1 and 200),
  names jsonb not null default '{}',
  position integer not null,
  created_at timestamptz not null,
  constraint monitor_groups_slug_unique unique (page_id, slug)
);
comment on table monitor_groups is 'Groups of monitors of pages';
comment on column monitor_groups.name is 'In the default language of the page';
comment on column monitor_groups.names is 'In other languages of the page, by language';

alter table monitors add column group_id uuid references monitor_groups on delete set null;
comment on column monitors.group_id is 'null for a monitor that stands in front of the groups';
create index monitors_group on monitors (group_id) where group_id is not null;
