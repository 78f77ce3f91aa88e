-- Objectives that the status page shows. An earlier version neither reads nor writes the column.

alter table objectives add column is_public boolean not null default false;
comment on column objectives.is_public is 'Whether the status page shows name, target and the last twelve months';
create index objectives_public on objectives (page_id) where is_public;
