-- A logo that already shows the name of the page may stand without it.

alter table pages add column logo_alone boolean not null default false;
comment on column pages.logo_alone is 'Whether readers see the logo without the name; the name is then its alternative text';
