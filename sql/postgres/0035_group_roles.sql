-- Roles that come from groups of the identity provider follow them; those that people gave stay.

alter table page_roles add column by_groups boolean not null default false;
comment on column page_roles.by_groups is 'Whether groups of the identity provider gave the role, so that the next sign-in may change or end it';
