-- The zone in which the people of a page plan maintenance: a weekly window keeps its hour when clocks change.

alter table pages add column time_zone text not null default 'UTC' check (char_length(time_zone) between 1 and 64);
comment on column pages.time_zone is 'Name of the IANA time zone database, in which maintenance recurs';
